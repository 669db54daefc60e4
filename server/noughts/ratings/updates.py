"""Makes ratings of the games that are over, one after the other, in the order of their ends.

A game that is stored late, though it ended before others that are rated already, has those rated anew after it. So the
ratings are what the order of the games makes them, whichever node wrote what when, and they can be made again from the
records to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from noughts.journal import GameResult, Journal
from noughts.projection import result_of
from noughts.protocol import UnknownRecord, from_record
from noughts.ratings.rules import after_game
from noughts.rooms import Room, evolve

BATCH = 100
"""How many games or rooms are asked for at once."""


class UnreadableRooms(Exception):
    """Rooms whose records cannot be replayed here: a newer server wrote them, or they do not follow from each other.

    ``rooms`` gives the reason for each room. ``recomputed``: everything else has been recomputed.
    """

    def __init__(self, rooms: Mapping[str, str], *, recomputed: bool) -> None:
        super().__init__("; ".join(f"room {room} cannot be read: {reason}" for room, reason in rooms.items()))
        self.rooms = rooms
        self.recomputed = recomputed


async def rate_all(journal: Journal) -> int:
    """Rate all games that are to be and are not; how many those were. Raises JournalError.

    Should somebody else do so at the same time, some games are left to that one, or to whoever does so next.
    """
    rated = 0
    while batch := await journal.results.unrated(BATCH):
        progress = 0
        for finished in batch:
            before = await journal.results.before(finished)
            if not await journal.results.rate(finished, *after_game(finished, *before)):
                break  # somebody else was quicker, and is at the next already
            progress += 1
        if not progress:
            break
        rated += progress
    return rated


async def recompute(journal: Journal) -> tuple[int, int]:
    """Make all results and ratings anew from the records; how many results there are, and how many of them are rated.

    Servers may go on meanwhile: what ends is stored by them as ever. All results are in memory for a while, to be put
    in order: else a server that rates as it finds them would do so over and over. Raises JournalError, and then it has
    to be done again. Raises :class:`UnreadableRooms`.
    """
    found: dict[str, GameResult | None] = {}
    if unreadable := await _read_results(journal, found):
        raise UnreadableRooms(unreadable, recomputed=False)
    await journal.results.forget_all()
    unreadable = await _read_results(journal, found)  # of the games that ended meanwhile
    results = sorted((one for one in found.values() if one is not None), key=lambda one: (one.ended_at, one.room))
    for start in range(0, len(results), BATCH):
        await journal.results.put_anew(results[start : start + BATCH])
    while await journal.results.unrated(1):  # a server may rate as well, and have taken some
        await rate_all(journal)
    if unreadable:
        raise UnreadableRooms(unreadable, recomputed=True)
    return len(results), sum(one.pool is not None for one in results)


async def _read_results(journal: Journal, found: dict[str, GameResult | None]) -> dict[str, str]:
    """Add to ``found`` the result of each finished room that is not in it yet, None for a room without a result.

    Returns the rooms that cannot be read, each with the reason.
    """
    unreadable, last = {}, ""
    while rooms := await journal.results.over(last, BATCH):
        for room_id in rooms:
            if room_id not in found:
                records = await journal.read(room_id)
                try:
                    found[room_id] = _result(records)
                except UnknownRecord as error:
                    unreadable[room_id] = str(error)
                except Exception as error:  # evolve() checks nothing: an impossible event can fail in any way
                    unreadable[room_id] = f"its records do not follow from each other ({type(error).__name__}: {error})"
        last = rooms[-1]
    return unreadable


def _result(records: Sequence[bytes]) -> GameResult | None:
    room: Room | None = None
    for record in records:
        before, room = room, evolve(room, from_record(record))
        if (finished := result_of(room, before)) is not None:
            return finished
    return None
