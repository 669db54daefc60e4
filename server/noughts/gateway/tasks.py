"""Work that goes on beside the frames that come in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Tasks:
    """Keeps tasks alive until they end, logs what they raise, and waits for them when the server stops."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._timers: set[asyncio.TimerHandle] = set()
        self._closed = False

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do ``work`` in a task of its own."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def later(self, seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do ``work`` in a task of its own after ``seconds``, unless the server stops before."""

        def begin() -> None:
            self._timers.discard(timer)
            self.spawn(work())

        if not self._closed:
            timer = asyncio.get_running_loop().call_later(seconds, begin)
            self._timers.add(timer)

    async def close(self) -> None:
        """Wait until nothing is under way, and begin nothing that was to be done later."""
        self._closed = True
        while self._timers:
            self._timers.pop().cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            log.error("a task failed", exc_info=failure)
