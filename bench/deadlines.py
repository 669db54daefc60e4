"""The delay of a search's end when its time is up, and when nobody waits for it any more.

    python -m bench.deadlines [--quick | --searches N]

Analyses positions that take far longer than the time allowed, with the compiled kernels in threads and with the
textbook search in processes. The delay is measured from the deadline or the cancellation until the worker is free
again. It is negative if the search ended before its deadline.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import statistics
import time
from functools import cache

import uvloop

from noughts.computer import Searches
from noughts.computer.threads import Threads
from noughts.engine import Limits
from noughts.engine.engines import KERNELS
from noughts.games import GAMES

SECONDS = 0.2
OPENING = {"chess": 10, "connect4": 6, "reversi": 20, "gomoku": 6, "ultimate": 10}
"""The number of random moves before each analysis: far from the end of the game."""


def position(game: str, rng: random.Random) -> tuple[str, ...]:
    at = GAMES[game].start
    moves: list[str] = []
    while len(moves) < OPENING[game]:
        moves.append(rng.choice(at.legal_moves))
        at = at.play(moves[-1])
    return tuple(moves)


async def lateness(searches: Searches, game: str, rng: random.Random) -> tuple[float, float]:
    """The delays, in ms, of an answer, and until the worker of a dropped search is free again."""
    while True:
        moves = position(game, rng)
        begun = time.perf_counter()
        analysis = await searches.analyse(game, moves, Limits(), SECONDS)
        answer = time.perf_counter() - begun - SECONDS
        if (analysis.seconds or 0) >= 0.9 * SECONDS:  # else it was known earlier, such as from an opening table
            break
    dropped = searches.analyse(game, moves, Limits(), 60)
    await asyncio.sleep(SECONDS)
    dropped.cancel()
    begun = time.perf_counter()
    await searches.analyse(game, finished(game), Limits(), 60)
    return answer * 1000, (time.perf_counter() - begun) * 1000


@cache
def finished(game: str) -> tuple[str, ...]:
    """The moves of a finished game, whose analysis needs no search."""
    rng = random.Random(2)
    at = GAMES[game].start
    moves: list[str] = []
    while at.legal_moves:
        moves.append(rng.choice(at.legal_moves))
        at = at.play(moves[-1])
    return tuple(moves)


def row(name: str, late: list[float]) -> str:
    late = sorted(late)
    p95, p99 = (late[len(late) * part // 100] for part in (95, 99))
    return f"| {name} | {statistics.median(late):.2f} | {p95:.2f} | {p99:.2f} | {late[-1]:.2f} |"


async def measure(rounds: int) -> None:
    rng = random.Random(1)
    searchers = {
        "a thread, kernel": Searches(1),
        "a process, textbook": Searches(1, threads=Threads(1, fast=lambda _: False)),
    }
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for searches in searchers.values():
        await searches.warm_up()
    for number in range(rounds + 1):
        for name, searches in searchers.items():
            for game in KERNELS:
                late = await lateness(searches, game, rng)
                if number:  # the first round starts the process
                    found.setdefault((GAMES[game].title, name), []).append(late)
    for searches in searchers.values():
        await searches.close()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; {rounds} searches of each kind.\n")
    print("| search | median ms | p95 ms | p99 ms | max ms |\n|---|---|---|---|---|")
    for (title, name), late_each in found.items():
        print(row(f"{title} in {name}: time is up", [answer for answer, _ in late_each]))
        print(row(f"{title} in {name}: dropped", [free for _, free in late_each]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few searches, to check that it works")
    parser.add_argument("--searches", type=int, default=200, help="searches of each kind")
    options = parser.parse_args()
    uvloop.run(measure(5 if options.quick else options.searches))


if __name__ == "__main__":
    main()
