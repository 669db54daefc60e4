"""Searches for moves, analyses and reviews, off the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import partial
from itertools import chain, islice
from typing import Any

from noughts.computer.cores import Cores
from noughts.computer.farm_pool import FarmPool, Lost
from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.computer.worker import Answer, Task
from noughts.engine import LEVELS, Analysis, Level, Limits, Sampling, Tracing
from noughts.puzzles.question import Question, Reply
from noughts.timing import Timing

EARLY_S, EARLY_SHARE = 0.01, 0.05
"""The time before its end at which a search is told to stop, and what part of its time that is at most. On a busy
machine it may take some milliseconds until it notices and its answer arrives."""

FARM_EARLY_S = 0.02
"""The same for a search on a farm."""

FARM_LEAST_S = 0.05
"""The least time of a search for a move on a farm, of which the way there and back takes some milliseconds."""

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
    """A search that waits or runs. ``stopped`` tells it to answer at once; true if somebody waits for the answer.

    ``may_travel`` says whether a farm may do it, ``away`` whether it does. ``timer`` ends it ``share_s`` after it
    ``began``, if it must share its worker.
    """

    __slots__ = ("away", "began", "future", "may_travel", "seconds", "share_s", "stopped", "task", "timer", "urgency")

    def __init__(self, task: Task, seconds: float, urgency: Urgency, *, may_travel: bool) -> None:
        loop = asyncio.get_running_loop()
        self.urgency = urgency
        self.may_travel = may_travel
        self.away = False
        self.task = task
        self.seconds = seconds
        self.future: asyncio.Future[str | Analysis | bytes | Reply] = loop.create_future()
        self.stopped: asyncio.Future[bool] = loop.create_future()
        self.began: float | None = None
        self.share_s: float | None = None
        self.timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        self.began = asyncio.get_running_loop().time()
        if self.share_s is not None:
            self.share(self.share_s)

    def share(self, seconds: float) -> None:
        self.share_s = seconds
        if self.timer is not None:
            self.timer.cancel()
        if self.began is not None:
            stop = partial(self.stop, wanted=True)
            self.timer = asyncio.get_running_loop().call_at(self.began + seconds, stop)

    def stop(self, *, wanted: bool) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if not self.stopped.done():
            self.stopped.set_result(wanted)


class Searches:
    """Runs searches, as many at a time as there are places; moves go before analyses, and both before reviews. For one
    event loop.

    There are ``own`` places on the cores of this machine, by default one less than its processors, but at least one;
    and those of the ``farm``, if there is one. Analyses and reviews go to the farm first; moves go there if the places
    here are taken and they have time for the way. What the farm loses is done here. Whoever asks for moves decides
    which of them are next, and asks for no more than there are places. ``levels`` gives the levels by name; when a
    level's time is up, it plays the best move found so far.
    """

    farm: FarmPool | None = None

    def __init__(
        self,
        own: int | None = None,
        levels: Mapping[str, Level] = LEVELS,
        *,
        threads: Threads | None = None,
        processes: Processes | None = None,
        timing: Timing = Timing(),
        farm: FarmPool | None = None,
    ) -> None:
        self.levels: Mapping[str, Level] = levels
        self.farm = farm
        own = own if own is not None else max(1, (os.cpu_count() or 1) - 1)
        self._cores = Cores(own, threads, processes, timing)
        self._waiting: dict[Urgency, dict[_Search, None]] = {urgency: {} for urgency in Urgency}
        self._running: dict[asyncio.Task[None], _Search] = {}
        self._away = 0
        self._readying: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def workers(self) -> int:
        """The number of searches that can run at a time."""
        return self._cores.most + self._far

    @property
    def reviews_at_once(self) -> int:
        """The number of searches for reviews that should run at a time: what a farm can do, otherwise one."""
        return max(1, self._far)

    @property
    def _far(self) -> int:
        return 0 if self.farm is None else self.farm.most

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
        await self._cores.threads.load_all()

    async def ready(self, game: str) -> None:
        """Wait until the first search of ``game`` is as fast as the others: load its kernel or start the processes, and
        let every worker search once. It is done once for each game, however many wait for it.
        """
        task = self._readying.get(game)
        if task is None:
            task = self._readying[game] = asyncio.create_task(self._make_ready(game))
        await asyncio.shield(task)

    async def _make_ready(self, game: str) -> None:
        await self._cores.threads.load(game)
        first = [self.analyse(game, (), Limits(depth=1), READY_S) for _ in range(self._cores.most)]
        await asyncio.gather(*first, return_exceptions=True)  # a game that cannot be searched fails in its own time

    def find_move(
        self,
        game: str,
        moves: tuple[str, ...],
        level: str,
        seed: int,
        seconds: float | None = None,
        *,
        here: bool = False,
    ) -> asyncio.Future[str]:
        """Find a move for ``game`` (its key) after ``moves``, at ``level`` (its name). Cancel the future to drop it.

        The same ``seed`` gives the same move if the search completes, in at most ``seconds``, None for the level's.
        ``here``: not on a farm.

        Raises KeyError for an unknown level. The future raises what the search raised (KeyError for an unknown game,
        MalformedMove, IllegalMove, ValueError if the game is over), or
        :class:`~noughts.computer.processes.SearchFailed`.
        """
        goal = self.levels[level]
        seconds = goal.seconds if seconds is None else seconds
        return self._submit(
            Urgency.MOVE, (game, moves, goal, seed), seconds, may_travel=seconds >= FARM_LEAST_S and not here
        )

    def hurry(self, found: asyncio.Future[Any], seconds: float) -> None:
        """Have the search of ``found`` answer when it has run for ``seconds``, with the best so far."""
        for search in [*self._in_order(), *self._running.values()]:
            if search.future is found:
                search.share(seconds)

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

    def answer(self, question: Question, seconds: float) -> asyncio.Future[Reply]:
        """Answer a question about a puzzle, with the same precedence as analyses.

        What is not proved in ``seconds`` is not decided.

        The future is like that of :meth:`find_move`, and raises :class:`~noughts.puzzles.question.NotThere` as well.
        """
        return self._submit(Urgency.ANALYSIS, (question.puzzle.start, (), question, 0), seconds)

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
        await self._cores.close()

    def _submit(self, urgency: Urgency, task: Task, seconds: float, *, may_travel: bool = True) -> asyncio.Future[Any]:
        if self._closed:
            raise RuntimeError("the searches are closed")
        search = _Search(task, seconds, urgency, may_travel=may_travel)
        self._waiting[urgency][search] = None

        def done(_: asyncio.Future[str | Analysis | bytes | Reply]) -> None:
            self._waiting[urgency].pop(search, None)
            search.stop(wanted=False)

        search.future.add_done_callback(done)
        self._dispatch()
        return search.future

    def _dispatch(self) -> None:
        while (search := self._next()) is not None:
            del self._waiting[search.urgency][search]
            if not search.future.done():
                run = asyncio.create_task(self._run(search))
                self._running[run] = search
                self._away += search.away
                run.add_done_callback(self._ran)
        # Those that wait end the least urgent that run in a place for them, but never one as urgent as they are.
        running = sorted(self._running.values(), key=lambda search: search.urgency, reverse=True)
        for waiting in islice(self._in_order(), len(running)):
            for search in running:
                if search.urgency > waiting.urgency and (waiting.may_travel or not search.away):
                    search.stop(wanted=True)
                    running.remove(search)
                    break

    def _next(self) -> _Search | None:
        """The next search for which there is a place, with the place. None if there is none."""
        here, away = len(self._running) - self._away < self._cores.most, self._away < self._far
        if here or away:
            for search in self._in_order():
                may_leave = away and search.may_travel
                if here or may_leave:
                    search.away = may_leave and not (here and search.urgency is Urgency.MOVE)
                    return search
        return None

    def _in_order(self) -> Iterator[_Search]:
        """Those that wait, the most urgent first, and of these first come, first served."""
        return chain.from_iterable(self._waiting.values())

    def _ran(self, run: asyncio.Task[None]) -> None:
        self._away -= self._running.pop(run).away
        self._dispatch()

    async def _run(self, search: _Search) -> None:
        early_s = min(FARM_EARLY_S if search.away else EARLY_S, EARLY_SHARE * search.seconds)
        seconds = search.seconds - early_s
        try:
            if search.away and self.farm is not None:
                answer: Answer = await self.farm.run(search.task, seconds, search.stopped, search.begin, search.urgency)
            else:
                answer = await self._cores.run(search.task, seconds, search.stopped, search.begin)
        except Lost:
            if not search.future.done():  # it has waited already
                search.may_travel = False
                self._waiting[search.urgency] = {search: None, **self._waiting[search.urgency]}
            return
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
