"""Imports games that were exported from another journal, with the same records, and so the same rooms."""

from __future__ import annotations

from dataclasses import replace

from noughts.engine import levels_of
from noughts.journal import Append, Journal, StoredPlayer
from noughts.projection import index_row, is_stripped, result_of
from noughts.protocol.gamefile import RecordedGame
from noughts.protocol.render import timestamp
from noughts.rooms import Room


class Differs(Exception):
    """The journal has a room with this id in which something else happened."""


class Impossible(Exception):
    """No server would have allowed this game; the text says why."""


async def import_game(journal: Journal, game: RecordedGame) -> bool:
    """Store a finished ``game``. Returns False if it is there already.

    New players keep the registered name that they had at the source, if it is free here, and hold no token. If an
    earlier import was interrupted, the missing records are added. A room that is longer here, because of a rematch
    after the export, counts as there. Raises :class:`Differs` and :class:`Impossible`, with nothing stored, and
    :class:`~noughts.journal.JournalError`.
    """
    room = game.room
    _check_possible(room, journal.now())
    there = await journal.read(room.id)
    if is_stripped(there):
        return False
    together = min(len(there), len(game.records))
    if tuple(there[:together]) != game.records[:together]:
        raise Differs(f"there is a room {room.id} already, with another game")
    players = tuple(
        StoredPlayer(seat.id, seat.name, seat.kind, b"")
        for seat in (room.first, room.second)
        if seat is not None and seat.kind != "computer"
    )
    named = [
        seat
        for seat in (room.first, room.second)
        if seat is not None and seat.registered and await journal.people.find(seat.id) is None
    ]
    # The room counts as over from its first record on, so that nobody plays in it before all are there.
    index = replace(index_row(room), due_at=None)  # what was imported is kept
    for number in range(len(there), len(game.records)):
        finished = result_of(game.rooms[number], game.rooms[number - 1] if number else None)
        write = Append(room.id, number + 1, game.records[number], index, () if number else players, finished)
        if not await journal.append(write):
            raise Differs(f"there is a room {room.id} already, and it is changing")
    for seat in named:
        await journal.people.register(seat.id, seat.name)
    return len(there) < len(game.records)


def _check_possible(room: Room, now: int) -> None:
    """Raise :class:`Impossible` for what no server would have allowed by ``now``, ms since the epoch."""
    if room.at > now:
        raise Impossible(f"by the clock here, the game in room {room.id} is not over yet: {timestamp(room.at)}")
    levels = levels_of(room.game)
    for seat in (room.first, room.second):
        if seat is not None and seat.level is not None and seat.level not in levels:
            raise Impossible(f"room {room.id}: the computer has no level {seat.level} in {room.game.title}")
