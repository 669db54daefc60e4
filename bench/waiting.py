"""The cost of games with days for each move while they wait: memory and processor time of a server on SQLite.

    PYTHONPATH=tests python -m bench.waiting [--quick | --games N]

Two servers are visited in turns: one whose journal has the games, in each of which a player is to move for the next
three days, and one whose journal is empty. Nobody is connected.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import tempfile
from pathlib import Path

from bench.stored import fill
from noughts.rooms import Options, PerMove
from noughts.rooms.clock import DAY_MS
from support.server import ServerProcess

VISITS, VISIT_S, SETTLE_S = 10, 3.0, 8.0
CLOCK = PerMove(3 * DAY_MS)


def used_ms(server: ServerProcess) -> float:
    """The processor time of a server and of what it has started, in ms."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * 1000 / os.sysconf("SC_CLK_TCK")


async def measure(games: int, visits: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores; {visits} visits of {VISIT_S:g} s each.\n")
        print("| games that wait | memory MB | processor ms per s |\n|---|---|---|")
        servers: dict[int, ServerProcess] = {}
        for count in (0, games):
            path = Path(directory) / f"{count}.sqlite3"
            await fill(path, count, options=Options(clock=CLOCK))
            servers[count] = ServerProcess(path, path.with_suffix(".log"), webhooks=True, warm_up=False)
        used: dict[int, list[float]] = {count: [] for count in servers}
        async with servers[0], servers[games]:
            await asyncio.sleep(SETTLE_S)
            for _ in range(visits):
                for count, server in servers.items():
                    before = used_ms(server)
                    await asyncio.sleep(VISIT_S)
                    used[count].append((used_ms(server) - before) / VISIT_S)
            for count, server in servers.items():
                print(f"| {count:,} | {server.memory() / 1e6:.1f} | {statistics.fmean(used[count]):.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few games, to check that it works")
    parser.add_argument("--games", type=int, default=10_000, help="games that wait")
    options = parser.parse_args()
    asyncio.run(measure(100 if options.quick else options.games, 2 if options.quick else VISITS))


if __name__ == "__main__":
    main()
