"""A table of a league: a room on a server, and a connection for each of its two players."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from noughts.league.records import SIDES, Side
from noughts.league.state import LeagueError
from noughts.protocol.room_messages import State
from noughts_client.connection import Connection, Pushed
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.requests import game_terms

ATTEMPTS = 3
"""The most rooms that are opened for a game: on a live server somebody else may take the seat meant for a bot."""


ORGANISER = "league"
"""The name of the player who opens rooms in which only guests play."""


@dataclass
class Site:
    """A server where the league's games are played, and a token for each player by name, as far as they are known.

    ``coming_s`` is how long a guest may take to come to its game.
    """

    url: str
    tokens: dict[str, str] = field(default_factory=dict)
    coming_s: float = 20.0

    @asynccontextmanager
    async def connected(self, name: str) -> AsyncIterator[Connection]:
        """A connection of the player ``name``, which is the same player every time. Raises :class:`LeagueError`."""
        try:
            async with Connection(self.url, name=name, bot=True, token=self.tokens.get(name)) as connection:
                self.tokens.setdefault(name, connection.welcome["token"])
                yield connection
        except (RequestError, ConnectionLost) as error:
            raise LeagueError(f"{name} at {self.url}: {_sentence(error)}") from error


@dataclass(frozen=True)
class Guest:
    """A player who is connected to the server by itself, and is invited to each game: its id.

    It plays one game at a time: whoever invites it holds ``busy``.
    """

    player: str
    busy: asyncio.Lock = field(default_factory=asyncio.Lock, compare=False)


Players = Mapping[Side, "str | Guest"]
"""The players: the name of a player whose bot the league runs, or a guest."""


class NoShow(Exception):
    """A guest has not come to its game."""

    def __init__(self, side: Side) -> None:
        super().__init__(side)
        self.side = side


class Table:
    """A game under way. ``state`` is the newest one; ``over`` is done when the game is. ``ended_by`` is the side that
    ended it without a move, None if the server did. ``last_to_move`` is the side that was to move last.

    ``host`` is the connection that opened the room. ``seats`` are those of the players whose bots the league runs.
    """

    def __init__(self, room: str, host: Connection, seats: Mapping[Side, Connection], state: State) -> None:
        self.room = room
        self.state = state
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended_by: Side | None = None
        self.last_to_move = state["to_move"]
        self.seats = seats
        self._host = host
        self._changed = asyncio.Event()
        self._pushed: dict[Side, asyncio.Queue[Pushed | None]] = {}

    @property
    def to_move(self) -> Side:
        """The side to move in a game that is not over."""
        side = self.state["to_move"]
        assert side is not None
        return side

    async def messages(self, side: Side) -> AsyncIterator[Pushed]:
        """The room and what the server pushes to a seat after it, until the connection ends."""
        self._pushed[side] = pushed = asyncio.Queue[Pushed | None]()
        await self.seats[side].request({"type": "watch", "room": self.room})
        while (message := await pushed.get()) is not None:
            yield message

    async def play(self, move: str) -> None:
        """Play ``move`` for the side to move, and wait until it is in ``state`` or the game is over.

        Raises RequestError if the server refuses the move, unless the game has ended meanwhile.
        """
        turn = self.state["turn"]
        try:
            await self.seats[self.to_move].request({"type": "play", "room": self.room, "turn": turn, "move": move})
        except RequestError as error:
            if error.code not in ("stale", "game_over"):
                raise
        await self.moved(turn)

    async def moved(self, turn: int) -> None:
        """Wait until ``state`` has another turn than ``turn``, or the game is over."""
        while self.state["turn"] == turn and not self.over.done():
            self._changed.clear()
            await self._changed.wait()
        if self.over.done():
            self.over.result()  # raises if the connection was lost

    async def follow(self) -> None:
        """Keep ``state`` up to date until the game is over, and read all that the server pushes."""
        readers = [self._read(side, connection) for side, connection in self.seats.items()]
        if self._host not in self.seats.values():
            readers.append(self._read(None, self._host))
        await asyncio.gather(*readers)

    async def _read(self, side: Side | None, connection: Connection) -> None:
        try:
            async for message in connection:
                if connection is self._host:
                    self._note(message)
                if side in self._pushed:
                    self._pushed[side].put_nowait(message)
            raise ConnectionLost("The connection has ended.")
        except Exception as error:
            if connection is self._host and not self.over.done():
                self.over.set_exception(error)
                self._changed.set()
        finally:
            if side in self._pushed:
                self._pushed[side].put_nowait(None)

    def _note(self, message: Pushed) -> None:
        """Take in a message to the host. Raises :class:`LeagueError` if the room is gone."""
        if self.over.done():
            return
        if message["type"] == "gone":
            raise LeagueError(f"the room {self.room} is gone: {message['message']}")
        if (message["type"] == "room" or message["type"] == "update") and message["room"] == self.room:
            self.state = message["state"]
            self.last_to_move = self.state["to_move"] or self.last_to_move
            if message["type"] == "update" and message["event"]["kind"] == "ended":
                self.ended_by = message["event"]["side"]
            if self.state["outcome"] is not None:
                self.over.set_result(None)
            self._changed.set()


@asynccontextmanager
async def table(site: Site, game: str, players: Players, clock: Any) -> AsyncIterator[Table]:
    """A table at which the ``players`` have just sat down, in a public room, or a private one if a stranger came first.

    Raises :class:`NoShow`, and :class:`~noughts.league.state.LeagueError` if the server cannot be reached or refuses
    something.
    """
    async with AsyncExitStack() as stack:
        seats: dict[Side, Connection] = {}
        for side, player in players.items():
            if isinstance(player, str):
                seats[side] = await stack.enter_async_context(site.connected(player))
        host = next(iter(seats.values())) if seats else await stack.enter_async_context(site.connected(ORGANISER))
        for attempt in range(ATTEMPTS):
            room = await _open(host, seats, game, clock, private=attempt > 0)
            try:
                state = await _seated(host, room, seats, players, site.coming_s)
                break
            except _TakenSeat:
                await _drop(host, room)
                if attempt + 1 == ATTEMPTS:
                    raise LeagueError(f"at {site.url} others take the seats of the league's players") from None
            except NoShow:
                await _drop(host, room)
                raise
        found = Table(room, host, seats, state)
        following = asyncio.create_task(found.follow())
        try:
            yield found
        finally:
            following.cancel()
            await asyncio.wait({following})
            if found.over.done() and not found.over.cancelled():
                found.over.exception()  # so that nobody is told that it was never looked at


class _TakenSeat(Exception):
    """Somebody else sits in a player's seat."""


