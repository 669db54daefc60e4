"""The faults: each breaks a part of a cluster within a block, and repairs it at its end."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from faults import databases
from faults.target import Break, Target, again_and_again
from support.cluster import Node, Wiring
from support.proxy import Proxy

DELAY_S = 0.15
"""The delay of a slow network, each way: a round trip around the world."""

OLD_S = 3.0
"""The least age of a state of the broker that is restored."""

TORN_BYTES = 3000
"""The most bytes after which a connection is torn."""


@asynccontextmanager
async def node_kill(target: Target) -> AsyncIterator[None]:
    """Some nodes, but not all, are killed with kill -9, and restarted at once."""
    nodes = target.rng.sample(target.cluster.nodes, target.rng.randrange(1, len(target.cluster.nodes)))
    await asyncio.gather(*(node.process.kill() for node in nodes))
    target.effects["nodes killed"] += len(nodes)
    yield
    await asyncio.gather(*(node.process.start() for node in nodes))


@asynccontextmanager
async def node_stop(target: Target) -> AsyncIterator[None]:
    """One node after the other is stopped (SIGTERM) and restarted."""
    for node in target.cluster.nodes:
        if status := await node.process.stop():
            raise RuntimeError(f"a node stopped by SIGTERM exited with status {status}")
        target.effects["nodes stopped"] += 1
        await node.process.start()
    yield


@asynccontextmanager
async def node_replace(target: Target) -> AsyncIterator[None]:
    """A node leaves, and another with a new name joins."""
    node = target.node()
    await node.process.stop()
    yield
    target.effects["nodes replaced"] += 1
    node.process.options["node"] = f"{node.name}-{target.effects['nodes replaced']}"
    await node.process.start()


@asynccontextmanager
async def node_freeze(target: Target) -> AsyncIterator[None]:
    """A node is frozen (SIGSTOP), for less and for longer than clients wait for it, and thawed."""
    async with _frozen(target, target.node()):
        yield


@asynccontextmanager
async def node_stutter(target: Target) -> AsyncIterator[None]:
    """A node gets a fifth of the time: it is frozen for 0.4 s of each half second, as on a crowded machine."""
    node = target.node()

    async def freeze() -> None:
        async with _frozen(target, node):
            await asyncio.sleep(0.4)

    async with again_and_again(freeze, 0.1):
        yield


@asynccontextmanager
async def leader_freeze(target: Target) -> AsyncIterator[None]:
    """The node that leads is frozen (SIGSTOP), for less and for longer than its lease, and thawed."""
    names = [name for _, name in await _leaders(target)]
    for node in target.cluster.nodes:
        if any(name.endswith(f" {node.name}") for name in names):
            async with _frozen(target, node):
                yield
                target.effects["others lead"] += [name for _, name in await _leaders(target)] != names
            return
    yield


@asynccontextmanager
async def leader_deposed(target: Target) -> AsyncIterator[None]:
    """The session in which a node leads is ended, so that two nodes may believe to lead."""
    for pid, _ in await _leaders(target):
        await target.cluster.query("SELECT pg_terminate_backend($1)", pid)
        target.effects["leaders deposed"] += 1
    yield


@asynccontextmanager
async def cluster_kill(target: Target) -> AsyncIterator[None]:
    """All nodes are killed with kill -9 at once, and restarted after a short or a long time."""
    await asyncio.gather(*(node.process.kill() for node in target.cluster.nodes))
    target.effects["clusters killed"] += 1
    yield
    await asyncio.gather(*(node.process.start() for node in target.cluster.nodes))


@asynccontextmanager
async def power_cut(target: Target) -> AsyncIterator[None]:
    """All nodes, the broker and PostgreSQL are killed with kill -9 at once, and restarted in any order."""
    cluster = target.cluster
    cluster.postgres.kill()
    cluster.broker.kill()
    await asyncio.gather(*(node.process.kill() for node in cluster.nodes))
    target.effects["everything killed"] += 1
    yield
    starts: list[Callable[[], Awaitable[None]]] = [
        lambda: asyncio.to_thread(cluster.postgres.start),
        lambda: asyncio.to_thread(cluster.broker.start),
        *(node.process.start for node in cluster.nodes),
    ]
    async with asyncio.TaskGroup() as group:
        for start in target.rng.sample(starts, len(starts)):
            group.create_task(_after(target.rng.uniform(0, 1), start))


@asynccontextmanager
async def broker_kill(target: Target) -> AsyncIterator[None]:
    """The broker is killed with kill -9, and restarted without what it retained."""
    target.cluster.broker.kill()
    target.effects["brokers killed"] += 1
    yield
    await asyncio.to_thread(target.cluster.broker.start)


@asynccontextmanager
async def broker_restart(target: Target) -> AsyncIterator[None]:
    """The broker is stopped (SIGTERM), and restarted with what it retained."""
    target.cluster.broker.stop()
    target.effects["brokers stopped"] += 1
    yield
    await asyncio.to_thread(target.cluster.broker.start)


@asynccontextmanager
async def broker_freeze(target: Target) -> AsyncIterator[None]:
    """The broker is frozen (SIGSTOP), for less and for longer than its keepalive, and thawed."""
    target.cluster.broker.freeze()
    target.effects["brokers frozen"] += 1
    yield
    target.cluster.broker.thaw()


@asynccontextmanager
async def broker_rollback(target: Target) -> AsyncIterator[None]:
    """The broker is killed and restarted from an old copy of its persistent state."""
    broker = target.cluster.broker
    kept = broker.directory / "mosquitto.db"
    old = kept.with_suffix(".old")
    if not old.exists():
        broker.stop()  # SIGTERM makes it write its persistent state
        shutil.copy(kept, old)
        await asyncio.to_thread(broker.start)
        await asyncio.sleep(OLD_S)
    broker.kill()
    shutil.copy(old, kept)
    target.effects["old states restored"] += 1
    yield
    await asyncio.to_thread(broker.start)


@asynccontextmanager
async def bus_noise(target: Target) -> AsyncIterator[None]:
    """Messages on the bus are duplicated, reordered, delayed, forged and replayed to other rooms."""
    async with _noise(target, share=0.3):
        yield


@asynccontextmanager
async def bus_loss(target: Target) -> AsyncIterator[None]:
    """Messages on the bus are lost: half of them, or all, though the broker is there."""
    async with _noise(target, loss=target.rng.choice((0.5, 1))):
        yield


@asynccontextmanager
async def node_isolated(target: Target) -> AsyncIterator[None]:
    """A node reaches neither the broker nor the database, but its clients."""
    node = target.node()
    assert node.to_broker is not None
    assert node.to_database is not None
    before = node.to_broker.done + node.to_database.done
    async with _dropped(target, node.to_broker), _dropped(target, node.to_database):
        yield
        target.effects.update(node.to_broker.done + node.to_database.done - before)


@asynccontextmanager
async def _cut(target: Target, way: Proxy) -> AsyncIterator[None]:
    """All connections are reset, and new ones refused."""
    way.refusing = True
    way.cut()
    yield
    way.refusing = False


@asynccontextmanager
async def _dropped(target: Target, way: Proxy) -> AsyncIterator[None]:
    """All data are dropped, though the connections stay open."""
    way.frozen = True
    yield
    way.frozen = False
    way.cut()  # data were lost, so these connections are useless


@asynccontextmanager
async def _deaf(target: Target, way: Proxy) -> AsyncIterator[None]:
    """Requests arrive, but no answers."""
    way.deaf = True
    yield
    way.deaf = False
    way.cut()


@asynccontextmanager
async def _slow(target: Target, way: Proxy) -> AsyncIterator[None]:
    """All data are delayed."""
    way.delay_s = DELAY_S
    yield
    way.delay_s = 0


@asynccontextmanager
async def _torn(target: Target, way: Proxy) -> AsyncIterator[None]:
    """All connections are reset in the middle of an answer, again and again."""

    async def tear() -> None:
        way.cut_after = way.cut_after or target.rng.randrange(TORN_BYTES)

    async with again_and_again(tear, 0.2):
        yield
    way.cut_after = None


WAYS: dict[str, Callable[[Node], Proxy | None]] = {
    "broker": lambda node: node.to_broker,
    "database": lambda node: node.to_database,
    "clients": lambda node: node.to_clients,
}
"""The ways from a node to the others."""

MANNERS: dict[str, Callable[[Target, Proxy], AbstractAsyncContextManager[None]]] = {
    "cut": _cut,
    "drop": _dropped,
    "deaf": _deaf,
    "slow": _slow,
    "torn": _torn,
}
"""The manners in which a way is broken."""


def _way(to: str, manner: str) -> Break:
    @asynccontextmanager
    async def broken(target: Target) -> AsyncIterator[None]:
        way = WAYS[to](target.node())
        assert way is not None
        before = way.done.copy()
        async with MANNERS[manner](target, way):
            yield
            target.effects.update(way.done - before)

    what = MANNERS[manner].__doc__ or ""
    broken.__doc__ = f"Between a node and {'its' if to == 'clients' else 'the'} {to} {what[0].lower()}{what[1:]}"
    return broken


async def _leaders(target: Target) -> list[tuple[int, str]]:
    """The session that leads: its process's id and its name."""
    return [
        (row["pid"], row["application_name"])
        for row in await target.cluster.query(
            "SELECT pid, application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE locktype = 'advisory' AND classid = x'4E474854'::integer AND objid = 2 AND datname = $1",
            target.database,
        )
    ]


