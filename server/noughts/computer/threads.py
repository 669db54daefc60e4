"""Searches in threads of low priority, for games with a fast kernel. Kernels run without the GIL."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import subprocess
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from noughts.computer.worker import ENGINES, Answer, Begun, Make, Task, answer
from noughts.engine import Interrupt, engine_of, has_kernel
from noughts.engine.engines import serves
from noughts.games import GAMES, Game
from noughts.games.catalogue import BadSetup, UnknownGame, game_named

log = logging.getLogger(__name__)

NICENESS = 19
"""The POSIX niceness of a server's threads: the lowest priority."""

COMPILER = Path(__file__).with_name("compiler.py")

LOADER = "load a kernel"
"""The name of the threads that load kernels."""

MUCH_S = 4.0
"""After so many seconds there is much to compile: loading all kernels from the cache takes less."""

SWITCH_S = 0.001
"""The time the event loop waits for the GIL at most while a kernel loads."""


class Threads:
    """At most ``most`` threads, each with its own engines, which ``make`` makes when they are needed.

    ``fast`` says whether a game is searched here. First another process compiles the kernels that are not compiled yet:
    compiling here would hold up the event loop, by up to a second on a busy machine. Then each kernel is loaded in a
    thread. This takes a second or two, or half a minute if there is much to compile. ``niceness`` is the threads'.
    """

    def __init__(
        self,
        most: int,
        make: Make = engine_of,
        fast: Callable[[Game], bool] = has_kernel,
        *,
        niceness: int = NICENESS,
    ) -> None:
        self._make = make
        self._fast = fast
        self._threads = ThreadPoolExecutor(most, "search", _lower_priority, (niceness,))
        # One thread of normal priority: one of low priority could hold the GIL without getting to run.
        self._loading = ThreadPoolExecutor(1, LOADER)
        self._compilers: _Compilers | None = None
        self._loads: dict[str, asyncio.Task[bool]] = {}
        self._own = threading.local()

    def loaded(self, name: str, moves: Sequence[str] = ()) -> bool:
        """True if a kernel can search the game with that name after ``moves``, and is loaded; if not, start to load it.

        Always False for a game without a kernel, and for one whose kernel does not load.
        """
        key, _, start = name.partition("#")
        if key not in GAMES:  # it is set up otherwise than usual, which few kernels know
            try:
                game = game_named(key)
            except (UnknownGame, BadSetup):
                return False  # the worker that is asked says so
            if start or not self._fast(game) or not serves(game, moves):
                return False
            key = game.key
        load = self.load(key)
        return load.done() and load.result()

    def load(self, key: str) -> asyncio.Future[bool]:
        """Load the kernel of the game ``key``. The future is shared, and says whether it is loaded."""
        load = self._loads.get(key)
        if load is None:
            load = self._loads[key] = asyncio.create_task(self._load(GAMES.get(key)))
        return load

    async def load_all(self) -> None:
        """Load the kernels of all games."""
        for key in GAMES:
            await asyncio.shield(self.load(key))

    async def run(self, task: Task, seconds: float, stopped: asyncio.Future[bool], on_begun: Begun) -> Answer:
        """Run ``task`` until ``seconds`` have passed or ``stopped`` is done. Must not be cancelled.

        The time starts when a thread begins, which calls ``on_begun``.
        """
        loop = asyncio.get_running_loop()
        stop = Interrupt()
        stopped.add_done_callback(lambda _: stop.set())
        timers: list[asyncio.TimerHandle] = []

        def begin() -> None:
            timers.append(loop.call_later(seconds, stop.set))
            on_begun()

        def search() -> Answer:
            loop.call_soon_threadsafe(begin)
            return self._answer(task, stop)

        try:
            return await loop.run_in_executor(self._threads, search)
        finally:
            for timer in timers:
                timer.cancel()

    async def close(self) -> None:
        """Release the threads. Nothing may run any more; a kernel that is loading is not waited for."""
        self._threads.shutdown()
        self._loading.shutdown(wait=False, cancel_futures=True)
        for task in self._loads.values():
            task.cancel()
        await asyncio.gather(*self._loads.values(), return_exceptions=True)
        if self._compilers is not None:
            await self._compilers.close()

    async def _load(self, game: Game | None) -> bool:
        if game is None or not self._fast(game):
            return False
        if self._make is engine_of:
            if self._compilers is None:
                self._compilers = _Compilers()
            await self._compilers.wait(game.key)
        try:
            await asyncio.get_running_loop().run_in_executor(self._loading, _load, self._make, game)
        except Exception as error:  # a broken numba raises ImportError, OSError, AttributeError, ...
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            log.warning("%s has no fast kernel, so searches are slow: numba does not work, %s", game.title, reason)
            return False
        log.info("%s is searched by its fast kernel from now on", game.title)
        return True

    def _answer(self, task: Task, stop: Interrupt) -> Answer:
        engine_of: Make | None = getattr(self._own, "engine_of", None)
        if engine_of is None:
            engine_of = self._own.engine_of = lru_cache(ENGINES)(self._make)
        return answer(task, engine_of, stop)


