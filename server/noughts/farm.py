"""A farm: the workers of a cluster of Dask distributed, to which work is given that is only processor time.

Whoever has work makes a :class:`Job`, which has all that its tasks need, and gets a function that does a task. Which
worker does it, and when, and what becomes of it when the worker dies, is Dask's affair. docs/farm.md says how to set
one up.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import pickle
import threading
import uuid
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from concurrent.futures import CancelledError, Future  # not asyncio's: Dask raises this one
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from distributed import Client, Worker

CONNECT_S = 10.0
"""The time that the scheduler has to answer."""

CLOSE_S = 3.0
"""The time for each farewell, to the workers and to the scheduler, which may be gone."""

WATCH_S = 5.0
"""The time between two looks at which workers there are."""

AHEAD = 2
"""The tasks to give a farm for each that its workers do at once: they need not wait for the next."""

Submit = Callable[[Any], Awaitable[Any]]
"""Does a task, and returns its result, or raises its error. Cancelled, it gives the task up."""

Tell = Callable[[str], None]

Requirement = Callable[[], str]
"""A demand on a worker: called there, it returns why it cannot, or nothing. Pickled by its name."""


class FarmError(Exception):
    """A farm cannot be used; the text says why."""


class Unfit(Exception):
    """A worker must not do a job. The arguments are the reason and, for whoever has submitted a task, its address."""


class Job(Protocol):
    """All that the tasks of a command have in common. It goes to each worker once, pickled."""

    def open(self, folder: Path, threads: int) -> AbstractAsyncContextManager[Submit]:
        """Do tasks within the block, at most ``threads`` at once; ``folder`` is for its files. Raises :class:`Unfit`
        where it must not be done.
        """
        ...


_Result = TypeVar("_Result")


class Farm:
    """The workers of a scheduler that are fit: those that meet the ``requirement``, if there is one."""

    def __init__(self, address: str, client: Client, tell: Tell, requirement: Requirement | None) -> None:
        self.address = address
        self.requirement = requirement
        self._client: Any = client  # most of its methods have no types
        self._scheduler = self._client.scheduler_info().get("id")
        self._tell = tell
        self._terms = (identity(), requirement)
        self._workers: dict[str, int] = {}
        self._unfit: set[str] = set()

    @property
    def workers(self) -> Mapping[str, int]:
        """The number of tasks that each worker does at once, by its address."""
        return self._workers

    @property
    def threads(self) -> int:
        """The number of tasks that all workers do at once."""
        return sum(self._workers.values())

    @property
    def there(self) -> bool:
        """False once the scheduler is lost. Dask connects again by itself, but a new one knows none of our jobs."""
        return bool(self._client.status == "running" and self._client.scheduler_info().get("id") == self._scheduler)

    @property
    def has_left_out(self) -> bool:
        """True if there are workers that are not fit."""
        return bool(self._unfit)

    def __str__(self) -> str:
        workers = len(self._workers)
        return f"{workers} worker{'s' * (workers != 1)} of {self.address}, {self.threads} at a time"

    async def inspect(self) -> None:
        """Find out which workers there are, and which are fit. Raises :class:`FarmError` if none is."""
        with suppress(TimeoutError):
            await self._client.wait_for_workers(1, timeout=CONNECT_S)
        found: Mapping[str, Any] = await self._client.run(_inspect, *self._terms, on_error="return")
        for worker, said in found.items():
            if isinstance(said, BaseException):
                self.leave_out(worker, f"it cannot run Noughts {version('noughts')}: {said}")
            elif said[0]:
                self.leave_out(worker, said[0])
            else:
                self._workers[worker] = said[1]
        if not self._workers:
            raise FarmError(f"no worker of {self.address} can be used" if found else f"{self.address} has no worker")

    def leave_out(self, worker: str, why: str) -> None:
        """Do not use a worker, and tell why."""
        self._workers.pop(worker, None)
        if worker not in self._unfit:
            self._unfit.add(worker)
            self._tell(f"Worker {worker} is not used: {why}")

    async def watch(self) -> None:
        """Keep up with which workers there are, and tell who comes and goes."""
        while True:
            await asyncio.sleep(WATCH_S)
            before = set(self._workers)
            await self.look()
            for worker in sorted(before - self._workers.keys()):
                self._tell(f"Worker {worker} has gone.")
            for worker in sorted(self._workers.keys() - before):
                self._tell(f"Worker {worker} has come.")
            if before and not self._workers:
                self._tell(f"No worker of {self.address} is left. Waiting for one ...")

    async def look(self) -> None:
        """Find out which workers there are now. One that has come since is fit until it says otherwise."""
        with suppress(OSError, TimeoutError):
            there: Mapping[str, int] = await self._client.nthreads()
            self._workers = {worker: threads for worker, threads in there.items() if worker not in self._unfit}

    @asynccontextmanager
    async def submitting(self, job: Job) -> AsyncIterator[Submission]:
        """Do tasks of the job on the workers within the block; those that are given up end with it.

        Raises :class:`FarmError`.
        """
        name = f"noughts-{uuid.uuid4().hex}"
        fit = list(self._workers) if self._unfit else None
        carried = self._client.submit(
            _Carried, pickle.dumps(job), name, key=name, workers=fit, allow_other_workers=fit is not None
        )
        try:
            await self.answer(carried, None)
            await self._client.replicate([carried], workers=list(self._workers))
            yield Submission(self, self._client, name, carried, self._terms)
        finally:
            with suppress(Exception):  # the farm may be gone
                if self.there:
                    async with asyncio.timeout(CLOSE_S):
                        await self._client.run(_close, name, on_error="ignore")

    async def answer(self, future: Any, only: Collection[str] | None) -> Future[Any] | None:
        """The answer to a task, done; None if it can go to ``only`` workers, all of which have gone.

        Raises :class:`FarmError` and :class:`Unfit`.
        """
        from distributed import KilledWorker  # noqa: PLC0415 - it is an extra, and takes half a second to load

        answer: Future[Any] = Future()
        asking = asyncio.ensure_future(_result(future))
        try:
            while not (await asyncio.wait({asking}, timeout=WATCH_S))[0]:
                if only is not None and self._workers and not self._workers.keys() & set(only):
                    return None
            answer.set_result(asking.result())
        except KilledWorker as error:
            raise FarmError(f"one worker of {self.address} after another died of the same task: {error}") from None
        except ModuleNotFoundError as error:
            raise FarmError(f"a worker of {self.address} lacks what it needs: {error}") from None
        except CancelledError as error:
            raise FarmError(f"the scheduler {self.address} has given up a task: {error}") from None
        except OSError as error:
            raise FarmError(f"a worker of {self.address} cannot do its work: {error}") from None
        finally:
            if not asking.done():
                asking.cancel()
                with suppress(Exception):
                    await future.cancel()
        return answer


class Submission:
    """A job on the workers of a farm. Called with a task, it does it, and returns its result or raises its error.

    It raises :class:`FarmError` as well. Cancelled, it gives the task up.
    """

    def __init__(self, farm: Farm, client: Client, name: str, carried: Any, terms: tuple[Any, ...]) -> None:
        self._farm = farm
        self._client: Any = client
        self._name = name
        self._carried = carried
        self._terms = terms
        self._numbers = count()
        self._begun: dict[int, Callable[[str], None]] = {}
        self._client.subscribe_topic(name, self._hear)  # type: ignore[no-untyped-call]

    async def __call__(
        self,
        task: Any,
        *,
        priority: int = 0,
        only: Collection[str] | None = None,
        begun: Callable[[str], None] | None = None,
    ) -> Any:
        """Do a task: before those of lower ``priority``, on ``only`` these workers if they are named.

        ``begun`` is called with the address of the worker that does it, again if it is done again.
        """
        message, number = pickle.dumps(task), next(self._numbers)
        if begun is not None:
            self._begun[number] = begun
        try:
            while True:
                workers = only
                if only is None and self._farm.has_left_out:
                    workers = list(self._farm.workers)
                future = self._client.submit(
                    *(_do, self._carried, message, None if begun is None else number, *self._terms),
                    pure=False,
                    workers=workers,
                    priority=priority,
                )
                try:
                    answer = await self._farm.answer(future, workers)
                except Unfit as error:
                    self._farm.leave_out(error.args[1], error.args[0])
                    await self._farm.look()
                    answer = None
                if answer is not None:
                    return answer.result()
                if only is not None or not self._farm.workers:
                    raise FarmError(f"no worker of {self._farm.address} can be used")
        finally:
            self._begun.pop(number, None)

    async def tell(self, worker: str, task: Any) -> None:
        """Do a task on this worker at once, beside those that it does. Its result is lost, and so are its errors."""
        with suppress(Exception):  # the worker may be gone
            await self._client.run(_tell, self._name, pickle.dumps(task), workers=[worker])

    def _hear(self, event: tuple[float, tuple[int, str]]) -> None:
        number, worker = event[1]
        begun = self._begun.get(number)
        if begun is not None:
            begun(worker)


async def _result(future: Any) -> Any:
    return await future


@asynccontextmanager
async def begun(work: Iterable[Coroutine[Any, Any, _Result]]) -> AsyncIterator[list[asyncio.Task[_Result]]]:
    """Coroutines that run at once. Those that have not ended when the block does are cancelled."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def load() -> None:
    """Load Dask, which takes half a second. Raises :class:`FarmError` where it is not installed."""
    try:
        import distributed  # noqa: F401, PLC0415
    except ImportError:
        raise FarmError("--farm needs the extra 'farm', which is not installed: pip install 'noughts[farm]'") from None
    # It logs tracebacks when a scheduler is gone, of which we say so in our own words.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)