async def _after(seconds: float, what: Callable[[], Awaitable[None]]) -> None:
    await asyncio.sleep(seconds)
    await what()


@asynccontextmanager
async def _frozen(target: Target, node: Node) -> AsyncIterator[None]:
    node.process.send(signal.SIGSTOP)
    target.effects["nodes frozen"] += 1
    try:
        yield
    finally:
        node.process.send(signal.SIGCONT)


@asynccontextmanager
async def _noise(target: Target, *, share: float = 0, loss: float = 0) -> AsyncIterator[None]:
    noises = target.cluster.noise
    before = [noise.done.copy() for noise in noises]
    for noise in noises:
        noise.share, noise.loss = share, loss
    yield
    for noise, done in zip(noises, before, strict=True):
        noise.share = noise.loss = 0
        target.effects.update(noise.done - done)


def _persistent(directory: Path) -> Sequence[str]:
    return ("persistence true", f"persistence_location {directory}/")


@dataclass(frozen=True)
class Fault:
    """A fault, the ``wiring`` of the cluster that it needs, and extra lines for the broker's configuration.

    ``lasts``: it goes on until it is repaired. ``outage``: certainly no node can accept a move until then.
    ``unseen_s``: for how many seconds nodes may be unaware of each other's clients; None for as long as it lasts.
    """

    make: Break | None
    wiring: Wiring = "direct"
    lasts: bool = True
    outage: bool = False
    broker_lines: Callable[[Path], Sequence[str]] = lambda _: ()
    unseen_s: float | None = 3.0

    @property
    def description(self) -> str:
        """A sentence that describes the fault."""
        return (self.make.__doc__ or "").strip() if self.make else "Nothing is broken."


