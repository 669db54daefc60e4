"""The port: WebSockets at ``/ws``, plain HTTP elsewhere, limits by address, and draining."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Origin
from websockets.version import version

from noughts.gateway import http
from noughts.gateway.address import Proxies
from noughts.gateway.connection import Connection, Pool
from noughts.gateway.dispatch import Dispatcher
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.profiles import PAGES_AT_ONCE, PAGES_PER_S
from noughts.gateway.replies import CloseCode
from noughts.gateway.services import Services
from noughts.gateway.session import Session

log = logging.getLogger(__name__)

NEWCOMERS_PER_S = 1.0
"""How many new players an address may make a second, on average; at once as many as a burst of messages."""

FAREWELL_S = 2.0
"""How long a stopping server waits for its clients to close their connections."""

LINGER_S = 0.5
"""How long it waits for HTTP requests under way."""

WIRE_VERSION = ["17", "4"]
"""The minor version of websockets that :mod:`noughts.gateway.wire` was written for."""

KERNEL_BYTES = 131_072
"""The buffer for unsent data that the kernel may keep for each connection; it takes twice that, and by itself 4 MB."""


class Gateway:
    """Serves clients on one port. ``public``: by the public interface of websockets, whatever its version."""

    def __init__(self, services: Services, dispatcher: Dispatcher, *, public: bool = False) -> None:
        self.services = services
        self.dispatcher = dispatcher
        self._settings = services.settings
        self._addresses: Counter[str] = Counter()
        self._newcomers = TokenBuckets(NEWCOMERS_PER_S, self._settings.burst)
        self._pages = TokenBuckets(PAGES_PER_S, PAGES_AT_ONCE)
        self._site = http.Site(self._settings, services.host)
        self._connections = 0
        self._proxies = Proxies(self._settings.trusted_proxies)
        timing = services.timing
        self._pool = Pool(
            self._settings.message_bytes,
            self._settings.backlog_bytes,
            timing.slow_reader_s,
            timing.pong_s,
            self._forget,
        )
        self._by_wire = not public and version.split(".")[:2] == WIRE_VERSION
        self._draining = False

    @asynccontextmanager
    async def serving(self, *, reuse_port: bool = False) -> AsyncIterator[Server]:
        """Listen within the block. At its end drain, cut the remaining connections, and release the port.

        ``reuse_port``: other processes of the same user may listen on the port as well.
        """
        settings = self._settings
        origins = None
        if settings.origins is not None:
            origins = [None, *(Origin(origin) for origin in settings.origins)]  # only browsers send an origin
        soft = settings.update_backlog_bytes
        async with self._kept_alive() as connection_type:
            server = await serve(
                self._handle,
                settings.host,
                settings.port,
                process_request=self._process_request,
                origins=origins,
                compression=None,
                max_size=settings.message_bytes,
                write_limit=(soft, soft // 4),
                server_header=None,
                open_timeout=settings.hello_s,
                close_timeout=1,
                backlog=1024,
                logger=_quiet_logger(),
                create_connection=partial(connection_type, pool=self._pool),  # type: ignore[arg-type]
                reuse_port=reuse_port or None,
            )
            for listening in server.sockets:  # connections inherit it
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
            try:
                yield server
            finally:
                await self.drain()
                server.close()
                connections = [asyncio.create_task(connection.wait_closed()) for connection in self._pool.connections]
                if connections:  # some client has connected and requests nothing, or does not read
                    await asyncio.wait(connections, timeout=LINGER_S)
                for connection in self._pool.connections:
                    connection.transport.abort()
                await server.wait_closed()

    async def drain(self) -> None:
        """Accept no new clients, tell the connected ones to reconnect, and give them 2 s to go.

        HTTP is still answered: ``/readyz`` says that this node is not ready.
        """
        self._draining = True
        self.services.presence.close()
        closing = []
        for connection in self._pool.connections:
            if connection.listener is not None:
                connection.listener.open = False
            if connection.state is State.OPEN:
                closing.append(asyncio.create_task(_restart(connection)))
        if closing:
            await asyncio.wait(closing, timeout=FAREWELL_S)

    @asynccontextmanager
    async def _kept_alive(self) -> AsyncIterator[type[Connection]]:
        """The kind of connection to serve by. Within the block those that no longer answer are dropped."""
        if not self._by_wire:
            yield Connection
            return
        from noughts.gateway import wire  # noqa: PLC0415  it cannot be imported with every version of websockets

        pings = asyncio.create_task(wire.look_after(self._pool))
        try:
            yield wire.WireConnection
        finally:
            pings.cancel()

    async def _handle(self, connection: ServerConnection) -> None:
        assert isinstance(connection, Connection)
        if self._draining:
            await _restart(connection)
            return
        address = connection.address
        session = Session(
            connection,
            self.services,
            self.dispatcher,
            address,
            newcomers=self._newcomers.of(address),
            pages=self._pages.of(address),
        )
        self._connections += 1
        self._addresses[address] += 1
        await connection.hand_over(session)

    def _forget(self, session: Session) -> None:
        """The connection of ``session`` has ended."""
        session.open = False
        session.hello.cancel()
        services = self.services
        services.analyses.drop(session)
        services.lobby.unwatch(session)
        if session.identified:
            services.sessions.remove(session)
            services.matchmaker.drop(session)
        for room_id in list(session.rooms):
            services.views.unwatch(session, room_id)
        self._connections -= 1
        self._addresses[session.address] -= 1
        if not self._addresses[session.address]:
            del self._addresses[session.address]

    async def _process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        try:
            response = await self._respond(connection, request)
        except Exception:
            log.exception("an HTTP request failed")
            response = http.text(HTTPStatus.INTERNAL_SERVER_ERROR, "The server made a mistake.\n")
        if response is not None and request.method == "HEAD":
            response.body = b""
        return response

    async def _respond(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer to a request over HTTP; None lets a WebSocket be opened."""
        if request.method not in ("GET", "HEAD"):
            response = http.text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed here.\n")
            response.headers["Allow"] = "GET, HEAD"
            return response
        assert isinstance(connection, Connection)
        address = connection.address = self._address(connection)
        if request.path.partition("?")[0] != "/ws" or "Upgrade" not in request.headers:
            return await self._site.respond(request, address, draining=self._draining)
        if self._draining:
            return http.text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarting.\n")
        if self._connections >= self._settings.connections:
            return http.text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is full.\n")
        if self._addresses[address] >= self._settings.connections_per_address:
            return http.text(HTTPStatus.TOO_MANY_REQUESTS, "Too many connections from your address.\n")
        return None

    def _address(self, connection: ServerConnection) -> str:
        """The client's address, as far as it is known."""
        assert connection.request is not None
        forwarded_for = connection.request.headers.get_all("X-Forwarded-For")
        try:
            peer = connection.remote_address
        except AttributeError:  # uvloop's transport, when the client has gone already
            peer = None
        return self._proxies.client(peer[0] if peer else "", forwarded_for)


async def _restart(connection: ServerConnection) -> None:
    await connection.close(CloseCode.RESTARTING, "the server is restarting")


def _quiet_logger() -> logging.Logger:
    """The library's log, without a line for every connection and a traceback for every odd client."""
    logger = logging.getLogger("noughts.websockets")
    logger.setLevel(logging.CRITICAL)
    return logger
