"""A TCP load balancer that sends each new connection to any server that accepts it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast


class _End(asyncio.Protocol):
    """One end of a connection: forwards what it receives to the other end."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: _End | None = None
        self.early = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)
        else:
            self.early += data

    def connection_lost(self, error: Exception | None) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.abort() if error else self.other.transport.close()

    def join(self, other: _End) -> None:
        """Connect the two ends, and forward what has already arrived."""
        self.other, other.other = other, self
        for end, far in ((self, other), (other, self)):
            assert far.transport is not None
            if end.early:
                far.transport.write(bytes(end.early))
                end.early.clear()


class Balancer:
    """Knows the ``ports`` of its servers on 127.0.0.1, but not their health; use :func:`balanced`.

    ``accepted`` counts the connections.
    """

    def __init__(self, ports: Sequence[int], rng: random.Random) -> None:
        self.ports = ports
        self.port = 0
        self.accepted = 0
        self._rng = rng
        self._tasks: set[asyncio.Task[None]] = set()

    def accept(self) -> _End:
        """The client's end of a new connection."""
        self.accepted += 1
        near = _End()
        task = asyncio.get_running_loop().create_task(self._connect(near))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return near

    async def _connect(self, near: _End) -> None:
        loop = asyncio.get_running_loop()
        for port in self._rng.sample(self.ports, len(self.ports)):
            try:
                _, far = await loop.create_connection(_End, "127.0.0.1", port)
            except OSError:
                continue
            near.join(far)
            if near.transport is None or near.transport.is_closing():
                cast(asyncio.Transport, far.transport).abort()
            return
        if near.transport is not None:
            near.transport.abort()


@asynccontextmanager
async def balanced(ports: Sequence[int], rng: random.Random) -> AsyncIterator[Balancer]:
    """A balancer in this process in front of the servers at ``ports``."""
    balancer = Balancer(ports, rng)
    loop = asyncio.get_running_loop()
    factory: Callable[[], Any] = balancer.accept
    server = await loop.create_server(factory, "127.0.0.1", 0)
    balancer.port = server.sockets[0].getsockname()[1]
    try:
        yield balancer
    finally:
        server.close()
