"""Export: the requested games, in the order of their ends."""

from __future__ import annotations

from random import Random

import pytest

from noughts.archive import NotThere, game_of, games
from noughts.journal import Journal
from noughts.protocol.records import to_record
from noughts.rooms import Abort, Ended, evolve
from support.games import keep, random_game, random_records, results_of
from support.journals import MemoryJournal, Opener
from support.rooms import decided


async def all_of(journal: Journal, **wanted: object) -> list[str]:
    return [game.room.id async for game in games(journal, **wanted)]  # type: ignore[arg-type]


async def test_games_are_exported_in_the_order_of_their_ends_and_private_ones_only_on_request(opened: Opener) -> None:
    async with opened() as journal:
        played = [await keep(journal, random_records(Random(seed), f"room-{seed}")) for seed in range(15)]
        opening = random_game(Random(1), "aborted")[0]
        room = evolve(None, opening)
        assert room.first is not None
        aborted = decided(room, Abort(room.first.id), room.at)
        assert isinstance(aborted, Ended)
        played.append(await keep(journal, [to_record(opening), to_record(aborted)]))
        results = [one for game in played for one in await results_of(journal, game.room.id)]
        results.sort(key=lambda one: (one.ended_at, one.room))
        private = [one.room for one in results if not one.public]
        assert 0 < len(private) < len(results) < len(played)
        assert await all_of(journal, private=True) == [one.room for one in results]
        assert await all_of(journal) == [one.room for one in results if one.public]
        since = results[9].ended_at
        assert await all_of(journal, since=since) == [one.room for one in results[9:] if one.public]
        assert await all_of(journal, since=since + 1, private=True) == [one.room for one in results[10:]]
        assert await all_of(journal, game="gomoku") == [
            one.room for one in results if one.public and one.game == "gomoku"
        ]
        for who in ("p-1", "computer:easy"):
            assert await all_of(journal, player=who) == [
                one.room for one in results if one.public and who in (one.first, one.second)
            ]
        assert (await game_of(journal, private[0])).room.options.private
        assert (await game_of(journal, "aborted")).room.status == "over"
        with pytest.raises(NotThere, match="no player"):
            await all_of(journal, player="player-9")


async def test_many_games_are_exported_in_order() -> None:
    journal = MemoryJournal()
    for seed in range(12):
        await keep(journal, random_records(Random(seed), f"room-{seed}"))
    everything = [one.room for one in await journal.results.finished(private=True, limit=100)]
    assert await all_of(journal, private=True, chunk=3) == everything
    assert len(everything) > 6


async def test_a_running_game_is_not_exported() -> None:
    journal = MemoryJournal()
    played = (random_game(Random(seed), "room", ending=False) for seed in range(100))
    going_on = next(events for events in played if len(events) > 10)
    await keep(journal, [to_record(event) for event in going_on])
    with pytest.raises(NotThere, match="not over"):
        await game_of(journal, "room")
    with pytest.raises(NotThere, match="no room"):
        await game_of(journal, "another")
    assert await all_of(journal) == []
