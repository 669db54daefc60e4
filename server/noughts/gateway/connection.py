"""One WebSocket: whole messages in, frames out, and slow readers.

This uses the public interface of ``websockets`` alone. :mod:`noughts.gateway.wire` has a cheaper form for one version.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed


class Listener(Protocol):
    """Whoever is at this end of a connection. Nothing is sent to it once ``open`` is false."""

    open: bool

    def receive(self, message: str | bytes) -> asyncio.Future[None] | None:
        """Take a message, bytes if it is binary. If a future is returned, the next message comes once that is done."""

    def on_pause(self) -> None:
        """Much is unsent: the client reads too slowly."""

    def on_resume(self) -> None:
        """The client has caught up."""

    def on_round_trip(self, seconds: float) -> None:
        """The answer to :meth:`Connection.measure` has arrived."""


class Pool:
    """The connections of one server, and their limits.

    A message has at most ``message_bytes``. A connection is cut off with more than ``backlog_bytes`` unsent, and when
    its client is slow for ``slow_reader_s``. A round trip of more than ``pong_s`` is ignored. ``on_end`` is called with
    the listener of each connection that has ended. ``unflushed`` have something to write in this turn of the loop.
    """

    def __init__(
        self,
        message_bytes: int,
        backlog_bytes: int,
        slow_reader_s: float,
        pong_s: float,
        on_end: Callable[[Any], None] = lambda _: None,
    ) -> None:
        self.message_bytes = message_bytes
        self.backlog_bytes = backlog_bytes
        self.slow_reader_s = slow_reader_s
        self.pong_s = pong_s
        self.on_end = on_end
        self.connections: set[Connection] = set()
        self.unflushed: list[Any] = []


def framed(message: bytes) -> bytes:
    """A text frame of a server, which is the same for every client."""
    size = len(message)
    if size < 126:
        return b"\x81%c%b" % (size, message)
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), message)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), message)


class Connection(ServerConnection):
    """A client's connection. Everything that is sent goes through :meth:`push`.

    ``listener`` is set by :meth:`hand_over`, once the client is connected. ``address`` is set while it connects.
    """

    __slots__ = ("_measuring", "_pool", "_watchdog", "address", "listener")

    def __init__(self, *arguments: Any, pool: Pool, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.address = ""
        self.listener: Listener | None = None
        self._pool = pool
        self._watchdog: asyncio.TimerHandle | None = None
        self._measuring: asyncio.Task[None] | None = None

    async def hand_over(self, listener: Listener) -> None:
        """Hand each message to ``listener``, until the connection has ended. Await it in the library's handler."""
        self.listener = listener
        try:
            while True:
                under_way = listener.receive(await self.recv())
                if under_way is not None:
                    await under_way
        except ConnectionClosed:
            pass
        finally:
            self._pool.on_end(listener)

    def push(self, frame: bytes) -> None:
        """Send a frame made by :func:`framed`, without waiting, unless the connection is closing."""
        head = {126: 4, 127: 10}.get(frame[1], 2)
        broadcast((self,), frame[head:], text=True)
        self._cut_if_clogged()

    def measure(self) -> None:
        """Measure the round trip to the client. Nothing happens if the answer takes too long."""
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(self._measure())

    def cut(self) -> None:
        """End the connection at once. A client that does not read would not see a close frame."""
        if self.listener is not None:
            self.listener.open = False
        self.transport.abort()

    def send_data(self) -> None:
        """Write what the library has to send, such as pongs, of which a client may ask for any number."""
        super().send_data()
        if self.paused:
            self._cut_if_clogged()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._pool.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._pool.connections.discard(self)
        if self._watchdog is not None:
            self._watchdog.cancel()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watchdog = self.loop.call_later(self._pool.slow_reader_s, self.cut)
        if self.listener is not None:
            self.listener.on_pause()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None
        if self.listener is not None:
            self.listener.on_resume()

    def _cut_if_clogged(self) -> None:
        if self.transport.get_write_buffer_size() > self._pool.backlog_bytes:
            self.cut()

    async def _measure(self) -> None:
        try:
            async with asyncio.timeout(self._pool.pong_s):
                seconds = await (await self.ping())
        except (ConnectionClosed, TimeoutError):
            return
        if self.listener is not None:
            self.listener.on_round_trip(seconds)
