"""Searches in real worker processes, on uvloop and on plain asyncio."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import pytest

from noughts.computer import Searches
from noughts.computer.processes import WORKER, Processes, SearchFailed
from noughts.computer.worker import NICENESS, Timeout, answer
from noughts.engine import LEVELS, Interrupt, Textbook, choose
from noughts.games import GAMES, IllegalMove, MalformedMove
from noughts.games.catalogue import UnknownGame
from noughts.timing import Timing
from support import eventually
from support.searches import TEST_LEVELS, Moody

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
try:
    import uvloop

    LOOPS["uvloop"] = uvloop.new_event_loop
except ImportError:  # not there on Windows and PyPy
    pass

PATIENCE_S = 30


@pytest.fixture(
    params=["asyncio", *(pytest.param(name, marks=pytest.mark.slow) for name in LOOPS if name != "asyncio")]
)
def run(request: pytest.FixtureRequest) -> Run[Any]:
    """Runs a scenario to its end on a loop of its own, and checks that it leaves no process behind."""

    def run_on_loop(scenario: Coroutine[Any, Any, T]) -> T:
        with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
            result = runner.run(asyncio.wait_for(scenario, 2 * PATIENCE_S))
        assert workers_of(os.getpid()) == set()
        return result

    return run_on_loop


@asynccontextmanager
async def searching(workers: int = 1, stop_s: float = 60) -> AsyncIterator[Searches]:
    # By default long: on a busy machine a worker takes a while to hear that its search was dropped.
    searcher = Searches(workers, TEST_LEVELS, processes=Processes(workers, Moody, Timing(worker_stop_s=stop_s)))
    try:
        yield searcher
    finally:
        await searcher.close()


class Task(NamedTuple):
    game: str
    moves: tuple[str, ...]
    level: str
    seed: int


def task(level: str = "perfect", *moves: str, game: str = "tictactoe", seed: int = 0) -> Task:
    return Task(game, moves, level, seed)


def expected(asked: Task) -> str:
    game = GAMES[asked.game]
    position = game.start
    for move in asked.moves:
        position = position.play(move)
    return choose(Textbook(game), position, TEST_LEVELS[asked.level], random.Random(asked.seed), Interrupt())


def workers_of(server: int) -> set[int]:
    """The process ids of the living workers of a process."""
    listing = subprocess.run(
        ["ps", "-ww", "-Ao", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(maxsplit=3) for line in listing.splitlines()]
    return {
        int(pid)
        for pid, parent, state, args in (row for row in rows if len(row) == 4)
        if int(parent) == server and not state.startswith("Z") and "worker.py" in args
    }


async def some_workers(count: int = 1, begun: Searches | None = None) -> set[int]:
    """The workers of this process, once there are ``count``, and those that do the searches of ``begun`` do so."""
    deadline = time.monotonic() + PATIENCE_S
    while len(found := await asyncio.to_thread(workers_of, os.getpid())) < count:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    if begun is not None:
        await eventually.soon(lambda: all(search.began for search in begun._running.values()))
    return found


async def soon(future: asyncio.Future[str]) -> str:
    return await asyncio.wait_for(future, PATIENCE_S)


async def cancelled(future: asyncio.Future[str]) -> bool:
    await asyncio.wait([future], timeout=PATIENCE_S)
    return future.cancelled()


def test_a_seed_gives_the_same_move_as_the_engine_here(run: Run[None]) -> None:
    tasks = [task(level, "1", "5", "9", seed=seed) for level in LEVELS for seed in (1, 2)]

    async def scenario() -> None:
        async with searching(workers=2) as searcher:
            answers = await asyncio.gather(*(searcher.find_move(*each) for each in tasks))
            assert answers == [expected(asked) for asked in tasks]

    run(scenario())


def test_an_error_in_a_search_is_its_answer_and_harms_no_worker(run: Run[None]) -> None:
    failing: list[tuple[Task, type[Exception]]] = [
        (task("perfect", "1", "1"), IllegalMove),
        (task("perfect", "zero"), MalformedMove),
        (task("perfect", "1", "4", "2", "5", "3"), ValueError),
        (task(game="no such game"), UnknownGame),
    ]

    async def scenario() -> None:
        async with searching() as searcher:
            await soon(searcher.find_move(*task()))
            before = await some_workers()
            for asked, error in failing:
                with pytest.raises(error) as caught:
                    await soon(searcher.find_move(*asked))
                assert "worker.py" in caught.value.__notes__[-1]
            await soon(searcher.find_move(*task()))
            assert await some_workers() == before

    run(scenario())


def test_an_unknown_level_is_refused_at_once(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching() as searcher:
            with pytest.raises(KeyError):
                searcher.find_move(*task("divine"))

    run(scenario())


@pytest.mark.slow
def test_printing_in_a_search_does_not_corrupt_answers(run: Run[None], capfd: pytest.CaptureFixture[str]) -> None:
    async def scenario() -> None:
        async with searching() as searcher:
            assert await soon(searcher.find_move(*task("chatty"))) == expected(task())

    run(scenario())


def test_processes_start_with_the_first_search_and_are_bounded(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching(workers=2) as searcher:
            assert workers_of(os.getpid()) == set()
            futures = [searcher.find_move(*task("endless")) for _ in range(5)]
            pids = await some_workers(2, begun=searcher)
            assert len(pids) == 2
            lowered = min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
            await eventually.soon(lambda: {os.getpriority(os.PRIO_PROCESS, pid) for pid in pids} == {lowered})
            for future in futures:
                future.cancel()
            await soon(searcher.find_move(*task()))
            assert await some_workers(2) == pids

    run(scenario())


@pytest.mark.slow
def test_the_search_of_a_killed_worker_is_repeated(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching(workers=2) as searcher:
            futures = [searcher.find_move(*task("slow", seed=seed)) for seed in range(4)]
            pids = await some_workers(2, begun=searcher)
            assert not any(future.done() for future in futures)
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            assert await asyncio.gather(*map(soon, futures)) == [expected(task(seed=seed)) for seed in range(4)]
            assert not await some_workers(2) & pids

    run(scenario())


@pytest.mark.slow
def test_an_idle_worker_that_was_killed_is_replaced(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching() as searcher:
            await soon(searcher.find_move(*task()))
            for pid in await some_workers():
                os.kill(pid, signal.SIGKILL)
            assert await soon(searcher.find_move(*task(seed=5))) == expected(task(seed=5))

    run(scenario())


@pytest.mark.slow
def test_a_search_that_kills_every_worker_fails_alone(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching(workers=2) as searcher:
            innocent = searcher.find_move(*task("slow"))
            fatal = [searcher.find_move(*task("deadly")) for _ in range(2)]
            for future in fatal:
                with pytest.raises(SearchFailed):
                    await soon(future)
            assert await soon(innocent) == expected(task())
            assert await soon(searcher.find_move(*task())) == expected(task())

    run(scenario())


def test_a_dropped_search_frees_its_worker(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching() as searcher:
            dropped = searcher.find_move(*task("endless"))
            pids = await some_workers(begun=searcher)
            dropped.cancel()
            assert await soon(searcher.find_move(*task(seed=5))) == expected(task(seed=5))
            assert await some_workers() == pids
            assert dropped.cancelled()

    run(scenario())


@pytest.mark.slow
def test_a_worker_that_does_not_listen_is_killed(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching(stop_s=1) as searcher:
            dropped = searcher.find_move(*task("deaf"))
            pids = await some_workers(begun=searcher)
            dropped.cancel()
            # In a search that never asks, the stop arrives but does nothing.
            assert await soon(searcher.find_move(*task())) == expected(task())
            assert not await some_workers() & pids

    run(scenario())


@pytest.mark.slow
def test_a_hanging_search_is_killed_and_frees_its_worker(run: Run[None]) -> None:
    levels = TEST_LEVELS | {"hung": replace(TEST_LEVELS["deaf"], seconds=0.1)}

    async def scenario() -> None:
        searcher = Searches(1, levels, processes=Processes(1, Moody, Timing(worker_late_s=0.5)))
        try:
            hung = searcher.find_move(*task("hung"))
            pids = await some_workers()
            with pytest.raises(SearchFailed, match="still running"):
                await soon(hung)
            assert await soon(searcher.find_move(*task())) == expected(task())
            assert not await some_workers() & pids
        finally:
            await searcher.close()

    run(scenario())


def test_a_process_that_does_not_start_in_time_is_killed(run: Run[None]) -> None:
    async def scenario() -> None:
        searcher = Searches(1, TEST_LEVELS, processes=Processes(1, Moody, Timing(worker_start_s=0.001)))
        try:
            with pytest.raises(SearchFailed, match="had not begun"):
                await soon(searcher.find_move(*task()))
            assert not await asyncio.to_thread(workers_of, os.getpid())
        finally:
            await searcher.close()

    run(scenario())


def test_a_search_begins_when_its_process_does(run: Run[None]) -> None:
    async def scenario() -> None:
        loop, processes, begun = asyncio.get_running_loop(), Processes(1, Moody), asyncio.Event()
        endless = ("tictactoe", (), TEST_LEVELS["endless"], 0)
        stopped: list[asyncio.Future[bool]] = [loop.create_future() for _ in range(2)]
        await processes.run(endless, 600, stopped[0], lambda: stopped[0].set_result(True))
        (pid,) = await some_workers()
        os.kill(pid, signal.SIGSTOP)
        running = asyncio.create_task(processes.run(endless, 600, stopped[1], begun.set))
        await eventually.settle(0.05)
        assert not begun.is_set()
        os.kill(pid, signal.SIGCONT)
        await asyncio.wait_for(begun.wait(), PATIENCE_S)
        stopped[1].set_result(True)
        assert isinstance(await running, str)
        await processes.close()

    run(scenario())


@pytest.mark.slow
def test_late_stops_are_harmless(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching() as searcher:
            await soon(searcher.find_move(*task()))
            rng = random.Random(1)
            for seed in range(100):
                dropped = searcher.find_move(*task("medium", seed=seed))
                await asyncio.sleep(rng.uniform(0, 0.002))
                dropped.cancel()
                kept = task("medium", "5", seed=seed)
                assert await soon(searcher.find_move(*kept)) == expected(kept)
            assert len(await some_workers()) == 1

    run(scenario())


@pytest.mark.slow
def test_searches_wait_for_a_worker_and_a_dropped_one_leaves_the_queue(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching(workers=1) as searcher:
            futures = [searcher.find_move(*task("endless")) for _ in range(3)]
            futures.pop().cancel()
            last = searcher.find_move(*task(seed=5))
            await asyncio.sleep(0.05)
            assert len(await some_workers()) == 1
            assert not last.done()
            for future in futures:
                future.cancel()
            assert await soon(last) == expected(task(seed=5))

    run(scenario())


@pytest.mark.slow
def test_workers_ignore_ctrl_c(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching() as searcher:
            await soon(searcher.find_move(*task("easy")))  # before it has begun it does not know
            future = searcher.find_move(*task("slow"))
            (pid,) = await some_workers(begun=searcher)
            assert os.getpgid(pid) != os.getpgid(0)
            os.kill(pid, signal.SIGINT)
            assert await soon(future) == expected(task())
            assert await some_workers() == {pid}

    run(scenario())


@pytest.mark.parametrize("frozen", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_close_cancels_everything_and_leaves_no_process(run: Run[None], frozen: bool) -> None:
    async def scenario() -> None:
        async with searching(workers=2, stop_s=1 if frozen else 60) as searcher:
            futures = [searcher.find_move(*task("endless")) for _ in range(4)]
            pids = await some_workers(2, begun=searcher)
            if frozen:
                for pid in pids:
                    os.kill(pid, signal.SIGSTOP)
            await asyncio.wait_for(searcher.close(), PATIENCE_S)
            assert workers_of(os.getpid()) == set()
            assert all([await cancelled(future) for future in futures])
            with pytest.raises(RuntimeError):
                searcher.find_move(*task())

    run(scenario())


@pytest.mark.slow
def test_close_while_the_workers_start(run: Run[None]) -> None:
    async def scenario() -> None:
        async with searching(workers=2) as searcher:
            futures = [searcher.find_move(*task("endless")) for _ in range(3)]
            await asyncio.sleep(0)
            await asyncio.wait_for(searcher.close(), PATIENCE_S)
            assert all([await cancelled(future) for future in futures])

    run(scenario())


@pytest.mark.slow
def test_workers_do_not_hold_up_the_event_loop(run: Run[None]) -> None:
    async def longest_delay_s(searches: int) -> float:
        async with searching(workers=2) as searcher:
            futures = [searcher.find_move(*task("endless")) for _ in range(searches)]
            longest, until = 0.0, time.monotonic() + 0.5
            while (begun := time.monotonic()) < until:
                await asyncio.sleep(0.001)
                longest = max(longest, time.monotonic() - begun - 0.001)
            for future in futures:
                future.cancel()
            return longest

    async def scenario() -> None:
        # The best of some, beside an idle loop's in turns: what the machine does besides is not to count.
        delays = [(await longest_delay_s(4), await longest_delay_s(0)) for _ in range(5)]
        assert min(searching - idle for searching, idle in delays) < 0.03, delays

    run(scenario())


SERVER = """
import asyncio, sys
from support import eventually
from support.searches import TEST_LEVELS, Moody
from noughts.computer import Searches
from noughts.computer.processes import Processes

