"""Searches in threads: their priority, their engines, and kernels that load slowly or not at all."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from noughts.computer import Searches
from noughts.computer.threads import NICENESS, Threads
from noughts.computer.worker import Answer, Begun
from noughts.engine import LEVELS, Analysis, Engine, Interrupt, Limits, Textbook
from noughts.games import Game, Position
from support.eventually import settle

TASK = ("tictactoe", (), Limits(1), 0)
PATIENCE_S = 30


def every(game: Game) -> bool:
    return True


async def search(threads: Threads, seconds: float = 600, on_begun: Begun = lambda: None) -> Answer:
    return await threads.run(TASK, seconds, asyncio.get_running_loop().create_future(), on_begun)


def watched(seen: list[tuple[int, int]], meet: threading.Barrier | None = None) -> Callable[[Game], Engine]:
    """Makes engines that record the priority of their thread and which of them searches."""

    class Watched(Textbook):
        def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
            if meet is not None:
                meet.wait(PATIENCE_S)
            seen.append((os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), id(self)))
            return super().analyse(position, limits, stop)

    return Watched


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
async def test_searches_have_low_priority_and_the_event_loop_does_not() -> None:
    seen: list[tuple[int, int]] = []
    before = os.getpriority(os.PRIO_PROCESS, 0)
    threads = Threads(1, watched(seen), every)
    await search(threads)
    assert [priority for priority, _ in seen] == [NICENESS]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
    await threads.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
async def test_searches_may_have_the_priority_of_the_process() -> None:
    seen: list[tuple[int, int]] = []
    threads = Threads(1, watched(seen), every, niceness=0)
    await search(threads)
    assert [priority for priority, _ in seen] == [os.getpriority(os.PRIO_PROCESS, 0)]
    await threads.close()


async def test_a_search_that_is_ready_has_its_kernel_and_an_engine_in_each_thread() -> None:
    seen: list[tuple[int, int]] = []
    loader = watched(seen, threading.Barrier(2))
    searches = Searches(2, threads=Threads(2, loader, every))
    await asyncio.gather(searches.ready("connect4"), searches.ready("connect4"))
    assert len({engine for _, engine in seen}) == len(seen) == 2
    await searches.close()


async def test_each_thread_keeps_its_own_engine() -> None:
    seen: list[tuple[int, int]] = []
    threads = Threads(2, watched(seen, threading.Barrier(2)), every)
    for _ in range(3):
        await asyncio.gather(search(threads), search(threads))
    engines = [engine for _, engine in seen]
    assert sorted(engines.count(engine) for engine in set(engines)) == [3, 3]
    await threads.close()


async def test_the_time_of_a_search_begins_with_the_search() -> None:
    free, both_asked = threading.Event(), threading.Event()
    stopped: list[bool] = []
    begun: list[bool] = []

    class Asking(Textbook):
        def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
            free.wait(PATIENCE_S)
            stopped.append(stop())
            if len(stopped) == 2:
                both_asked.set()
            return super().analyse(position, limits, stop)

    threads = Threads(1, Asking, every)
    first = asyncio.create_task(search(threads))
    await settle()
    second = asyncio.create_task(search(threads, 0, lambda: begun.append(both_asked.wait(PATIENCE_S))))
    await settle()
    assert not begun
    free.set()
    await asyncio.gather(first, second)
    assert (stopped, begun) == ([False, False], [True])
    await threads.close()


class Loader:
    """Makes engines once the test allows it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.let = threading.Event()
        self.error = error
        self.made = 0

    def __call__(self, game: Game) -> Engine:
        self.made += 1
        self.let.wait(PATIENCE_S)
        if self.error is not None:
            raise self.error
        return Textbook(game)


async def test_searches_use_a_kernel_once_it_is_loaded(caplog: pytest.LogCaptureFixture) -> None:
    loader = Loader()
    searches = Searches(2, threads=Threads(2, loader, every))
    game = "tictactoe", ("1", "5", "2", "8")
    with caplog.at_level(logging.INFO):
        async with asyncio.timeout(PATIENCE_S):
            assert await searches.find_move(*game, "perfect", 0) == "3"
            assert (await searches.analyse(*game, Limits(), 10)).best == ("3",)
        assert loader.made == 1, "it is loaded with the first search that has a use for it"
        assert "fast kernel" not in caplog.text
        warming = asyncio.create_task(searches.warm_up())
        loader.let.set()
        await warming
        assert [record.getMessage() for record in caplog.records].count(
            "Tic-tac-toe is searched by its fast kernel from now on"
        ) == 1
    made = loader.made
    assert await searches.find_move(*game, "perfect", 0) == "3"
    assert loader.made == made + 1, "the thread has made its engine"
    await searches.close()


async def test_swap2_uses_the_kernel_after_its_opening() -> None:
    loader = Loader()
    loader.let.set()
    threads = Threads(1, loader, lambda game: game.key == "gomoku")
    await threads.load("gomoku")
    name, three = "gomoku?opening=swap2", ("h8", "i9", "g6")
    assert threads.loaded("gomoku")
    assert not threads.loaded(name, three)
    assert not threads.loaded(name, (*three, "more", "a1"))
    assert threads.loaded(name, (*three, "a1"))
    assert threads.loaded(name, (*three, "more", "a1", "b1", "keep"))
    assert not threads.loaded("breakthrough?size=6")
    await threads.close()


@pytest.mark.slow
async def test_a_level_keeps_its_time_without_the_kernel() -> None:
    searches = Searches(1, {"short": replace(LEVELS["perfect"], seconds=0.1)}, threads=Threads(1, Loader(), every))
    taken = []
    for _ in range(4):
        begun = time.perf_counter()
        async with asyncio.timeout(PATIENCE_S):
            await searches.find_move("connect4", ("1",), "short", 0)
        taken.append(time.perf_counter() - begun)
    assert min(taken) < 2
    await searches.close()


async def test_a_game_whose_kernel_fails_to_load_is_searched_in_a_process(caplog: pytest.LogCaptureFixture) -> None:
    loader = Loader(ImportError("numba is not what it was\n\nwhat to do: ..."))
    loader.let.set()
    searches = Searches(1, threads=Threads(1, loader, every))
    with caplog.at_level(logging.INFO):
        await searches.warm_up()
        for seed in range(3):
            assert await searches.find_move("tictactoe", ("1", "5", "2", "8"), "perfect", seed) == "3"
    logged = [record.getMessage() for record in caplog.records if "Tic-tac-toe" in record.getMessage()]
    why = "numba does not work, ImportError: numba is not what it was"
    assert logged == [f"Tic-tac-toe has no fast kernel, so searches are slow: {why}"]
    assert "Traceback" not in caplog.text
    assert "what to do" not in caplog.text
    await searches.close()


async def test_closing_does_not_wait_for_a_kernel() -> None:
    loader = Loader()
    searches = Searches(1, threads=Threads(1, loader, every))
    warming = asyncio.create_task(searches.warm_up())
    search = searches.find_move("connect4", (), "perfect", 0)
    await asyncio.sleep(0.05)
    warming.cancel()
    async with asyncio.timeout(60):
        await searches.close()
    assert search.cancelled()
    loader.let.set()


async def test_an_engine_that_cannot_be_made_is_an_error() -> None:
    def make(game: Game) -> Engine:
        raise MemoryError("the table")

    threads = Threads(1, make, every)
    assert isinstance(await search(threads), MemoryError)
    await threads.close()
