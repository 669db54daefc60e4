"""A quiet client, which shows what an attack does to others: it pings, and plays games with clocks.

It runs in a process of its own, so that what the test does to attack the server does not delay it. It connects from
127.0.0.2, so that limits by address tell it from attackers at 127.0.0.1. It keeps to the default limits.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

ADDRESS = "127.0.0.2"

PING_S = 0.02
"""The interval at which a ping is sent, whether the one before was answered or not."""

PINGERS = 3
"""The number of connections that ping in turn: each may send 30 messages a second."""

MOVE_S = 0.25
"""The time the players think."""

CLOCK = {"initial_s": 60, "increment_s": 1}

BOUND_S = 1.0
"""The bound for 99 of 100 pings: the aim is 0.25 s, but the machine that runs the tests may be busy."""


@dataclass(frozen=True)
class Report:
    """A bystander's report since its last. Times are in seconds.

    ``move_s``: how long each answer to a move took. ``paused_ms``: how long the clocks of its game stood still, for
    each time that they did. ``computer_s``: how long the computer took for each move. ``computer_paused_ms``: as
    ``paused_ms``, in the game against the computer. ``late_s``: how late 99 of 100 pings were sent at most, which shows
    how busy the machine is. ``failures``: refused requests, closed connections, games that did not end by a move.
    """

    pings: int
    p50_s: float
    p99_s: float
    worst_s: float
    moves: int
    move_s: list[float]
    paused_ms: list[int]
    computer_s: list[float]
    computer_paused_ms: list[int]
    late_s: float
    failures: list[str]

    def check(self, record: Callable[[str, object], None], attack: str, *, computer_s: float = 5.0) -> None:
        """Assert that the attack disturbed nobody, and record the figures.

        ``record`` is pytest's ``record_property``; ``computer_s`` is how long the computer may take for a move.
        """
        record(attack, asdict(self))
        print(f"{attack}: pings p50 {self.p50_s * 1000:.1f} ms, p99 {self.p99_s * 1000:.1f} ms, worst", end=" ")
        print(f"{self.worst_s * 1000:.0f} ms of {self.pings}; {self.moves} moves, paused {self.paused_ms};", end=" ")
        print(f"computer at most {max(self.computer_s, default=0):.2f} s in {len(self.computer_s)} moves")
        assert not self.failures
        assert self.pings
        assert self.p99_s < BOUND_S, f"p99 {self.p99_s:.2f} s"
        assert not self.paused_ms
        assert max(self.computer_s, default=0) < computer_s


class Bystander:
    """The bystander, as the test sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def report(self) -> Report:
        """A report since the last."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"report\n")
        return Report(**await self.line())

    async def line(self) -> dict[str, Any]:
        """The next line of its output."""
        assert self._process.stdout is not None
        async with asyncio.timeout(120):
            line = await self._process.stdout.readline()
        assert line, "the bystander has ended; see its output"
        fields: dict[str, Any] = json.loads(line)
        return fields


@asynccontextmanager
async def bystander(url: str, *, level: str = "medium", address: str = ADDRESS) -> AsyncIterator[Bystander]:
    """A bystander within the block, which has played against the computer, at ``level``, when the block begins."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "attacks.bystander", url, address, level),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        quiet = Bystander(process)
        await quiet.line()
        yield quiet
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class _Seen:
    """A report since the last."""

    def __init__(self) -> None:
        self.pings: list[float] = []
        self.moves = 0
        self.answered: list[float] = []
        self.paused: dict[bool, list[int]] = {False: [], True: []}
        self.computer: list[float] = []
        self.late: list[float] = []
        self.failures: list[str] = []


