"""The faults of PostgreSQL, of its disk, its sessions, its locks and its standby."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg

from faults.target import Target, again_and_again

CRASH_S = 5.0
"""Within this time PostgreSQL logs that a process of its own has crashed."""

LOCKED_ROOMS = 5
"""The number of rooms that are locked at once."""


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
        again_and_again(lambda: session.fetch(f"{sql} AND pid <> pg_backend_pid()", target.database), 0.005),
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

        async with again_and_again(lock, 0.5):
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
