"""Durable appends per second: rooms that play twelve moves each and wait for every one, in each kind of journal.

    PYTHONPATH=tests python bench/journal/appends.py [DIRECTORY]

The SQLite files and the data of a private PostgreSQL server are created in DIRECTORY (by default the system's temporary
directory); it determines the cost of an fsync. The journals are visited in turns, in random order, and the table has
the medians of all rounds. CPU is that of the whole process, so it includes the rooms themselves (see the memory
journal) and the event loop, but not the database server.
"""

from __future__ import annotations

import asyncio
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from noughts.journal import Append, IndexRow, Journal, PostgresJournal, SqliteJournal
from support.postgres import database, postgres_server, postgres_version

new_event_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
with suppress(ImportError):
    import uvloop

    new_event_loop = uvloop.new_event_loop

KINDS = ("memory", "SQLite", "PostgreSQL")
ROUNDS = 5
ROUND_S = 1.0
ROOMS = (1, 32, 256)
MOVES = 12
RECORD = b'{"schema":1,"at":1795000000000,"kind":"played","side":"first","turn":2,"move":"5","spent_ms":812}' * 2
LISTING = b'{"room":"k3f9qzm2xw7ta","game":"tictactoe","status":"playing","seats":{},"options":{}}' * 3


@dataclass(frozen=True)
class Round:
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


async def measure(journal: Journal, rooms: int) -> Round:
    waits: list[float] = []
    started, cpu = time.perf_counter(), time.process_time()

    async def play() -> None:
        while time.perf_counter() < started + ROUND_S:
            room = f"{random.getrandbits(65):013x}"
            for version in range(1, MOVES + 1):
                over = version == MOVES
                status, due_at = ("over", None) if over else ("playing", journal.now() + 60_000)
                index = IndexRow("tictactoe", "p-7f3a", status, True, due_at, version % 2 == 0, not over, LISTING)
                before = time.perf_counter()
                assert await journal.append(Append(room, version, RECORD, index))
                waits.append(time.perf_counter() - before)

    await asyncio.gather(*(play() for _ in range(rooms)))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    percentiles = statistics.quantiles(waits, n=100)
    return Round(len(waits) / seconds, percentiles[49] * 1e3, percentiles[98] * 1e3, cpu / len(waits) * 1e6)


async def main(directory: str | None) -> None:
    results: dict[tuple[str, int], list[Round]] = {(kind, n): [] for n in ROOMS for kind in KINDS}
    names = count()
    with (
        tempfile.TemporaryDirectory(dir=directory) as made,
        tempfile.TemporaryDirectory(dir=directory) as data,
        postgres_server(Path(data)) as server,
    ):
        for kind, rooms in random.sample(list(results) * ROUNDS, len(results) * ROUNDS):
            async with AsyncExitStack() as stack:
                journal: Journal
                match kind:
                    case "memory":
                        journal = SqliteJournal.in_memory()
                    case "SQLite":
                        journal = await SqliteJournal.open(Path(made) / f"{next(names)}.db")
                    case _:
                        journal = await PostgresJournal.open(await stack.enter_async_context(database(server)))
                results[kind, rooms].append(await measure(journal, rooms))
                await journal.close()
    loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
    versions = f"SQLite {sqlite3.sqlite_version}, {postgres_version()}"
    print(f"Python {platform.python_version()}, {versions}, {loop}; {ROUNDS} rounds of {ROUND_S} s\n")
    print("| journal | rooms | appends per second | p50 ms | p99 ms | CPU us per append |\n|---|---|---|---|---|---|")
    for (kind, rooms), rounds in results.items():
        rate, p50, p99, cpu = (
            statistics.median(values)
            for values in zip(*((r.per_second, r.p50_ms, r.p99_ms, r.cpu_us) for r in rounds), strict=True)
        )
        print(f"| {kind} | {rooms} | {rate:,.0f} | {p50:.3f} | {p99:.3f} | {cpu:.1f} |")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
