"""A player's connection to a server, kept up through network failures and restarts of the server."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Self

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from noughts.protocol import PROTOCOL, Analysed, Snapshot, Update, Welcome
from noughts.protocol.messages import Ok
from noughts_client.dial import ConnectionLost, RequestError, backoff, dial, worth_another_try
from noughts_client.followed import Followed
from noughts_client.pacing import Pacer
from noughts_client.pending import KEYED, REPEATABLE, Pending, Request
from noughts_client.pushed import Gone, Pushed

COME_BACK = frozenset({1001, 1011, 1012, 1013})
"""The close codes after which a server can be expected back."""

STEADY_S = 10.0
"""A connection that lasted this long shows that the server is well, and the backoff starts anew."""


class Connection:
    """A player at a server::

        async with Connection("ws://127.0.0.1:8765/ws", name="player-1") as connection:
            await connection.request({"type": "create", "game": "tictactoe"})
            async for message in connection:
                ...

    Iterating gives what the server pushes (``room``, ``update``, ``spectators``, ``chat``, ``lobby``, ``seek``,
    ``seek_ended``), a ``connection`` message when the connection is lost or restored, and ``gone`` for a room that is
    no longer to be had. After a reconnect every room goes on where it stopped: each update comes once and in order, or
    a ``room`` says where to start again. The lobby and a seek do not: ask for them again, for the seek with the same
    ``key``. What is pushed is kept until it is read, so do read it, and ``leave`` rooms that you are done with.

    ``token`` gives the player of an earlier connection. ``delays`` makes the waits before the attempts to
    reconnect, in seconds. Every ``ping_s`` seconds the server is asked for a sign of life, and has as long for it.
    """

    welcome: Welcome

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        bot: bool = False,
        token: str | None = None,
        delays: Callable[[], Iterator[float]] = lambda: backoff(random.Random()),
        ping_s: float = 10,
    ) -> None:
        self.url = url
        self._name = name
        self._bot = bot
        self._token = token
        self._delays = delays
        self._ping_s = ping_s
        self._socket: ClientConnection | None = None
        self._ready = False  # the socket takes new requests; all that came before has been sent
        self._task: asyncio.Task[None] | None = None
        self._pending = Pending()
        self._rooms = Followed()
        self._seated = False
        self._pushed: asyncio.Queue[Pushed | None] = asyncio.Queue()
        self._pacer = Pacer(self._send_held)
        self._ended = False
        self._error: Exception | None = None

    async def __aenter__(self) -> Self:
        """Connect, in one attempt. Raises ConnectionLost when no server answers, RequestError when it refuses us."""
        await self._open()
        self._ready = True
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave. Requests under way raise ConnectionLost, and the iteration ends."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._socket is not None:
            await self._socket.close()
        self._end(None)

    async def request(self, message: dict[str, Any]) -> Ok:
        """Send a request and return its answer (of a ``ping``: its ``pong``), after a reconnect if need be.

        A ``create`` or ``seek`` without a ``key`` gets one. What is sent too fast for the server is sent again as soon
        as it may be. Raises RequestError when the server refuses the request, and ConnectionLost when the connection
        has ended, or broke before the answer to a request came that may not be sent twice.
        """
        if self._ended:
            raise ConnectionLost("The connection has ended.") from self._error
        if message["type"] in KEYED:
            message = {"key": secrets.token_urlsafe(16), **message}
        number, request = self._pending.add(message)
        try:
            if self._ready:
                await self._send(number, request)
            return await request.answer
        finally:
            self._pending.drop(number)

    async def analyse(self, room: str, ply: int | None = None) -> Analysed:
        """What each move is worth in a room's game after ``ply`` moves, by default now.

        A server takes some seconds for it, and makes one at a time for a connection. Raises as :meth:`request` does.
        """
        answer: Any = await self.request({"type": "analyse", "room": room, "ply": ply})
        analysed: Analysed = answer
        return analysed

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Pushed:
        message = await self._pushed.get()
        if message is None:
            self._pushed.put_nowait(None)
            if self._error is not None:
                raise self._error
            raise StopAsyncIteration
        return message

    def seen(self) -> frozenset[str]:
        """The rooms that have been sent so far. Any other is new: it is what a ``seek`` after this has found."""
        return frozenset(self._rooms.seen)

    # --- connecting

    async def _open(self) -> None:
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "name": self._name,
            "bot": self._bot,
            "token": self._token,
            "client": f"noughts-py/{version('noughts')}",
        }
        self._socket, self.welcome = await dial(self.url, hello, self._ping_s)
        self._token = self.welcome["token"]

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        delays = self._delays()
        try:
            while True:
                since = loop.time()
                await self._read()
                self._lose()
                if loop.time() - since > STEADY_S:
                    delays = self._delays()
                await self._reconnect(delays)
                await self._resume()
        except Exception as error:
            if self._socket is not None:
                self._socket.transport.abort()
            self._end(error)

    async def _reconnect(self, delays: Iterator[float]) -> None:
        for delay in delays:
            await asyncio.sleep(delay)
            try:
                await self._open()
                return
            except (ConnectionLost, RequestError) as error:
                lasting = self._seated or self.welcome["player"].get("registered")
                if isinstance(error, RequestError) and error.code == "bad_token" and not lasting:
                    # A server that restarts forgets who never had a seat nor a name; nothing is lost by coming anew.
                    self._token = None
                elif not worth_another_try(error):
                    raise
        raise ConnectionLost("The attempts to reconnect are used up.")

    async def _resume(self) -> None:
        """Take up the rooms where they stopped, then send again what has no answer yet."""
        self._pushed.put_nowait({"type": "connection", "state": "restored"})
        for watch in self._rooms.resumed():
            self._pending.add(watch, resumes=watch["room"])
        # More can be asked for while these are being sent, and must not overtake them.
        while unsent := self._pending.next_unsent():
            await self._send(*unsent)
        self._ready = True

    def _lose(self) -> None:
        """Keep what can be sent again, and give up on the rest."""
        self._ready = False
        self._pushed.put_nowait({"type": "connection", "state": "lost"})
        self._pending.lose()

    def _end(self, error: Exception | None) -> None:
        if self._ended:
            return
        self._ended = True
        self._ready = False
        self._pacer.close()
        self._error = error
        self._pushed.put_nowait(None)
        self._pending.end()

    # --- what is sent

    async def _send(self, number: int, request: Request) -> None:
        assert self._socket is not None
        request.sent = True
        # Who reads from the socket finds out that it is closed, and decides what becomes of the request.
        with suppress(ConnectionClosed):
            await self._socket.send(json.dumps({**request.message, "id": number}))

    async def _send_held(self, number: int) -> None:
        request = self._pending.get(number)
        if request is not None and not request.sent and self._ready:
            await self._send(number, request)

    # --- what is received

    async def _read(self) -> None:
        """Take messages until the connection is lost. Raises ConnectionLost when it is not to be made again."""
        assert self._socket is not None
        try:
            while True:
                await self._take(json.loads(await self._socket.recv()))
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code not in COME_BACK:
                reason = closed.rcvd.reason or f"code {closed.rcvd.code}"
                raise ConnectionLost(f"The server has closed the connection: {reason}.") from closed

    async def _take(self, message: Any) -> None:
        match message["type"]:
            case "room":
                self._rooms.start_at(message)
                self._seated = self._seated or self._sits_in(message)  # also where a seek has led
                self._pushed.put_nowait(message)
            case "update":
                await self._update(message)
            case "spectators" | "chat" | "lobby" | "seek" | "seek_ended":
                self._pushed.put_nowait(message)
            case _:
                self._answered(message)  # or of a later server

    def _sits_in(self, room: Snapshot) -> bool:
        seats = room["state"]["seats"]
        return any(seat and seat["id"] == self.welcome["player"]["id"] for seat in (seats["first"], seats["second"]))

    async def _update(self, update: Update) -> None:
        if not self._rooms.takes(update):
            return
        self._pushed.put_nowait(update)
        if next_room := self._rooms.after(update):
            await self._send(*self._pending.add({"type": "watch", "room": next_room}, resumes=next_room))

    def _answered(self, message: Any) -> None:
        number = message.get("id")
        request = self._pending.get(number)
        if request is None:
            return
        asked = request.message
        refused = message["type"] == "error"
        if refused and message["code"] == "overloaded" and asked["type"] in REPEATABLE:
            return  # the outcome is unknown: the server now closes with 1013, and then this is sent again
        if refused and message["code"] == "rate_limited":
            request.sent = False
            self._pacer.hold(number, message["retry_after_s"], 1 / self.welcome["limits"]["messages_per_s"])
            return
        if request.resumes:
            self._pending.drop(number)
            if refused:
                self._rooms.forget(request.resumes)
                gone = Gone(type="gone", room=request.resumes, code=message["code"], message=message["message"])
                self._pushed.put_nowait(gone)
        if refused:
            request.fail(RequestError(message))
            return
        self._rooms.answered(asked, message)
        self._seated = self._seated or message.get("seat") is not None
        self._token = message.get("token", self._token)
        if asked["type"] == "register":
            self.welcome["player"] = message["player"]
        if not request.answer.done():
            request.answer.set_result(message)
