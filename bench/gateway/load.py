"""The load: players who play one game after the other, and a room with many spectators."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable

from bench.gateway.connection import Connection, kind_of

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")
EVENT = re.compile(rb'"kind": ?"(\w+)"')
ID = re.compile(rb'"id": ?(\d+)')
DRAWN = "123547698"
"""The moves of a game of the greatest length."""


def random_game(rng: random.Random) -> str:
    """The moves of a game in which both sides play at random: 5 to 9, on average about 7.5."""
    moves = "".join(rng.sample("123456789", 9))
    for length in range(5, 9):
        mine = set(moves[length - 1 :: -2])
        if any(mine.issuperset(line) for line in LINES):
            return moves[:length]
    return moves


LONG = "257771314744647214154617633623313656555222"
"""The moves of a drawn game of Connect Four, the greatest length."""


class Meter:
    """Counts the ``moves`` acknowledged, and measures times in seconds from sending each move.

    ``latencies``: until its ``ok``. ``deliveries``: until the opponent received it.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start again from zero."""
        self.moves = 0
        self.latencies: list[float] = []
        self.deliveries: list[float] = []


class _Player:
    """One side of a table."""

    def __init__(self, table: Table, connection: Connection, side: int) -> None:
        self.table = table
        self.connection = connection
        self.side = side
        self.turn = -1 if side == 0 else 0
        self.pending: dict[bytes, str] = {}
        self.sent_at = 0.0
        connection.receive = self.receive

    def request(self, kind: str, fields: str = "") -> None:
        self.table.requests += 1
        self.pending[b"%d" % self.table.requests] = kind
        self.connection.send(f'{{"type":"{kind}","id":{self.table.requests}{fields}}}'.encode())

    def play(self) -> None:
        self.sent_at = time.perf_counter()
        table = self.table
        self.request("play", f',"room":"{table.room}","turn":{self.turn},"move":"{table.moves[self.turn]}"')

    def receive(self, message: bytes) -> None:
        kind = kind_of(message)
        if kind == b"update" and EVENT.findall(message, 0, 256)[0] in (b"joined", b"played"):
            # The first player's first update says that the second joined; each later one is a move.
            self.turn += 1
            if self.turn > 0 and self.turn % 2 == self.side:
                self.table.delivered(self)
            if self.turn == len(self.table.moves):
                self.table.finished(self)
            elif self.turn % 2 == self.side:
                self.table.gate.pass_through(self.play)
        elif kind == b"ok":
            self._answered(message)

    def _answered(self, message: bytes) -> None:
        kind = self.pending.pop(ID.findall(message, 0, 32)[0])
        if kind == "play":
            self.table.meter.moves += 1
            self.table.meter.latencies.append(time.perf_counter() - self.sent_at)
        elif kind == "create":
            self.table.opened(json.loads(message)["room"])


class Table:
    """Two players who play one game after the other, each in a new room. Each plays as soon as it is its turn.

    A rematch would be more work for a server that keeps a history than for one that does not. Opening a new room takes
    the same four requests everywhere: both players leave the old room, one opens a new one, and the other joins it.
    ``gate`` stops and starts all tables. ``game`` is a drawn game of Connect Four or, by default, random tic-tac-toe.
    """

    def __init__(
        self,
        first: Connection,
        second: Connection,
        gate: Gate,
        meter: Meter,
        rng: random.Random,
        *,
        game: str = "tictactoe",
    ) -> None:
        self.game = game
        self.gate = gate
        self.meter = meter
        self.rng = rng
        self.room = ""
        self.moves = ""
        self.requests = 0
        self._done = 0
        self._first = _Player(self, first, 0)
        self._second = _Player(self, second, 1)
        gate.pass_through(self._open)

    def delivered(self, player: _Player) -> None:
        """A player received the opponent's move."""
        mover = self._first if player is self._second else self._second
        self.meter.deliveries.append(time.perf_counter() - mover.sent_at)

    def finished(self, player: _Player) -> None:
        """A player received the end of the game."""
        player.request("leave", f',"room":"{self.room}"')
        self._done += 1
        if self._done == 2:
            self.gate.pass_through(self._open)

    def _open(self) -> None:
        self._done = 0
        self.moves = random_game(self.rng) if self.game == "tictactoe" else LONG
        self._first.turn, self._second.turn = -1, 0
        self._first.request("create", f',"game":"{self.game}"')

    def opened(self, room: str) -> None:
        """The first player's new room is open."""
        self.room = room
        self._second.request("join", f',"room":"{room}"')


