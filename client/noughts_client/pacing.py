"""Requests that came too fast for the server, sent again at the pace that it allows."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable


class Pacer:
    """Holds requests by their number and hands them to ``send``, one after the other."""

    def __init__(self, send: Callable[[int], Awaitable[None]]) -> None:
        self._send = send
        self._held: deque[int] = deque()
        self._task: asyncio.Task[None] | None = None

    def hold(self, number: int, wait: float, pause: float) -> None:
        """Send ``number`` after those that are held already: the first after ``wait`` s, then one each ``pause`` s.

        Were they all sent after their waits, which are the same, all but one would come too fast again.
        """
        self._held.append(number)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(wait, pause))

    def close(self) -> None:
        """Send no more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, wait: float, pause: float) -> None:
        while self._held:
            await asyncio.sleep(wait)
            wait = pause
            await self._send(self._held.popleft())
