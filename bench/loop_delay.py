"""How late the server's event loop runs while the computer thinks in 4 rooms at once.

    python -m bench.loop_delay [--quick]

In each room the computer searches from the empty board with the plain, unpruned search, again and again: once it
has moved, the person resigns and opens the next room. The searches run in the server's worker processes, and as
a control in threads; an idle server is the floor. Each visit is a server of its own, in random order.
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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import uvloop
from bench.plain import plain

from noughts.bus import MemoryBus
from noughts.computer import Computers, ProcessSearcher, Searcher
from noughts.computer.searcher import Task
from noughts.config import Settings
from noughts.engine import LEVELS, Interrupt, choose
from noughts.games import GAMES
from noughts.gateway import Gateway
from noughts.host import Host
from noughts.journal import SqliteJournal
from noughts_client import Connection

ROOMS = 4
TICK_S = 0.001


class ThreadSearcher:
    """The control: a thread for each room."""

    def __init__(self) -> None:
        self.workers = ROOMS
        self._threads = ThreadPoolExecutor(ROOMS)

    def submit(self, task: Task) -> asyncio.Future[str]:
        game = GAMES[task.game]
        position = game.start
        for move in task.moves:
            position = position.play(move)
        level, rng = LEVELS[task.level], random.Random(task.seed)
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._threads, choose, plain(game), position, level, rng, Interrupt())

    async def close(self) -> None:
        self._threads.shutdown(wait=False)


SEARCHERS: dict[str, Callable[[], Searcher]] = {
    "idle": lambda: ProcessSearcher(engine_of=plain),
    "processes, as many as by default": lambda: ProcessSearcher(engine_of=plain),
    "processes, one a room": lambda: ProcessSearcher(workers=ROOMS, engine_of=plain),
    "threads, one a room (control)": ThreadSearcher,
}


async def serve(searcher: Searcher, directory: Path) -> None:
    """The server: print its port, and for each line on stdin, a number of seconds, the delays in that time."""
    loop = asyncio.get_running_loop()
    journal = await SqliteJournal.open(directory / "journal.sqlite3")
    host = Host(journal, MemoryBus("node"))
    computers = Computers(host, searcher, 0, random.Random())
    async with Gateway(Settings(port=0), host).serving() as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            print(json.dumps(await delays(float(line))), flush=True)
    await computers.close()
    await searcher.close()
    await host.close()
    await journal.close()


async def delays(seconds: float) -> list[float]:
    """By how much a sleep of 1 ms was late, in ms, each time."""
    found = []
    until = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < until:
        await asyncio.sleep(TICK_S)
        found.append((time.perf_counter() - begun - TICK_S) * 1000)
    return found


async def play(url: str, games: list[str]) -> None:
    """Let the computer make its first move, in one room after the other."""
    async with Connection(url, bot=True) as connection:
        while True:
            seats = {"first": "computer:perfect", "second": "me"}
            room = (await connection.request({"type": "create", "game": "tictactoe", "seats": seats}))["room"]
            async for message in connection:
                if message["type"] == "update" and message["event"]["kind"] == "played":
                    break
            games.append(room)
            await connection.request({"type": "resign", "room": room})
            await connection.request({"type": "leave", "room": room})


async def visit(name: str, seconds: float) -> tuple[list[float], float]:
    """The delays of a server in ms, and the searches that it finished a second."""
    with tempfile.TemporaryDirectory() as directory:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.loop_delay", "--serve", name, "--directory", directory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**24,
        )
        assert server.stdin
        assert server.stdout
        url = f"ws://127.0.0.1:{int(await server.stdout.readline())}/ws"
        games: list[str] = []
        players = [asyncio.create_task(play(url, games)) for _ in range(0 if name == "idle" else ROOMS)]
        await asyncio.sleep(1)
        before = len(games)
        server.stdin.write(f"{seconds}\n".encode())
        found = json.loads(await server.stdout.readline())
        searches = (len(games) - before) / seconds
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        server.stdin.close()
        await server.wait()
        return found, searches


async def measure(rounds: int, seconds: float) -> None:
    rng = random.Random(1)
    found: dict[str, list[list[float]]] = {name: [] for name in SEARCHERS}
    rates: dict[str, list[float]] = {name: [] for name in SEARCHERS}
    for _ in range(rounds):
        for name in rng.sample(list(SEARCHERS), len(SEARCHERS)):
            late, rate = await visit(name, seconds)
            found[name].append(sorted(late))
            rates[name].append(rate)
    print(f"Python {platform.python_version()}, uvloop {version('uvloop')}, {os.cpu_count()} cores;", end=" ")
    print(f"{rounds} rounds of {seconds:g} s; p50 and p99 are medians of the rounds, max is the worst of all\n")
    print("| searches run in | p50 ms | p99 ms | p99 ms, worst round | max ms | searches per second |")
    print("|---|---|---|---|---|---|")
    for name, visits in found.items():
        p50 = statistics.median(late[len(late) // 2] for late in visits)
        p99s = [late[len(late) * 99 // 100] for late in visits]
        worst = max(late[-1] for late in visits)
        rate = statistics.median(rates[name])
        print(f"| {name} | {p50:.2f} | {statistics.median(p99s):.2f} | {max(p99s):.2f} | {worst:.2f} | {rate:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, to see that it works")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        uvloop.run(serve(SEARCHERS[options.serve](), options.directory))
    else:
        uvloop.run(measure(*((1, 1.0) if options.quick else (7, 5.0))))


if __name__ == "__main__":
    main()
