"""Games are rated once, in one order, and rating them again gives the same ratings."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.journal import Append, GameResult, Journal, Results, SqliteJournal, StoredRating
from noughts.journal.postgres.journal import PostgresJournal
from noughts.projection import index_row, result_of
from noughts.protocol.records import to_record
from noughts.ratings import UnreadableRooms, after_game, rate_all, recompute
from noughts.rooms import Event, Room, evolve
from support.games import random_game
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.writes import OVER

PLAYERS = ["p-1", "p-2", "p-3", "p-bot", "computer:easy", "computer:hard"]


@st.composite
def histories(draw: st.DrawFn) -> list[GameResult]:
    """Some games in the order in which they are stored; several may have ended at the same moment."""
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


async def ratings_in(journal: Journal) -> dict[tuple[str, str, str], StoredRating]:
    found = await journal.results.ratings(PLAYERS)
    return {(one.player, one.game, one.pool): one for one in found}


async def check_rating_again_changes_nothing(journal: Journal) -> None:
    """Recomputing gives the same ratings as rating game by game, to the last bit."""
    assert await journal.results.unrated(1) == []
    ratings = await ratings_in(journal)
    histories = [await journal.results.rating_history(*key, 1000) for key in ratings]
    await recompute(journal)
    assert await ratings_in(journal) == ratings
    assert [await journal.results.rating_history(*key, 1000) for key in ratings] == histories


@pytest.mark.parametrize(
    "examples", [30, pytest.param(300, marks=pytest.mark.slow)], ids=lambda number: f"{number} examples"
)
def test_recomputing_gives_the_same_ratings_in_any_order_of_storage(examples: int) -> None:
    @settings(max_examples=examples)
    @given(histories(), st.lists(st.booleans(), min_size=12, max_size=12))
    def check(games: list[GameResult], rated_now: list[bool]) -> None:
        asyncio.run(run(games, rated_now))

    async def run(games: list[GameResult], rated_now: list[bool]) -> None:
        journal = MemoryJournal()
        for game, rate in zip(games, rated_now, strict=False):
            await journal.results.replace({game.room: game})
            if rate:
                await rate_all(journal)
        await rate_all(journal)
        counted = Counter(
            (player, game.game, game.pool)
            for game in games
            if game.pool is not None
            for player in (game.first, game.second)
            if not player.startswith("computer:")
        )
        assert {key: one.games for key, one in (await ratings_in(journal)).items()} == counted
        await check_rating_again_changes_nothing(journal)

    check()


async def test_games_against_an_unknown_level_do_not_block_others() -> None:
    journal = MemoryJournal()
    odd = [
        GameResult(f"odd-{number:03}", "tictactoe", "p-1", "computer:best", "first", "line", True, "blitz", number)
        for number in range(250)
    ]
    game = GameResult("room", "tictactoe", "p-1", "p-2", "first", "line", True, "blitz", 1000)
    await journal.results.replace({one.room: one for one in [*odd, game]})
    await rate_all(journal)
    assert await journal.results.unrated(1) == []
    first, second = after_game(game, None, None)
    assert list((await ratings_in(journal)).values()) == [first, second]


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
    """All journals store and rate games at the same time, in any order."""

    async def store(journal: Journal, part: list[GameResult]) -> None:
        for game in part:
            await journal.results.replace({game.room: game})

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


async def test_concurrent_raters_on_sqlite(tmp_path: Path) -> None:
    games = many_games(Random(1), 60)
    journal = await SqliteJournal.open(tmp_path / "journal.db")
    other = await SqliteJournal.open(tmp_path / "journal.db", exclusive=False)
    await rate_at_once([journal, other], games)
    await check_rating_again_changes_nothing(other)
    await other.close()
    await journal.close()


@pytest.mark.services
async def test_concurrent_raters_on_postgresql(postgres: Postgres) -> None:
    games = many_games(Random(2), 60)
    async with database(postgres) as url:
        journals = [await PostgresJournal.open(url) for _ in range(3)]
        await rate_at_once(journals, games)
        await check_rating_again_changes_nothing(journals[1])
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
    """Random games; some have no result, and some are not over."""
    random = Random(seed)
    return [random_game(random, f"room-{each:03}", ending=random.random() < 0.9) for each in range(number)]


async def test_everything_can_be_recomputed_from_the_records() -> None:
    journal, games = MemoryJournal(), rooms(3, 80)
    for events in games:
        await store_room(journal, events)
        await rate_all(journal)
    results = [result for events in games if (result := expected_result(events)) is not None]
    rated = [result for result in results if result.pool is not None]
    assert 5 < len(rated) < len(results) < 80
    stored = await journal.results.finished(private=True, limit=1000)
    await check_rating_again_changes_nothing(journal)
    assert await journal.results.finished(private=True, limit=1000) == stored

    # As if some results had been lost, and one were wrong.
    await journal.results.replace({result.room: None for result in results[::3]})
    await journal.results.replace({rated[-1].room: replace(rated[-1], winner=None, reason="draw")})
    assert await recompute(journal) == (len(results), len(rated))
    assert await journal.results.finished(private=True, limit=1000) == stored


async def test_a_journal_without_results_is_rated_in_the_order_in_which_its_games_ended() -> None:
    journal, games = MemoryJournal(), rooms(3, 40)
    for events in games:
        await store_room(journal, events)
    journal.sql("DELETE FROM results")
    await recompute(journal)
    ratings: dict[tuple[str, str, str], StoredRating] = {}
    for game in await journal.results.finished(private=True, limit=1000):
        if game.pool is not None:
            first, second = ((player, game.game, game.pool) for player in (game.first, game.second))
            after = after_game(game, ratings.get(first), ratings.get(second))
            ratings |= {(one.player, one.game, one.pool): one for one in after if one is not None}
    assert await ratings_in(journal) == ratings


async def test_games_that_end_while_ratings_are_recomputed_are_rated_too() -> None:
    """At the worst moments: after the records were read, and after the ratings were dropped."""
    early, late, latest = [events for events in rooms(3, 50) if expected_result(events) is not None][:3]
    journal = MemoryJournal()

    class Busy(Results):
        async def clear_ratings(self) -> None:
            await store_room(journal, late)
            await super().clear_ratings()
            await store_room(journal, latest)

    journal.results = Busy(journal.database, journal.now)
    await store_room(journal, early)
    await recompute(journal)
    assert len(await journal.results.finished(private=True, limit=10)) == 3
    assert await journal.results.unrated(1) == []


async def test_recompute_changes_nothing_if_a_newer_server_wrote_a_room() -> None:
    journal = MemoryJournal()
    (events,) = rooms(3, 1)
    await store_room(journal, events)
    assert await journal.append(Append("room-999", 1, b'{"schema":99,"kind":"opened"}', OVER))
    with pytest.raises(UnreadableRooms, match="room room-999 cannot be read: the room was written by a newer server"):
        await recompute(journal)
    assert await journal.results.finished(private=True, limit=10) == [expected_result(events)]


async def test_records_that_do_not_follow_from_each_other_are_reported_with_their_room() -> None:
    journal = MemoryJournal()
    (events,) = rooms(3, 1)
    await store_room(journal, events)
    for version, event in enumerate(events[1:], 1):
        assert await journal.append(Append("corrupt", version, to_record(event), OVER))
    with pytest.raises(UnreadableRooms, match="room corrupt cannot be read: its records do not follow") as raised:
        await recompute(journal)
    assert raised.value.rooms.keys() == {"corrupt"}
    assert await journal.results.finished(private=True, limit=10) == [expected_result(events)]
