"""The time pairing takes when many players seek an opponent at once.

    python -m bench.seeks [--quick]

Connected players send the same seek at the same moment; with two nodes, half of them to each. The time is measured from
the first seek sent until each player has a room. The program checks that all players are paired, and none twice.
Meanwhile a client of each node pings it every 2 ms, and the answers show how long the node was blocked. The servers are
visited in turns, in random order. Nothing is pinned: nodes, database, broker and load share the machine's cores. Linux
only; needs PostgreSQL and Mosquitto. Journals are created in TMPDIR.

    python -m bench.seeks --idle 3000 [--beside PYTHON]

The processor time of a server on SQLite while so many seeks are open that nobody answers, each with a clock of its own.
PYTHON is the interpreter of an environment with another version of the server, which is measured at the same time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path

import uvloop

from bench.gateway.connection import Connection, connect, kind_of, stop_at_errors
from bench.gateway.servers import NOUGHTS, ServerProcess, started
from bench.nodes.places import PLACES, Place, opened

PING_S = 0.002

TIMEOUT_S = 60.0

SETTLE_S, IDLE_S = 15.0, 20.0

_ALL_CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


@dataclass(frozen=True)
class Scale:
    """The number of players who seek at once, and of rounds."""

    players: int
    rounds: int


FULL = Scale(players=1000, rounds=7)
QUICK = Scale(players=20, rounds=2)


@dataclass
class Round:
    """Times in seconds: until each player had a room, and until each ping was answered."""

    rooms: list[float] = field(default_factory=list)
    pings: list[float] = field(default_factory=list)


class Pinger:
    """A client that keeps pinging its node."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._answered = asyncio.Event()
        connection.receive = lambda _: self._answered.set()

    async def ping(self, took: list[float]) -> None:
        """Ping until cancelled, and append the time of each answer to ``took``."""
        while True:
            began = time.perf_counter()
            self._answered.clear()
            self._connection.send(b'{"type":"ping"}')
            await self._answered.wait()
            took.append(time.perf_counter() - began)
            await asyncio.sleep(PING_S)


class Crowd:
    """Players who are connected to the nodes of a place."""

    def __init__(self, place: Place) -> None:
        self._ports = [node.port for node in place.nodes]
        self._players: list[Connection] = []
        self._pingers: list[Pinger] = []

    async def connect(self, players: int) -> None:
        """Connect the players and the pingers."""
        for number in range(players):
            port = self._ports[number % len(self._ports)]
            self._players.append(await connect(port, f"player-{number + 1}"))
        self._pingers = [Pinger(await connect(port, "pinger")) for port in self._ports]

    async def seek(self, number: int) -> Round:
        """Let all players seek at once, for the ``number``-th time, then end their games."""
        measured, rooms = Round(), [""] * len(self._players)
        for place, player in enumerate(self._players):
            player.receive = partial(self._receive, rooms, measured.rooms, place)
        pinging = [asyncio.create_task(pinger.ping(measured.pings)) for pinger in self._pingers]
        await asyncio.sleep(0.1)
        measured.pings.clear()
        self._began = time.perf_counter()
        seek = json.dumps({"type": "seek", "game": "tictactoe", "key": f"seek-{number}"}).encode()
        for player in self._players:
            player.send(seek)
        await self._until(lambda: len(measured.rooms) == len(self._players))
        for task in pinging:
            task.cancel()
        if set(Counter(rooms).values()) != {2}:
            raise RuntimeError("a room does not have exactly two players")
        over: set[str] = set()
        for place, player in enumerate(self._players):
            player.receive = partial(self._ended, over, rooms[place])
        for room, player in dict(zip(rooms, self._players, strict=True)).items():
            player.send(json.dumps({"type": "abort", "room": room}).encode())
        await self._until(lambda: len(over) == len(set(rooms)))
        return measured

    def _receive(self, rooms: list[str], took: list[float], place: int, message: bytes) -> None:
        if kind_of(message) == b"room":
            if rooms[place]:
                raise RuntimeError("a player was paired twice")
            took.append(time.perf_counter() - self._began)
            rooms[place] = json.loads(message)["room"]

    def _ended(self, over: set[str], room: str, message: bytes) -> None:
        if kind_of(message) == b"update":
            over.add(room)

    async def _until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while not condition():  # noqa: ASYNC110  # it is many clients' messages that change it
                await asyncio.sleep(0.01)


async def measure(places: dict[str, Place], scale: Scale) -> dict[str, list[Round]]:
    """Visit the places in turns, each round in another order; the first round warms up and is dropped."""
    crowds = {name: Crowd(place) for name, place in places.items()}
    for crowd in crowds.values():
        await crowd.connect(scale.players)
    rounds: dict[str, list[Round]] = {name: [] for name in places}
    for number in range(scale.rounds + 1):
        for name in random.sample(list(places), len(places)):
            rounds[name].append(await crowds[name].seek(number))
    return {name: of_name[1:] for name, of_name in rounds.items()}


@asynccontextmanager
async def waiting(players: int, python: str) -> AsyncIterator[ServerProcess]:
    """A server with connected players."""
    with tempfile.TemporaryDirectory() as made:
        journal = str(Path(made) / "journal.sqlite3")
        async with started([*NOUGHTS, "--journal", journal], _ALL_CORES, python) as server:
            for number in range(players):
                player = await connect(server.port, f"player-{number + 1}")
                clock = {"per_move_s": number + 1}
                player.send(json.dumps({"type": "seek", "game": "tictactoe", "clock": clock}).encode())
            yield server


async def idle(players: int, pythons: list[str]) -> None:
    """Print which share of a core each server takes while nobody comes."""
    stop_at_errors()
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(waiting(players, python)) for python in pythons]
        await asyncio.sleep(SETTLE_S)  # some are told that they can play the computer
        began, before = time.perf_counter(), [server.cpu() for server in servers]
        await asyncio.sleep(IDLE_S)
        took = time.perf_counter() - began
        for python, server, since in zip(pythons, servers, before, strict=True):
            print(f"{(server.cpu() - since) / took:.2%} of a core for {players} open seeks: {python}")


def _share(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


async def main(scale: Scale) -> None:
    stop_at_errors()
    packages = ", ".join(f"{name} {version(name)}" for name in ("noughts", "websockets", "uvloop", "asyncpg"))
    print(f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores; {scale}")
    async with AsyncExitStack() as stack:
        places = {name: await stack.enter_async_context(opened(cluster)) for name, cluster in PLACES.items()}
        results = await measure(places, scale)
    print()
    print("| servers | all paired after ms | in the worst round | p50 ms | ping p50 ms | p99 ms | max ms |")
    print("|---|---|---|---|---|---|---|")
    for name, rounds in results.items():
        last = [max(each.rooms) for each in rounds]
        rooms = [took for each in rounds for took in each.rooms]
        pings = [took for each in rounds for took in each.pings]
        paired = (statistics.median(last), max(last), _share(rooms, 0.5))
        held_up = (_share(pings, 0.5), _share(pings, 0.99), max(pings))
        cells = [f"{took * 1000:,.0f}" for took in paired] + [f"{took * 1000:,.1f}" for took in held_up]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.seeks", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds, to check that it runs")
    parser.add_argument("--idle", type=int, metavar="PLAYERS", help="measure a server with so many open seeks")
    parser.add_argument("--beside", metavar="PYTHON", help="with --idle, another version's interpreter")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if options.idle:
        uvloop.run(idle(options.idle, [sys.executable] + ([options.beside] if options.beside else [])))
    else:
        uvloop.run(main(QUICK if options.quick else FULL))
