"""Waiting: for a condition, or until nothing more happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def soon(condition: Callable[[], bool], within_s: float = 60) -> None:
    """Wait until ``condition`` holds. Raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def settle(for_s: float = 0) -> None:
    """Wait ``for_s``, and then until everything that was ready in the event loop has had its turns.

    On a busy machine the time can be over before the loop has done anything in it.
    """
    await asyncio.sleep(for_s)
    for _ in range(100):
        await asyncio.sleep(0)