@asynccontextmanager
async def connected(address: str, requirement: Requirement | None, tell: Tell) -> AsyncIterator[Farm]:
    """The farm whose scheduler is at ``address``, such as ``tcp://scheduler:8786``; certificates for ``tls://`` are in
    Dask's own settings. ``tell`` is given sentences about its workers.

    Raises :class:`FarmError`.
    """
    load()
    from distributed import Client  # noqa: PLC0415

    await asyncio.to_thread(identity)  # it reads files
    client: Any = Client(address, asynchronous=True, timeout=CONNECT_S, set_as_default=False)  # type: ignore[no-untyped-call]
    try:
        await client
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # the last if it may only speak by TLS
        await client.close()
        raise FarmError(f"cannot reach the scheduler {address}: {error}") from None
    try:
        farm = Farm(address, client, tell, requirement)
        await farm.inspect()
        watching = asyncio.create_task(farm.watch())
        try:
            yield farm
        finally:
            watching.cancel()
            await asyncio.wait({watching})
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await client.close()


@cache
def identity() -> str:
    """The version of Noughts that runs here, and a digest of its modules."""
    digest = hashlib.sha256()
    for package in ("noughts", "noughts_client"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        root = Path(spec.origin).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{version('noughts')} ({digest.hexdigest()[:12]})"


# What follows runs on a worker.


@cache
def _unfitness(wanted: str, requirement: Requirement | None) -> str:
    """The reason why this worker must not be used; empty if it may be."""
    if identity() != wanted:
        return f"it has Noughts {identity()}, and here is {wanted}. Install the same everywhere."
    return "" if requirement is None else requirement()


async def _inspect(wanted: str, requirement: Requirement | None, dask_worker: Worker) -> tuple[str, int]:
    """The reason why this worker must not be used, and its number of threads."""
    return await asyncio.to_thread(_unfitness, wanted, requirement), dask_worker.state.nthreads


class _Carried:
    """A job on a worker. It is opened by its first task, and closed once nobody has it any more."""

    def __init__(self, job: bytes, name: str) -> None:
        self._job = job
        self.name = name
        self._opened: _Opened | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Carried, (self._job, self.name)

    def do(self, message: bytes, begin: Callable[[], None]) -> Any:
        """Do a task, and call ``begin`` before. Blocks."""
        with self._lock:
            if self._opened is None:
                self._opened = _OPENED[self.name] = _Opened(pickle.loads(self._job))  # noqa: S301 - whoever may
                # submit tasks runs what they like
                weakref.finalize(self, self._opened.close)
        return self._opened.do(pickle.loads(message), begin)  # noqa: S301


class _Opened:
    """A job that is open in an event loop of its own, in a thread."""

    def __init__(self, job: Job) -> None:
        from distributed import get_worker  # noqa: PLC0415

        worker = get_worker()
        self._scratch, self._threads = worker.local_directory, worker.state.nthreads
        self._ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, Submit]] = Future()
        self._under_way: set[asyncio.Task[Any]] = set()
        threading.Thread(target=asyncio.run, args=[self._main(job)], name="noughts", daemon=True).start()

    async def _main(self, job: Job) -> None:
        stop = asyncio.Event()
        try:
            # Dask removes the folders of workers that were killed.
            with TemporaryDirectory(prefix="noughts-", dir=self._scratch, ignore_cleanup_errors=True) as folder:
                async with job.open(Path(folder), self._threads) as submit:
                    self._ready.set_result((asyncio.get_running_loop(), stop, submit))
                    await stop.wait()
                    for task in self._under_way:
                        task.cancel()
                    await asyncio.gather(*self._under_way, return_exceptions=True)
        except Exception as error:  # it is the first task's
            if self._ready.done():
                raise
            self._ready.set_exception(error)

    def do(self, task: Any, begin: Callable[[], None]) -> Any:
        """Do a task, and call ``begin`` before. Blocks."""
        loop, _, submit = self._ready.result()
        begin()
        return asyncio.run_coroutine_threadsafe(self._done(submit(task)), loop).result()

    async def _done(self, doing: Coroutine[Any, Any, Any] | Awaitable[Any]) -> Any:
        task = asyncio.ensure_future(doing)
        self._under_way.add(task)
        try:
            return await task
        finally:
            self._under_way.discard(task)

    def tell(self, task: Any) -> None:
        """Do a task, and do not wait for it."""
        if self._ready.done() and self._ready.exception() is None:
            loop, _, submit = self._ready.result()
            with suppress(RuntimeError):  # it is closed already
                asyncio.run_coroutine_threadsafe(self._done(submit(task)), loop)

    def close(self) -> None:
        """End the tasks that run, and the job. Does not wait."""

        def end(ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, Submit]]) -> None:
            if ready.exception() is None:
                loop, stop, _ = ready.result()
                with suppress(RuntimeError):  # it is closed already
                    loop.call_soon_threadsafe(stop.set)

        self._ready.add_done_callback(end)


_OPENED: weakref.WeakValueDictionary[str, _Opened] = weakref.WeakValueDictionary()


def _do(carried: _Carried, message: bytes, number: int | None, wanted: str, requirement: Requirement | None) -> Any:
    """Do a task of a job on this worker, and have the submitter of one with a number hear of it.

    Raises :class:`Unfit` with the worker's address.
    """
    from distributed import get_worker  # noqa: PLC0415

    worker = get_worker()

    def begin() -> None:
        if number is not None:
            worker.log_event(carried.name, (number, worker.address))

    try:
        if why := _unfitness(wanted, requirement):
            raise Unfit(why)
        return carried.do(message, begin)
    except Unfit as error:
        raise Unfit(error.args[0], worker.address) from None


def _tell(name: str, message: bytes) -> None:
    """Do a task of a job, if it is open on this worker, and do not wait for it."""
    if (opened := _OPENED.get(name)) is not None:
        opened.tell(pickle.loads(message))  # noqa: S301


def _close(name: str) -> None:
    """Close a job on this worker, if it is open here."""
    if (opened := _OPENED.get(name)) is not None:
        opened.close()
