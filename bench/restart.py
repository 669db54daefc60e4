"""The cost of a restart with many games under way: CPU until the server is quiet again.

    python -m bench.restart [--games N] [--quick] [--directory DIRECTORY]

*Start alone*: the CPU that the server uses until it is quiet while nobody is back yet and nobody counts as gone.
*Players come back*: the CPU that the server uses from its start until it is quiet, with all players back within the
grace period, less what the same returns cost a server that keeps running. *Nobody comes back*: every player is recorded
as gone instead, and that takes two events for each game. Linux only, on two cores. The journal is created in DIRECTORY
(by default the system's temporary directory).
"""

from __future__ import annotations

import asyncio
import platform
import shutil
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench import alone
from bench.gateway.connection import Connection, connect, kind_of, stop_at_errors
from bench.gateway.servers import NOUGHTS, ServerProcess, started
from bench.stored import GAMES_EACH, fill, players_of, room_of, token_of

QUIET = 0.05
"""A server is quiet when it uses no more than this part of a core for two seconds."""


@dataclass(frozen=True)
class Scale:
    """The number of games under way, and how long a player may be away, in seconds."""

    games: int
    away_s: float


FULL = Scale(games=10_000, away_s=40.0)
QUICK = Scale(games=200, away_s=5.0)


class Crowd:
    """All players of the games, each with one connection."""

    def __init__(self, server: ServerProcess, games: int) -> None:
        self._port = server.port
        self._games = games
        self._connections: list[Connection] = []
        self._awaited = 0
        self._all = asyncio.Event()

    async def come(self) -> None:
        """Connect all players, and have each watch its games."""
        self._awaited = 2 * self._games
        self._all.clear()
        for start in range(0, self._games, GAMES_EACH):
            games = range(start, min(start + GAMES_EACH, self._games))
            for player in players_of(start):
                connection = await connect(self._port, player, token=token_of(player))
                connection.receive = self._receive
                self._connections.append(connection)
                for game in games:
                    connection.send(b'{"type":"watch","id":1,"room":"%s"}' % room_of(game).encode())
        await self._all.wait()

    def leave(self) -> None:
        """Cut all connections."""
        for connection in self._connections:
            connection.abort()
        self._connections.clear()

    def _receive(self, message: bytes) -> None:
        if kind_of(message) == b"room":
            self._awaited -= 1
            if not self._awaited:
                self._all.set()


async def quiet(server: ServerProcess) -> float:
    """The server's CPU time in seconds when it became quiet. It was started a moment ago."""
    while True:
        before = server.cpu()
        await asyncio.sleep(2)
        if server.cpu() - before < 2 * QUIET:
            return before


async def measure(scale: Scale, directory: Path) -> None:
    path = directory / "games.sqlite3"
    await fill(path, scale.games)

    def command(name: str, away_s: float) -> list[str]:
        journal = directory / name
        shutil.copy(path, journal)
        return [*NOUGHTS, "--journal", str(journal), "--away-s", str(away_s)]

    async with started([*NOUGHTS, "--journal", "memory"]) as server:
        empty = await quiet(server)
    async with started(command("start.sqlite3", 3600)) as server:
        start = await quiet(server)
    async with started(command("back.sqlite3", scale.away_s)) as server:
        loop = asyncio.get_running_loop()
        due = loop.time() + scale.away_s
        crowd = Crowd(server, scale.games)
        await crowd.come()
        if loop.time() > due:
            raise RuntimeError("the players took too long to come back; use fewer games")
        back = server.cpu()
        await asyncio.sleep(due - loop.time())
        total = await quiet(server)
        crowd.leave()
        before = await quiet(server)
        await crowd.come()
        returns = server.cpu() - before
    print(f"{scale.games:,} games under way, CPU s; an empty server is quiet after {empty:.2f}\n")
    print("| | until quiet | returns alone | extra |\n|---|---|---|---|")
    print(f"| start alone | {start:.2f} | 0.00 | {start - empty:.2f} |")
    print(
        f"| players come back | {total:.2f} (back after {back:.2f}) | {returns:.2f} | {total - returns - empty:.2f} |"
    )
    async with started(command("gone.sqlite3", 1.5)) as server:
        await asyncio.sleep(2)
        total = await quiet(server)
    print(f"| nobody comes back | {total:.2f} | 0.00 | {total - empty:.2f} |")


async def main(scale: Scale, directory: Path) -> None:
    stop_at_errors()
    print(f"Python {platform.python_version()}, uvloop {version('uvloop')}, noughts {version('noughts')}")
    await measure(scale, directory)


if __name__ == "__main__":
    arguments = alone.parser("restart", __doc__)
    arguments.add_argument("--games", type=int, default=FULL.games, help="how many games are under way")
    options = arguments.parse_args()
    scale = QUICK if options.quick else Scale(options.games, FULL.away_s)
    alone.run(lambda directory: main(scale, directory), options.directory)
