"""A player's connection to a server, which survives network failures and restarts of the server."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Literal, Self, TypedDict

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from noughts.protocol.class_messages import ClassChanges, ClassInfo, SimulCall
from noughts.protocol.messages import Announcement, Ok, Welcome
from noughts.protocol.player_messages import MyGame, MyGamesPage
from noughts.protocol.room_messages import (
    ChatLine,
    Invitation,
    LobbyChanges,
    SeekEnded,
    SeekInfo,
    SeekWaits,
    Snapshot,
    Spectators,
    Update,
    YourMove,
)
from noughts.protocol.study_messages import Analysed, Review, ReviewProgress
from noughts.protocol.tournament_messages import TournamentCall, TournamentInfo
from noughts.protocol.words import PROTOCOL, WORDS, ErrorCode, Words
from noughts_client.address import url_for_room
from noughts_client.handshake import ConnectionLost, RequestError, backoff, duration, shake_hands, worth_retrying
from noughts_client.requests import KEYED, REPEATABLE, Pacer, PendingRequests, Request
from noughts_client.rooms import FollowedRooms

log = logging.getLogger(__name__)

RECONNECT = frozenset({1001, 1011, 1012, 1013})
"""The close codes after which the server is expected to come back."""

STEADY_S = 10.0
"""A connection that lasts this long resets the backoff."""

DELAY_S = 2.0
"""A request that the server puts off for longer than this is worth a word."""


class ConnectionChange(TypedDict):
    """The connection was lost and is being restored, or has been restored."""

    type: Literal["connection"]
    state: Literal["lost", "restored"]


class Gone(TypedDict):
    """A room could not be resumed after a reconnect. No more messages about it will follow."""

    type: Literal["gone"]
    room: str
    code: ErrorCode
    message: str


Pushed = (
    Snapshot
    | Update
    | Spectators
    | ChatLine
    | LobbyChanges
    | SeekWaits
    | SeekEnded
    | Invitation
    | Announcement
    | YourMove
    | ReviewProgress
    | TournamentCall
    | TournamentInfo
    | SimulCall
    | ClassInfo
    | ClassChanges
    | ConnectionChange
    | Gone
)
"""Everything that iterating over a connection yields."""


class Connection:
    """A player at a server::

        async with Connection("ws://127.0.0.1:8765/ws", name="player-1") as connection:
            await connection.request({"type": "create", "game": "tictactoe"})
            async for message in connection:
                ...

    Iterating yields what the server pushes (``room``, ``update``, ``spectators``, ``chat``, ``lobby``, ``seek``,
    ``seek_ended``, ``invitation``, ``announcement``, ``your_move``, ``reviewed``, ``tournament``, ``tournament_game``,
    ``class``, ``class_changes``, ``simul_game``), a ``connection`` message when the connection is lost or restored, and
    ``gone`` for a room that no longer exists. After a reconnect every room resumes where it stopped: each update
    arrives once and in order, or a ``room`` says where to start again. The lobby, a seek, a tournament and a class do
    not resume: request them again, the seek with the same ``key``. Messages are kept until they are read, so do read
    them, and ``leave`` rooms that you no longer need.

    ``token`` makes this the player of an earlier connection. ``client`` names the program, and a new player's device.
    ``delays`` yields the seconds to wait before each attempt to reconnect. The server is pinged every ``ping_s``
    seconds and has as long to answer. ``on_delay`` is called with a sentence when the server puts a request off for
    some time, as after too many; by default it is logged as a warning, which Python prints unless the program has set
    up its log. A request put off for more than ``patience_s`` is refused instead.
    """

    welcome: Welcome
    on_delay: Callable[[str], None]
    patience_s: float = math.inf

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        bot: bool = False,
        token: str | None = None,
        client: str = f"noughts-py/{version('noughts')}",
        delays: Callable[[], Iterator[float]] = lambda: backoff(random.Random()),
        ping_s: float = 10,
    ) -> None:
        self.url = url
        self._name = name
        self._bot = bot
        self._token = token
        self._client = client
        self._delays = delays
        self._ping_s = ping_s
        self._socket: ClientConnection | None = None
        self._ready = False  # the socket takes new requests; all earlier ones have been sent
        self._task: asyncio.Task[None] | None = None
        self._pending = PendingRequests()
        self._rooms = FollowedRooms()
        self._seated = False
        self._pushed: asyncio.Queue[Pushed | None] = asyncio.Queue()
        self._pacer = Pacer(self._send_held)
        self.on_delay = log.warning
        self._ended = False
        self._error: Exception | None = None

    async def __aenter__(self) -> Self:
        """Connect, in one attempt. Raises ConnectionLost if no server answers, RequestError if it refuses."""
        await self._open()
        self._ready = True
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnect. Requests under way raise ConnectionLost, and the iteration ends."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._socket is not None:
            await self._socket.close()
        self._end(None)

    async def request(self, message: dict[str, Any]) -> Ok:
        """Send a request and return its answer (for a ``ping`` its ``pong``), after a reconnect if necessary.

        A ``create`` or ``seek`` without a ``key`` gets one. A request that the server refuses as too fast is sent again
        as soon as it allows. Raises RequestError if the server refuses the request. Raises ConnectionLost if the
        connection has ended, or broke before the answer to a request that is not safe to send twice.
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
        """The value of each move in a room's game, now or after ``ply`` moves.

        It takes the server some seconds, and it makes one analysis at a time for a connection. Raises as
        :meth:`request` does.
        """
        answer: Any = await self.request({"type": "analyse", "room": room, "ply": ply})
        analysed: Analysed = answer
        return analysed

    async def games(self, *, over: bool = False) -> AsyncIterator[MyGame]:
        """The player's own games: those under way, the most urgent first, or those that are ``over``, the last first.

        Asks for the next page when it is wanted. Raises as :meth:`request` does.
        """
        async for page in self.pages_of_games(over=over):
            for game in page["games"]:
                yield game

    async def pages_of_games(self, *, over: bool = False) -> AsyncIterator[MyGamesPage]:
        """As :meth:`games`, page by page: each says when it was made, which the clocks need."""
        after: str | None = None
        while True:
            answer: Any = await self.request({"type": "games", "over": over, "after": after})
            page: MyGamesPage = answer
            yield page
            if (after := page.get("more")) is None:
                return

    @property
    def words(self) -> Words:
        """The words in which the server puts the ends of games and what else has a code."""
        return self.welcome.get("words", WORDS)

    async def open_seeks(self, game: str | None = None) -> list[SeekInfo]:
        """The open seeks of other players, for one game or all, the last first. Raises as :meth:`request` does.

        A ``lobby`` message has their changes, if the lobby is watched: ``seeks`` are new and ``gone`` are over.
        """
        answer = await self.request({"type": "lobby", "watch": False, "game": game})
        me = self.welcome["player"]["id"]
        return [seek for seek in answer["seeks"] if seek["player"]["id"] != me]

    async def take(self, seek: str) -> str:
        """Take another player's open seek, by its id. Returns the room, which arrives as if it had been joined.

        It ends a seek of one's own. Raises as :meth:`request` does: ``unknown_seek`` if the seek is no longer open.
        """
        return (await self.request({"type": "take", "seek": seek}))["room"]

    async def review(self, room: str) -> Review:
        """The review of a finished game as far as it is known now.

        Unless it is ``complete``, the rest follows as ``reviewed`` (:func:`noughts_client.reviews.extended` puts it
        together) until this connection leaves the room. After a reconnect, request it again. Raises as
        :meth:`request` does.
        """
        answer: Any = await self.request({"type": "review", "room": room})
        review: Review = answer
        return review

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

    @property
    def ended(self) -> bool:
        """True if the connection has ended and does not come back; false while it is being restored."""
        return self._ended

    def seen(self) -> frozenset[str]:
        """The rooms received so far. A room that is not among them is one that a later ``seek`` found."""
        return frozenset(self._rooms.seen)

    # --- connecting

    async def _open(self) -> None:
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "name": self._name,
            "bot": self._bot,
            "token": self._token,
            "client": self._client,
        }
        url = self.url if self._rooms.newest is None else url_for_room(self.url, self._rooms.newest)
        self._socket, self.welcome = await shake_hands(url, hello, self._ping_s)
        self._token = self.welcome["token"]

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        delays = self._delays()
        try:
            while True:
                connected_at = loop.time()
                await self._read()
                self._lose()
                if loop.time() - connected_at > STEADY_S:
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
                known = self._seated or self.welcome["player"].get("registered")
                if isinstance(error, RequestError) and error.code == "bad_token" and not known:
                    # A restarted server forgets players who had neither a seat nor a registered name. Such a player
                    # loses nothing by coming back as a new one.
                    self._token = None
                elif not worth_retrying(error):
                    raise
        raise ConnectionLost("All attempts to reconnect have failed.")

    async def _resume(self) -> None:
        """Resume the rooms where they stopped, then send again what has no answer yet."""
        self._pushed.put_nowait({"type": "connection", "state": "restored"})
        for watch in self._rooms.resume_requests():
            self._pending.add(watch, resumes=watch["room"])
        # New requests may be added meanwhile. They must not overtake these.
        while unsent := self._pending.next_unsent():
            await self._send(*unsent)
        self._ready = True

    def _lose(self) -> None:
        self._ready = False
        self._pushed.put_nowait({"type": "connection", "state": "lost"})
        self._pending.connection_lost()

    def _end(self, error: Exception | None) -> None:
        if self._ended:
            return
        self._ended = True
        self._ready = False
        self._pacer.close()
        self._error = error
        self._pushed.put_nowait(None)
        self._pending.fail_all()

    # --- sending

    async def _send(self, number: int, request: Request) -> None:
        assert self._socket is not None
        request.sent = True
        # The task that reads from the socket also notices that it is closed, and decides about the request.
        with suppress(ConnectionClosed):
            await self._socket.send(json.dumps({**request.message, "id": number}))

    async def _send_held(self, number: int) -> None:
        request = self._pending.get(number)
        if request is not None and not request.sent and self._ready:
            await self._send(number, request)

    # --- receiving

    async def _read(self) -> None:
        """Handle messages until the connection is lost. Raises ConnectionLost if it must not be restored."""
        assert self._socket is not None
        try:
            while True:
                await self._handle(json.loads(await self._socket.recv()))
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code not in RECONNECT:
                reason = closed.rcvd.reason or f"code {closed.rcvd.code}"
                raise ConnectionLost(f"The server closed the connection: {reason}.") from closed

    async def _handle(self, message: Any) -> None:
        match message["type"]:
            case "room":
                self._rooms.restart(message)
                self._seated = self._seated or self._has_seat(message)  # a seek may have led here
                self._pushed.put_nowait(message)
                await self._watch(self._rooms.rematch_after(message))
            case "update":
                await self._handle_update(message)
            case (
                "spectators"
                | "chat"
                | "lobby"
                | "seek"
                | "seek_ended"
                | "reviewed"
                | "invitation"
                | "announcement"
                | "your_move"
                | "tournament_game"
                | "class_changes"
                | "simul_game"
            ):
                self._pushed.put_nowait(message)
            case "tournament" | "class" if "id" not in message:  # an answer looks the same
                self._pushed.put_nowait(message)
            case _:
                self._handle_answer(message)  # ignores pushes of a later protocol: they have no id

    def _has_seat(self, room: Snapshot) -> bool:
        seats = room["state"]["seats"]
        return any(seat and seat["id"] == self.welcome["player"]["id"] for seat in (seats["first"], seats["second"]))

    async def _handle_update(self, update: Update) -> None:
        if not self._rooms.accept(update):
            return
        self._pushed.put_nowait(update)
        await self._watch(self._rooms.rematch_to_watch(update))

    async def _watch(self, rematch: str | None) -> None:
        """Go on with a rematch that began while the connection was away."""
        if rematch is not None:
            await self._send(*self._pending.add({"type": "watch", "room": rematch}, resumes=rematch))

    def _waits(self, request: Request, wait_s: float) -> bool:
        return request.resumes is not None or wait_s <= self.patience_s

    def _handle_answer(self, message: Any) -> None:
        number = message.get("id")
        request = self._pending.get(number)
        if request is None:
            return
        refused = message["type"] == "error"
        if refused and message["code"] == "overloaded" and request.message["type"] in REPEATABLE:
            return  # the outcome is unknown: the server now closes with 1013, and the request is sent again
        if refused and message["code"] == "rate_limited" and self._waits(request, message["retry_after_s"]):
            request.sent = False
            if message["retry_after_s"] > DELAY_S:
                self.on_delay(f"{message['message']} Trying again in {duration(message['retry_after_s'])}.")
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
        self._rooms.answered(request.message, message, resumes=request.resumes is not None)
        self._seated = self._seated or message.get("seat") is not None
        self._token = message.get("token", self._token)
        if request.message["type"] == "register":
            self.welcome["player"] = message["player"]
        if not request.answer.done():
            request.answer.set_result(message)
