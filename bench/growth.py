"""The cost of a move with more around it: CPU per move beside other rooms, games, connections and moves.

    python -m bench.growth [--quick] [--directory DIRECTORY]

Each server plays W1 of `bench.gateway` (rooms of tic-tac-toe, two players each, in closed loop): with more or fewer
rooms, with idle games and finished ones in its journal, and with idle connections. In Gomoku, two players go on to the
200th move, and the last moves are compared with the first. The servers are visited in turns, in random order. Linux
only, on two cores: one for the servers, one for the load. Journals are created in DIRECTORY (by default the system's
temporary directory).
"""

from __future__ import annotations

import asyncio
import platform
import random
import statistics
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench import alone
from bench.gateway.__main__ import Rooms
from bench.gateway.__main__ import Scale as GatewayScale
from bench.gateway.connection import Connection, connect, kind_of, stop_at_errors
from bench.gateway.servers import NOUGHTS, ServerProcess, started
from bench.stored import fill

TABLES = 200
"""The number of rooms in play, unless their number is what varies."""

SIZE, MOVES, SPAN = 15, 200, 20
"""Gomoku's board, how many moves are played, and how many at each end are compared."""


@dataclass(frozen=True)
class Scale:
    """The scale of the run: rooms, idle games, finished games and connections at most, rounds, and seconds per
    visit."""

    rooms: tuple[int, ...]
    idle: int
    finished: int
    connections: int
    rounds: int
    visit_s: float


FULL = Scale(rooms=(20, 200, 2000), idle=10_000, finished=100_000, connections=10_000, rounds=9, visit_s=1.0)
QUICK = Scale(rooms=(2, 4), idle=20, finished=20, connections=20, rounds=2, visit_s=1.0)


async def visits(stack: AsyncExitStack, scale: Scale, directory: Path) -> dict[str, list[float]]:
    """CPU of each server, in ms per 1000 moves, of each visit but the first."""
    worlds: dict[str, Rooms] = {}

    async def open_world(name: str, rooms: int, running: int = 0, finished: int = 0) -> ServerProcess:
        journal = directory / f"{len(worlds)}.sqlite3"
        if running or finished:
            await fill(journal, running, finished)
        limits = ["--connections=100000", "--away-s=3600"]  # nobody comes back to the idle games, nor counts as gone
        server = await stack.enter_async_context(started([*NOUGHTS, *limits, "--journal", str(journal)]))
        worlds[name] = Rooms(server, GatewayScale(rooms, 0, 0, scale.visit_s))
        await worlds[name].prepare()
        return server

    for rooms in scale.rooms:
        await open_world(f"{rooms:,} rooms", rooms)
    tables = min(TABLES, max(scale.rooms))
    await open_world(f"{tables} rooms, {scale.idle:,} idle games", tables, running=scale.idle)
    await open_world(f"{tables} rooms, {scale.finished:,} finished games", tables, finished=scale.finished)
    crowded = await open_world(f"{tables} rooms, {scale.connections:,} idle connections", tables)
    held = [await connect(crowded.port, f"idle-{number + 1}") for number in range(scale.connections)]
    costs: dict[str, list[float]] = {name: [] for name in worlds}
    for _ in range(scale.rounds + 1):
        for name in random.sample(list(worlds), len(worlds)):
            async with asyncio.timeout(60):
                costs[name].append((await worlds[name].visit()).cost)
    for connection in held:
        connection.abort()
    return {name: cost[1:] for name, cost in costs.items()}


class LongGame:
    """A game of Gomoku that nobody wins."""

    def __init__(self, players: tuple[Connection, Connection]) -> None:
        self._players = players
        self._room = ""
        self._told = asyncio.Event()
        self._awaited = 0
        # Pairs of columns by turns, and the next row shifted by one: no five in a row anywhere.
        cells = [(column, row) for row in range(SIZE) for column in range(SIZE)]
        sides = [[cell for cell in cells if (cell[0] + 2 * cell[1]) // 2 % 2 == side] for side in (0, 1)]
        self._moves = [f"{'abcdefghijklmno'[c]}{r + 1}" for pair in zip(*sides, strict=False) for c, r in pair][:MOVES]

    async def play(self, server: ServerProcess) -> list[float]:
        """CPU of the server for each span of moves, in ms per 1000 moves."""
        first, second = self._players
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def opened(message: bytes) -> None:
            if kind_of(message) == b"ok" and b'"room":"' in message:  # and not of a leave before
                answer.set_result(message)

        first.receive = opened
        first.send(b'{"type":"create","id":1,"game":"gomoku"}')
        self._room = (await answer).split(b'"room":"')[1].split(b'"')[0].decode()
        first.receive = second.receive = self._receive
        self._expect(2)  # the update for the one, and the room for the other
        second.send(f'{{"type":"join","id":2,"room":"{self._room}"}}'.encode())
        await self._told.wait()
        costs = []
        for start in range(0, MOVES, SPAN):
            before = server.cpu()
            for turn in range(start, start + SPAN):
                self._expect(2)
                move = f'"room":"{self._room}","turn":{turn},"move":"{self._moves[turn]}"'
                self._players[turn % 2].send(f'{{"type":"play","id":{turn},{move}}}'.encode())
                await self._told.wait()
            costs.append((server.cpu() - before) / SPAN * 1e6)
        for player in self._players:
            player.send(f'{{"type":"leave","id":3,"room":"{self._room}"}}'.encode())
        return costs

    def _expect(self, messages: int) -> None:
        self._awaited = messages
        self._told.clear()

    def _receive(self, message: bytes) -> None:
        if kind_of(message) in (b"update", b"room"):
            self._awaited -= 1
            if not self._awaited:
                self._told.set()


async def long_games(rounds: int, directory: Path) -> tuple[list[float], list[float]]:
    """CPU per 1000 moves at the beginning and at the end of games of Gomoku, but for the first game."""
    journal = directory / "gomoku.sqlite3"
    async with started([*NOUGHTS, "--journal", str(journal)]) as server:
        players = (await connect(server.port, "first"), await connect(server.port, "second"))
        games = [await LongGame(players).play(server) for _ in range(rounds + 1)]
    return [costs[0] for costs in games[1:]], [costs[-1] for costs in games[1:]]


def _row(name: str, costs: list[float], base: list[float]) -> str:
    low, median, high = statistics.quantiles(costs, n=4, method="inclusive")
    ratio = statistics.median(own / other for own, other in zip(costs, base, strict=True))
    return f"| {name} | {median:.0f} ({low:.0f} to {high:.0f}) | {ratio:.2f} |"


async def main(scale: Scale, directory: Path) -> None:
    stop_at_errors()
    packages = ", ".join(f"{name} {version(name)}" for name in ("noughts", "websockets", "uvloop"))
    print(f"Python {platform.python_version()}, {packages}; {scale}\n")
    async with AsyncExitStack() as stack:
        costs = await visits(stack, scale, directory)
    base = costs[f"{min(TABLES, max(scale.rooms)):,} rooms"]
    print("| | CPU ms per 1000 moves | relative |\n|---|---|---|")
    for name, of_name in costs.items():
        print(_row(name, of_name, base))
    first, last = await long_games(scale.rounds, directory)
    print(_row(f"Gomoku, moves 1 to {SPAN}", first, first))
    print(_row(f"Gomoku, moves {MOVES - SPAN + 1} to {MOVES}", last, first))


if __name__ == "__main__":
    options = alone.parser("growth", __doc__).parse_args()
    alone.run(lambda directory: main(QUICK if options.quick else FULL, directory), options.directory)
