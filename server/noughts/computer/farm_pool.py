"""The workers of a farm as a place for searches, beside the cores of this machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from noughts.computer.cores import Cores
from noughts.computer.worker import Answer, Begun, Task
from noughts.farm import Farm, FarmError, Submission, connected
from noughts.timing import Timing

log = logging.getLogger(__name__)

QUIET_S = 60.0
"""The time for which the log says once that workers are too slow."""


class Lost(Exception):
    """A farm has not done a search, which must be done elsewhere."""


@dataclass(frozen=True, slots=True)
class _Search:
    """A search for a worker, which has ``seconds`` for it."""

    key: int
    task: Task
    seconds: float


@dataclass(frozen=True, slots=True)
class _Stop:
    """The end of a search: it answers at once if the answer is ``wanted``."""

    key: int
    wanted: bool


@dataclass(frozen=True)
class SearchJob:
    """A job whose tasks are searches, and whose results are answers. ``cores`` makes the cores of a worker."""

    cores: Callable[[int], Cores] = Cores

    @asynccontextmanager
    async def open(self, folder: Path, threads: int) -> AsyncIterator[Callable[[Any], Awaitable[Answer | None]]]:  # noqa: ARG002 - a search has no files
        """Load all kernels, compiled before if they must be; then search. The task None is done by then."""
        cores = self.cores(threads)
        running: dict[int, asyncio.Future[bool]] = {}

        async def do(task: _Search | _Stop | None) -> Answer | None:
            if isinstance(task, _Search):
                return await _searched(cores, task, running)
            if task is not None and (stopped := running.get(task.key)) is not None:
                _set(stopped, task.wanted)
            return None

        try:
            await cores.threads.load_all()
            yield do
        finally:
            await cores.close()


async def _searched(cores: Cores, search: _Search, running: dict[int, asyncio.Future[bool]]) -> Answer:
    stopped = running[search.key] = asyncio.get_running_loop().create_future()
    answering = asyncio.ensure_future(cores.run(search.task, search.seconds, stopped, lambda: None))
    try:
        return await asyncio.shield(answering)
    except asyncio.CancelledError:
        _set(stopped, False)
        await asyncio.wait({answering})
        raise
    finally:
        del running[search.key]


class FarmPool:
    """Runs searches on the workers of the farm whose scheduler is at ``address``, while they can be reached.

    ``done`` and ``lost`` count searches: those that the farm has answered, and those that must be done elsewhere.
    """

    def __init__(self, address: str, timing: Timing = Timing(), job: SearchJob = SearchJob()) -> None:
        self.done = self.lost = 0
        self._address = address
        self._timing = timing
        self._job = job
        self._farm: Farm | None = None
        self._submission: Submission | None = None
        self._ready: dict[str, int] = {}  # the threads of the workers that have the job open
        self._keys = count()
        self._is_used: bool | None = None  # None until the first attempt
        self._said: set[str] = set()
        self._pause_s = 0.0
        self._pauses_until = self._complained = -QUIET_S
        self._time = asyncio.get_running_loop().time

    @property
    def most(self) -> int:
        """The number of searches that may run at a time; 0 while the farm cannot be used."""
        if self._farm is None or not self._farm.there or self._time() < self._pauses_until:
            return 0
        return sum(self._ready.values())

    # --- searches

    async def run(
        self, task: Task, seconds: float, stopped: asyncio.Future[bool], on_begun: Begun, urgency: int
    ) -> Answer:
        """Run ``task`` until ``seconds`` have passed or ``stopped`` is done: true if somebody waits for the answer.

        A worker that begins calls ``on_begun``. An ``urgency`` of 0 goes first. Must not be cancelled. Raises
        :class:`Lost`, soon if no worker begins.
        """
        try:
            answer = await self._answer(task, seconds, stopped, on_begun, urgency)
        except Exception as error:  # also if workers have died, or what one has sent cannot be read
            if not stopped.done() or stopped.result():
                self.lost += 1
                log.debug("the farm has lost a search", exc_info=error)
            raise Lost from None
        self.done += 1
        self._pause_s = 0.0
        return answer

    async def _answer(
        self, task: Task, seconds: float, stopped: asyncio.Future[bool], on_begun: Begun, urgency: int
    ) -> Answer:
        if self._submission is None:
            raise Lost
        submission, loop, search = (
            self._submission,
            asyncio.get_running_loop(),
            _Search(next(self._keys), task, seconds),
        )
        places: list[str] = []  # the worker that does it is the last
        begun: asyncio.Future[None] = loop.create_future()

        def begin(worker: str) -> None:
            nonlocal begun
            places.append(worker)
            begun.set_result(None)
            begun = loop.create_future()  # if it dies, another begins
            on_begun()

        doing = asyncio.create_task(submission(search, priority=3 - urgency, only=list(self._ready), begun=begin))
        patience_s = self._timing.farm_begin_s[urgency]
        try:
            while not doing.done() and not stopped.done():
                events: set[asyncio.Future[Any]] = {doing, stopped, begun}
                if not (await asyncio.wait(events, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED))[0]:
                    self._pause("answered" if places else "begun")
                    break
                patience_s = seconds + self._timing.farm_late_s
            if places and not doing.done():
                wanted = stopped.done() and stopped.result()
                await submission.tell(places[-1], _Stop(search.key, wanted))
                if wanted:
                    await asyncio.wait({doing}, timeout=self._timing.farm_late_s)
            if not doing.done():
                raise Lost
            answer: Answer = doing.result()
            if isinstance(answer, Exception):
                raise answer  # a mistake of the task's is one here, too; one of the worker's is not
            return answer
        finally:
            doing.cancel()

    def _pause(self, did: str) -> None:
        """A search was not begun or answered in time: give the farm no more for a while."""
        self._pause_s = min(2 * self._pause_s or self._timing.farm_pause_s, self._timing.farm_pause_max_s)
        self._pauses_until = self._time() + self._pause_s
        if self._time() - self._complained >= QUIET_S:
            self._complained = self._time()
            log.warning("no worker of the farm %s has %s a search in time, so it is done here", self._address, did)

    # --- the connection

    async def connect(self) -> None:
        """Connect to the farm, and again when it is gone, for ever."""
        while True:
            try:
                async with (
                    connected(self._address, None, self._warn) as self._farm,
                    self._farm.submitting(self._job) as self._submission,
                ):
                    await self._serve(self._farm, self._submission)
            except FarmError as error:
                self._gone(str(error))
            except Exception as error:  # of many kinds, as the scheduler may go at any moment
                log.debug("the farm is gone", exc_info=error)
                self._gone(f"{type(error).__name__}: {error}")
            finally:
                self._farm = self._submission = None
                self._ready.clear()
            await asyncio.sleep(self._timing.farm_retry_s)

    async def _serve(self, farm: Farm, submission: Submission) -> None:
        """Prepare workers as they come, and forget those that go, until the scheduler has gone.

        Raises :class:`FarmError` then.
        """
        preparing: dict[str, asyncio.Task[None]] = {}
        try:
            while farm.there:
                for worker in farm.workers.keys() - preparing.keys():
                    preparing[worker] = asyncio.create_task(self._prepare(farm, submission, worker))
                for worker in preparing.keys() - farm.workers.keys():
                    preparing.pop(worker).cancel()
                    self._ready.pop(worker, None)
                if not self._ready and self._is_used:
                    self._gone("its workers have gone")
                await asyncio.sleep(self._timing.farm_look_s)
            raise FarmError(f"the connection to {self._address} is lost")
        finally:
            for task in preparing.values():
                task.cancel()
            await asyncio.gather(*preparing.values(), return_exceptions=True)

    async def _prepare(self, farm: Farm, submission: Submission, worker: str) -> None:
        """Have a worker load its kernels. Then it can be used."""
        try:
            await submission(None, priority=3, only=[worker])
        except FarmError as error:
            farm.leave_out(worker, str(error))
            return
        self._ready[worker] = farm.workers.get(worker, 0)
        if not self._is_used:
            log.info("the workers of the farm %s search as well from now on", self._address)
        self._is_used = True
        self._said.clear()

    def _gone(self, why: str) -> None:
        """Say so once, also if the farm was never there."""
        if self._is_used is not False:
            log.warning("the farm %s cannot be used, and this server searches alone: %s", self._address, why)
        self._is_used = False

    def _warn(self, sentence: str) -> None:
        """Log a sentence about a worker, once until the farm can be used."""
        if sentence not in self._said:
            self._said.add(sentence)
            log.warning("farm: %s", sentence)


def _set(stopped: asyncio.Future[bool], wanted: bool) -> None:
    if not stopped.done():
        stopped.set_result(wanted)
