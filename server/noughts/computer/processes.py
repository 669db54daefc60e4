"""Searches in processes of low priority. Pure Python in threads would hold up the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from noughts.computer.worker import NICENESS, Answer, Begun, Make, Task
from noughts.engine import plain_engine_of
from noughts.timing import Timing

WORKER = Path(__file__).with_name("worker.py")

ATTEMPTS = 3
"""The number of times that a search starts again when its worker dies, until it fails."""


class SearchFailed(Exception):
    """The search hung, or killed one worker after the other; the cause is that of the last one."""


class Processes:
    """At most ``most`` worker processes, which start when they are needed and stay.

    ``make`` makes the engine for a game. The processes import it by name. ``niceness`` is that of the processes.
    """

    def __init__(
        self, most: int, make: Make = plain_engine_of, timing: Timing = Timing(), *, niceness: int = NICENESS
    ) -> None:
        self._timing = timing
        self._niceness = niceness
        self._make = make
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="worker")
        self._idle: list[_Worker] = []

    async def run(self, task: Task, seconds: float, stopped: asyncio.Future[bool], on_begun: Begun) -> Answer:
        """Run ``task`` until ``seconds`` have passed or ``stopped`` is done: true if somebody waits for the answer.

        Must not be cancelled. The time starts when the process is ready, which calls ``on_begun``.

        Raises :class:`SearchFailed`, and OSError if no process can be started.
        """
        worker = self._idle.pop() if self._idle else _Worker(self._threads, self._timing, self._niceness)
        message = pickle.dumps((self._make, task, seconds))
        try:
            attempt = 1
            while True:
                try:
                    return await worker.ask(message, seconds, stopped, on_begun)
                except (OSError, EOFError, pickle.UnpicklingError) as died:
                    if attempt == ATTEMPTS or (stopped.done() and not stopped.result()):
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
    """A process and its pipes. It starts with its first task, and again with the first one after its death.

    Starting, reading and ending may block, and so run in ``threads``, one at a time. What the loop writes fits easily
    into a pipe.
    """

    def __init__(self, threads: ThreadPoolExecutor, timing: Timing, niceness: int) -> None:
        self._timing = timing
        self._niceness = niceness
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None

    async def ask(self, message: bytes, seconds: float, stopped: asyncio.Future[bool], on_begun: Begun) -> Answer:
        """The answer to the task in ``message``, soon after ``stopped`` is done.

        Raises OSError, EOFError or UnpicklingError if the process dies, and SearchFailed if it does not begin or has
        no answer long after ``seconds``: the worker watches the clock itself, unless the game's code hangs.
        """
        loop, timing = asyncio.get_running_loop(), self._timing
        begun: asyncio.Future[None] = loop.create_future()

        def begin() -> None:
            begun.set_result(None)
            on_begun()

        if self._process is None:
            self._process = await loop.run_in_executor(self._threads, _start, self._niceness)
        process = self._process
        hung = False
        try:
            _write(process, message)
            reading = loop.run_in_executor(self._threads, _read, process, partial(loop.call_soon_threadsafe, begin))
            events: set[asyncio.Future[Any]] = {reading, stopped}
            await asyncio.wait(events | {begun}, timeout=timing.worker_start_s, return_when=asyncio.FIRST_COMPLETED)
            if begun.done():
                late_s = seconds + timing.worker_late_s
                await asyncio.wait(events, timeout=late_s, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done() and stopped.done():
                with contextlib.suppress(OSError):  # it died, so reading fails too
                    _write(process, _STOP)
                wanted_s = timing.worker_late_s if begun.done() else timing.worker_start_s
                await asyncio.wait({reading}, timeout=wanted_s if stopped.result() else timing.worker_stop_s)
            hung = not reading.done()
            if hung:
                process.kill()
            return await reading
        except (OSError, EOFError, pickle.UnpicklingError):
            await loop.run_in_executor(self._threads, self.end)
            if hung:
                did = "was still running long after its time" if begun.done() else "had not begun in time"
                raise SearchFailed(f"a search {did}, and was killed") from None
            raise

    def end(self) -> None:
        """Kill the process, if any, and wait for its end."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.communicate()


_STOP = pickle.dumps(None)


def _start(niceness: int) -> subprocess.Popen[bytes]:
    # By its path and not by -m: without the server's imports a worker starts in a fifth of the time and takes a third
    # of the memory. In its own process group, since Ctrl-C in the terminal is for the server only.
    return subprocess.Popen(  # noqa: S603 - a command of our own
        [sys.executable, "-P", WORKER, str(niceness)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        process_group=0,
    )


def _write(process: subprocess.Popen[bytes], message: bytes) -> None:
    assert process.stdin
    process.stdin.write(message)
    process.stdin.flush()


def _read(process: subprocess.Popen[bytes], on_begun: Begun) -> Answer:
    assert process.stdout
    pickle.load(process.stdout)  # noqa: S301 - from our own worker
    on_begun()
    answer: Answer = pickle.load(process.stdout)  # noqa: S301
    return answer