def loading() -> bool:
    """True if a kernel is loading in this process. The interpreter would wait for it at its end."""
    return any(thread.name.startswith(LOADER) for thread in threading.enumerate())


class _Compilers:
    """Other processes, which compile the kernels, first those that are waited for.

    One begins, and a second helps if there is much to compile and a core for it. If one fails, loading the kernels here
    fails too and says why.
    """

    def __init__(self) -> None:
        self._left = deque(key for key, game in GAMES.items() if has_kernel(game))
        self._asked: deque[str] = deque()
        self._compiled: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._ended = False
        self._running = asyncio.create_task(self._run())

    async def wait(self, game: str) -> None:
        """Wait until the kernel of ``game`` (its key) is compiled, or the compilers have ended."""
        if not self._ended:
            with suppress(ValueError):  # it is compiled, or being compiled
                self._left.remove(game)
                self._asked.append(game)
            await self._compiled[game].wait()

    async def close(self) -> None:
        """End the processes."""
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._compile())
                await asyncio.sleep(MUCH_S)
                if (self._asked or self._left) and (os.cpu_count() or 1) > 1:
                    group.create_task(self._compile())
        finally:  # nobody need wait any more
            self._ended = True
            for compiled in self._compiled.values():
                compiled.set()

    async def _compile(self) -> None:
        """Have one process compile one kernel after the other, as long as there are any and it can."""
        try:
            process = await asyncio.to_thread(_start_compiler)
        except OSError:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            while keys := self._asked or self._left:
                key = keys.popleft()
                with suppress(OSError):  # it has ended, so reading fails too
                    process.stdin.write(f"{key}\n".encode())
                    process.stdin.flush()
                if not await asyncio.to_thread(process.stdout.readline):
                    break
                self._compiled[key].set()
        finally:
            process.kill()
            await asyncio.to_thread(process.wait)
            with suppress(OSError):  # what it did not read
                process.stdin.close()
            process.stdout.close()


def _start_compiler() -> subprocess.Popen[bytes]:
    # Not by uvloop, which forks in the event loop's thread while it holds the interpreter's lock: a library's handler
    # of forks then waited for ever for a lock of a thread that was loading a kernel. Python uses vfork, which calls no
    # handlers.
    return subprocess.Popen(  # noqa: S603 - a command of our own
        [sys.executable, "-P", COMPILER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        start_new_session=True,  # as Ctrl-C in the terminal is for the server alone
    )


def _load(make: Make, game: Game) -> None:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, SWITCH_S))
    try:
        make(game)
    finally:
        sys.setswitchinterval(usual)
        # Numba and its kernels stay in memory. Without this, a garbage collection would take 0.2 s.
        gc.freeze()


def _lower_priority(niceness: int) -> None:
    if sys.platform == "linux":  # elsewhere a thread has no priority of its own
        thread = threading.get_native_id()
        # Never below what the process has: that would take a privilege.
        os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))
