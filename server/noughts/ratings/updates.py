"""Makes ratings of the games that are over, one after the other, in the order of their ends.

A game that is stored late, though it ended before others that are rated already, has those rated anew after it. So the
ratings are what the order of the games makes them, whichever node wrote what when, and they can be made again from the
records to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from noughts.journal import GameResult, Journal
from noughts.projection import result_of
from noughts.protocol import UnknownRecord, from_record
from noughts.ratings.rules import after_game
from noughts.rooms import Room, evolve

BATCH = 100
"""How many games or rooms are asked for at once."""


class LeftOut(Exception):
    """All was made anew but the result of a room that cannot be run here; the text says of which."""


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
    to be done again; raises :class:`~noughts.protocol.UnknownRecord` for a room that cannot be run here, with nothing
    changed, or :class:`LeftOut` where that turned up later.
    """
    found: dict[str, GameResult | None] = {}
    for unknown in await _read_results(journal, found):
        raise unknown
    await journal.results.forget_all()
    left_out = await _read_results(journal, found)  # of the games that ended meanwhile
    results = sorted((one for one in found.values() if one is not None), key=lambda one: (one.ended_at, one.room))
    for start in range(0, len(results), BATCH):
        await journal.results.put_anew(results[start : start + BATCH])
    while await journal.results.unrated(1):  # a server may rate as well, and have taken some
        await rate_all(journal)
    for unknown in left_out:
        raise LeftOut(str(unknown))
    return len(results), sum(one.pool is not None for one in results)


async def _read_results(journal: Journal, found: dict[str, GameResult | None]) -> list[UnknownRecord]:
    """Add the results of the rooms that are over and not yet among ``found``, by room; None where there is none.

    Those that cannot be run here are left out; what is wrong with each.
    """
    unknown, last = [], ""
    while rooms := await journal.results.over(last, BATCH):
        for room_id in rooms:
            if room_id not in found:
                records = await journal.read(room_id)
                try:
                    found[room_id] = _result(records)
                except UnknownRecord as error:
                    unknown.append(UnknownRecord(f"{room_id} cannot be read here: {error}"))
        last = rooms[-1]
    return unknown


def _result(records: Sequence[bytes]) -> GameResult | None:
    room: Room | None = None
    for record in records:
        before, room = room, evolve(room, from_record(record))
        if (finished := result_of(room, before)) is not None:
            return finished
    return None
