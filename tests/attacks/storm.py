"""Many connections that send requests as fast as they may, and throw the answers away or do not read them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

from support.client import connected

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

PER_S = 25
"""The number of requests a connection sends a second: fewer than a server allows by default."""


def frame(message: Mapping[str, Any]) -> bytes:
    """A request as a frame of a client, with a mask that changes nothing."""
    payload = json.dumps(message).encode()
    size = len(payload)
    head = bytes((0x81, 0x80 | size)) if size < 126 else bytes((0x81, 0xFE)) + size.to_bytes(2, "big")
    return head + bytes(4) + payload


class Connection(asyncio.Protocol):
    """A connection that has said hello. ``received`` counts bytes, ``seen`` the words that it looks for in them."""

    def __init__(self, words: tuple[bytes, ...]) -> None:
        self.transport: asyncio.Transport
        self.received = 0
        self.seen: Counter[bytes] = Counter()
        self.welcomed = asyncio.Event()
        self.lost = False
        self._words = words
        self._longest = max(map(len, words), default=2)
        self._end = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if not self.welcomed.is_set() and b'"welcome"' in data:
            self.welcomed.set()
        begun, self._end = self._end, (self._end + data)[1 - self._longest :]
        for word in self._words:
            self.seen[word] += (begun + data).count(word) - begun.count(word)

    def connection_lost(self, _: Exception | None) -> None:
        self.lost = True

    def send(self, **message: Any) -> None:
        """Send a request."""
        self.transport.write(frame(message))


async def tokens(url: str, number: int) -> list[str]:
    """The tokens of new guests, at most as many as an address may make at once."""
    made = []
    for _ in range(number):
        async with connected(url, None) as client:
            made.append(client.token)
    return made


@asynccontextmanager
async def connections(
    url: str,
    whose: Sequence[str | None],
    addresses: Sequence[str] = ("127.0.0.1",),
    *,
    reading: bool = True,
    words: tuple[bytes, ...] = (b'"rate_limited"',),
) -> AsyncIterator[list[Connection]]:
    """A connection for each token, None for a new guest; all at once, from each of the addresses in turn.

    An address that is not of this machine is put into ``X-Forwarded-For``, which the server must trust.
    """
    parts, loop = urlsplit(url), asyncio.get_running_loop()

    assert parts.hostname is not None
    host, port = parts.hostname, parts.port or 80

    async def connect(token: str | None, address: str) -> Connection:
        ours = address.startswith("127.")
        local = (address, 0) if ours else None
        _, connection = await loop.create_connection(lambda: Connection(words), host, port, local_addr=local)
        head = HANDSHAKE if ours else HANDSHAKE.replace(b"\r\n\r\n", f"\r\nX-Forwarded-For: {address}\r\n\r\n".encode())
        connection.transport.write(head + frame({"type": "hello", "protocol": 1, "token": token}))
        async with asyncio.timeout(60):
            await connection.welcomed.wait()
        if not reading:
            connection.transport.pause_reading()
        return connection

    async with AsyncExitStack() as stack:
        made = await asyncio.gather(*map(connect, whose, cycle(addresses)))
        for connection in made:
            stack.callback(connection.transport.abort)
        yield made


async def storm(over: list[Connection], seconds: float, *requests: Mapping[str, Any], per_s: float = PER_S) -> None:
    """Have each connection send the requests in turn, ``per_s`` of them a second."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(int(seconds * per_s)):
        for connection in over:
            if not connection.lost:
                connection.send(id=number, **requests[number % len(requests)])
        await asyncio.sleep(max(0.0, began + (number + 1) / per_s - loop.time()))
