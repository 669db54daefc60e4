"""kill -9 in the middle of timed games: clocks do not run while the server is down.

The players measure how long they think, and the test compares that with what the journal charged them.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import defaultdict
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from noughts.journal import SqliteJournal
from support.client import Client, Json, connected
from support.server import ServerProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

TABLES = 20
CLOCK = {"initial_s": 6, "increment_s": 0}
"""About twice what a player needs for its own moves, but less than it would need if outages were charged, too."""

MOMENT_MS = 3000
"""What a move may cost beyond its player's thinking: the round trip on a busy machine."""

GONE = (OSError, EOFError, ConnectionClosed, InvalidHandshake, TimeoutError)


class Player:
    """Plays one game, reconnecting as needed. Times are in seconds since the epoch.

    ``thought_s``: how long it thought at each turn while the server was up. ``known_at``: when it learned that each of
    its moves was accepted.
    """

    def __init__(self, url: str, rng: random.Random) -> None:
        self.url = url
        self.token: str | None = None
        self.thought_s: defaultdict[int, float] = defaultdict(float)
        self.known_at: dict[int, float] = {}
        self._rng = rng
        self._plans: dict[int, tuple[str, float]] = {}

    async def sit(self, room: str | None) -> str:
        """Take a seat in ``room``, or in a new room. Returns the room."""
        async with connected(self.url, token=self.token) as client:
            self.token = client.token
            sitting = {"type": "join", "room": room} if room else {"type": "create", "game": "connect4", "clock": CLOCK}
            return str((await client.ok(**sitting))["room"])

    async def play(self, room: str) -> None:
        """Play until the game is over."""
        while True:
            try:
                async with connected(self.url, token=self.token) as client:
                    await client.ok(type="watch", room=room)
                    await self._play(client, room)
                    return
            except GONE:
                await asyncio.sleep(0.05)

    async def _play(self, client: Client, room: str) -> None:
        message = await client.push("room")
        while True:
            state = message["state"]
            for turn in self._plans:
                if turn < state["turn"]:  # the answer may have been lost
                    self.known_at.setdefault(turn, time.time())
            if state["status"] == "over":
                return
            to_move = state["to_move"] and state["seats"][state["to_move"]]
            if to_move and to_move["id"] == client.id and state["turn"] not in self.known_at:
                await self._move(client, room, state)
            message = await client.push("update")

    async def _move(self, client: Client, room: str, state: Json) -> None:
        turn = state["turn"]
        plan = (self._rng.choice(state["legal_moves"]), self._rng.uniform(0.05, 0.15))
        move, think_s = self._plans.setdefault(turn, plan)
        began = time.time()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(think_s - self.thought_s[turn]):
                    while True:
                        client.pushed.append(await client.receive())
        finally:
            self.thought_s[turn] += time.time() - began
        answer = await client.play(room, turn, move)
        if answer["type"] == "ok":
            self.known_at.setdefault(turn, time.time())


class Load:
    """Twenty games on a server that is killed. ``up``: when it was up, in seconds since the epoch."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.up: list[tuple[float, float]] = []
        self.tables: dict[str, tuple[Player, Player]] = {}

    async def run(self, downs_s: list[float]) -> None:
        """Play the games to their end, and kill the server in the middle for each of ``downs_s`` seconds."""
        await self.server.start()
        began = time.time()
        for number in range(TABLES):
            ann, ben = (Player(self.server.url, random.Random(f"{number} {side}")) for side in "ab")
            room = await ann.sit(None)
            await ben.sit(room)
            self.tables[room] = (ann, ben)
        async with asyncio.timeout(400), asyncio.TaskGroup() as group:
            for room, players in self.tables.items():
                for player in players:
                    group.create_task(player.play(room))
            for number, down_s in enumerate(downs_s, 1):
                while self.moves < 3 * number * TABLES:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                await self.server.kill()
                self.up.append((began, time.time()))
                await asyncio.sleep(down_s)
                await self.server.start()
                began = time.time()
        self.up.append((began, time.time()))
        await self.server.stop()

    @property
    def moves(self) -> int:
        """The number of accepted moves."""
        return sum(len(player.known_at) for players in self.tables.values() for player in players)

    async def wrongs(self) -> list[str]:
        """Where the journal charged a player too much."""
        journal = await SqliteJournal.open(Path(self.server.journal))
        try:
            games = {room: [json.loads(record) for record in await journal.read(room)] for room in self.tables}
        finally:
            await journal.close()
        return [f"{room}: {wrong}" for room, records in games.items() for wrong in self._wrongs(room, records)]

    def _wrongs(self, room: str, records: list[Json]) -> list[str]:
        wrongs: list[str] = []
        end = records[-1]["outcome"]["reason"]
        if end not in ("line", "draw"):
            wrongs.append(f"ended by {end}")
        moves = [record for record in records if record["kind"] == "played"]
        for before, move in pairwise(moves[1:]):  # the clocks run from the third move on
            turn, charged_ms = move["turn"], move["thought_ms"]
            player = self.tables[room][turn % 2]
            thought_ms = player.thought_s[turn] * 1000
            there_ms = self._there_ms(before["at"], player.known_at[turn] * 1000)
            if charged_ms > there_ms + 1:
                wrongs.append(f"turn {turn} was charged {charged_ms} ms, but the server was up for {there_ms:.0f} ms")
            if charged_ms > thought_ms + MOMENT_MS:
                wrongs.append(f"turn {turn} was charged {charged_ms} ms for {thought_ms:.0f} ms of thinking")
        for (_, killed), (listening, _) in pairwise(self.up):
            after = next(record for record in [*records, {}] if record.get("at", killed * 1000) >= killed * 1000)
            away_ms = (listening - killed) * 1000
            if after and (after["kind"] != "paused" or after["ms"] < away_ms):
                wrongs.append(f"an outage of {away_ms:.0f} ms was followed by {after}")
        return wrongs

    def _there_ms(self, since_ms: float, until_ms: float) -> float:
        """How long the server was up between ``since_ms`` and ``until_ms``."""
        return sum(max(0.0, min(end * 1000, until_ms) - max(begin * 1000, since_ms)) for begin, end in self.up)


async def test_clocks_do_not_run_while_the_server_is_down(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log")
    load = Load(server)
    await load.run([0, 1, 7])
    assert await load.wrongs() == []
    assert "Traceback" not in server.output()


async def test_a_server_whose_clocks_run_while_it_is_down_is_detected(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", program=("-m", "faults.flaws", "charged-outage"))
    load = Load(server)
    await load.run([2])
    wrongs = await load.wrongs()
    assert any("but the server was up for" in wrong or "ended by time" in wrong for wrong in wrongs), wrongs
    assert any("an outage of" in wrong for wrong in wrongs), wrongs
