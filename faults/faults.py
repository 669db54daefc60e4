"""The faults: each breaks a part of a cluster for as long as it is entered, and repairs it."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from support.cluster import Cluster, Node, Wiring
from support.proxy import Proxy

DELAY_S = 0.15
"""The delay of a slow network, each way: a round trip around the world."""

TORN_BYTES = 3000
"""The most bytes after which a connection is torn."""

CRASH_S = 5.0
"""Within this time PostgreSQL logs that a process of its own has crashed."""

LOCKED_ROOMS = 5
"""The number of rooms that are locked at once."""


@dataclass
class Target:
    """A cluster, the source of random choices, and a count of what faults have done to it.

    A fault that is not certain to disturb anything counts only what it has seen to be disturbed.
    """

    cluster: Cluster
    rng: random.Random
    effects: Counter[str] = field(default_factory=Counter)

    @property
    def database(self) -> str:
        """The database's name."""
        return urlsplit(self.cluster.database).path[1:]

    def node(self) -> Node:
        """A random node."""
        return self.rng.choice(self.cluster.nodes)


Break = Callable[[Target], AbstractAsyncContextManager[None]]


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

    async with _again_and_again(freeze, 0.1):
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
    kept = target.cluster.broker.directory / "mosquitto.db"
    old = kept.with_suffix(".old")
    if old.exists():
        target.cluster.broker.kill()
        shutil.copy(old, kept)
        target.effects["old states restored"] += 1
    else:
        target.cluster.broker.stop()  # SIGTERM makes it write its persistent state
        shutil.copy(kept, old)
    yield
    await asyncio.to_thread(target.cluster.broker.start)


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
    """All connections are reset, and new ones refused"""
    way.refusing = True
    way.cut()
    yield
    way.refusing = False


@asynccontextmanager
async def _dropped(target: Target, way: Proxy) -> AsyncIterator[None]:
    """All data are dropped, though the connections stay open"""
    way.frozen = True
    yield
    way.frozen = False
    way.cut()  # data were lost, so these connections are useless


@asynccontextmanager
async def _deaf(target: Target, way: Proxy) -> AsyncIterator[None]:
    """Requests arrive, but no answers"""
    way.deaf = True
    yield
    way.deaf = False
    way.cut()


@asynccontextmanager
async def _slow(target: Target, way: Proxy) -> AsyncIterator[None]:
    """All data are delayed"""
    way.delay_s = DELAY_S
    yield
    way.delay_s = 0


@asynccontextmanager
async def _torn(target: Target, way: Proxy) -> AsyncIterator[None]:
    """Again and again all connections are reset in the middle of an answer"""

    async def tear() -> None:
        way.cut_after = way.cut_after or target.rng.randrange(TORN_BYTES)

    async with _again_and_again(tear, 0.2):
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
"""How a way is broken."""


def _way(to: str, manner: str) -> Break:
    @asynccontextmanager
    async def broken(target: Target) -> AsyncIterator[None]:
        way = WAYS[to](target.node())
        assert way is not None
        before = way.done.copy()
        async with MANNERS[manner](target, way):
            yield
        target.effects.update(way.done - before)

    broken.__doc__ = f"{MANNERS[manner].__doc__} between a node and {'its ' if to == 'clients' else 'the '}{to}."
    return broken


@asynccontextmanager
async def postgres_kill(target: Target) -> AsyncIterator[None]:
    """All of PostgreSQL is killed with kill -9 and restarted."""
    target.cluster.postgres.kill()
    target.effects["servers killed"] += 1
    yield
    await asyncio.to_thread(target.cluster.postgres.start)


@asynccontextmanager
async def postgres_restart(target: Target) -> AsyncIterator[None]:
    """PostgreSQL is shut down, which ends all sessions, and restarted."""
    await asyncio.to_thread(target.cluster.postgres.stop)
    target.effects["servers stopped"] += 1
    yield
    await asyncio.to_thread(target.cluster.postgres.start)


@asynccontextmanager
async def postgres_freeze(target: Target) -> AsyncIterator[None]:
    """All of PostgreSQL is frozen (SIGSTOP), for less and for longer than nodes wait for it, and thawed."""
    target.cluster.postgres.freeze()
    target.effects["servers frozen"] += 1
    yield
    target.cluster.postgres.thaw()


@asynccontextmanager
async def backend_kill(target: Target) -> AsyncIterator[None]:
    """A PostgreSQL backend is killed with kill -9, so that PostgreSQL ends all sessions and recovers from its log."""
    async with _crash(target, "terminated by signal 9"):
        for pid in target.cluster.postgres.backends(target.database)[-1:]:
            os.kill(pid, signal.SIGKILL)
    yield


