"""Searches for the computer's moves, off the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from noughts.computer.worker import Answer, Order
from noughts.engine import LEVELS, Engine, Level, engine_of
from noughts.games import Game

WORKER = Path(__file__).with_name("worker.py")

ATTEMPTS = 3
"""How often a search is begun before it is given up, when its worker dies each time."""

GRACE_S = 1.0
"""How long a worker has to stop a search, which takes it milliseconds, before it is killed."""


@dataclass(frozen=True, slots=True)
class Task:
    """A move to find: for ``game`` (its key), after ``moves`` from the start, at ``level`` (its name).

    The same ``seed`` gives the same move.
    """

    game: str
    moves: tuple[str, ...]
    level: str
    seed: int


class SearchFailed(Exception):
    """The workers died on this search, one after the other; the cause is the last one's."""


class Searcher(Protocol):
    """Finds moves, at most ``workers`` at a time. All of it is for one event loop alone."""

    workers: int

    def submit(self, task: Task) -> asyncio.Future[str]:
        """Begin a search, or queue it. The future has the move; cancel it to drop the search.

        Raises KeyError for an unknown level. The future raises what the search raised (KeyError for an
        unknown game, MalformedMove, IllegalMove, ValueError when the game is over), or :class:`SearchFailed`.
        """

    async def close(self) -> None:
        """Cancel all searches and let go of everything. Nothing may be submitted afterwards."""


class ProcessSearcher:
    """Searches in processes of lowered priority: pure Python in threads would hold up the event loop.

    ``workers`` is the greatest number of processes, by default one less than there are processors, at least
    one; they start as they are needed and stay. ``levels`` is what the levels' names stand for, ``engine_of`` a
    function of a module, which the processes import, that makes a game's engine.
    """

    def __init__(
        self,
        workers: int | None = None,
        levels: Mapping[str, Level] = LEVELS,
        engine_of: Callable[[Game], Engine] = engine_of,
    ) -> None:
        self.workers = workers if workers is not None else max(1, (os.cpu_count() or 1) - 1)
        self._levels = levels
        self._engine_of = engine_of
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="search")
        self._idle: list[_Worker] = []
        self._running: dict[asyncio.Task[None], asyncio.Future[str]] = {}
        self._waiting: dict[asyncio.Future[str], Order] = {}
        self._closed = False

    def submit(self, task: Task) -> asyncio.Future[str]:
        if self._closed:
            raise RuntimeError("the searcher is closed")
        order = (task.game, task.moves, self._levels[task.level], task.seed, self._engine_of)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[future] = order
        future.add_done_callback(lambda done: self._waiting.pop(done, None))
        self._dispatch()
        return future

    async def close(self) -> None:
        self._closed = True
        for future in [*self._waiting, *self._running.values()]:
            future.cancel()
        if self._running:
            await asyncio.wait(self._running)
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(self._threads, worker.end) for worker in self._idle))
        self._idle.clear()
        self._threads.shutdown()

    def _dispatch(self) -> None:
        while self._waiting and len(self._running) < self.workers:
            future = next(iter(self._waiting))
            order = self._waiting.pop(future)
            if not future.done():
                run = asyncio.create_task(self._run(order, future))
                self._running[run] = future
                run.add_done_callback(self._ran)

    def _ran(self, run: asyncio.Task[None]) -> None:
        del self._running[run]
        self._dispatch()

    async def _run(self, order: Order, future: asyncio.Future[str]) -> None:
        worker = self._idle.pop() if self._idle else _Worker(self._threads)
        try:
            answer = await _persist(worker, order, future)
        except Exception as error:
            answer = error
        finally:
            self._idle.append(worker)
        if future.done():  # dropped: nobody is to hear of it
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


async def _persist(worker: _Worker, order: Order, dropped: asyncio.Future[str]) -> Answer:
    """Have ``order`` answered, by another process where one dies."""
    attempt = 1
    while True:
        try:
            return await worker.ask(order, dropped)
        except (OSError, EOFError, pickle.UnpicklingError) as died:
            if attempt == ATTEMPTS or dropped.done():
                raise SearchFailed(f"{attempt} workers died on this search") from died
            attempt += 1


class _Worker:
    """A process and its pipes, begun with its first order and again with the first one after its death.

    What may wait (starting, reading, ending) is done in ``threads``, one at a time; what the loop writes
    is far less than a pipe holds.
    """

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None

    async def ask(self, order: Order, dropped: asyncio.Future[str]) -> Answer:
        """The answer to ``order``, soon when it is ``dropped``. When the process dies: OSError, EOFError
        or UnpicklingError."""
        loop = asyncio.get_running_loop()
        if self._process is None:
            self._process = await loop.run_in_executor(self._threads, _start)
        process = self._process
        try:
            _write(process, order)
            reading = loop.run_in_executor(self._threads, _read, process)
            answered_or_dropped: set[asyncio.Future[Any]] = {reading, dropped}
            await asyncio.wait(answered_or_dropped, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                with contextlib.suppress(OSError):  # dead: the reading will tell
                    _write(process, None)
                await asyncio.wait({reading}, timeout=GRACE_S)
                if not reading.done():
                    process.kill()
            return await reading
        except (OSError, EOFError, pickle.UnpicklingError):
            await loop.run_in_executor(self._threads, self.end)
            raise

    def end(self) -> None:
        """Kill the process, if there is one, and wait for its end."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.communicate()


def _start() -> subprocess.Popen[bytes]:
    # By its path and not by -m: without the server's imports a worker is ready in a fifth of the time, in a
    # third of the memory. In a process group of its own, as Ctrl-C in the terminal is for the server alone.
    return subprocess.Popen(  # noqa: S603 - a command of our own
        [sys.executable, "-P", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        process_group=0,
    )


def _write(process: subprocess.Popen[bytes], message: Order | None) -> None:
    assert process.stdin
    process.stdin.write(pickle.dumps(message))
    process.stdin.flush()


def _read(process: subprocess.Popen[bytes]) -> Answer:
    assert process.stdout
    answer: Answer = pickle.load(process.stdout)  # noqa: S301 - from our own worker
    return answer
