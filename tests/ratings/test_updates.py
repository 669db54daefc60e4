"""Ratings are what the order of the games makes them, however the games came to be stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import to_json

from noughts.journal import Append, GameResult, Journal, MemoryJournal, PostgresJournal, SqliteJournal, StoredRating
from noughts.journal.memory.results import MemoryResults
from noughts.projection import index_row, result_of
from noughts.protocol import UnknownRecord, to_record
from noughts.ratings import LeftOut, after_game, rate_all, recompute
from noughts.rooms import Event, Room, evolve
from support.games import random_game
from support.postgres import Postgres, database
from support.writes import OVER

PLAYERS = ["p-1", "p-2", "p-3", "computer:easy", "computer:hard"]


@st.composite
def histories(draw: st.DrawFn) -> list[GameResult]:
    """Some games in the order in which they come to be stored; several may have ended at the same moment."""
    games = []
    for number in range(draw(st.integers(1, 12))):
        first, second = draw(st.permutations(PLAYERS))[:2]
        games.append(
            GameResult(
                room=f"room-{number}",
                game=draw(st.sampled_from(["tictactoe", "reversi"])),
                first=first,
                second=second,
                winner=draw(st.sampled_from(["first", "second", None])),
                reason="line",
                public=True,
                pool=draw(st.sampled_from(["blitz", "blitz", "rapid", None])),
                ended_at=draw(st.integers(0, 5)),
            )
        )
    return draw(st.permutations(games))


def in_order(games: Iterable[GameResult]) -> dict[tuple[str, str, str], StoredRating]:
    """The ratings that the games make when they are taken in order, from nothing."""
    ratings: dict[tuple[str, str, str], StoredRating] = {}
    for game in sorted(games, key=lambda one: (one.ended_at, one.room)):
        if game.pool is not None:
            first, second = ((player, game.game, game.pool) for player in (game.first, game.second))
            new = after_game(game, ratings.get(first), ratings.get(second))
            ratings |= {(one.player, one.game, one.pool): one for one in new if one is not None}
    return ratings


async def ratings_in(journal: Journal) -> dict[tuple[str, str, str], StoredRating]:
    found = await journal.results.ratings(PLAYERS)
    return {(one.player, one.game, one.pool): one for one in found}


@settings(deadline=None, max_examples=200)
@given(histories(), st.data())
def test_whatever_comes_late_is_rated_in_its_place(games: list[GameResult], data: st.DataObject) -> None:
    async def run() -> None:
        journal = MemoryJournal()
        for game in games:
            await journal.results.put_anew([game])
            if data.draw(st.booleans(), "rated now"):
                await rate_all(journal)
        await rate_all(journal)
        assert await journal.results.unrated(1) == []
        assert await ratings_in(journal) == in_order(games), "to the last bit"

    asyncio.run(run())


async def test_a_game_that_cannot_be_rated_keeps_no_other_from_it() -> None:
    journal = MemoryJournal()
    odd = [
        GameResult(f"odd-{number:03}", "tictactoe", "p-1", "computer:best", "first", "line", True, "blitz", number)
        for number in range(250)
    ]
    game = GameResult("room", "tictactoe", "p-1", "p-2", "first", "line", True, "blitz", 1000)
    await journal.results.put_anew([*odd, game])
    await rate_all(journal)
    assert await journal.results.unrated(1) == []
    assert await ratings_in(journal) == in_order([game])


def many_games(random: Random, number: int) -> list[GameResult]:
    """Rated games of two kinds that end at about the same time."""
    return [
        GameResult(
            room=f"room-{each}",
            game=random.choice(["tictactoe", "reversi"]),
            first=first,
            second=second,
            winner=random.choice(["first", "second", None]),
            reason="line",
            public=True,
            pool="blitz",
            ended_at=random.randrange(number // 2),
        )
        for each in range(number)
        for first, second in [random.sample(PLAYERS, 2)]
    ]


async def rate_at_once(journals: Sequence[Journal], games: list[GameResult]) -> None:
    """Games are stored and rated by all at the same time, in any order."""

    async def store(journal: Journal, part: list[GameResult]) -> None:
        for game in part:
            await journal.results.put_anew([game])

    async def rate(journal: Journal) -> None:
        while not done.is_set():
            await rate_all(journal)
            await asyncio.sleep(0)

    done = asyncio.Event()
    rating = [asyncio.create_task(rate(journal)) for journal in journals]
    number = len(journals)
    await asyncio.gather(*(store(journal, games[start::number]) for start, journal in enumerate(journals)))
    done.set()
    await asyncio.gather(*rating)
    async with asyncio.timeout(60):
        while await journals[0].results.unrated(1):
            await rate_all(journals[0])


async def test_several_may_rate_at_once_over_sqlite(tmp_path: Path) -> None:
    games = many_games(Random(1), 60)
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    beside = await SqliteJournal.open(tmp_path / "journal.db", beside=True)
    await rate_at_once([journal, beside], games)
    assert await ratings_in(beside) == in_order(games)
    await beside.close()
    await journal.close()


async def test_several_may_rate_at_once_over_postgresql(postgres: Postgres) -> None:
    games = many_games(Random(2), 60)
    async with database(postgres) as url:
        journals = [await PostgresJournal.open(url) for _ in range(3)]
        await rate_at_once(journals, games)
        assert await ratings_in(journals[1]) == in_order(games)
        for journal in journals:
            await journal.close()


async def store_room(journal: Journal, events: Sequence[Event]) -> None:
    """Store a room as a server does."""
    room: Room | None = None
    for version, event in enumerate(events, 1):
        before, room = room, evolve(room, event)
        finished = result_of(room, before)
        assert await journal.append(Append(room.id, version, to_record(event), index_row(room), finished=finished))


def expected_result(events: Sequence[Event]) -> GameResult | None:
    room: Room | None = None
    for event in events:
        before, room = room, evolve(room, event)
        if (finished := result_of(room, before)) is not None:
            return finished
    return None


def rooms(seed: int, number: int) -> list[list[Event]]:
    """Games in which all sorts of things happen; some end in nothing, and some are not over."""
    random = Random(seed)
    return [random_game(random, f"room-{each:03}", ending=random.random() < 0.9) for each in range(number)]


BOARDS = ["p-1", "p-2", "p-bot"]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_all_can_be_made_anew_from_the_records(kind: str, tmp_path: Path) -> None:
    journal: Journal = MemoryJournal() if kind == "memory" else await SqliteJournal.open(tmp_path / "journal.db")
    for events in rooms(3, 250):
        await store_room(journal, events)
    results = [result for events in rooms(3, 250) if (result := expected_result(events)) is not None]
    rated = [result for result in results if result.pool is not None]
    assert 10 < len(rated) < len(results) < 250
    await rate_all(journal)
    stored = await journal.results.finished(private=True, limit=1000)
    ratings = sorted(await journal.results.ratings(BOARDS), key=to_json)
    courses = [await journal.results.rating_history(one.player, one.game, one.pool, 1000) for one in ratings]
    assert ratings

    # As if it had been written by a server without results, or one that has lost some.
    await journal.results.forget_all()
    await journal.results.put_anew([GameResult("nowhere", "tictactoe", "p-1", "p-2", None, "draw", True, "blitz", 1)])
    assert await recompute(journal) == (len(results), len(rated))
    assert await journal.results.finished(private=True, limit=1000) == stored
    assert sorted(await journal.results.ratings(BOARDS), key=to_json) == ratings, "to the last bit"
    assert [await journal.results.rating_history(one.player, one.game, one.pool, 1000) for one in ratings] == courses
    await journal.close()


async def test_a_game_that_ends_meanwhile_is_not_forgotten() -> None:
    """At the worst moments: after the records were read, and after all was forgotten."""
    early, late, latest = [events for events in rooms(3, 50) if expected_result(events) is not None][:3]
    journal = MemoryJournal()

    class Busy(MemoryResults):
        async def forget_all(self) -> None:
            await store_room(journal, late)
            await super().forget_all()
            await store_room(journal, latest)

    journal.results = Busy(journal.now, lambda: None, journal.people, journal._over)
    await store_room(journal, early)
    await recompute(journal)
    kept = {one.room for one in await journal.results.finished(private=True, limit=10)}
    assert kept == {one.room for events in (early, late, latest) if (one := expected_result(events)) is not None}
    assert len(kept) == 3


async def test_a_room_of_a_newer_server_stops_it_before_anything_is_changed() -> None:
    journal = MemoryJournal()
    (events,) = rooms(3, 1)
    await store_room(journal, events)
    assert await journal.append(Append("room-999", 1, b'{"schema":99,"kind":"opened"}', OVER))
    with pytest.raises(UnknownRecord):
        await recompute(journal)
    assert await journal.results.finished(private=True, limit=10) == [expected_result(events)]


async def test_a_room_of_a_newer_server_that_turns_up_later_is_left_out_and_all_else_is_there() -> None:
    early, late = [events for events in rooms(3, 50) if expected_result(events) is not None][:2]
    journal = MemoryJournal()

    class Busy(MemoryResults):
        async def forget_all(self) -> None:
            assert await journal.append(Append("newer", 1, b'{"schema":99,"kind":"opened"}', OVER))
            await store_room(journal, late)
            await super().forget_all()

    journal.results = Busy(journal.now, lambda: None, journal.people, journal._over)
    await store_room(journal, early)
    with pytest.raises(LeftOut, match="newer cannot be read here"):
        await recompute(journal)
    kept = {one.room for one in await journal.results.finished(private=True, limit=10)}
    assert kept == {one.room for events in (early, late) if (one := expected_result(events)) is not None}
    assert await journal.results.unrated(1) == []
