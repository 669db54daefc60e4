"""The target of the faults, and their way of doing something again and again."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from support.cluster import Cluster, Node


@dataclass
class Target:
    """A cluster, the source of random choices, and a count of what faults have done to it.

    A fault that is not certain to disturb anything counts only what it has seen to be disturbed.
    """

    cluster: Cluster
    rng: random.Random
    effects: Counter[str] = field(default_factory=Counter)

    @property
    def database(self) -> str:
        """The database's name."""
        return urlsplit(self.cluster.database).path[1:]

    def node(self) -> Node:
        """A random node."""
        return self.rng.choice(self.cluster.nodes)


Break = Callable[[Target], AbstractAsyncContextManager[None]]
"""Breaks something within the block."""


@asynccontextmanager
async def again_and_again(what: Callable[[], Awaitable[object]], every_s: float) -> AsyncIterator[None]:
    """Within the block, do ``what`` with pauses of ``every_s``. It ends in between."""
    over = asyncio.Event()

    async def go_on() -> None:
        while not over.is_set():
            await what()
            await asyncio.sleep(every_s)

    async with asyncio.TaskGroup() as group:
        group.create_task(go_on())
        try:
            yield
        finally:
            over.set()
