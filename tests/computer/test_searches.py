"""Deadlines and the order of searches, over both kinds of workers."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from noughts.computer import Searches
from noughts.computer.processes import Processes
from noughts.computer.searches import EARLY_SHARE, Preempted
from noughts.computer.threads import Threads
from noughts.computer.worker import Answer, Begun, Task
from noughts.engine import Analysis, BadTree, Engine, Limits, Tracing
from noughts.games import Game
from support import eventually
from support.eventually import settle
from support.searches import DEPTHS, TEST_LEVELS, Moody, Whereabouts

T = TypeVar("T")

PATIENCE_S = 30
SHORT_S = 0.1
LEVELS = TEST_LEVELS | {f"short {name}": replace(TEST_LEVELS[name], seconds=SHORT_S) for name in ("endless", "busy")}
ENDLESS = Limits(depth=DEPTHS["endless"])


def connect4(game: Game) -> bool:
    return game.key == "connect4"


@asynccontextmanager
async def searching(workers: int = 1, make: Callable[[Game], Engine] = Moody) -> AsyncIterator[Searches]:
    """Connect Four in threads, the other games in processes."""
    searches = Searches(workers, LEVELS, threads=Threads(workers, make, connect4), processes=Processes(workers, make))
    try:
        await searches.warm_up()
        yield searches
    finally:
        await asyncio.wait_for(searches.close(), PATIENCE_S)


PLAIN = "breakthrough"
"""A game without a kernel that is not solved: in one that is, a search is not stopped before it has used some processor
time.
"""


def find_move(
    searches: Searches, level: str, game: str = "tictactoe", seconds: float | None = None
) -> asyncio.Future[str]:
    return searches.find_move(game, (), level, 0, seconds)


def analyse(
    searches: Searches, limits: Limits = ENDLESS, game: str = "tictactoe", seconds: float = 600, *moves: str
) -> asyncio.Future[Analysis]:
    return searches.analyse(game, moves, limits, seconds)


def quick(late: list[float]) -> float:
    """A bound for the quicker ones: the slower are the machine's, which has other tests to run."""
    return sorted(late)[len(late) // 4]


async def soon(future: asyncio.Future[T]) -> T:
    try:
        return await asyncio.wait_for(future, PATIENCE_S)
    finally:
        await asyncio.sleep(0)  # since Python 3.12 the worker is not free yet


@pytest.mark.slow
async def test_a_game_with_a_kernel_is_searched_here_and_the_others_in_processes() -> None:
    async with searching(make=Whereabouts) as searches:
        found = {game: await soon(analyse(searches, Limits(1), game)) for game in ("connect4", "tictactoe")}
        here = {game: isinstance(each, Analysis) and each.nodes == os.getpid() for game, each in found.items()}
        assert here == {"connect4": True, "tictactoe": False}


@pytest.mark.parametrize("game", ["connect4", "tictactoe"])
async def test_an_analysis_has_the_best_move_and_its_time(game: str) -> None:
    moves = {"tictactoe": ("1", "5", "2"), "connect4": ("1", "2", "1", "2", "1")}[game]
    async with searching() as searches:
        found = await soon(analyse(searches, Limits(2), game, 10, *moves))
        assert isinstance(found, Analysis)
        assert found.best == ({"tictactoe": "3", "connect4": "1"}[game],)
        assert found.seconds is not None
        assert 0 < found.seconds < 10


@pytest.mark.slow
@pytest.mark.parametrize(("game", "mood"), [("connect4", "endless"), (PLAIN, "endless"), (PLAIN, "busy")])
async def test_an_answer_arrives_on_time(game: str, mood: str) -> None:
    """And a little before, at most 5 ms later on a quiet machine; see also ``python -m bench.deadlines``."""
    async with searching() as searches:
        await soon(find_move(searches, "easy", game))  # the process has started
        late = []
        for _ in range(12):
            begun = time.perf_counter()
            assert await soon(find_move(searches, f"short {mood}", game))
            late.append((time.perf_counter() - begun - SHORT_S) * 1000)
        print(f"{game}, {mood}: late by {sorted(round(each, 1) for each in late)} ms")
        assert -1000 * EARLY_SHARE * SHORT_S - 1 < min(late) < 0
        assert quick(late) < 50


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect4", PLAIN])
async def test_a_cancelled_search_frees_its_worker_at_once(game: str) -> None:
    async with searching() as searches:
        await soon(find_move(searches, "easy", game))
        late = []
        for _ in range(5):
            dropped = find_move(searches, "endless", game)
            await asyncio.sleep(0.05)
            dropped.cancel()
            begun = time.perf_counter()
            await soon(find_move(searches, "endless", game, SHORT_S / 4))
            late.append((time.perf_counter() - begun - SHORT_S / 4) * 1000)
        print(f"{game}: free after {sorted(round(each, 1) for each in late)} ms")
        assert quick(late) < 50


@pytest.mark.slow
async def test_a_search_takes_the_time_that_it_is_given() -> None:
    async with searching() as searches:
        await soon(find_move(searches, "easy"))
        for seconds, expected_s in ((None, 0.1), (0.06, 0.06), (0.025, 0.025)):
            taken = []
            for _ in range(6):
                begun = time.perf_counter()
                await soon(find_move(searches, "short endless", PLAIN, seconds))
                taken.append(time.perf_counter() - begun)
            assert (1 - EARLY_SHARE) * expected_s - 0.001 < min(taken) < expected_s + 0.03


@pytest.mark.parametrize("game", ["connect4", "tictactoe"])
async def test_a_search_that_is_hurried_answers_at_once(game: str) -> None:
    async with searching(workers=2) as searches:
        hurried, other = find_move(searches, "endless", game), find_move(searches, "endless", game)
        searches.hurry(hurried, 0)
        assert await soon(hurried)
        assert not other.done()
        other.cancel()
        searches.hurry(hurried, 0)  # too late, and no matter


class Late(Processes):
    """Processes in which searches begin when the test says so."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[tuple[asyncio.Future[bool], Begun]] = []

    async def run(self, _task: Task, _seconds: float, stopped: asyncio.Future[bool], on_begun: Begun) -> Answer:
        self.asked.append((stopped, on_begun))
        await asyncio.wait({stopped})
        return "5"


async def test_the_share_of_a_search_begins_with_the_search() -> None:
    processes = Late()
    searches = Searches(1, LEVELS, threads=Threads(1, fast=lambda _: False), processes=processes)
    found, next_found = find_move(searches, "endless"), find_move(searches, "endless")
    for each in (found, next_found):
        searches.hurry(each, 0)
    for number, each in enumerate((found, next_found)):
        await settle()
        stopped, on_begun = processes.asked[number]
        assert not stopped.done()
        on_begun()
        assert await soon(each) == "5"
    await searches.close()


@pytest.mark.parametrize("game", ["connect4", "tictactoe"])
async def test_a_move_ends_an_analysis_early(game: str) -> None:
    async with searching() as searches:
        analysis, waiting = analyse(searches, game=game), analyse(searches, game=game)
        await asyncio.sleep(0.4)
        assert not analysis.done()
        moves = [find_move(searches, "easy", "tictactoe") for _ in range(3)]
        found = await soon(analysis)
        assert isinstance(found, Analysis)
        assert (found.depth, found.exact) == (1, False)
        await asyncio.gather(*map(soon, moves))
        assert not waiting.done(), "it has its turn after the moves"
        waiting.cancel()


async def test_an_analysis_ended_while_its_process_starts_still_answers() -> None:
    async with searching() as searches:
        analysis = analyse(searches)
        await soon(find_move(searches, "easy"))
        found = await soon(analysis)
        assert isinstance(found, Analysis)
        assert found.best


async def test_analyses_wait_for_moves() -> None:
    async with searching() as searches:
        moves = [find_move(searches, "slow") for _ in range(2)]
        analysis = analyse(searches, Limits(1))
        every: set[asyncio.Future[Any]] = {*moves, analysis}
        await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
        assert (moves[0].done(), moves[1].done(), analysis.done()) == (True, False, False)
        await soon(analysis)
        assert moves[1].done()


async def test_moves_and_analyses_end_a_review_early_and_go_before_the_next() -> None:
    async with searching(2) as searches:
        reviews = [searches.review("connect4", (), ENDLESS, 600) for _ in range(3)]
        await asyncio.sleep(0.05)
        assert searches.running == 2
        analysis = analyse(searches, Limits(1), "connect4")
        with pytest.raises(Preempted) as early:
            await soon(reviews[0])
        assert early.value.found.best
        await soon(analysis)
        await eventually.soon(lambda: searches.running == 2)
        endless = analyse(searches, game="connect4")
        with pytest.raises(Preempted):
            await soon(reviews[1])
        await soon(find_move(searches, "easy", "connect4"))
        with pytest.raises(Preempted):
            await soon(reviews[2])
        assert not endless.done(), "a review ends for a move, so the analysis can go on"
        endless.cancel()


async def test_only_as_many_analyses_end_as_moves_need_workers() -> None:
    async with searching(workers=2) as searches:
        analyses = [analyse(searches) for _ in range(2)]
        await asyncio.sleep(0.4)
        await soon(find_move(searches, "easy"))
        assert [analysis.done() for analysis in analyses] == [True, False]
        analyses[1].cancel()


async def test_a_trace_ends_for_a_move() -> None:
    async with searching() as searches:
        trace = searches.trace("reversi", (), Tracing(depth=20), 600)
        await asyncio.sleep(0.4)
        await soon(find_move(searches, "easy"))
        traced = await soon(trace)
        found = json.loads(traced)
        assert found["value"] is None
        assert "was stopped" in found["notes"][0]


async def test_a_trace_does_not_need_a_game() -> None:
    async with searching() as searches:
        traced = await soon(searches.trace("", (), Tracing(tree="3,12/2,4"), 10))
        found = json.loads(traced)
        assert (found["value"], found["visited"]) == (3, 6)
        with pytest.raises(BadTree) as wrong:
            await soon(searches.trace("", (), Tracing(tree="3,?"), 10))
        assert wrong.value.at == 2


async def test_threads_and_processes_share_the_limit() -> None:
    async with searching(workers=1) as searches:
        first = find_move(searches, "endless", "connect4")
        second = find_move(searches, "easy")
        await asyncio.sleep(0.3)
        assert not second.done()
        first.cancel()
        await soon(second)


async def test_threads_and_processes_report_errors() -> None:
    async with searching() as searches:
        for game in ("connect4", "tictactoe"):
            with pytest.raises(ValueError, match="move"):
                await soon(analyse(searches, ENDLESS, game, 1, "zero"))


async def test_closed_searches_refuse_tasks() -> None:
    async with searching(workers=2) as searches:
        futures = [analyse(searches, game=game) for game in ("connect4", "tictactoe", "connect4")]
        await eventually.soon(lambda: len(searches._running) == 2)
        await searches.close()
        assert all(future.cancelled() for future in futures)
        with pytest.raises(RuntimeError):
            find_move(searches, "easy")
