"""A TCP proxy between a client and a server that misbehaves on demand."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class Proxy:
    """Forwards every connection to the server at ``target``, a URL; use :func:`proxied`.

    ``delay_s`` delays all data. ``frozen`` drops all data and keeps the connections open, like a pulled cable, and
    ``deaf`` only what the server sends. ``cut`` aborts all connections; ``cut_after`` does so after that many more
    bytes from the server, within a message. ``refusing`` refuses new connections. ``done`` counts what this has done.
    """

    def __init__(self, target: str) -> None:
        url = urlsplit(target)
        self._host, self._port, self.path = url.hostname, url.port, url.path
        self.url = ""
        self.delay_s = 0.0
        self.frozen = self.deaf = False
        self.refusing = False
        self.cut_after: int | None = None
        self.accepted = 0
        self.done: Counter[str] = Counter()
        self._writers: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """End all connections."""
        self.cut_after = None
        self.done["connections cut"] += len(self._writers) // 2
        for writer in self._writers:
            writer.transport.abort()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.accepted += 1
        if self.refusing:
            self.done["connections refused"] += 1
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._writers |= ends
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, far_writer, from_server=False))
                group.create_task(self._pump(far_reader, writer, from_server=True))
        finally:
            self._writers -= ends

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, from_server: bool) -> None:
        try:
            while data := await reader.read(65_536):
                if self.delay_s:
                    self.done["reads delayed"] += 1
                    await asyncio.sleep(self.delay_s)
                if self.frozen or (self.deaf and from_server):
                    self.done["reads dropped"] += 1
                    continue
                if from_server and self.cut_after is not None:
                    if len(data) > self.cut_after:
                        writer.write(data[: self.cut_after])
                        await writer.drain()
                        self.done["messages torn"] += 1
                        self.cut()
                        return
                    self.cut_after -= len(data)
                writer.write(data)
                await writer.drain()
        except (ConnectionError, RuntimeError):  # RuntimeError: uvloop's, for one that is closed already
            pass
        finally:
            writer.transport.abort() if self.frozen else writer.close()


@asynccontextmanager
async def proxied(target: str, tls: ssl.SSLContext | None = None) -> AsyncIterator[Proxy]:
    """A proxy in front of the server at ``target``, with TLS for clients if ``tls`` is given."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    proxy.url = f"{'wss' if tls else 'ws'}://localhost:{port}{proxy.path}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        await server.wait_closed()