async def _open(host: Connection, seats: Mapping[Side, Connection], game: str, clock: Any, *, private: bool) -> str:
    """Open a room in which the host has its seat, if it plays; its id."""
    wishes = {side: "me" if seats.get(side) is host else "open" for side in SIDES}
    terms = {"type": "create", **game_terms(game), "clock": clock, "seats": wishes, "private": private}
    return (await host.request(terms))["room"]


async def _seated(
    host: Connection, room: str, seats: Mapping[Side, Connection], players: Players, coming_s: float
) -> State:
    """Seat whoever has no seat yet; the state in which the game begins. Raises :class:`_TakenSeat` and NoShow."""
    state: State | None = None
    for side in SIDES:
        player = players[side]
        if isinstance(player, Guest):
            await host.request({"type": "invite", "room": room, "player": player.player})
            try:
                async with asyncio.timeout(coming_s):
                    state = await _state(host, room, partial(_sits, side))
            except TimeoutError:
                raise NoShow(side) from None
            seat = state["seats"][side]
            if seat is None or seat["id"] != player.player:
                raise _TakenSeat
        elif seats[side] is not host:
            try:
                await seats[side].request({"type": "join", "room": room, "seat": side})
            except RequestError as error:
                if error.code in ("seat_taken", "game_over"):
                    raise _TakenSeat from error
                raise
    return state if state is not None and _plays(state) else await _state(host, room, _plays)


def _sits(side: Side, state: State) -> bool:
    return state["seats"][side] is not None


def _plays(state: State) -> bool:
    return state["status"] == "playing"


async def _state(host: Connection, room: str, holds: Callable[[State], bool]) -> State:
    """The first state of the room, from the host's messages, for which something holds."""
    async for message in host:
        if (message["type"] == "room" or message["type"] == "update") and message["room"] == room:
            if message["state"]["status"] == "over":
                raise _TakenSeat  # it was aborted
            if holds(message["state"]):
                return message["state"]
    raise ConnectionLost("The connection has ended.")


async def _drop(host: Connection, room: str) -> None:
    """Have nothing more to do with a room."""
    for request in ("abort", "leave"):
        with suppress(RequestError):
            await host.request({"type": request, "room": room})


def _sentence(error: Exception) -> str:
    return error.sentence if isinstance(error, RequestError) else str(error)