@asynccontextmanager
async def backend_freeze(target: Target) -> AsyncIterator[None]:
    """A PostgreSQL backend that serves a node is frozen (SIGSTOP), and thawed later."""
    backends = target.cluster.postgres.backends(target.database)
    pid = target.rng.choice(backends) if backends else 0
    with suppress(ProcessLookupError):
        if pid:
            os.kill(pid, signal.SIGSTOP)
            target.effects["sessions frozen"] += 1
        yield
        if pid:
            os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def sessions_ended(target: Target) -> AsyncIterator[None]:
    """All sessions of the nodes are ended by the database's operator."""
    sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()"
    target.effects["sessions ended"] += len(await target.cluster.query(sql, target.database))
    yield


@asynccontextmanager
async def statements_cancelled(target: Target) -> AsyncIterator[None]:
    """Statements are cancelled by the database's operator, whichever run at the time, again and again."""
    sql = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND state = 'active'"
    async with (
        _logged(target, "canceling statement due to user request"),
        _session(target) as session,
        _again_and_again(lambda: session.fetch(f"{sql} AND pid <> pg_backend_pid()", target.database), 0.005),
    ):
        yield


@asynccontextmanager
async def connections_taken(target: Target) -> AsyncIterator[None]:
    """The nodes' sessions are ended, and others take all connections that the database allows."""
    async with _logged(target, "too many clients already"), _session(target) as session:
        taken: list[asyncpg.Connection[asyncpg.Record]] = []
        try:
            await session.fetch(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()",
                target.database,
            )
            with suppress(asyncpg.TooManyConnectionsError):
                while True:
                    taken.append(await asyncpg.connect(target.cluster.postgres.url(), timeout=10))
            yield
        finally:
            for connection in taken:
                connection.terminate()


@asynccontextmanager
async def database_read_only(target: Target) -> AsyncIterator[None]:
    """The database refuses to write."""
    async with _logged(target, "in a read-only transaction"), _setting(target, "default_transaction_read_only", "on"):
        yield


@asynccontextmanager
async def disk_full(target: Target) -> AsyncIterator[None]:
    """PostgreSQL cannot write to its disk, panics at its next commit, and recovers when there is space again."""
    async with _crash(target, "terminated by signal 6"):
        await asyncio.to_thread(target.cluster.postgres.fail_writes, target.database)
    yield


@asynccontextmanager
async def table_locked(target: Target) -> AsyncIterator[None]:
    """A table is locked, as by a migration, for less and for longer than nodes wait for it."""
    table = target.rng.choice(("rooms", "records", "players", "seeks", "heartbeat"))
    async with _logged(target, "due to lock timeout"), _session(target) as session, session.transaction():
        await session.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


@asynccontextmanager
async def rooms_locked(target: Target) -> AsyncIterator[None]:
    """Another session locks some rooms in play, for less and for longer than their moves wait."""
    async with _session(target) as session, session.transaction():
        sql = "SELECT room FROM rooms WHERE status = 'playing' ORDER BY random() LIMIT $1 FOR UPDATE"
        target.effects["rooms locked"] += len(await session.fetch(sql, LOCKED_ROOMS))
        yield


