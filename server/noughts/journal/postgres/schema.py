"""Migrates the journal's tables. The first server of a new version does it, unless older ones still use the journal."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from importlib import resources

import asyncpg

from noughts.journal.postgres.connect import FAILURES, Connection, describe
from noughts.journal.values import SECRET_BYTES, JournalError

log = logging.getLogger(__name__)

_LOCK = 0x4E474854_0001  # of advisory locks, which each database has for itself
_PATIENCE_S = 600.0
"""The time a migration may take, another server's included."""

_BEATING_MS = 2500
"""A server whose heartbeat is older is down; see ``Timing.beat_gap_s``."""

_LOOK_S = 0.1

_HEARTBEAT = "SELECT at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - at AS age_ms FROM heartbeat"
_SESSIONS = """
SELECT DISTINCT application_name, host(client_addr) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'noughts%' ORDER BY 1, 2
"""
_SESSION = re.compile(r"noughts(?:/(\d+)(?: (.+))?)?")

_READABLE_FROM = re.compile(r"-- readable from (\d+)\n")

_TABLE = """
CREATE TABLE IF NOT EXISTS schema_version (
    one boolean PRIMARY KEY DEFAULT TRUE CHECK (one),
    version integer NOT NULL,
    readable_from integer NOT NULL
);
INSERT INTO schema_version (version, readable_from) VALUES (0, 0) ON CONFLICT DO NOTHING;
"""
_PUT_FIRST = "INSERT INTO secret (secret) VALUES ($1) ON CONFLICT DO NOTHING"


def migrations() -> list[str]:
    """The scripts ``migrations/NNNN_*.sql`` in order; script n (from 1) migrates a journal to schema n.

    The first line of each is ``-- readable from N``: servers that know schema N, but no newer one, can use the result.
    """
    directory = resources.files("noughts.journal.postgres") / "migrations"
    scripts = sorted(directory.iterdir(), key=lambda script: script.name)
    return [script.read_text(encoding="utf-8") for script in scripts if script.name.endswith(".sql")]


def session_name(node: str | None) -> str:
    """The database's name for the sessions of the server ``node``, or of a command, for :func:`migrate` to read."""
    return f"noughts/{len(migrations())}" if node is None else f"noughts/{len(migrations())} {node}"


async def migrate(connection: Connection, *, anyway: bool = False) -> bytes:
    """Migrate the database to the newest schema. Returns the journal's secret.

    If several servers start at once, one migrates and the others wait. Raises :class:`JournalError` if it fails,
    if the schema is too new for this version of noughts, and, unless ``anyway``, if servers that could not use the
    result are up.
    """
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK, timeout=_PATIENCE_S)
        await _run_migrations(connection, anyway=anyway)
        await connection.execute(_PUT_FIRST, secrets.token_bytes(SECRET_BYTES))
        secret = bytes(await connection.fetchval("SELECT secret FROM secret"))
        await connection.execute("SELECT pg_advisory_unlock($1)", _LOCK)
    except (*FAILURES, TimeoutError) as error:
        raise JournalError(f"cannot migrate the journal's tables: {describe(error)}") from error
    return secret


async def _run_migrations(connection: Connection, *, anyway: bool) -> None:
    scripts = migrations()
    try:
        row = await connection.fetchrow("SELECT version, readable_from FROM schema_version")
    except asyncpg.UndefinedTableError:
        await connection.execute(_TABLE)
        row = None
    version, readable_from = row or (0, 0)
    if version > len(scripts) < readable_from:
        raise JournalError(
            "the journal was written by a newer version of noughts:"
            f" its schema {version} needs one that knows schema {readable_from}, this one knows {len(scripts)}"
        )
    needed = max((_readable_from(script) for script in scripts[version:]), default=0)
    if needed > readable_from and (older := await _older_servers(connection, needed, readable_from)):
        message = f"older servers are up that cannot use schema {needed} of the journal: {', '.join(older)}"
        if not anyway:
            raise JournalError(f"{message}; stop them first, or end their work with noughts serve --migrate-anyway")
        log.warning("%s; migrating anyway", message)
    for number, script in enumerate(scripts[version:], version + 1):
        async with connection.transaction():
            await connection.execute(script, timeout=_PATIENCE_S)
            await connection.execute(
                "UPDATE schema_version SET version = $1, readable_from = greatest(readable_from, $2)",
                number,
                _readable_from(script),
            )


def _readable_from(script: str) -> int:
    match = _READABLE_FROM.match(script)
    assert match, "a migration does not say who can read the result"
    return int(match[1])


async def _older_servers(connection: Connection, needed: int, at_least: int) -> list[str]:
    """Servers that are up and know no schema ``needed``. All that are up know schema ``at_least``."""
    if not await _is_beating(connection):
        return []
    rows = await connection.fetch(_SESSIONS)
    found: dict[str, None] = {}
    newer = False
    for name, address in rows:
        match = _SESSION.fullmatch(name)
        schema, node = match.groups() if match is not None else (None, None)
        if schema is not None and node is None:
            continue  # a command, which ends by itself
        if int(schema or at_least) >= needed:
            newer = True
        else:
            found[f"{node or 'a server of an older version'} at {address or 'this machine'}"] = None
    return list(found) or ([] if newer else ["one whose sessions this account cannot see"])


async def _is_beating(connection: Connection) -> bool:
    """True if any server writes heartbeats. One that was stopped a moment ago does not."""
    if await connection.fetchval("SELECT to_regclass('heartbeat')") is None:
        return False
    first = latest = await connection.fetchrow(_HEARTBEAT)
    for _ in range(round(_BEATING_MS / 1000 / _LOOK_S)):
        if first is None or latest is None or latest["age_ms"] > _BEATING_MS:
            return False
        if latest["at"] != first["at"]:
            return True
        await asyncio.sleep(_LOOK_S)
        latest = await connection.fetchrow(_HEARTBEAT)
    return False
