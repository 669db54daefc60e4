"""Rates the finished games one after another, in one order for all servers.

That order is kept in the journal: a game gets its place when it is rated first, and keeps it. So a game that is stored
late, although it ended earlier than others, is rated after them, and :func:`recompute` gives the same ratings again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from noughts.journal import GameResult, Journal, StoredRating
from noughts.projection import is_stripped, result_of
from noughts.protocol.records import UnknownRecord, from_record
from noughts.ratings.rules import after_game
from noughts.rooms import Room, evolve

BATCH = 100
"""The number of games or rooms to fetch at once."""


class UnreadableRooms(Exception):
    """Rooms whose records cannot be replayed here: a newer server wrote them, or they do not follow from each other.

    ``rooms`` gives the reason for each room.
    """

    def __init__(self, rooms: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"room {room} cannot be read: {reason}" for room, reason in rooms.items()))
        self.rooms = rooms


async def rate_all(journal: Journal) -> None:
    """Rate all games that are not rated yet. Raises :class:`JournalError`.

    If another server rates at the same time, some games are left to it, or to the next call.
    """
    while batch := await journal.results.unrated(BATCH):
        players = {player for game in batch for player in (game.first, game.second)}
        stored = await journal.results.ratings(sorted(players))
        ratings: dict[tuple[str, str, str | None], StoredRating] = {
            (one.player, one.game, one.pool): one for one in stored
        }
        rated = []
        for game in batch:
            keys = [(player, game.game, game.pool) for player in (game.first, game.second)]
            first, second = after_game(game, *(ratings.get(key) for key in keys))
            ratings |= {key: one for key, one in zip(keys, (first, second), strict=True) if one is not None}
            rated.append((game, first, second))
            await asyncio.sleep(0)  # a game takes some 0.1 ms, and other tasks need their turn
        if not await journal.results.rate(rated):
            return  # another server was quicker, and is rating the following games already


async def recompute(journal: Journal) -> tuple[int, int]:
    """Recompute all results and ratings from the records. Returns the numbers of results and of rated games.

    Servers may keep running. The results of all games are in memory for a while. Raises :class:`JournalError`, and
    then it must be run again, and :class:`UnreadableRooms`, with nothing changed.
    """
    results = await _read_results(journal)
    # In the order of their ends: servers may rate those that are new before all are stored.
    rooms = sorted(results, key=lambda room: (0 if (one := results[room]) is None else one.ended_at, room))
    for start in range(0, len(rooms), BATCH):
        await journal.results.replace({room: results[room] for room in rooms[start : start + BATCH]})
    await journal.results.clear_ratings()
    while await journal.results.unrated(1):  # running servers may have taken some
        await rate_all(journal)
    found = [one for one in results.values() if one is not None]
    return len(found), sum(one.pool is not None for one in found)


async def _read_results(journal: Journal) -> dict[str, GameResult | None]:
    """The result of each finished room, None for a room without one. Raises :class:`UnreadableRooms`."""
    results: dict[str, GameResult | None] = {}
    unreadable: dict[str, str] = {}
    last = ""
    while rooms := await journal.results.over(last, BATCH):
        for room_id in rooms:
            records = await journal.read(room_id)
            if is_stripped(records) and (remains := await journal.index.remains(room_id)) and remains.first_version > 1:
                results[room_id] = None
                continue
            try:
                results[room_id] = _result(records)
            except UnknownRecord as error:
                unreadable[room_id] = str(error)
            except Exception as error:  # evolve() checks nothing: an impossible event can fail in any way
                unreadable[room_id] = f"its records do not follow from each other ({type(error).__name__}: {error})"
        last = rooms[-1]
    if unreadable:
        raise UnreadableRooms(unreadable)
    return results


def _result(records: Sequence[bytes]) -> GameResult | None:
    room: Room | None = None
    for record in records:
        before, room = room, evolve(room, from_record(record))
        if (result := result_of(room, before)) is not None:
            return result
    return None