FAULTS = {
    "none": Fault(None),
    "node-kill": Fault(node_kill, lasts=False),
    "node-stop": Fault(node_stop, lasts=False),
    "node-replace": Fault(node_replace),
    "node-freeze": Fault(node_freeze, unseen_s=None),
    "node-stutter": Fault(node_stutter, unseen_s=None),
    "node-isolated": Fault(node_isolated, "proxies", unseen_s=None),
    "leader-freeze": Fault(leader_freeze, unseen_s=None),
    "leader-deposed": Fault(leader_deposed, lasts=False),
    "cluster-kill": Fault(cluster_kill, outage=True),
    "power-cut": Fault(power_cut, outage=True, unseen_s=8.0),
    "broker-kill": Fault(broker_kill),
    "broker-restart": Fault(broker_restart, broker_lines=_persistent),
    "broker-freeze": Fault(broker_freeze),
    "broker-rollback": Fault(broker_rollback, broker_lines=_persistent),
    "bus-noise": Fault(bus_noise, "noise"),
    "bus-loss": Fault(bus_loss, "noise"),
    **{f"broker-{manner}": Fault(_way("broker", manner), "proxies") for manner in MANNERS},
    **{f"database-{manner}": Fault(_way("database", manner), "proxies", unseen_s=None) for manner in MANNERS},
    **{f"clients-{manner}": Fault(_way("clients", manner), "proxies", unseen_s=None) for manner in MANNERS},
    "postgres-kill": Fault(databases.postgres_kill, outage=True, unseen_s=8.0),
    "postgres-restart": Fault(databases.postgres_restart, outage=True, unseen_s=8.0),
    "postgres-freeze": Fault(databases.postgres_freeze, outage=True, unseen_s=8.0),
    "backend-kill": Fault(databases.backend_kill, lasts=False, unseen_s=8.0),
    "backend-freeze": Fault(databases.backend_freeze, unseen_s=None),
    "sessions-ended": Fault(databases.sessions_ended, lasts=False, unseen_s=8.0),
    "statements-cancelled": Fault(databases.statements_cancelled, unseen_s=None),
    "connections-taken": Fault(databases.connections_taken, unseen_s=None),
    "database-read-only": Fault(databases.database_read_only, unseen_s=None),
    "disk-full": Fault(databases.disk_full, lasts=False, unseen_s=8.0),
    "table-locked": Fault(databases.table_locked, unseen_s=None),
    "rooms-locked": Fault(databases.rooms_locked, unseen_s=None),
    "deadlocks": Fault(databases.deadlocks, unseen_s=None),
    "failover": Fault(databases.failover, "standby", outage=True, unseen_s=8.0),
    "switchover": Fault(databases.switchover, "standby", outage=True, unseen_s=8.0),
    "standby-kill": Fault(databases.standby_kill, "standby", unseen_s=None),
}
