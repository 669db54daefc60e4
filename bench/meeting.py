"""The cost of coming and meeting: CPU per connection with its hello, and per game that is opened and given up.

    python -m bench.meeting [--quick] [--directory DIRECTORY]

In *games*, pairs of players go on as fast as the server answers: one opens a room, the other joins, the first resigns,
and both leave. In *connections*, players connect and say hello, some at a time, and go again; the farewell is not
measured. Linux only, on two cores: one for the server, one for the load. The journal is created in DIRECTORY (by
default the system's temporary directory).
"""

from __future__ import annotations

import asyncio
import platform
import statistics
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench import alone
from bench.gateway.connection import Connection, connect, kind_of, stop_at_errors
from bench.gateway.load import ID
from bench.gateway.servers import ServerProcess, commands, started

SERVERS = ("noughts", "noughts, in memory")

AT_ONCE = 20
"""The number of players who connect at the same time."""


@dataclass(frozen=True)
class Scale:
    """The size of a run: pairs of players, connections, rounds, seconds of games in each."""

    pairs: int
    connections: int
    rounds: int
    seconds: float


FULL = Scale(pairs=100, connections=1000, rounds=15, seconds=1.0)
QUICK = Scale(pairs=5, connections=20, rounds=2, seconds=0.2)


class Pair:
    """Two players who open a game, give it up and open the next, until ``until``."""

    def __init__(self, first: Connection, second: Connection) -> None:
        self._first, self._second = first, second
        self._answers: dict[bytes, asyncio.Future[bytes]] = {}
        self._number = 0
        first.receive = second.receive = self._receive

    async def play(self, until: float) -> int:
        """Play games one after the other; how many."""
        games = 0
        while time.perf_counter() < until:
            answer = await self._ask(self._first, "create", ',"game":"tictactoe"')
            room = answer.split(b'"room":"')[1].split(b'"')[0].decode()
            for player, kind in ((self._second, "join"), (self._first, "resign")):
                await self._ask(player, kind, f',"room":"{room}"')
            await asyncio.gather(
                *(self._ask(player, "leave", f',"room":"{room}"') for player in (self._first, self._second))
            )
            games += 1
        return games

    def _ask(self, player: Connection, kind: str, fields: str) -> asyncio.Future[bytes]:
        self._number += 1
        answer = self._answers[b"%d" % self._number] = asyncio.get_running_loop().create_future()
        player.send(f'{{"type":"{kind}","id":{self._number}{fields}}}'.encode())
        return answer

    def _receive(self, message: bytes) -> None:
        if kind_of(message) == b"ok":
            self._answers.pop(ID.findall(message, 0, 32)[0]).set_result(message)


async def play_games(server: ServerProcess, pairs: list[Pair], seconds: float) -> float:
    """CPU of the server in ms per 1000 games."""
    before = server.cpu()
    until = time.perf_counter() + seconds
    games = sum(await asyncio.gather(*(pair.play(until) for pair in pairs)))
    return (server.cpu() - before) / games * 1e6


async def come_and_go(server: ServerProcess, connections: int) -> float:
    """CPU of the server in ms per 1000 connections."""
    await asyncio.sleep(0.3)  # the last ones are gone
    before, opened = server.cpu(), []
    for start in range(0, connections, AT_ONCE):
        names = (f"guest-{number + 1}" for number in range(start, min(start + AT_ONCE, connections)))
        opened += await asyncio.gather(*(connect(server.port, name) for name in names))
    used = server.cpu() - before
    for connection in opened:
        connection.abort()
    return used / connections * 1e6


async def measure(name: str, scale: Scale, directory: Path) -> tuple[list[float], list[float]]:
    """The costs of games and of connections in each round; the first is a warm-up and is dropped."""
    games, connections = [], []
    async with started(commands(directory)[name]) as server:
        pairs = [
            Pair(await connect(server.port, f"first-{number}"), await connect(server.port, f"second-{number}"))
            for number in range(scale.pairs)
        ]
        for _ in range(scale.rounds + 1):
            games.append(await play_games(server, pairs, scale.seconds))
            connections.append(await come_and_go(server, scale.connections))
    return games[1:], connections[1:]


def _spread(values: list[float]) -> str:
    """The median, and the range of the middle half."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{median:.0f} ({low:.0f} to {high:.0f})"


async def main(scale: Scale, directory: Path) -> None:
    stop_at_errors()
    packages = ", ".join(f"{name} {version(name)}" for name in ("noughts", "websockets", "uvloop"))
    print(f"Python {platform.python_version()}, {packages}; {scale}\n")
    print("| server | CPU ms per 1000 games | CPU ms per 1000 connections |\n|---|---|---|")
    for name in SERVERS:
        games, connections = await measure(name, scale, directory)
        print(f"| {name} | {_spread(games)} | {_spread(connections)} |")


if __name__ == "__main__":
    options = alone.parser("meeting", __doc__).parse_args()
    alone.run(lambda directory: main(QUICK if options.quick else FULL, directory), options.directory)
