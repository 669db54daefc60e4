"""Searches in processes of lowered priority: pure Python in threads would hold up the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from noughts.computer.worker import Answer, Make, Order
from noughts.engine import plain_engine_of
from noughts.timing import Timing

WORKER = Path(__file__).with_name("worker.py")

ATTEMPTS = 3
"""How often a search is begun before it is given up, when its worker dies each time."""


class SearchFailed(Exception):
    """The workers died on this search, one after the other; the cause is the last one's. Or it has hung."""


class Processes:
    """At most ``most`` processes, which start as they are needed and stay.

    ``make`` makes the engine for a game there; the processes import it by its name.
    """

    def __init__(self, most: int, make: Make = plain_engine_of, timing: Timing = Timing()) -> None:
        self._timing = timing
        self._make = make
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="worker")
        self._idle: list[_Worker] = []

    async def run(self, order: Order, seconds: float, ended: asyncio.Future[bool]) -> Answer:
        """The answer to ``order``, soon after so many seconds or when it has ``ended``: true if somebody waits for it.

        Not to be cancelled. The time begins when the process is ready, which takes the first search a moment longer.

        Raises :class:`SearchFailed`, and OSError when no process can be started.
        """
        worker = self._idle.pop() if self._idle else _Worker(self._threads, self._timing)
        message = pickle.dumps((self._make, order, seconds))
        try:
            attempt = 1
            while True:
                try:
                    return await worker.ask(message, seconds + self._timing.worker_late_s, ended)
                except (OSError, EOFError, pickle.UnpicklingError) as died:
                    if attempt == ATTEMPTS or (ended.done() and not ended.result()):
                        raise SearchFailed(f"{attempt} workers died on this search") from died
                    attempt += 1
        finally:
            self._idle.append(worker)

    async def close(self) -> None:
        """End the processes. Nothing may run any more."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(self._threads, worker.end) for worker in self._idle))
        self._idle.clear()
        self._threads.shutdown()


class _Worker:
    """A process and its pipes, begun with its first order and again with the first one after its death.

    What may wait (starting, reading, ending) is done in ``threads``, one at a time; what the loop writes
    is far less than a pipe holds.
    """

    def __init__(self, threads: ThreadPoolExecutor, timing: Timing) -> None:
        self._timing = timing
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None

    async def ask(self, message: bytes, seconds: float, ended: asyncio.Future[bool]) -> Answer:
        """The answer to the order in ``message``, soon after it has ``ended``. When the process dies: OSError,
        EOFError or UnpicklingError; when there is no answer in so many seconds, SearchFailed.

        The worker looks at the clock while it searches, but a game whose code hangs never lets it.
        """
        loop = asyncio.get_running_loop()
        if self._process is None:
            self._process = await loop.run_in_executor(self._threads, _start)
        process = self._process
        hung = False
        try:
            _write(process, message)
            reading = loop.run_in_executor(self._threads, _read, process)
            answered_or_ended: set[asyncio.Future[Any]] = {reading, ended}
            await asyncio.wait(answered_or_ended, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done() and ended.done():
                with contextlib.suppress(OSError):  # dead: the reading will tell
                    _write(process, _STOP)
                patience = self._timing.worker_late_s if ended.result() else self._timing.worker_stop_s
                await asyncio.wait({reading}, timeout=patience)
            hung = not reading.done()
            if hung:
                process.kill()
            return await reading
        except (OSError, EOFError, pickle.UnpicklingError):
            await loop.run_in_executor(self._threads, self.end)
            if hung:
                raise SearchFailed("a search was still under way long after its time, and was killed") from None
            raise

    def end(self) -> None:
        """Kill the process, if there is one, and wait for its end."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.communicate()


_STOP = pickle.dumps(None)


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


def _write(process: subprocess.Popen[bytes], message: bytes) -> None:
    assert process.stdin
    process.stdin.write(message)
    process.stdin.flush()


def _read(process: subprocess.Popen[bytes]) -> Answer:
    assert process.stdout
    answer: Answer = pickle.load(process.stdout)  # noqa: S301 - from our own worker
    return answer
