"""The delay of the server's event loop while the computer thinks in 4 rooms at once.

    python -m bench.loop_delay [--quick | --rounds N]

In each room two computers of the strongest level play one game after the other; each room has another one of the games
with a compiled kernel. Their searches run in the server's threads with the kernels, in worker processes without them,
and, as a control, in the server's threads in pure Python. An idle server gives the lower limit. Two more measurements
are taken while the kernels are loaded from their cache, and while they are compiled. Each visit starts a new server, in
random order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvloop

from noughts import embed
from noughts.app import FEATURES
from noughts.bus import MemoryBus
from noughts.computer import Searches, computer_of
from noughts.computer.threads import Threads
from noughts.engine import Textbook, levels_of
from noughts.engine.engines import KERNELS
from noughts.games import GAMES
from noughts.gateway.gateway import Gateway
from noughts.gateway.server import Server
from noughts.host import Host
from noughts.journal import SqliteJournal
from noughts_client import Connection

TABLES = tuple(KERNELS)
TICK_S = 0.001


@dataclass(frozen=True)
class Way:
    """A server's way to search. If ``loads`` is set, the delays are measured while it loads its kernels instead of
    afterwards.
    """

    searches: Callable[[], Searches]
    tables: tuple[str, ...] = TABLES
    loads: bool = False
    cached: bool = True


def without_kernels(workers: int | None) -> Searches:
    return Searches(workers, threads=Threads(1, fast=lambda _: False))


WAYS = {
    "idle server": Way(Searches, tables=()),
    "threads with kernels, default number": Way(Searches),
    "threads with kernels, one per room": Way(lambda: Searches(len(TABLES))),
    "processes without kernels, default number": Way(lambda: without_kernels(None)),
    "processes without kernels, one per room": Way(
        lambda: Searches(len(TABLES), threads=Threads(1, fast=lambda _: False))
    ),
    "threads without kernels, one per room (control)": Way(
        lambda: Searches(len(TABLES), threads=Threads(len(TABLES), Textbook, lambda _: True))
    ),
    "none: loading the kernels from the cache": Way(Searches, tables=(), loads=True),
    "none: compiling the kernels": Way(Searches, tables=(), loads=True, cached=False),
}


async def serve(way: Way, directory: Path) -> None:
    """Run the server. Print its port, then for each line on stdin, a number of seconds, the delays in that time."""
    journal = await SqliteJournal.open(directory / "journal.sqlite3")
    host = Host(journal, MemoryBus("node"))
    searches = way.searches()
    searches = way.searches()
    settings = embed.settings(limits=True, computer_pace_s=0)
    server = Server(settings, host, computer_of(settings, searches=searches))
    server.use(module.feature(server) for module in FEATURES)
    if not way.loads and way.tables:
        await searches.warm_up()
    async with Gateway(server).serving() as listening:
        print(listening.sockets[0].getsockname()[1], flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            during = searches.warm_up() if way.loads else asyncio.sleep(float(line))
            print(json.dumps(await delays(during)), flush=True)
    await server.close()
    await journal.close()


async def delays(during: Coroutine[Any, Any, None]) -> list[float]:
    """The delay of each sleep of 1 ms, in ms, until ``during`` was done."""
    found = []
    task = asyncio.create_task(during)
    while not task.done():
        begun = time.perf_counter()
        await asyncio.sleep(TICK_S)
        found.append((time.perf_counter() - begun - TICK_S) * 1000)
    return found


async def play(url: str, game: str, moves: list[str]) -> None:
    """Let two computers play one game after the other, and record each move in ``moves``."""
    level = f"computer:{levels_of(GAMES[game])[0]}"
    async with Connection(url, bot=True) as connection:
        while True:
            seats = {"first": level, "second": level}
            room = (await connection.request({"type": "create", "game": game, "seats": seats}))["room"]
            async for message in connection:
                if message["type"] == "update":
                    moves.append(room)
                if message["type"] in ("update", "room") and message["state"]["status"] == "over":
                    break
            await connection.request({"type": "leave", "room": room})


async def visit(name: str, seconds: float) -> tuple[list[float], float]:
    """A server's delays in ms, and the moves per second of its computers."""
    way = WAYS[name]
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ)
        if not way.cached:
            environment["NUMBA_CACHE_DIR"] = directory
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.loop_delay", "--serve", name, "--directory", directory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**24,
            env=environment,
        )
        assert server.stdin
        assert server.stdout
        url = f"ws://127.0.0.1:{int(await server.stdout.readline())}/ws"
        moves: list[str] = []
        players = [asyncio.create_task(play(url, game, moves)) for game in way.tables]
        await asyncio.sleep(1)
        before = len(moves)
        server.stdin.write(f"{seconds}\n".encode())
        found = json.loads(await server.stdout.readline())
        rate = (len(moves) - before) / seconds
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        server.stdin.close()
        await server.wait()
        return found, rate


async def measure(rounds: int, seconds: float) -> None:
    rng = random.Random(1)
    found: dict[str, list[list[float]]] = {name: [] for name in WAYS}
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    await visit("none: loading the kernels from the cache", 1)  # fills the cache
    for _ in range(rounds):
        for name in rng.sample(list(WAYS), len(WAYS)):
            late, rate = await visit(name, seconds)
            found[name].append(sorted(late))
            rates[name].append(rate)
    print(f"Python {platform.python_version()}, uvloop {version('uvloop')}, numba {version('numba')},", end=" ")
    print(f"{os.cpu_count()} cores; {rounds} rounds of {seconds:g} s;", end=" ")
    print("p50 and p99 are medians of the rounds, max is the worst of all\n")
    print("| searches run in | p50 ms | p99 ms | p99 ms, worst round | max ms | moves per second |")
    print("|---|---|---|---|---|---|")
    for name, visits in found.items():
        p50 = statistics.median(late[len(late) // 2] for late in visits)
        p99s = [late[len(late) * 99 // 100] for late in visits]
        worst = max(late[-1] for late in visits)
        rate = statistics.median(rates[name])
        print(f"| {name} | {p50:.2f} | {statistics.median(p99s):.2f} | {max(p99s):.2f} | {worst:.2f} | {rate:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, to check that it works")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of 5 s for each way to search")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        uvloop.run(serve(WAYS[options.serve], options.directory))
    else:
        uvloop.run(measure(*((1, 1.0) if options.quick else (options.rounds, 5.0))))


if __name__ == "__main__":
    main()
