"""Waiting for what nobody tells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def soon(condition: Callable[[], bool], within_s: float = 30) -> None:
    """Wait until ``condition`` holds; TimeoutError when it does not come to hold."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
