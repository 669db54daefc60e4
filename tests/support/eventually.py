"""Polling for a condition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def soon(condition: Callable[[], bool], within_s: float = 60) -> None:
    """Wait until ``condition`` holds. Raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
