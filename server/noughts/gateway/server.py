"""The gateway's outside: WebSockets at ``/ws`` and pages over HTTP, on one port."""

from __future__ import annotations

import asyncio
import logging
import random
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

from noughts.config import Settings
from noughts.gateway import http
from noughts.gateway.address import Proxies
from noughts.gateway.analyses import Analyse, Analyses
from noughts.gateway.audience import Audience
from noughts.gateway.conversation import Conversation, Hall
from noughts.gateway.gate import NEWCOMERS_PER_S
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.line import TRY_AGAIN_LATER
from noughts.gateway.lobby import Lobby
from noughts.gateway.meeting import Meeting
from noughts.gateway.pages import PAGES_AT_ONCE, PAGES_PER_S
from noughts.gateway.presence import Presence
from noughts.gateway.session import Session
from noughts.gateway.spectators import Spectators
from noughts.gateway.standing import Standing
from noughts.gateway.talk import Talk
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.rooms import Opened, Refused

log = logging.getLogger(__name__)

RESTARTING = 1012

FAREWELL_S = 2.0
"""How long a stopping server waits for its clients to say goodbye."""

LINGER_S = 0.5
"""How long it waits for HTTP requests under way."""


class Gateway:
    """Serves clients over a host. ``hall`` is what they have in common, for those who come by another way."""

    def __init__(self, settings: Settings, host: Host, analyse: Analyse) -> None:
        audience = Audience(settings.update_backlog_bytes, settings.backlog_bytes, self._resend)
        presence = Presence(host, audience, settings.away_s)
        self.hall = Hall(
            settings,
            host,
            audience,
            Spectators(host, audience),
            presence,
            Lobby(host),
            Analyses(settings, analyse),
            Talk(host, audience),
            Meeting(host, settings, self._bring, random.Random()),
            Standing(host),
        )
        self._addresses: Counter[str] = Counter()
        self._newcomers = TokenBuckets(NEWCOMERS_PER_S, settings.burst)
        self._pages = TokenBuckets(PAGES_PER_S, PAGES_AT_ONCE)
        self._site = http.Site(self.hall)
        self._connections = 0
        self._proxies = Proxies(settings.trusted_proxies)
        self._known: WeakSet[ServerConnection] = WeakSet()
        self._draining = False
        host.watched = audience.watches
        host.lost = self._lose
        host.listeners += [audience.tell, self._carry_over, presence.tell, self.hall.lobby.tell]

    @asynccontextmanager
    async def serving(self, *, reuse_port: bool = False) -> AsyncIterator[Server]:
        """Listen within the block; at its end be drained, cut off who is still there, and let go of the port.

        ``reuse_port``: other processes of the same user may listen on the port as well.
        """
        settings = self.hall.settings
        origins = None
        if settings.origins is not None:
            # A client that is no browser sends no origin.
            origins = [None, *(Origin(origin) for origin in settings.origins)]
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
            logger=_quiet(),
            create_connection=_kept_in(self._known),
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
            except TimeoutError:  # who has connected and asks for nothing, or does not read
                for connection in self._known:
                    connection.transport.abort()
                await server.wait_closed()

    async def drain(self) -> None:
        """Let nobody in any more, tell the clients to come back, and give them 2 s to go.

        HTTP is still answered: ``/readyz`` says that this node is not ready.
        """
        self._draining = True
        self.hall.presence.close()
        leaving = [
            asyncio.create_task(connection.close(RESTARTING, "the server is restarting"))
            for connection in self._known
            if connection.state is State.OPEN
        ]
        if leaving:
            await asyncio.wait(leaving, timeout=FAREWELL_S)

    async def _handle(self, connection: ServerConnection) -> None:
        if self._draining:
            await connection.close(RESTARTING, "the server is restarting")
            return
        address = self._address(connection)
        session = Session(self.hall, connection, self._newcomers.of(address), self._pages.of(address))
        self._connections += 1
        self._addresses[address] += 1
        hello = asyncio.get_running_loop().call_later(self.hall.settings.hello_s, _require_hello, session)
        try:
            while not session.identified:
                await session.greet(_text_of(await connection.recv()))
            self.hall.standing.enter(session)
            while True:
                frame = _text_of(await connection.recv())
                if session.open and not self._draining:  # what it had sent before it was turned away is not heard
                    session.receive(frame)
        except ConnectionClosed:
            pass
        except _NotText:
            await connection.close(1003, "messages are text")
        except Exception:
            log.exception("a session failed")
            await connection.close(1011, "the server made a mistake")
        finally:
            hello.cancel()
            session.closed()
            self._connections -= 1
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

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
            response = http.text(HTTPStatus.METHOD_NOT_ALLOWED, "There is nothing here to change.\n")
            response.headers["Allow"] = "GET, HEAD"
            return response
        address = self._address(connection)
        if request.path.partition("?")[0] != "/ws" or "Upgrade" not in request.headers:
            return await self._site.respond(request, address, draining=self._draining)
        if self._draining:
            return http.text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarting.\n")
        if self._connections >= self.hall.settings.connections:
            return http.text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is full.\n")
        if self._addresses[address] >= self.hall.settings.connections_per_address:
            return http.text(HTTPStatus.TOO_MANY_REQUESTS, "Too many connections from your address.\n")
        return None

    def _address(self, connection: ServerConnection) -> str:
        """The client's address, as far as can be known."""
        assert connection.request is not None
        forwarded_for = connection.request.headers.get_all("X-Forwarded-For")
        try:
            peer = connection.remote_address
        except AttributeError:  # uvloop's transport, when the client has gone already
            peer = None
        return self._proxies.client(peer[0] if peer else "", forwarded_for)

    def _lose(self, room_id: str) -> None:
        """Have those who look at a room come back and look anew."""
        for session in self.hall.audience.members(room_id):
            session.close(TRY_AGAIN_LATER, "a room could not be had")

    def _carry_over(self, happening: RoomUpdate) -> None:
        """Who looks at a room that is played again looks at the rematch instead; in the old one all is told."""
        if not isinstance(happening.event, Opened) or happening.room.previous is None:
            return
        sessions = self.hall.audience.members(happening.room.previous)
        for session in sessions:
            self.hall.audience.remove(happening.room.previous, session)

        def reply(result: Done | Refused | Failed) -> None:
            there = [session for session in sessions if session.open]
            if isinstance(result, Done):
                for session in there:  # before the first is told how many watch
                    self.hall.audience.add(result.room.id, session)
                for session in there:
                    session.enter(result)
            else:
                for session in there:
                    session.close(TRY_AGAIN_LATER, "a room could not be had")

        if sessions:
            self.hall.host.submit(happening.room.id, None, reply)
        self.hall.host.release(happening.room.previous)

    def _bring(self, client: Conversation, room_id: str) -> None:
        """Have ``client`` look at a room from when it is shown to it: no update may come before."""

        def reply(result: Done | Refused | Failed) -> None:
            if not isinstance(result, Done):
                client.close(TRY_AGAIN_LATER, "a room could not be had")
            elif client.open:
                client.enter(result)

        self.hall.host.submit(room_id, None, reply)

    def _resend(self, session: Session, room_id: str) -> None:
        def reply(result: Done | Refused | Failed) -> None:
            if not isinstance(result, Done):
                session.close(TRY_AGAIN_LATER, "a room could not be had")
            elif session.open and room_id in session.behind:
                session.behind.discard(room_id)
                session.send_room(result)

        self.hall.host.submit(room_id, None, reply)


class _NotText(Exception):
    """A client has sent a binary message."""


def _text_of(frame: str | bytes) -> str:
    if isinstance(frame, bytes):
        raise _NotText
    return frame


def _require_hello(session: Session) -> None:
    if not session.identified:
        session.close(1008, "no hello in time")


def _kept_in(known: WeakSet[ServerConnection]) -> type[ServerConnection]:
    """Connections that are known before their handshake, so that nobody waits for one that never comes."""

    class Known(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            known.add(self)

    return Known


def _quiet() -> logging.Logger:
    """The library's log, without a line for each connection and without a traceback for each odd client."""
    logger = logging.getLogger("noughts.websockets")
    logger.setLevel(logging.CRITICAL)
    return logger
