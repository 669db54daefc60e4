"""Durable writes per second: rooms that play twelve moves each and wait for every one, in each kind of journal.

The first and the last move of a room write its index row, and the others a record alone.

    PYTHONPATH=tests python bench/journal/appends.py [DIRECTORY]

The SQLite files and the data of a private PostgreSQL server are created in DIRECTORY (by default the system's temporary
directory); it determines the cost of an fsync. The journals are visited in turns, in random order, and the table has
the medians of all rounds. CPU is that of the event loop's thread, which includes the rooms themselves, and that of the
thread that writes to SQLite, but not that of the database server.
"""

from __future__ import annotations

import asyncio
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import astuple, dataclass
from itertools import count
from pathlib import Path

from noughts.journal import Append, IndexRow, Journal, SqliteJournal
from noughts.journal.postgres.journal import PostgresJournal
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
    loop_us: float
    writer_us: float


class Table:
    """One room after another, whose moves are put as soon as the one before is stored."""

    def __init__(self, journal: Journal, waits: list[float], until: float) -> None:
        self.journal, self.waits, self.until = journal, waits, until
        self.ended = asyncio.Event()
        self.version = MOVES
        self.put(True)

    def put(self, stored: bool | Exception) -> None:
        assert stored is True
        if self.version == MOVES:
            self.room, self.version = f"{random.getrandbits(65):013x}", 0
        self.version += 1
        index = None
        if self.version in (1, MOVES):
            over = self.version == MOVES
            status, due_at = ("over", None) if over else ("playing", self.journal.now() + 60_000)
            index = IndexRow("tictactoe", "p-7f3a", status, True, due_at, False, not over, LISTING)
        self.began = time.perf_counter()
        self.journal.put(Append(self.room, self.version, RECORD, index), self.stored)

    def stored(self, outcome: bool | Exception) -> None:
        now = time.perf_counter()
        self.waits.append(now - self.began)
        if now < self.until:
            self.put(outcome)
        else:
            self.ended.set()


def writer_s() -> float:
    """The CPU time of the thread that writes to SQLite."""
    idents = [thread.ident for thread in threading.enumerate() if thread.name == "journal-writer"]
    return sum(time.clock_gettime(time.pthread_getcpuclockid(ident)) for ident in idents if ident is not None)


async def measure(journal: Journal, rooms: int) -> Round:
    waits: list[float] = []
    started, loop_s, written_s = time.perf_counter(), time.thread_time(), writer_s()
    playing = [Table(journal, waits, started + ROUND_S) for _ in range(rooms)]
    for each in playing:
        await each.ended.wait()
    seconds, loop_s, written_s = time.perf_counter() - started, time.thread_time() - loop_s, writer_s() - written_s
    percentiles, count = statistics.quantiles(waits, n=100), len(waits)
    return Round(
        count / seconds, percentiles[49] * 1e3, percentiles[98] * 1e3, loop_s / count * 1e6, written_s / count * 1e6
    )


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
    print(
        "| journal | rooms | writes per second | p50 ms | p99 ms | loop us | writer us |\n|---|---|---|---|---|---|---|"
    )
    for (kind, rooms), rounds in results.items():
        rate, p50, p99, loop_us, writer_us = map(statistics.median, zip(*map(astuple, rounds), strict=True))
        print(f"| {kind} | {rooms} | {rate:,.0f} | {p50:.3f} | {p99:.3f} | {loop_us:.1f} | {writer_us:.1f} |")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
