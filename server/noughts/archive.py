"""Finished games out of one journal and into another, with the same records and so the same rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from noughts.engine import levels_of
from noughts.journal import Append, GameResult, Journal, StoredPlayer
from noughts.projection import index_row, is_stripped, result_of
from noughts.protocol.gamefile import RecordedGame, recorded
from noughts.protocol.render import timestamp
from noughts.rooms import Room

CHUNK = 100
"""The number of results to fetch at once. Only one game at a time is in memory."""


class NotThere(Exception):
    """The journal does not have what was asked for; the text says what."""


class Differs(Exception):
    """The journal has a room with this id in which something else happened."""


class Impossible(Exception):
    """No server would have allowed this game; the text says why."""


async def game_of(journal: Journal, room: str) -> RecordedGame:
    """The finished game in ``room``.

    Raises :class:`NotThere`, :class:`~noughts.protocol.UnknownRecord` and :class:`~noughts.journal.JournalError`.
    """
    records = await journal.read(room)
    if not records:
        raise NotThere(f"there is no room {room}")
    if is_stripped(records):
        raise NotThere(f"room {room} was aborted before its first move, and its records were deleted")
    game = recorded(records)
    if game.room.status != "over":
        raise NotThere(f"the game in room {room} is not over")
    return game


async def games(
    journal: Journal,
    *,
    player: str | None = None,
    game: str | None = None,
    since: int = 0,
    private: bool = False,
    chunk: int = CHUNK,
) -> AsyncIterator[RecordedGame]:
    """The games with a result that ended at ``since`` or later, in ms since the epoch.

    Only those of one ``player``, by id or registered name, and of one ``game``, where given; those of ``private`` rooms
    too if that is set. Raises what :func:`game_of` does.
    """
    player_id = None if player is None else await _id_of(journal, player)
    after: GameResult | None = None
    while True:
        finished = await journal.results.finished(
            player=player_id, game=game, since=since, private=private, after=after, limit=chunk
        )
        for after in finished:
            yield await game_of(journal, after.room)
        if len(finished) < chunk:
            return


async def _id_of(journal: Journal, who: str) -> str:
    if who.startswith("computer:"):  # computers are not stored as players
        return who
    player = await journal.people.find(who)
    if player is None:
        raise NotThere(f"there is no player with the id or registered name {who}")
    return player.id


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