class _Client:
    """A connection. ``on_message`` gets the messages that answer nothing."""

    def __init__(self, socket: ClientConnection, on_message: Callable[[dict[str, Any]], None]) -> None:
        self._socket = socket
        self._on_message = on_message
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def request(self, **message: Any) -> dict[str, Any]:
        """The answer to a request. Raises RuntimeError if it is refused or the connection is closed."""
        number = len(self._answers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send(json.dumps({"id": number, **message}))
        fields: dict[str, Any] = await answer
        if fields["type"] == "error":
            raise RuntimeError(f"{message['type']}: {fields['code']} {fields['message']}")
        return fields

    async def read(self) -> None:
        """Read until the connection is closed."""
        error = "closed"
        try:
            async for text in self._socket:
                message = json.loads(text)
                answer = self._answers.get(message.get("id", -1))
                if answer is not None and not answer.done():
                    answer.set_result(message)
                else:
                    self._on_message(message)
        except ConnectionClosed as closed:
            error = f"closed: {closed}"
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(RuntimeError(error))


class _Run:
    """The bystander's process."""

    def __init__(self, url: str, address: str, level: str) -> None:
        self._url = url
        self._address = address
        self._level = level
        self._seen = _Seen()
        self._under_way: dict[asyncio.Task[None], float] = {}
        self._moving: dict[str, float] = {}  # since when a move of a room waits for its answer
        self._tasks: list[asyncio.Task[None]] = []
        self._answered = asyncio.Event()

    async def run(self) -> None:
        """Ping and play until stdin ends, and write a report for each of its lines."""
        self._tasks = [asyncio.create_task(work) for work in (self._ping(), self._play(), self._play_computer())]
        await self._answered.wait()
        self._seen = _Seen()
        print("{}", flush=True)
        lines = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while await lines.readline():
            print(json.dumps(asdict(self._report())), flush=True)

    def _report(self) -> Report:
        seen, self._seen = self._seen, _Seen()
        now = asyncio.get_running_loop().time()
        pings = sorted([*seen.pings, *(now - since for since in self._under_way.values())]) or [0.0]
        ended = [str(task.exception() or "ended") for task in self._tasks if task.done()]
        return Report(
            pings=len(pings),
            p50_s=pings[len(pings) // 2],
            p99_s=pings[len(pings) * 99 // 100],
            worst_s=pings[-1],
            moves=seen.moves,
            move_s=sorted([*seen.answered, *(now - since for since in self._moving.values())]),
            paused_ms=seen.paused[False],
            computer_s=seen.computer,
            computer_paused_ms=seen.paused[True],
            late_s=sorted([0.0, *seen.late])[len(seen.late) * 99 // 100],
            failures=[*seen.failures, *ended],
        )

    async def _connected(self, name: str, on_message: Callable[[dict[str, Any]], None] = lambda _: None) -> _Client:
        socket = await connect(self._url, compression=None, local_addr=(self._address, 0))
        client = _Client(socket, on_message)
        self._tasks.append(asyncio.create_task(client.read()))
        await client.request(type="hello", protocol=1, name=name)
        return client

    async def _ping(self) -> None:
        loop = asyncio.get_running_loop()
        clients = [await self._connected(f"pinger-{number}") for number in range(PINGERS)]
        due = loop.time()
        while True:
            for client in clients:
                task = asyncio.create_task(self._ping_once(client))
                self._under_way[task] = loop.time()
                due += PING_S
                await asyncio.sleep(max(0.0, due - loop.time()))
                self._seen.late.append(loop.time() - due)

    async def _ping_once(self, client: _Client) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        try:
            await client.request(type="ping")
            self._seen.pings.append(loop.time() - self._under_way[task])
        except (RuntimeError, ConnectionClosed) as error:
            self._seen.failures.append(str(error))
        finally:
            del self._under_way[task]

    async def _play(self) -> None:
        """Play games between two players, one after the other."""
        states: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        one = await self._connected("bystander-1", lambda message: self._take(message, states, computer=False))
        two = await self._connected("bystander-2")
        while True:
            created = await one.request(type="create", game="connect4", clock=CLOCK, private=True)
            await two.request(type="join", room=created["room"])
            await self._play_game(created["room"], [one, two], states)

    async def _play_computer(self) -> None:
        """Play games against the computer, one after the other."""
        states: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        one = await self._connected("bystander-3", lambda message: self._take(message, states, computer=True))
        seats = {"first": "me", "second": f"computer:{self._level}"}
        while True:
            created = await one.request(type="create", game="connect4", seats=seats, clock=CLOCK, private=True)
            await self._play_game(created["room"], [one], states)

    def _take(self, message: dict[str, Any], states: asyncio.Queue[dict[str, Any]], *, computer: bool) -> None:
        """Take a message about the room."""
        if message["type"] not in ("room", "update"):
            return
        event = message.get("event", {})
        if event.get("kind") == "paused":
            self._seen.paused[computer].append(event["ms"])
        states.put_nowait(message)

    async def _play_game(self, room: str, clients: list[_Client], states: asyncio.Queue[dict[str, Any]]) -> None:
        """Play one game; with one client, that plays against the computer."""
        loop = asyncio.get_running_loop()
        moved_at = 0.0
        while True:
            message = await states.get()
            state = message["state"]
            if message["room"] != room or state["status"] == "waiting":
                continue
            event = message.get("event", {})
            if moved_at and event.get("kind") == "played" and event["side"] == "second":
                self._seen.computer.append(loop.time() - moved_at)
                moved_at = 0.0
                self._answered.set()
            if state["status"] == "over":
                break
            to_move = ("first", "second").index(state["to_move"])
            if event.get("kind", "joined") not in ("joined", "played") or to_move >= len(clients):
                continue
            await asyncio.sleep(MOVE_S)
            if len(clients) == 1:
                moved_at = loop.time()
            # The moves of this list are no plan, and the games are of any length.
            move = state["legal_moves"][3 * state["ply"] % len(state["legal_moves"])]
            self._moving[room] = loop.time()
            await clients[to_move].request(type="play", room=room, turn=state["turn"], move=move)
            self._seen.answered.append(loop.time() - self._moving.pop(room))
            self._seen.moves += len(clients) == 2
        if state["outcome"]["reason"] not in ("line", "draw"):
            self._seen.failures.append(f"a game ended by {state['outcome']['reason']}")
        for client in clients:
            await client.request(type="leave", room=room)


if __name__ == "__main__":
    asyncio.run(_Run(*sys.argv[1:]).run())
