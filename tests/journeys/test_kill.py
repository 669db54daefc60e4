"""kill -9 in the middle of many games: every acknowledged move is stored once, and the games go on to their end."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from noughts.journal import SqliteJournal
from support.client import Client, Json, connected
from support.server import ServerProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

TABLES = 20
KILLS = 10
GONE = (OSError, EOFError, ConnectionClosed, InvalidHandshake, TimeoutError)


class Lost(Exception):
    """Something acknowledged is missing, or stored twice."""


class Load:
    """Games on a server that is killed. Records all that was acknowledged."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.acknowledged: dict[str, dict[int, tuple[str, int]]] = {}
        self.seated: set[str] = set()
        self.over: set[str] = set()
        self.stopping = False
        self.progress = asyncio.Event()

    async def table(self, number: int) -> None:
        """Play game after game with two players, or one and the computer, until ``stopping``."""
        rng = random.Random(number)
        tokens: dict[str, str | None] = {"ann": None, "ben": None}
        game = 0
        while not self.stopping:
            game += 1
            against_computer = number % 5 == 0
            room = await self.create(tokens, f"{number}-{game}", "computer:easy" if against_computer else "open")
            players = [self.player(tokens, "ann", room, rng)]
            if not against_computer:
                players.append(self.player(tokens, "ben", room, rng))
            await asyncio.gather(*players)
            self.over.add(room)

    @asynccontextmanager
    async def enter(self, tokens: dict[str, str | None], name: str) -> AsyncIterator[Client]:
        """Connect as before, or as a new player if the server forgot one who had no seat yet."""
        token = tokens[name]
        try:
            async with connected(self.server.url, name, token=token) as client:
                tokens[name] = client.token
                yield client
        except AssertionError as error:
            if token is None or "bad_token" not in str(error):
                raise
            if token in self.seated:
                raise Lost(f"the token of {name}") from error
            tokens[name] = None
            raise ConnectionError from error

    async def create(self, tokens: dict[str, str | None], key: str, second: str) -> str:
        """Create a room, trying until it is acknowledged."""
        while True:
            try:
                async with self.enter(tokens, "ann") as client:
                    room = await client.create(second=second, key=key)
                    self.seated.add(client.token)
                    self.acknowledged.setdefault(room, {})
                    return room
            except GONE:
                await asyncio.sleep(0.05)

    async def player(self, tokens: dict[str, str | None], name: str, room: str, rng: random.Random) -> None:
        """Play a game to its end, reconnecting whenever the connection is lost."""
        while True:
            try:
                async with self.enter(tokens, name) as client:
                    answer = await client.request(type="join", room=room)
                    if answer["type"] == "error" and answer["code"] != "game_over":
                        raise Lost(f"{room}: {answer}")
                    self.seated.add(client.token)
                    if await self.play(client, room, rng):
                        return
            except GONE:
                await asyncio.sleep(0.05)

    async def play(self, client: Client, room: str, rng: random.Random) -> bool:
        """Play on this connection until the game is over."""
        message = await client.push("room")
        while True:
            state = message["state"]
            self.check(room, state)
            if state["status"] == "over":
                return True
            side = next(s for s, seat in state["seats"].items() if seat and seat["id"] == client.id)
            if state["to_move"] == side:
                move = rng.choice(state["legal_moves"])
                answer = await client.play(room, state["turn"], move)
                if answer["type"] != "ok":
                    raise Lost(f"{room}: {answer}")
                self.acknowledged[room][state["turn"]] = (move, answer["version"])
                self.progress.set()
                self.progress.clear()
            message = await client.push("update")

    def check(self, room: str, state: Json) -> None:
        """Acknowledged moves must be in the state."""
        for turn, (move, _) in self.acknowledged[room].items():
            if turn < state["turn"] and state["moves"][turn] != move:
                raise Lost(f"{room}: turn {turn} was {move}, not {state['moves'][turn]}")

    def moves(self) -> int:
        """The number of acknowledged moves."""
        return sum(map(len, self.acknowledged.values()))

    async def audit(self) -> None:
        """Every acknowledged move must be in the journal once, at its version."""
        journal = await SqliteJournal.open(Path(self.server.journal))
        try:
            for room, acknowledged in self.acknowledged.items():
                records = [json.loads(record) for record in await journal.read(room)]
                played = {
                    record["turn"]: (record["move"], version)
                    for version, record in enumerate(records, start=1)
                    if record["kind"] == "played"
                }
                if not records or any(played.get(turn) != what for turn, what in acknowledged.items()):
                    raise Lost(f"{room}: {acknowledged} acknowledged, {played} stored")
                if len(played) != sum(record["kind"] == "played" for record in records):
                    raise Lost(f"{room}: a turn was played twice")
        finally:
            await journal.close()


async def play_and_kill(server: ServerProcess, kills: int) -> Load:
    """Kill and restart the server under load, auditing its journal in between. Raises :class:`Lost`."""
    load = Load(server)
    rng = random.Random(1)
    await server.start()
    async with asyncio.timeout(500):
        try:
            async with asyncio.TaskGroup() as group:
                tables = [group.create_task(load.table(number)) for number in range(TABLES)]
                for _ in range(kills):
                    before = load.moves()
                    while load.moves() < before + 2 * TABLES:
                        await load.progress.wait()
                    await asyncio.sleep(rng.uniform(0, 0.2))
                    await server.kill()
                    await load.audit()
                    await server.start()
                load.stopping = True
                await asyncio.wait(tables)
        except* Lost as lost:
            raise lost.exceptions[0] from None
        finally:
            await server.stop()
    return load


async def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log")
    load = await play_and_kill(server, KILLS)
    await load.audit()
    assert load.moves() > 2 * KILLS * TABLES
    assert load.over == set(load.acknowledged), "every game ended"
    assert "Traceback" not in server.output()


async def test_a_journal_that_acknowledges_too_early_is_detected(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", program=("-m", "support.early_server"))
    with pytest.raises(Lost):
        await play_and_kill(server, KILLS)
