"""Searches in threads of lowered priority, for the games with a fast kernel, which runs without the GIL."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from noughts.computer.worker import Answer, Engines, Make, Order, answer_to
from noughts.engine import Interrupt, engine_of, has_kernel
from noughts.games import GAMES, Game

log = logging.getLogger(__name__)

NICENESS = 19
"""How far the threads stand back, as POSIX counts it: as far as it goes."""

COMPILER = Path(__file__).with_name("compiler.py")

LOADER = "load a kernel"
"""What the threads that load kernels are called."""

SWITCH_S = 0.001
"""How long the event loop waits at most for its turn beside Python code, while a kernel is loaded."""


class Threads:
    """At most ``most`` threads, each with engines of its own, which ``make`` makes as they are needed.

    ``fast`` says which games they are for. A game's kernel is loaded beside the event loop, after another process has
    compiled all of them, if they are not yet: to do that here would take as long, and time and again hold up the loop,
    by up to a second where the machine is busy. It takes a second or two, and half a minute where there is much to
    compile.
    """

    def __init__(self, most: int, make: Make = engine_of, fast: Callable[[Game], bool] = has_kernel) -> None:
        self._make = make
        self._fast = fast
        self._threads = ThreadPoolExecutor(most, "search", _stand_back)
        # One thread of the usual priority: all of Python would wait for one that holds the GIL and is not let run.
        self._loading = ThreadPoolExecutor(1, LOADER)
        self._compiling: asyncio.Task[None] | None = None
        self._loads: dict[str, asyncio.Task[bool]] = {}
        self._own = threading.local()

    def loaded(self, key: str) -> bool:
        """Whether the game ``key`` may be searched here by now; if not, its kernel is loaded from now on.

        It never may when it has no kernel, or one that cannot be had.
        """
        load = self.load(key)
        return load.done() and load.result()

    def load(self, key: str) -> asyncio.Future[bool]:
        """Load the kernel of the game ``key``. The future, which is shared, says whether it is there."""
        load = self._loads.get(key)
        if load is None:
            load = self._loads[key] = asyncio.create_task(self._load(GAMES.get(key)))
        return load

    async def load_all(self) -> None:
        """Load the kernels of all games."""
        for key in GAMES:
            await asyncio.shield(self.load(key))

    async def run(self, order: Order, seconds: float, ended: asyncio.Future[bool]) -> Answer:
        """The answer to ``order``, soon after so many seconds or when it has ``ended``. Not to be cancelled."""
        loop = asyncio.get_running_loop()
        stop = Interrupt()
        ended.add_done_callback(lambda _: stop.set())
        timer = loop.call_later(seconds, stop.set)
        try:
            return await loop.run_in_executor(self._threads, self._answer_to, order, stop)
        finally:
            timer.cancel()

    async def close(self) -> None:
        """Let go of the threads. Nothing may run any more; a load that is under way is not waited for."""
        self._threads.shutdown()
        self._loading.shutdown(wait=False, cancel_futures=True)
        tasks = [*self._loads.values(), *([self._compiling] if self._compiling else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _load(self, game: Game | None) -> bool:
        if game is None or not self._fast(game):
            return False
        if self._make is engine_of:
            if self._compiling is None:
                self._compiling = asyncio.create_task(_compile())
            await asyncio.wait({self._compiling})
        try:
            await asyncio.get_running_loop().run_in_executor(self._loading, _load, self._make, game)
        except Exception as error:  # numba is there but broken: it raises ImportError, OSError, AttributeError, ..
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            log.warning("%s is searched slowly, without the fast kernel: numba does not work, %s", game.title, reason)
            return False
        log.info("%s is searched by its fast kernel from now on", game.title)
        return True

    def _answer_to(self, order: Order, stop: Interrupt) -> Answer:
        engines: Engines | None = getattr(self._own, "engines", None)
        if engines is None:
            engines = self._own.engines = Engines(self._make)
        return answer_to(order, engines.of, stop)


def loading() -> bool:
    """Whether a kernel is being loaded or compiled in this process, for which the interpreter would wait at its end."""
    return any(thread.name.startswith(LOADER) for thread in threading.enumerate())


async def _compile() -> None:
    """Have all kernels compiled. What goes wrong there, it does here as well, and is told then."""
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", COMPILER),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            start_new_session=True,  # as Ctrl-C in the terminal is for the server alone
        )
    except OSError:
        return
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _load(make: Make, game: Game) -> None:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, SWITCH_S))
    try:
        make(game)
    finally:
        sys.setswitchinterval(usual)
        # What numba and a kernel bring is there to stay. To look through it for garbage holds up all by 0.2 s.
        gc.freeze()


def _stand_back() -> None:
    if sys.platform == "linux":  # elsewhere a thread has no priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