@asynccontextmanager
async def deadlocks(target: Target) -> AsyncIterator[None]:
    """Another session locks the tables in another order than the nodes, so that PostgreSQL ends deadlocks."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'players'::regclass"

    async with (
        _logged(target, "deadlock detected"),
        _setting(target, "deadlock_timeout", "300ms"),
        _session(target) as session,
        _session(target) as looking,
    ):
        await session.execute("SET deadlock_timeout = '10s'")  # so that a node is the victim
        await session.execute("SET lock_timeout = '2s'")

        async def lock() -> None:
            with suppress(asyncpg.PostgresError, TimeoutError):
                async with asyncio.timeout(2), session.transaction():
                    await session.execute("LOCK TABLE players IN ACCESS EXCLUSIVE MODE")
                    while not await looking.fetchval(waiting):  # noqa: ASYNC110  a lock
                        await asyncio.sleep(0.005)
                    await session.execute("LOCK TABLE rooms IN ACCESS EXCLUSIVE MODE")

        async with _again_and_again(lock, 0.5):
            yield


@asynccontextmanager
async def failover(target: Target) -> AsyncIterator[None]:
    """The primary is killed with kill -9, and its standby promoted."""
    assert target.cluster.pair is not None
    await _joined(target)
    target.cluster.pair.primary.kill()
    yield
    await target.cluster.pair.promote()
    target.effects["standbys promoted"] += 1


@asynccontextmanager
async def switchover(target: Target) -> AsyncIterator[None]:
    """The primary is shut down, and its standby promoted."""
    assert target.cluster.pair is not None
    await _joined(target)
    await asyncio.to_thread(target.cluster.pair.primary.stop)
    yield
    await target.cluster.pair.promote()
    target.effects["standbys promoted"] += 1


@asynccontextmanager
async def standby_kill(target: Target) -> AsyncIterator[None]:
    """The only standby is killed with kill -9, so that all commits wait, and restarted."""
    assert target.cluster.pair is not None
    target.cluster.pair.standby.kill()
    yield
    waiting = await target.cluster.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    target.effects["commits that waited"] += len(waiting)
    await asyncio.to_thread(target.cluster.pair.standby.start)


async def _joined(target: Target) -> None:
    """The pair has a standby."""
    assert target.cluster.pair is not None
    if target.effects["standbys promoted"]:
        await target.cluster.pair.join()


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
async def _again_and_again(what: Callable[[], Awaitable[object]], every_s: float) -> AsyncIterator[None]:
    """Within the block, do ``what`` with pauses of ``every_s``. It ends in between."""
    over = asyncio.Event()

    async def go_on() -> None:
        while not over.is_set():
            await what()
            await asyncio.sleep(every_s)

    async with asyncio.TaskGroup() as group:
        group.create_task(go_on())
        try:
            yield
        finally:
            over.set()


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


@asynccontextmanager
async def _session(target: Target) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """A session of the database's operator."""
    connection = await asyncpg.connect(target.cluster.database, timeout=10, command_timeout=60)
    try:
        yield connection
    finally:
        await connection.close(timeout=10)


@asynccontextmanager
async def _setting(target: Target, name: str, value: str) -> AsyncIterator[None]:
    """Within the block the server has this setting."""
    async with _session(target) as session:
        await session.execute("SET default_transaction_read_only = off")
        try:
            await session.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            await session.execute("SELECT pg_reload_conf()")
            yield
        finally:
            await session.execute(f"ALTER SYSTEM RESET {name}")
            await session.execute("SELECT pg_reload_conf()")


@asynccontextmanager
async def _logged(target: Target, text: str) -> AsyncIterator[None]:
    """Count how often the database logs ``text`` within the block."""
    before = _count(target, text)
    yield
    target.effects[text] += _count(target, text) - before


@asynccontextmanager
async def _crash(target: Target, text: str) -> AsyncIterator[None]:
    """PostgreSQL crashes because of what the block does, logs ``text``, and accepts connections again."""
    before = _count(target, text)
    async with _logged(target, text):
        yield
        with suppress(TimeoutError):
            async with asyncio.timeout(CRASH_S):
                while _count(target, text) == before:  # noqa: ASYNC110  a file
                    await asyncio.sleep(0.02)
        while True:
            with suppress(OSError, asyncpg.PostgresError):
                await target.cluster.query("SELECT 1")
                break
            await asyncio.sleep(0.02)


def _count(target: Target, text: str) -> int:
    return target.cluster.postgres.log.read_text(errors="replace").count(text)


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
    "postgres-kill": Fault(postgres_kill, outage=True, unseen_s=8.0),
    "postgres-restart": Fault(postgres_restart, outage=True, unseen_s=8.0),
    "postgres-freeze": Fault(postgres_freeze, outage=True, unseen_s=8.0),
    "backend-kill": Fault(backend_kill, lasts=False, unseen_s=8.0),
    "backend-freeze": Fault(backend_freeze, unseen_s=None),
    "sessions-ended": Fault(sessions_ended, lasts=False, unseen_s=8.0),
    "statements-cancelled": Fault(statements_cancelled, unseen_s=None),
    "connections-taken": Fault(connections_taken, unseen_s=None),
    "database-read-only": Fault(database_read_only, unseen_s=None),
    "disk-full": Fault(disk_full, lasts=False, unseen_s=8.0),
    "table-locked": Fault(table_locked, unseen_s=None),
    "rooms-locked": Fault(rooms_locked, unseen_s=None),
    "deadlocks": Fault(deadlocks, unseen_s=None),
    "failover": Fault(failover, "standby", outage=True, unseen_s=8.0),
    "switchover": Fault(switchover, "standby", outage=True, unseen_s=8.0),
    "standby-kill": Fault(standby_kill, "standby", unseen_s=None),
}