class Gate:
    """Stops all tables between two visits to a server."""

    def __init__(self, tables: int) -> None:
        self._tables = tables
        self._open = False
        self._waiting: list[Callable[[], None]] = []
        self._still = asyncio.Event()

    def pass_through(self, step: Callable[[], None]) -> None:
        """Take ``step`` now, or when the gate opens."""
        if self._open:
            step()
            return
        self._waiting.append(step)
        if len(self._waiting) == self._tables:
            self._still.set()

    def open(self) -> None:
        """Let all waiting tables continue."""
        self._open = True
        self._still.clear()
        waiting, self._waiting = self._waiting, []
        for step in waiting:
            step()

    async def shut(self) -> None:
        """Stop every table. Returns when all have stopped."""
        self._open = False
        await self._still.wait()


class Theatre:
    """One room with two players and many spectators. A move is sent when everybody has received the one before."""

    def __init__(self, first: Connection, second: Connection, spectators: list[Connection]) -> None:
        self._players = (first, second)
        self._spectators = spectators
        self._room = ""
        self._awaited = 0
        self._id = 0
        self._push = b""
        self._all: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        for player in self._players:
            player.receive = self._for_player
        for spectator in spectators:
            spectator.receive = self._count

    @property
    def seats(self) -> int:
        """The number of connections that receive each move."""
        return len(self._spectators) + 2

    async def open(self) -> None:
        """Start a new game for the same spectators, who leave the last one."""
        left = self._room
        if left:
            for connection in (*self._players, *self._spectators):
                connection.send(f'{{"type":"leave","id":1,"room":"{left}"}}'.encode())
        first, second = self._players
        answer = await self._ask(first, b'{"type":"create","id":2,"game":"tictactoe"}', b"room", 1)
        self._room = json.loads(answer)["room"]
        # The joiner gets the room, the other an update; spectators each get the room.
        await self._ask(second, f'{{"type":"join","id":3,"room":"{self._room}"}}'.encode(), b"room", 1)
        self._expect(len(self._spectators), b"room")
        for spectator in self._spectators:
            spectator.send(f'{{"type":"watch","id":4,"room":"{self._room}"}}'.encode())
        await self._all

    async def play(self, turn: int) -> float:
        """Play the move at ``turn`` of DRAWN. Returns the seconds until everybody received it."""
        message = f'{{"type":"play","id":{turn + 5},"room":"{self._room}","turn":{turn},"move":"{DRAWN[turn]}"}}'
        began = time.perf_counter()
        await self._ask(self._players[turn % 2], message.encode(), b"update", self.seats)
        return time.perf_counter() - began

    async def _ask(self, player: Connection, message: bytes, push: bytes, times: int) -> bytes:
        self._expect(times, push)
        self._answer = asyncio.get_running_loop().create_future()
        self._id = json.loads(message)["id"]
        player.send(message)
        answer = await self._answer
        await self._all
        return answer

    def _expect(self, times: int, push: bytes) -> None:
        self._awaited = times
        self._push = push
        self._all = asyncio.get_running_loop().create_future()

    def _for_player(self, message: bytes) -> None:
        if kind_of(message) != b"ok":
            self._count(message)
        elif json.loads(message)["id"] == self._id:
            self._answer.set_result(message)

    def _count(self, message: bytes) -> None:
        if kind_of(message) == self._push:
            self._awaited -= 1
            if not self._awaited:
                self._all.set_result(None)
