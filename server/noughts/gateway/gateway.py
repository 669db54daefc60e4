"""The port: WebSockets at ``/ws``, plain HTTP elsewhere, limits by address, and draining."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from websockets.http11 import Request, Response

from noughts.gateway.address import Proxies, is_loopback, is_public
from noughts.gateway.bans import AT_ONCE
from noughts.gateway.connection import Connection
from noughts.gateway.entrance import Capacity, Entrance
from noughts.gateway.feature import Reading
from noughts.gateway.files import text
from noughts.gateway.http import Site
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.pool import Pool
from noughts.gateway.port import ended, listening
from noughts.gateway.replies import CloseCode
from noughts.gateway.server import Server
from noughts.gateway.session import Session
from noughts.origins import Origins

log = logging.getLogger(__name__)

FAREWELL_S = 2.0
"""The time a stopping server waits for its clients to close their connections."""

LINGER_S = 0.5
"""The time it waits for HTTP requests under way."""

FOREIGN_PAGE = (
    "This server does not accept WebSockets from web pages of another address. Its operator can allow a page's origin"
    " with --origins, or name the server's own address with --public-url.\n"
)

UNTRUSTED_PROXY = (
    "This request has X-Forwarded-For, but comes from an address that is not a trusted proxy. The server's operator can"
    " name its proxy in --trusted-proxies.\n"
)

CHECKS = ("/healthz", "/readyz")
"""The paths that a banned address may still request: it may be that of a balancer."""

NAMED_CHARACTERS = 100
"""The characters that the log repeats of a header that anybody can send."""


class Gateway:
    """Serves clients on one port."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._settings = settings = server.settings
        self.monitor = server.host.monitor
        limit = self.monitor.limit
        self._capacity = Capacity.of(settings.connections, settings.http_per_address, _open_files())
        self.entrance = Entrance(self._capacity, settings.connections_per_address, settings.http_per_address, limit)
        self._requests = TokenBuckets(settings.http_per_s, settings.http_per_address)
        self.site = Site(settings, server.host, server.costs, server.catalogue)
        self._proxies = Proxies(settings.trusted_proxies)
        self._origins = Origins(settings.origins, settings.public_url, socket.gethostname())
        timing = server.timing
        self.pool = Pool(
            self._process_request,
            self._open_session,
            on_end=self._forget,
            enter=self._enter,
            leave=self.entrance.leave,
            limit=limit,
            message_bytes=settings.message_bytes,
            soft_bytes=settings.update_backlog_bytes,
            slow_reader_s=timing.slow_reader_s,
            backlog_bytes=settings.backlog_bytes,
            frames_per_s=settings.frames_per_message * settings.messages_per_s,
            frames=settings.frames_per_message * settings.burst,
            hello_s=settings.hello_s,
            keepalive_s=timing.keepalive_s,
            pong_s=timing.pong_s,
            late_s=lambda: server.host.pulse.late_s,
            work=server.work,
        )
        server.bans.on_change = lambda: server.tasks.spawn(self._dismiss_banned())
        self._draining = False

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[asyncio.Server]:
        """Listen within the block. At its end drain, cut the remaining connections, and release the port."""
        settings = self._settings
        if self._capacity.clients < settings.connections:
            log.info(
                "at most %d clients instead of %d, because this process may open only %d files",
                *(self._capacity.clients, settings.connections, _open_files()),
            )
        async with listening(self.pool, settings.host, settings.port) as server:
            try:
                yield server
            finally:
                await self.drain()
                server.close()
                await ended(self.pool, LINGER_S)  # some client has connected and requests nothing, or does not read

    async def drain(self) -> None:
        """Accept no new clients, tell the connected ones to reconnect, and give them 2 s to go.

        HTTP is still answered: ``/readyz`` says that this node is not ready.
        """
        self._draining = True
        self.server.drain()
        closing = []
        for connection in self.pool.connections:
            if connection.listener is not None:
                connection.listener.open = False
            if connection.is_open:
                connection.close(CloseCode.RESTARTING, "the server is restarting")
                closing.append(connection.ended())
        if closing:
            await asyncio.wait(closing, timeout=FAREWELL_S)

    def _open_session(self, connection: Connection) -> Session:
        address = connection.address
        session = Session(connection, self.server, address)
        self.server.lost_time.clients.add(session)
        self.monitor.connections += 1
        return session

    def _forget(self, session: Session) -> None:
        """The connection of ``session`` has ended."""
        session.open = False
        session.hello.cancel()
        self.server.lost_time.clients.discard(session)
        if session.identified:
            self.server.sessions.remove(session)
        self.server.gone(session)

    def _enter(self, connection: Connection, peer: str) -> bool:
        """True if a connection that was accepted may stay. A proxy says later whose it is."""
        return self.entrance.enter(connection, "" if self._proxies.trusts(peer) else self._proxies.client(peer, ()))

    async def _dismiss_banned(self) -> None:
        """Turn away the clients whose addresses are banned now. Those who come later are not let in."""
        for number, connection in enumerate(list(self.pool.connections), 1):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            problem = self.server.bans.problem(connection.address)
            if problem is not None and isinstance(connection.listener, Session):
                self.monitor.limit("bans", connection.listener.who, "closed a connection")
                self.server.sessions.remove(connection.listener)
                connection.listener.dismiss(problem)

    async def _process_request(self, connection: Connection, request: Request) -> Response | None:
        try:
            response = await self._respond(connection, request)
        except Exception:
            log.exception("an HTTP request failed")
            response = text(HTTPStatus.INTERNAL_SERVER_ERROR, "The server made a mistake.\n")
        if response is not None:
            self.monitor.responses[response.status_code] += 1
            if request.method == "HEAD":
                response.body = b""
        return response

    async def _respond(self, connection: Connection, request: Request) -> Response | None:
        """The answer to a request over HTTP; None lets a WebSocket be opened."""
        address = self._address(connection, request)
        if self._distrusts(connection, request) and not is_public(address):  # probably the operator's own proxy
            self.monitor.warn(f"X-Forwarded-For from {connection.peer} is not trusted; see --trusted-proxies")
        if not self.entrance.readdress(connection, address):
            return text(HTTPStatus.TOO_MANY_REQUESTS, "Too many connections from your address.\n")
        path = request.path.partition("?")[0]
        if path not in CHECKS and (problem := self.server.bans.problem(address)) is not None:
            self.monitor.limit("bans", address, "refused a request")
            return text(HTTPStatus.FORBIDDEN, f"{problem.message}\n")
        if path != "/ws" or "Upgrade" not in request.headers:
            return await self._respond_plainly(connection, request)
        if not self._is_own_page(connection, request):
            proxy = UNTRUSTED_PROXY if self._distrusts(connection, request) else ""
            return text(HTTPStatus.FORBIDDEN, proxy + FOREIGN_PAGE)
        if connection.has_body:
            return text(HTTPStatus.BAD_REQUEST, "A request for a WebSocket has no body.\n")
        if self._draining:
            return text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarting.\n")
        if self.entrance.is_full(address):
            return text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is full.\n")
        if not self.entrance.admit(connection):
            return text(HTTPStatus.TOO_MANY_REQUESTS, "Too many connections from your address.\n")
        return None

    async def _respond_plainly(self, connection: Connection, request: Request) -> Response:
        """The answer to a request that is not for a WebSocket."""
        address = connection.address
        wait = self._requests.of(address).take(self.server.time())
        if wait:
            self.monitor.limit("http_per_s", address, "refused a request by HTTP")
            response = text(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests from your address.\n")
            response.headers["Retry-After"] = str(math.ceil(wait))
            return response
        if request.method not in ("GET", "HEAD"):
            response = text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed here.\n")
            response.headers["Allow"] = "GET, HEAD"
            return response
        work, transport = self.server.work, connection.transport
        respond = self.site.respond(request, address, draining=self._draining, secure=self._secure(connection, request))
        answer = await work.driven(work.share(address, ""), respond, lambda: not transport.is_closing())
        return answer or text(HTTPStatus.SERVICE_UNAVAILABLE, "")

    def _is_own_page(self, connection: Connection, request: Request) -> bool:
        """True if the page that asks for a WebSocket, if it is one, may have it."""
        headers = request.headers
        origins, hosts = headers.get_all("Origin"), headers.get_all("Host")
        local = is_loopback(connection.peer) and not (
            self._proxies.trusts(connection.peer) and "X-Forwarded-For" in headers
        )
        if self._origins.allow(origins, hosts, local=local):
            return True
        page, host = (ascii(", ".join(values)[:NAMED_CHARACTERS]) for values in (origins, hosts))
        proxy = "--trusted-proxies, " if self._distrusts(connection, request) else ""
        did = f"refused a page of the origin {page} (Host: {host}); see {proxy}--origins and --public-url"
        self.monitor.limit("origins", connection.address, did)
        return False

    def _address(self, connection: Connection, request: Request) -> str:
        """The client's address, as far as it is known."""
        return self._proxies.client(connection.peer, request.headers.get_all("X-Forwarded-For"))

    def _distrusts(self, connection: Connection, request: Request) -> bool:
        """True if a peer that is not a trusted proxy says that it is one."""
        return "X-Forwarded-For" in request.headers and not self._proxies.trusts(connection.peer)

    def _secure(self, connection: Connection, request: Request) -> bool:
        """True if a trusted proxy says that the client came by TLS."""
        schemes = request.headers.get_all("X-Forwarded-Proto")
        return [scheme.lower() for scheme in schemes] == ["https"] and self._proxies.trusts(connection.peer)

    @property
    def readings(self) -> list[Reading]:
        """The readings of the port for ``/metrics``."""
        return [
            Reading("connections", "Open WebSockets.", lambda: self.entrance.clients),
            Reading(
                "sockets", "Open connections, those for plain HTTP among them.", lambda: len(self.pool.connections)
            ),
        ]


def _open_files() -> int | None:
    """The number of files that this process may open; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if files == resource.RLIM_INFINITY else files
