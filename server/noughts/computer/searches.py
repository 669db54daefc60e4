"""Searches for moves, analyses and reviews, off the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from enum import IntEnum
from itertools import chain
from typing import Any

from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.computer.worker import Answer, Task
from noughts.engine import LEVELS, Analysis, Level, Limits, Sampling, Tracing
from noughts.timing import Timing

EARLY_S, EARLY_SHARE = 0.01, 0.05
"""The time before its end at which a search is told to stop, and what part of its time that is at most. On a busy
machine it may take some milliseconds until it notices and its answer arrives."""

READY_S = 1.0
"""The longest first search of a worker, which looks one ply ahead."""


class Urgency(IntEnum):
    """The order of searches. One that waits ends those of the next kinds early that have the workers."""

    MOVE = 0
    ANALYSIS = 1
    REVIEW = 2


class Preempted(Exception):
    """A search for a review was ended early; ``found`` is the best until then."""

    def __init__(self, found: Analysis) -> None:
        super().__init__("something more urgent needed the worker")
        self.found = found


class _Search:
    """A search that waits or runs. ``stopped`` tells it to answer at once; true if somebody waits for the answer."""

    __slots__ = ("future", "seconds", "stopped", "task", "urgency")

    def __init__(self, task: Task, seconds: float, urgency: Urgency) -> None:
        loop = asyncio.get_running_loop()
        self.urgency = urgency
        self.task = task
        self.seconds = seconds
        self.future: asyncio.Future[str | Analysis | bytes] = loop.create_future()
        self.stopped: asyncio.Future[bool] = loop.create_future()

    def stop(self, *, wanted: bool) -> None:
        if not self.stopped.done():
            self.stopped.set_result(wanted)


class Searches:
    """Runs searches, at most ``workers`` at a time; moves go before analyses, and both before reviews. For one event
    loop.

    Games with a fast kernel are searched in threads of this process once the kernel is loaded; until then, and for all
    other games, searches run in processes with the textbook engine. ``workers`` limits both together; by default it is
    one less than the number of processors, but at least one. Whoever asks for moves decides which of them are next, and
    asks for no more than that at a time. ``levels`` gives the levels by name; when a level's time is up, it plays the
    best move found so far.
    """

    def __init__(
        self,
        workers: int | None = None,
        levels: Mapping[str, Level] = LEVELS,
        *,
        threads: Threads | None = None,
        processes: Processes | None = None,
        timing: Timing = Timing(),
    ) -> None:
        self.workers = workers if workers is not None else max(1, (os.cpu_count() or 1) - 1)
        self.levels: Mapping[str, Level] = levels
        self._threads = threads or Threads(self.workers)
        self._processes = processes or Processes(self.workers, timing=timing)
        self._waiting: dict[Urgency, dict[_Search, None]] = {urgency: {} for urgency in Urgency}
        self._running: dict[asyncio.Task[None], _Search] = {}
        self._readying: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def running(self) -> int:
        """The number of searches that run."""
        return len(self._running)

    @property
    def analyses_waiting(self) -> int:
        """The number of analyses that wait for a worker."""
        return len(self._waiting[Urgency.ANALYSIS])

    async def warm_up(self) -> None:
        """Load all fast kernels now. Otherwise each is loaded by the first search that can use it."""
        await self._threads.load_all()

    async def ready(self, game: str) -> None:
        """Wait until the first search of ``game`` is as fast as the others: load its kernel or start the processes, and
        let every worker search once. It is done once for each game, however many wait for it.
        """
        task = self._readying.get(game)
        if task is None:
            task = self._readying[game] = asyncio.create_task(self._make_ready(game))
        await asyncio.shield(task)

    async def _make_ready(self, game: str) -> None:
        await self._threads.load(game)
        first = [self.analyse(game, (), Limits(depth=1), READY_S) for _ in range(self.workers)]
        await asyncio.gather(*first, return_exceptions=True)  # a game that cannot be searched fails in its own time

    def find_move(
        self,
        game: str,
        moves: tuple[str, ...],
        level: str,
        seed: int,
        seconds: float | None = None,
    ) -> asyncio.Future[str]:
        """Find a move for ``game`` (its key) after ``moves``, at ``level`` (its name). Cancel the future to drop it.

        The same ``seed`` gives the same move if the search completes, in at most ``seconds``, None for the level's.

        Raises KeyError for an unknown level. The future raises what the search raised (KeyError for an unknown game,
        MalformedMove, IllegalMove, ValueError if the game is over), or
        :class:`~noughts.computer.processes.SearchFailed`.
        """
        goal = self.levels[level]
        seconds = goal.seconds if seconds is None else seconds
        return self._submit(Urgency.MOVE, (game, moves, goal, seed), seconds)

    def hurry(self, found: asyncio.Future[Any]) -> None:
        """Have the search of ``found`` answer soon, with the best so far."""
        for search in self._running.values():
            if search.future is found:
                search.stop(wanted=True)

    def analyse(self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float) -> asyncio.Future[Analysis]:
        """Analyse ``game`` after ``moves`` within ``limits``, in at most ``seconds``, when no move waits.

        A move that needs the worker ends it early. The future is like that of :meth:`find_move`.
        """
        return self._submit(Urgency.ANALYSIS, (game, moves, limits, 0), seconds)

    def review(self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float) -> asyncio.Future[Analysis]:
        """As :meth:`analyse`, but when no analysis waits either.

        The future raises :class:`Preempted` if a move or an analysis needed the worker.
        """
        return self._submit(Urgency.REVIEW, (game, moves, limits, 0), seconds)

    def trace(
        self, game: str, moves: tuple[str, ...], tracing: Tracing | Sampling, seconds: float
    ) -> asyncio.Future[bytes]:
        """Trace a search of ``game`` after ``moves``, or of ``tracing.tree``, with the same precedence as analyses.

        Its result is the trace as a JSON object: see :func:`noughts.engine.as_object`. The future is like that of
        :meth:`find_move`, and raises :class:`~noughts.engine.BadTree` as well.
        """
        return self._submit(Urgency.ANALYSIS, (game, moves, tracing, 0), seconds)

    async def close(self) -> None:
        """Cancel all searches and release all workers. No search may be submitted afterwards."""
        self._closed = True
        for task in self._readying.values():
            task.cancel()
        await asyncio.gather(*self._readying.values(), return_exceptions=True)
        for search in [*self._in_order(), *self._running.values()]:
            search.future.cancel()
        if self._running:
            await asyncio.wait(self._running)
        await self._threads.close()
        await self._processes.close()

    def _submit(self, urgency: Urgency, task: Task, seconds: float) -> asyncio.Future[Any]:
        if self._closed:
            raise RuntimeError("the searches are closed")
        search = _Search(task, seconds, urgency)
        self._waiting[urgency][search] = None

        def done(_: asyncio.Future[str | Analysis | bytes]) -> None:
            self._waiting[urgency].pop(search, None)
            search.stop(wanted=False)

        search.future.add_done_callback(done)
        self._dispatch()
        return search.future

    def _dispatch(self) -> None:
        while len(self._running) < self.workers and (search := next(self._in_order(), None)) is not None:
            del self._waiting[search.urgency][search]
            if not search.future.done():
                run = asyncio.create_task(self._run(search))
                self._running[run] = search
                run.add_done_callback(self._ran)
        # Those that wait end the least urgent that run, but never one as urgent as they are.
        running = sorted(self._running.values(), key=lambda search: search.urgency, reverse=True)
        for search, waiting in zip(running, self._in_order(), strict=False):
            if search.urgency > waiting.urgency:
                search.stop(wanted=True)

    def _in_order(self) -> Iterator[_Search]:
        """Those that wait, the most urgent first, and of these first come, first served."""
        return chain.from_iterable(self._waiting.values())

    def _ran(self, run: asyncio.Task[None]) -> None:
        del self._running[run]
        self._dispatch()

    async def _run(self, search: _Search) -> None:
        try:
            goal = search.task[2]
            kernel = not isinstance(goal, Tracing) and self._threads.loaded(*search.task[:2])
            workers = self._threads if kernel else self._processes
            seconds = search.seconds - min(EARLY_S, EARLY_SHARE * search.seconds)
            answer: Answer = await workers.run(search.task, seconds, search.stopped)
        except Exception as error:
            answer = error
        if search.future.done():
            return
        if search.urgency is Urgency.REVIEW and search.stopped.done() and isinstance(answer, Analysis):
            answer = Preempted(answer)
        if isinstance(answer, Exception):
            search.future.set_exception(answer)
        else:
            search.future.set_result(answer)
