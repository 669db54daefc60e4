"""The port on which connections come: their pings, and their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from socket import SO_RCVBUF, SO_SNDBUF, SOL_SOCKET

from noughts.gateway.connection import ROUNDS, Connection
from noughts.gateway.pool import Pool

log = logging.getLogger(__name__)

STEPS = 20
"""The clients are pinged in so many groups."""

KERNEL_BYTES = 131_072
"""The buffer for unsent data that the kernel may keep for each connection; it takes twice that, and by itself 4 MB."""

RECEIVED_BYTES = 16_384
"""As much for what is not read yet, so that what many clients send at once stays with them until it is their turn."""


@asynccontextmanager
async def listening(pool: Pool[Connection], host: str, port: int) -> AsyncIterator[asyncio.Server]:
    """Take connections into ``pool`` within the block, and ping the clients. At its end cut them, and release the port.

    Raises OSError if the port is taken.
    """
    server = await asyncio.get_running_loop().create_server(lambda: Connection(pool), host, port, backlog=1024)
    for socket in server.sockets:  # connections inherit it
        socket.setsockopt(SOL_SOCKET, SO_SNDBUF, KERNEL_BYTES)
        socket.setsockopt(SOL_SOCKET, SO_RCVBUF, RECEIVED_BYTES)
    pings = asyncio.create_task(_ping(pool))
    try:
        yield server
    finally:
        pings.cancel()
        server.close()
        for connection in list(pool.connections):
            connection.transport.abort()
        await ended(pool)
        await server.wait_closed()


async def ended(pool: Pool[Connection], timeout_s: float | None = None) -> None:
    """Wait until the connections of now have ended, at most so long; None: for ever."""
    if pool.connections:
        await asyncio.wait([connection.ended() for connection in pool.connections], timeout=timeout_s)


async def _ping(pool: Pool[Connection]) -> None:
    """Ping all clients again and again, and drop those that are gone, for ever."""
    time = asyncio.get_running_loop().time
    for number in count():
        connections = list(pool.connections)
        for step in range(STEPS):
            await asyncio.sleep(pool.keepalive_s / ROUNDS / STEPS)
            for connection in connections[step::STEPS]:
                try:
                    connection.ping(time(), extra=number % ROUNDS > 0)
                except Exception:  # the others must not go without
                    log.exception("a connection cannot be pinged")
                    connection.cut()
