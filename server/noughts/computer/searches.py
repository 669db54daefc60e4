"""Searches for moves and analyses, off the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.computer.worker import Answer, Task
from noughts.engine import LEVELS, Analysis, Level, Limits, Tracing
from noughts.timing import Timing

EARLY_S, EARLY_SHARE = 0.01, 0.05
"""How long before its time is up a search is told to stop, and what part of its time that is at most. On a busy
machine it may take some milliseconds until it notices and its answer arrives."""


class _Search:
    """A search that waits or runs. ``stopped`` tells it to answer at once; true if somebody waits for the answer."""

    __slots__ = ("future", "seconds", "stopped", "task")

    def __init__(self, task: Task, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self.task = task
        self.seconds = seconds
        self.future: asyncio.Future[str | Analysis | bytes] = loop.create_future()
        self.stopped: asyncio.Future[bool] = loop.create_future()

    def stop(self, *, wanted: bool) -> None:
        if not self.stopped.done():
            self.stopped.set_result(wanted)


class Searches:
    """Runs searches, at most ``workers`` at a time; moves go before analyses. For one event loop.

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
        self._moves: dict[_Search, None] = {}
        self._analyses: dict[_Search, None] = {}
        self._running: dict[asyncio.Task[None], _Search] = {}
        self._closed = False

    @property
    def running(self) -> int:
        """How many searches run."""
        return len(self._running)

    @property
    def analyses_waiting(self) -> int:
        """How many analyses wait for a worker."""
        return len(self._analyses)

    async def warm_up(self) -> None:
        """Load all fast kernels now. Otherwise each is loaded by the first search that can use it."""
        await self._threads.load_all()

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
        return self._submit(self._moves, (game, moves, goal, seed), goal.seconds if seconds is None else seconds)

    def hurry(self, found: asyncio.Future[str]) -> None:
        """Have the search of ``found`` answer soon, with the best move so far."""
        for search in self._running.values():
            if search.future is found:
                search.stop(wanted=True)

    def analyse(self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float) -> asyncio.Future[Analysis]:
        """Analyse ``game`` after ``moves`` within ``limits``, in at most ``seconds``, when no move waits.

        A move that needs the worker ends it early. The future is like that of :meth:`find_move`.
        """
        return self._submit(self._analyses, (game, moves, limits, 0), seconds)

    def trace(self, game: str, moves: tuple[str, ...], tracing: Tracing, seconds: float) -> asyncio.Future[bytes]:
        """Trace a search of ``game`` after ``moves``, or of ``tracing.tree``, with the same precedence as analyses.

        Its result is the trace as a JSON object: see :func:`noughts.engine.as_object`. The future is like that of
        :meth:`find_move`, and raises :class:`~noughts.engine.BadTree` as well.
        """
        return self._submit(self._analyses, (game, moves, tracing, 0), seconds)

    async def close(self) -> None:
        """Cancel all searches and release all workers. No search may be submitted afterwards."""
        self._closed = True
        for search in [*self._moves, *self._analyses, *self._running.values()]:
            search.future.cancel()
        if self._running:
            await asyncio.wait(self._running)
        await self._threads.close()
        await self._processes.close()

    def _submit(self, waiting: dict[_Search, None], task: Task, seconds: float) -> asyncio.Future[Any]:
        if self._closed:
            raise RuntimeError("the searches are closed")
        search = _Search(task, seconds)
        waiting[search] = None

        def done(_: asyncio.Future[str | Analysis | bytes]) -> None:
            waiting.pop(search, None)
            search.stop(wanted=False)

        search.future.add_done_callback(done)
        self._dispatch()
        return search.future

    def _dispatch(self) -> None:
        while len(self._running) < self.workers and (waiting := self._moves or self._analyses):
            search = next(iter(waiting))
            del waiting[search]
            if not search.future.done():
                run = asyncio.create_task(self._run(search))
                self._running[run] = search
                run.add_done_callback(self._ran)
        analyses = [each for each in self._running.values() if not isinstance(each.task[2], Level)]
        for analysis, _ in zip(analyses, self._moves, strict=False):
            analysis.stop(wanted=True)

    def _ran(self, run: asyncio.Task[None]) -> None:
        del self._running[run]
        self._dispatch()

    async def _run(self, search: _Search) -> None:
        try:
            goal = search.task[2]
            kernel = not isinstance(goal, Tracing) and self._threads.loaded(search.task[0])
            workers = self._threads if kernel else self._processes
            seconds = search.seconds - min(EARLY_S, EARLY_SHARE * search.seconds)
            answer: Answer = await workers.run(search.task, seconds, search.stopped)
        except Exception as error:
            answer = error
        if search.future.done():
            return
        if isinstance(answer, Exception):
            search.future.set_exception(answer)
        else:
            search.future.set_result(answer)
