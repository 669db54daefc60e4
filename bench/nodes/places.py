"""The servers to compare, each with its own database and broker, and the CPU time of each part."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import asyncpg

from bench.gateway.servers import NOUGHTS, ServerProcess, cpu_of, started

sys.path.append(str(Path(__file__).parents[2] / "tests"))  # where the private database and broker come from

from support.broker import Broker
from support.postgres import postgres_server


@dataclass(frozen=True)
class Cluster:
    """Nodes that form one server: how many, on what, and whose: ``python`` is the interpreter of their installation."""

    nodes: int = 1
    postgres: bool = True
    bus: bool = False
    view: bool = True
    python: str = sys.executable


PLACES = {
    "one node, SQLite": Cluster(postgres=False),
    "one node, PostgreSQL": Cluster(),
    "one node, PostgreSQL and MQTT": Cluster(bus=True),
    "two nodes, PostgreSQL and MQTT": Cluster(2, bus=True),
    "two nodes, PostgreSQL, no broker": Cluster(2),
}

ALL_CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


@dataclass(frozen=True)
class Syncs:
    """The number of times that PostgreSQL synced its log to disk, and the seconds that it took."""

    count: int
    seconds: float


@dataclass
class Place:
    """Nodes that form one server, and what they need. ``parts`` gives the processes of each part, by its name."""

    nodes: list[ServerProcess] = field(default_factory=list)
    parts: dict[str, Callable[[], list[int]]] = field(default_factory=dict)
    database: str | None = None

    def cpu(self) -> dict[str, dict[int, float]]:
        """The CPU time of each process of each part, in seconds."""
        return {part: dict(_cpu_of(processes())) for part, processes in self.parts.items()}

    async def syncs(self) -> Syncs:
        """Call it a second or more after the last write: PostgreSQL's processes publish their counters with a delay."""
        if self.database is None:
            return Syncs(0, 0.0)
        connection = await asyncpg.connect(self.database)
        row = await connection.fetchrow("SELECT wal_sync, wal_sync_time FROM pg_stat_wal")
        await connection.close()
        assert row is not None
        return Syncs(row["wal_sync"], row["wal_sync_time"] / 1000)


@asynccontextmanager
async def opened(cluster: Cluster) -> AsyncIterator[Place]:
    """Start the servers of ``cluster``."""
    place = Place()
    async with AsyncExitStack() as stack:
        options: list[str] = []
        if not cluster.postgres:
            made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            options += ["--journal", str(made / "journal.sqlite3")]
        else:
            postgres = stack.enter_context(postgres_server())
            postmaster = int((postgres.directory / "data" / "postmaster.pid").read_text().split()[0])
            place.parts["PostgreSQL"] = lambda: [postmaster, *_children(postmaster)]
            place.database = postgres.url()
            await _time_syncs(place.database)
            options += ["--journal", place.database]
        if cluster.bus:
            made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            pid_file = made / "pid"
            broker = Broker(made, [f"pid_file {pid_file}", "log_type warning"])
            stack.callback(broker.kill)
            broker.start()
            place.parts["broker"] = lambda: [int(pid_file.read_text())]
            options += ["--bus", broker.url, *([] if cluster.view else ["--public-view=false"])]
        for number in range(1, cluster.nodes + 1):
            command = [*NOUGHTS, *options, "--node", f"node-{number}"]
            node = await stack.enter_async_context(started(command, ALL_CORES, cluster.python))
            place.nodes.append(node)
            place.parts[f"node {number}"] = partial(list, (node.pid,))
        yield place


def _cpu_of(pids: list[int]) -> Iterator[tuple[int, float]]:
    for pid in pids:
        with suppress(OSError):  # it has just ended
            yield pid, cpu_of(pid)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def _time_syncs(database: str) -> None:
    connection = await asyncpg.connect(database)
    await connection.execute("ALTER SYSTEM SET track_wal_io_timing = on")
    await connection.execute("SELECT pg_reload_conf()")
    await connection.close()
