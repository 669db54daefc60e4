"""The faults: each breaks a part of a cluster and repairs it, as often as it is called."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

from support.cluster import Cluster, Node, Wiring
from support.proxy import Proxy

Outage = tuple[float, float]
"""Start and end of a time when certainly no node could accept a move, in seconds since the epoch."""

Strike = Callable[[], Awaitable[Outage | None]]
Make = Callable[[Cluster, random.Random, float], AbstractAsyncContextManager[Strike | None]]
"""Takes the cluster, the source of random choices, and the longest duration of a fault in seconds."""

SHORT_S = 2.0


@asynccontextmanager
async def none(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[None]:
    """Nothing is broken."""
    yield None


@asynccontextmanager
async def node_kill(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """Every second a node is killed with kill -9, while another is up, and restarted at once."""
    up = list(cluster.nodes)

    async def start(node: Node) -> None:
        await node.process.start()
        up.append(node)

    async with asyncio.TaskGroup() as starts:

        async def strike() -> None:
            while len(up) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            node = up.pop(rng.randrange(len(up)))
            await node.process.kill()
            starts.create_task(start(node))
            await asyncio.sleep(1)

        yield strike


@asynccontextmanager
async def cluster_kill(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """All nodes are killed with kill -9 at once, and restarted after a short or a long time."""

    lasts = cycle((longest_s, SHORT_S))

    async def strike() -> Outage:
        await asyncio.sleep(rng.uniform(2, 5))
        processes = [node.process for node in cluster.nodes]
        await asyncio.gather(*(process.kill() for process in processes))
        since = time.time()
        await asyncio.sleep(next(lasts))
        until = time.time()
        await asyncio.gather(*(process.start() for process in processes))
        return since, until

    yield strike


@asynccontextmanager
async def node_freeze(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """A node is frozen (SIGSTOP), for less and for longer than clients wait for it, and thawed."""

    lasts = cycle((longest_s, SHORT_S))

    async def strike() -> None:
        process = rng.choice(cluster.nodes).process
        process.send(signal.SIGSTOP)
        await asyncio.sleep(next(lasts))
        process.send(signal.SIGCONT)
        await asyncio.sleep(1)

    yield strike


@asynccontextmanager
async def node_stop(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """One node after the other is stopped (SIGTERM) and restarted."""
    turn = 0

    async def strike() -> None:
        nonlocal turn
        process = cluster.nodes[turn % len(cluster.nodes)].process
        turn += 1
        status = await process.stop()
        if status:
            raise RuntimeError(f"a node stopped by SIGTERM exited with status {status}")
        await process.start()
        await asyncio.sleep(1)

    yield strike


@asynccontextmanager
async def broker_kill(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """The broker is killed with kill -9 and restarted."""

    async def strike() -> None:
        cluster.broker.kill()
        await asyncio.sleep(rng.uniform(0.5, 3))
        await asyncio.to_thread(cluster.broker.start)
        await asyncio.sleep(rng.uniform(1, 3))

    yield strike


@asynccontextmanager
async def broker_freeze(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """The broker is frozen (SIGSTOP), for less and for longer than its keepalive, and thawed."""

    lasts = cycle((longest_s, SHORT_S))

    async def strike() -> None:
        cluster.broker.freeze()
        await asyncio.sleep(next(lasts))
        cluster.broker.thaw()
        await asyncio.sleep(2)

    yield strike


@asynccontextmanager
async def broker_rollback(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """The broker is killed and restarted from an old copy of its persistent state."""
    kept = cluster.broker.directory / "mosquitto.db"
    old = kept.with_suffix(".old")

    async def strike() -> None:
        if old.exists():
            cluster.broker.kill()
            shutil.copy(old, kept)
        else:
            await asyncio.sleep(2)
            cluster.broker.stop()  # SIGTERM makes it write its persistent state
            shutil.copy(kept, old)
        await asyncio.to_thread(cluster.broker.start)
        await asyncio.sleep(rng.uniform(2, 4))

    yield strike


@asynccontextmanager
async def postgres_kill(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """All of PostgreSQL is killed with kill -9 and restarted."""

    async def strike() -> Outage:
        cluster.postgres.kill()
        since = time.time()
        await asyncio.sleep(rng.uniform(0, longest_s / 2))
        until = time.time()
        await asyncio.to_thread(cluster.postgres.start)
        await asyncio.sleep(rng.uniform(1, 6))
        return since, until

    yield strike


@asynccontextmanager
async def backend_freeze(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """A PostgreSQL backend that serves a node is frozen (SIGSTOP), and thawed later."""
    name = urlsplit(cluster.database).path[1:]

    async def strike() -> None:
        backends = cluster.postgres.backends(name)
        if backends:
            pid = rng.choice(backends)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                await asyncio.sleep(rng.uniform(0.5, 1) * longest_s)
                os.kill(pid, signal.SIGCONT)
        await asyncio.sleep(1)

    yield strike


def _cuts(ways: Sequence[Proxy | None], rng: random.Random, longest_s: float) -> Strike:
    """Cuts one of ``ways``: alternately by dropping all data and by refusing connections."""
    pulled = cycle((True, False))

    async def strike() -> None:
        way = rng.choice(ways)
        assert way is not None
        if next(pulled):
            way.frozen = True
        else:
            way.refusing = True
            way.cut()
        await asyncio.sleep(rng.uniform(0.5, 1) * longest_s)
        way.frozen = way.refusing = False
        way.cut()  # data was lost, so these connections are useless
        await asyncio.sleep(1)

    return strike


@asynccontextmanager
async def broker_cut(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """A node cannot reach the broker, but everything else."""
    yield _cuts([node.to_broker for node in cluster.nodes], rng, longest_s)


@asynccontextmanager
async def database_cut(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """A node cannot reach the database, but everything else."""
    yield _cuts([node.to_database for node in cluster.nodes], rng, longest_s)


@asynccontextmanager
async def bus_noise(cluster: Cluster, rng: random.Random, longest_s: float) -> AsyncIterator[Strike]:
    """Messages on the bus are duplicated, reordered, delayed, forged and replayed to other rooms, all the time."""

    async def strike() -> None:
        await asyncio.sleep(1)

    yield strike
    if not all(noise.done for noise in cluster.noise):
        raise RuntimeError("no message passed on the bus")


def _persistent(directory: Path) -> Sequence[str]:
    return ("persistence true", f"persistence_location {directory}/")


@dataclass(frozen=True)
class Fault:
    """A fault, the ``wiring`` of the cluster that it needs, and extra lines for the broker's configuration.

    ``unseen_s``: for how many seconds nodes may be unaware of each other's clients; None for as long as it lasts.
    """

    make: Make
    wiring: Wiring = "direct"
    broker_lines: Callable[[Path], Sequence[str]] = lambda _: ()
    unseen_s: float | None = 3.0

    @property
    def description(self) -> str:
        """A sentence that describes the fault."""
        return (self.make.__doc__ or "").strip()


FAULTS = {
    "none": Fault(none),
    "node-kill": Fault(node_kill),
    "node-stop": Fault(node_stop),
    "cluster-kill": Fault(cluster_kill),
    "node-freeze": Fault(node_freeze, unseen_s=None),
    "broker-kill": Fault(broker_kill),
    "broker-freeze": Fault(broker_freeze),
    "broker-rollback": Fault(broker_rollback, broker_lines=_persistent),
    "postgres-kill": Fault(postgres_kill, unseen_s=8.0),
    "backend-freeze": Fault(backend_freeze, unseen_s=None),
    "broker-cut": Fault(broker_cut, "proxies"),
    "database-cut": Fault(database_cut, "proxies", unseen_s=None),
    "bus-noise": Fault(bus_noise, "noise"),
}
