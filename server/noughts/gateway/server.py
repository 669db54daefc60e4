"""The port: WebSockets at ``/ws``, plain HTTP elsewhere, limits by address, and draining."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from weakref import WeakSet

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Origin

from noughts.gateway import http
from noughts.gateway.address import Proxies
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


class Gateway:
    """Serves clients on one port."""

    def __init__(self, services: Services, dispatcher: Dispatcher) -> None:
        self.services = services
        self.dispatcher = dispatcher
        self._settings = services.settings
        self._addresses: Counter[str] = Counter()
        self._newcomers = TokenBuckets(NEWCOMERS_PER_S, self._settings.burst)
        self._pages = TokenBuckets(PAGES_PER_S, PAGES_AT_ONCE)
        self._site = http.Site(self._settings, services.host)
        self._connections = 0
        self._proxies = Proxies(self._settings.trusted_proxies)
        self._known: WeakSet[ServerConnection] = WeakSet()
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
        server = await serve(
            self._handle,
            settings.host,
            settings.port,
            process_request=self._process_request,
            origins=origins,
            compression=None,
            max_size=settings.message_bytes,
            server_header=None,
            open_timeout=settings.hello_s,
            close_timeout=1,
            backlog=1024,
            logger=_quiet_logger(),
            create_connection=_connection_type(self._known),
            reuse_port=reuse_port or None,
        )
        try:
            yield server
        finally:
            await self.drain()
            server.close()
            try:
                async with asyncio.timeout(LINGER_S):
                    await server.wait_closed()
            except TimeoutError:  # some client has connected and requests nothing, or does not read
                for connection in self._known:
                    connection.transport.abort()
                await server.wait_closed()

    async def drain(self) -> None:
        """Accept no new clients, tell the connected ones to reconnect, and give them 2 s to go.

        HTTP is still answered: ``/readyz`` says that this node is not ready.
        """
        self._draining = True
        self.services.presence.close()
        closing = [
            asyncio.create_task(connection.close(CloseCode.RESTARTING, "the server is restarting"))
            for connection in self._known
            if connection.state is State.OPEN
        ]
        if closing:
            await asyncio.wait(closing, timeout=FAREWELL_S)

    async def _handle(self, connection: ServerConnection) -> None:
        if self._draining:
            await connection.close(CloseCode.RESTARTING, "the server is restarting")
            return
        address = self._address(connection)
        services, dispatcher = self.services, self.dispatcher
        session = Session(
            connection,
            self._settings,
            services.tasks,
            newcomers=self._newcomers.of(address),
            pages=self._pages.of(address),
            timing=services.timing,
        )
        self._connections += 1
        self._addresses[address] += 1
        hello = asyncio.get_running_loop().call_later(self._settings.hello_s, _require_hello, session)
        try:
            while not session.identified:
                frame = await connection.recv()
                if isinstance(frame, bytes):
                    raise _NotText
                await dispatcher.greet(session, frame)
            services.sessions.add(session)
            while True:
                frame = await connection.recv()
                if isinstance(frame, bytes):
                    raise _NotText
                if session.open and not self._draining:  # a client that is turned away is not heard any more
                    dispatcher.receive(session, frame)
        except ConnectionClosed:
            pass
        except _NotText:
            await connection.close(CloseCode.NOT_TEXT, "messages are text")
        except Exception:
            log.exception("a session failed")
            await connection.close(CloseCode.INTERNAL, "the server made a mistake")
        finally:
            hello.cancel()
            self._forget(session)
            self._connections -= 1
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def _forget(self, session: Session) -> None:
        """The connection of ``session`` has ended."""
        session.open = False
        services = self.services
        services.analyses.drop(session)
        services.lobby.unwatch(session)
        if session.identified:
            services.sessions.remove(session)
            services.matchmaker.drop(session)
        for room_id in list(session.rooms):
            services.views.unwatch(session, room_id)

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
        address = self._address(connection)
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


class _NotText(Exception):
    """A client has sent a binary message."""


def _require_hello(session: Session) -> None:
    if not session.identified:
        session.close(CloseCode.POLICY, "no hello in time")


def _connection_type(known: WeakSet[ServerConnection]) -> type[ServerConnection]:
    """Connections that are in ``known`` from before their handshake, so that draining need not wait for one."""

    class Known(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            known.add(self)

    return Known


def _quiet_logger() -> logging.Logger:
    """The library's log, without a line for every connection and a traceback for every odd client."""
    logger = logging.getLogger("noughts.websockets")
    logger.setLevel(logging.CRITICAL)
    return logger
