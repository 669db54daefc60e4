"""The client end of a WebSocket with hand-made frames. A load has to be far cheaper than the server it measures.

It looks only at the type of a message, and ends the run at the first error.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

TEXT, PING, PONG = 0x81, 0x89, 0x8A
HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Connection(asyncio.Protocol):
    """The client end of a WebSocket. Calls ``receive`` with every text message."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.receive: Callable[[bytes], None] = self._ignore
        self.token = ""
        self._unread = b""
        self._shaken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(HANDSHAKE)

    def data_received(self, data: bytes) -> None:
        if self._unread:
            data = self._unread + data
        if not self._shaken:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._unread = head
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._shaken = True
            self.ready.set_result(None)
        start, end_of_data = 0, len(data)
        while end_of_data - start >= 2:
            length = data[start + 1]
            begin = start + 2
            if length == 126:
                if end_of_data - start < 4:
                    break
                length = data[start + 2] << 8 | data[start + 3]
                begin += 2
            elif length == 127:
                if end_of_data - start < 10:
                    break
                length = int.from_bytes(data[start + 2 : start + 10])
                begin += 8
            if end_of_data < begin + length:
                break
            self._take(data[start], data[begin : begin + length])
            start = begin + length
        self._unread = data[start:]

    def _take(self, head: int, message: bytes) -> None:
        if head == TEXT:
            self.receive(message)
        elif head == PING:
            self._transport.write(bytes((PONG, 0x80 | len(message), 0, 0, 0, 0)) + message)
        else:
            raise RuntimeError(f"the server sent a frame {head:#x}: {message!r}")

    def send(self, message: bytes) -> None:
        """Send a text message, masked with zeros, which costs the server as much as any other mask."""
        length = len(message)
        size = bytes((0x80 | length,)) if length < 126 else bytes((0xFE, length >> 8, length & 255))
        self._transport.write(b"\x81" + size + b"\0\0\0\0" + message)

    def abort(self) -> None:
        """Close the connection without a word."""
        self._transport.abort()

    def _ignore(self, message: bytes) -> None:
        kind_of(message)


def kind_of(message: bytes) -> bytes:
    """A message's ``type``, which all these servers write first. Raises RuntimeError if it is an error."""
    kind = message.split(b'"', 4)[3]
    if kind == b"error":
        raise RuntimeError(f"the server refused: {message!r}")
    return kind


async def connect(port: int, name: str, token: str | None = None) -> Connection:
    """Open a connection and send its hello, as a new player with that name or the one with that token."""
    _, connection = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    await connection.ready
    welcome: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    connection.receive = welcome.set_result
    who = {"name": name} if token is None else {"token": token}
    connection.send(json.dumps({"type": "hello", "id": 0, "protocol": 1, **who}).encode())
    message = await welcome
    assert kind_of(message) == b"welcome"
    connection.token = token or json.loads(message).get("token", "")  # a server to compare with may give none
    connection.receive = connection._ignore
    return connection


def stop_at_errors() -> None:
    """End the run when a connection's callback fails, instead of waiting for messages that will never come."""
    task = asyncio.current_task()
    assert task is not None

    def stop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        task.cancel()

    asyncio.get_running_loop().set_exception_handler(stop)
