"""The load: bare connections with frames made by hand, and the games that they play, one after the other.

All of it must be far cheaper than a server. It looks at no more of a message than tells what to do next, and it
ends the run at the first error.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable
from typing import Any, cast

TEXT, PING, PONG = 0x81, 0x89, 0x8A
HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
LINES = ("123", "456", "789", "147", "258", "369", "159", "357")
EVENT = re.compile(rb'"kind": ?"(\w+)"')
ID = re.compile(rb'"id": ?(\d+)')
DRAWN = "123547698"
"""The moves of a longest game."""


def random_game(rng: random.Random) -> str:
    """The moves of a game in which both sides choose at random: 5 to 9, about 7.5."""
    moves = "".join(rng.sample("123456789", 9))
    for length in range(5, 9):
        mine = set(moves[length - 1 :: -2])
        if any(mine.issuperset(line) for line in LINES):
            return moves[:length]
    return moves


class Connection(asyncio.Protocol):
    """A client's end of a WebSocket. ``receive`` is called with every text message."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.receive: Callable[[bytes], None] = self._ignore
        self._unread = b""
        self._shaken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(HANDSHAKE)

    def data_received(self, data: bytes) -> None:
        if self._unread:
            data = self._unread + data
        if not self._shaken:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._unread = head
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._shaken = True
            self.ready.set_result(None)
        start, end_of_data = 0, len(data)
        while end_of_data - start >= 4:
            length = data[start + 1]
            begin = start + 2
            if length == 126:
                length = data[start + 2] << 8 | data[start + 3]
                begin += 2
            if end_of_data < begin + length:
                break
            self._take(data[start], data[begin : begin + length])
            start = begin + length
        self._unread = data[start:]

    def _take(self, head: int, message: bytes) -> None:
        if head == TEXT:
            self.receive(message)
        elif head == PING:
            self._transport.write(bytes((PONG, 0x80 | len(message), 0, 0, 0, 0)) + message)
        else:
            raise RuntimeError(f"the server sent a frame {head:#x}: {message!r}")

    def send(self, message: bytes) -> None:
        """Send one text message, masked with zeros, which costs the server as much as any mask."""
        length = len(message)
        size = bytes((0x80 | length,)) if length < 126 else bytes((0xFE, length >> 8, length & 255))
        self._transport.write(b"\x81" + size + b"\0\0\0\0" + message)

    def _ignore(self, message: bytes) -> None:
        kind_of(message)


def kind_of(message: bytes) -> bytes:
    """The ``type`` of a message, which all servers here write first."""
    kind = message.split(b'"', 4)[3]
    if kind == b"error":
        raise RuntimeError(f"the server refused: {message!r}")
    return kind


async def connect(port: int, name: str) -> Connection:
    """A connection that has said hello."""
    _, connection = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    await connection.ready
    welcome: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    connection.receive = welcome.set_result
    connection.send(json.dumps({"type": "hello", "id": 0, "protocol": 1, "name": name}).encode())
    assert kind_of(await welcome) == b"welcome"
    connection.receive = connection._ignore
    return connection


def stop_at_errors() -> None:
    """End the run when a connection's callback fails, rather than wait for what will not come."""
    task = asyncio.current_task()
    assert task is not None

    def stop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        task.cancel()

    asyncio.get_running_loop().set_exception_handler(stop)


class Meter:
    """What the tables note of the ``moves`` acknowledged, in seconds from the sending of each.

    ``latencies``: until its ``ok``. ``deliveries``: until the opponent was told.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin to count again."""
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
        self.asked: dict[bytes, str] = {}
        self.sent_at = 0.0
        connection.receive = self.receive

    def ask(self, kind: str, fields: str = "") -> None:
        self.table.requests += 1
        self.asked[b"%d" % self.table.requests] = kind
        self.connection.send(f'{{"type":"{kind}","id":{self.table.requests}{fields}}}'.encode())

    def play(self) -> None:
        self.sent_at = time.perf_counter()
        table = self.table
        self.ask("play", f',"room":"{table.room}","turn":{self.turn},"move":"{table.moves[self.turn]}"')

    def receive(self, message: bytes) -> None:
        kind = kind_of(message)
        if kind == b"update" and EVENT.findall(message, 0, 256)[0] in (b"joined", b"played"):
            # The first to sit down is told of the second first; from then on each update is a move.
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
        asked = self.asked.pop(ID.findall(message, 0, 32)[0])
        if asked == "play":
            self.table.meter.moves += 1
            self.table.meter.latencies.append(time.perf_counter() - self.sent_at)
        elif asked == "create":
            self.table.opened(json.loads(message)["room"])


class Table:
    """Two players in closed loop: each plays as soon as it is its turn, in one new room after another.

    A rematch would ask a server that keeps a history for more than one that does not; a new room is the same
    four requests for all: two leave the old room, one opens a new one and one joins it. ``gate`` stops and starts
    all tables.
    """

    def __init__(self, first: Connection, second: Connection, gate: Gate, meter: Meter, rng: random.Random) -> None:
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
        """One side was told of the other's move."""
        mover = self._first if player is self._second else self._second
        self.meter.deliveries.append(time.perf_counter() - mover.sent_at)

    def finished(self, player: _Player) -> None:
        """One side has seen the end."""
        player.ask("leave", f',"room":"{self.room}"')
        self._done += 1
        if self._done == 2:
            self.gate.pass_through(self._open)

    def _open(self) -> None:
        self._done = 0
        self.moves = random_game(self.rng)
        self._first.turn, self._second.turn = -1, 0
        self._first.ask("create", ',"game":"tictactoe"')

    def opened(self, room: str) -> None:
        """The first side's new room is there."""
        self.room = room
        self._second.ask("join", f',"room":"{room}"')


class Gate:
    """Holds so many tables back between two visits of a server."""

    def __init__(self, tables: int) -> None:
        self._tables = tables
        self._open = False
        self._waiting: list[Callable[[], None]] = []
        self._still = asyncio.Event()

    def pass_through(self, step: Callable[[], None]) -> None:
        """Take ``step``, now or when the gate opens."""
        if self._open:
            step()
            return
        self._waiting.append(step)
        if len(self._waiting) == self._tables:
            self._still.set()

    def open(self) -> None:
        """Let all that wait go on."""
        self._open = True
        self._still.clear()
        waiting, self._waiting = self._waiting, []
        for step in waiting:
            step()

    async def shut(self) -> None:
        """Hold back every table, and return when all stand still."""
        self._open = False
        await self._still.wait()


class Theatre:
    """One room with two players and many spectators. A move is made when all have seen the one before."""

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
        """How many connections are told of each move."""
        return len(self._spectators) + 2

    async def open(self) -> None:
        """Begin a new game before the same spectators, who leave the last one."""
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
        """Play the move at ``turn`` of a longest game; the seconds until the last of all has seen it."""
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
