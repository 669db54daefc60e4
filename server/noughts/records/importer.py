"""Games that were taken out of a journal, into another: with the same records, and so the same rooms."""

from __future__ import annotations

import secrets

from noughts.engine import levels_of
from noughts.journal import Append, Journal, StoredPlayer
from noughts.journal.base import SECRET_BYTES
from noughts.projection import index_row, result_of
from noughts.protocol import timestamp
from noughts.protocol.gamefile import RecordedGame
from noughts.rooms import Room


class Differs(Exception):
    """The journal has a room of that id, in which something else happened."""


class Untrue(Exception):
    """The game cannot have been played; the text says why."""


async def import_game(journal: Journal, game: RecordedGame) -> bool:
    """Store ``game``, which is over; False when it is there already. Its players get no token that anybody knows.

    Who is new here has the name for good that was so where it was played, where it is still to be had.
    A room that went on after its game was taken out, to a rematch, is there already; one that has only the first of
    the records gets the others: storing it was broken off. Raises :class:`Differs` and :class:`Untrue`, with nothing
    changed that was there, and :class:`~noughts.journal.JournalError`.
    """
    room = game.room
    _must_be_possible(room, journal.now())
    there = await journal.read(room.id)
    together = min(len(there), len(game.records))
    if tuple(there[:together]) != game.records[:together]:
        raise Differs(f"room {room.id} is there already, and another game was played in it")
    players = tuple(
        StoredPlayer(seat.id, seat.name, seat.kind, secrets.token_bytes(SECRET_BYTES))
        for seat in (room.first, room.second)
        if seat is not None and seat.kind != "computer"
    )
    named = [
        seat
        for seat in (room.first, room.second)
        if seat is not None and seat.registered and await journal.people.find(seat.id) is None
    ]
    # The room counts as over from its first record on: nobody is to play on before the others are there.
    index = index_row(room)
    for number in range(len(there), len(game.records)):
        finished = result_of(game.rooms[number], game.rooms[number - 1] if number else None)
        write = Append(room.id, number + 1, game.records[number], index, () if number else players, finished)
        if not await journal.append(write):
            raise Differs(f"room {room.id} is there already, and something happens in it")
    for seat in named:
        await journal.people.register(seat.id, seat.name)
    return len(there) < len(game.records)


def _must_be_possible(room: Room, now: int) -> None:
    """Raise :class:`Untrue` for what a server would not have let happen by ``now``, ms since the epoch."""
    if room.at > now:
        raise Untrue(f"the game in room {room.id} is not over yet by the clock here: {timestamp(room.at)}")
    levels = levels_of(room.game)
    for seat in (room.first, room.second):
        if seat is not None and seat.level is not None and seat.level not in levels:
            raise Untrue(f"room {room.id}: the computer does not play {room.game.title} at the level {seat.level}")