async def main() -> None:
    asyncio.get_running_loop().slow_callback_duration = 60  # on a busy machine anything is slow
    searcher = Searches(2, TEST_LEVELS, processes=Processes(2, Moody))
    futures = [searcher.find_move("tictactoe", (), "endless", 0) for _ in range(3)]
    if sys.argv[1] == "close":
        await asyncio.sleep(0.5)
        await searcher.close()
    else:
        await asyncio.wait(futures)

asyncio.run(main())
"""


def server(what: str) -> list[str]:
    return [sys.executable, "-X", "dev", "-W", "error", "-c", SERVER, what]


@pytest.mark.slow
def test_workers_end_with_a_server_that_is_killed() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(server("wait"), env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + PATIENCE_S
        while len(workers_of(process.pid)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.3)
        process.kill()
        # The workers have the other end of stderr too: it ends with the last of them.
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert errors == ""


@pytest.mark.slow
def test_closing_leaves_no_output() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        server("close"), env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_search_that_is_ready_has_its_workers(run: Run[None]) -> None:
    """So that the first move of a game does not wait for a process to start."""

    async def scenario() -> None:
        searcher = Searches(2, processes=Processes(2, niceness=3))
        try:
            assert not workers_of(os.getpid())
            await asyncio.gather(searcher.ready("tictactoe"), searcher.ready("tictactoe"))
            ready = workers_of(os.getpid())
            assert len(ready) == 2
            own = os.getpriority(os.PRIO_PROCESS, 0)
            assert {os.getpriority(os.PRIO_PROCESS, worker) for worker in ready} == {min(own + 3, 19)}
            await asyncio.gather(*(searcher.find_move("tictactoe", (), "easy", seed) for seed in range(4)))
            assert workers_of(os.getpid()) == ready
        finally:
            await searcher.close()

    run(scenario())


def test_a_worker_imports_no_more_than_it_needs() -> None:
    """Each process has its own copy of all that it imports, and is ready only then."""
    imports = subprocess.run(
        [sys.executable, "-X", "importtime", "-P", WORKER, "10"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert "noughts.engine.textbook" in imports
    assert "asyncio" not in imports
    assert "pydantic" not in imports
    assert "numba" not in imports


@pytest.mark.parametrize(("opening", "only"), [("1", "5"), ("9", "5")])
def test_without_any_time_the_computer_does_not_lose_tic_tac_toe(opening: str, only: str) -> None:
    """After a corner only the middle draws. A search that a busy machine stops at once would not see that."""
    stop = Timeout(0)
    stop.begin()
    stop.set()
    assert answer(("tictactoe", (opening,), LEVELS["perfect"], 3), Textbook, stop) == only
