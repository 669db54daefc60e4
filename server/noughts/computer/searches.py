"""Searches for the computer's moves, and for those who want one explained, off the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.computer.worker import Answer, Order
from noughts.engine import LEVELS, Analysis, Level, Limits
from noughts.timing import Timing

LEAST_SHARE = 0.25
"""What part of its time a search has at least, however long it has waited."""

AHEAD_S, AHEAD_SHARE = 0.01, 0.05
"""How long before its time is over a search is told to end, and what part of its time that is at most: it may take some
milliseconds until it has its turn to notice that on a busy machine, and until its answer is here."""


@dataclass(frozen=True, slots=True)
class Task:
    """A move to find: for ``game`` (its key), after ``moves`` from the start, at ``level`` (its name).

    The same ``seed`` gives the same move, where the search gets to its end. ``waited_s`` is what has passed since it
    was wanted; that is taken off its time. ``longest_s`` is what its clock leaves it, None without one.
    """

    game: str
    moves: tuple[str, ...]
    level: str
    seed: int
    waited_s: float = 0
    longest_s: float | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """An analysis to make, as far as ``limits``, in at most ``seconds``."""

    game: str
    moves: tuple[str, ...]
    limits: Limits
    seconds: float


class Searcher(Protocol):
    """Finds moves, at most ``workers`` at a time. All of it is for one event loop alone."""

    workers: int

    def submit(self, task: Task) -> asyncio.Future[str]:
        """Begin a search, or queue it. The future has the move; cancel it to drop the search.

        Raises KeyError for an unknown level. The future raises what the search raised (KeyError for an unknown game,
        MalformedMove, IllegalMove, ValueError when the game is over),
        or :class:`~noughts.computer.processes.SearchFailed`.
        """

    async def close(self) -> None:
        """Cancel all searches and let go of everything. Nothing may be submitted afterwards."""


class _Search:
    """One that waits or runs. Once ``ended`` it answers with what it has; true if somebody waits for that."""

    __slots__ = ("ended", "future", "order", "seconds")

    def __init__(self, order: Order, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self.order = order
        self.seconds = seconds
        self.future: asyncio.Future[str | Analysis] = loop.create_future()
        self.ended: asyncio.Future[bool] = loop.create_future()

    def end(self, *, wanted: bool) -> None:
        if not self.ended.done():
            self.ended.set_result(wanted)


class Searches:
    """A :class:`Searcher` that also makes analyses, which stand back for moves.

    Where a game has a fast kernel its searches run in threads of this process, once it is loaded; until then, and those
    of all other games, in processes of their own, by an engine that is there at once. ``workers`` bounds both together,
    by default one less than there are processors, at least one. ``levels`` is what the levels' names stand for; when a
    level's time is over the move is the best that was found by then.
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
        self._levels = levels
        self._threads = threads or Threads(self.workers)
        self._processes = processes or Processes(self.workers, timing=timing)
        self._moves: dict[_Search, None] = {}
        self._studies: dict[_Search, None] = {}
        self._running: dict[asyncio.Task[None], _Search] = {}
        self._closed = False

    async def warm_up(self) -> None:
        """Load all fast kernels now; without it, each is with the first search that has a use for it."""
        await self._threads.load_all()

    def submit(self, task: Task) -> asyncio.Future[str]:
        level = self._levels[task.level]
        longest = level.seconds if task.longest_s is None else min(level.seconds, task.longest_s)
        seconds = max(longest - task.waited_s, LEAST_SHARE * longest)
        return self._submit(self._moves, (task.game, task.moves, level, task.seed), seconds)

    def study(self, study: Study) -> asyncio.Future[Analysis]:
        """Begin an analysis, or queue it behind all moves; when a move needs its worker it is ended early.

        The future is as that of :meth:`submit`.
        """
        return self._submit(self._studies, (study.game, study.moves, study.limits, 0), study.seconds)

    async def close(self) -> None:
        self._closed = True
        for search in [*self._moves, *self._studies, *self._running.values()]:
            search.future.cancel()
        if self._running:
            await asyncio.wait(self._running)
        await self._threads.close()
        await self._processes.close()

    def _submit(self, waiting: dict[_Search, None], order: Order, seconds: float) -> asyncio.Future[Any]:
        if self._closed:
            raise RuntimeError("the searcher is closed")
        search = _Search(order, seconds)
        waiting[search] = None

        def done(_: asyncio.Future[str | Analysis]) -> None:
            waiting.pop(search, None)
            search.end(wanted=False)

        search.future.add_done_callback(done)
        self._dispatch()
        return search.future

    def _dispatch(self) -> None:
        while len(self._running) < self.workers and (waiting := self._moves or self._studies):
            search = next(iter(waiting))
            del waiting[search]
            if not search.future.done():
                run = asyncio.create_task(self._run(search))
                self._running[run] = search
                run.add_done_callback(self._ran)
        studies = [each for each in self._running.values() if isinstance(each.order[2], Limits)]
        for study, _ in zip(studies, self._moves, strict=False):
            study.end(wanted=True)

    def _ran(self, run: asyncio.Task[None]) -> None:
        del self._running[run]
        self._dispatch()

    async def _run(self, search: _Search) -> None:
        try:
            workers = self._threads if self._threads.loaded(search.order[0]) else self._processes
            seconds = search.seconds - min(AHEAD_S, AHEAD_SHARE * search.seconds)
            answer: Answer = await workers.run(search.order, seconds, search.ended)
        except Exception as error:
            answer = error
        if search.future.done():
            return
        if isinstance(answer, Exception):
            search.future.set_exception(answer)
        else:
            search.future.set_result(answer)
