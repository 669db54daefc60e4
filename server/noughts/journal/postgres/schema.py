"""Migrates the journal's tables. The first server of a new version does it."""

from __future__ import annotations

import re
import secrets
from importlib import resources

import asyncpg

from noughts.journal.postgres.connect import FAILURES, Connection, describe
from noughts.journal.values import SECRET_BYTES, JournalError

_LOCK = 0x4E474854_0001  # of advisory locks, which each database has for itself
_PATIENCE_S = 600.0
"""How long a migration may take, another server's included."""

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


async def migrate(connection: Connection) -> bytes:
    """Migrate the database to the newest schema. Returns the journal's secret.

    If several servers start at once, one migrates and the others wait. Raises :class:`JournalError` if it fails, and
    if the schema is too new for this version of noughts.
    """
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK, timeout=_PATIENCE_S)
        await _run_migrations(connection)
        await connection.execute(_PUT_FIRST, secrets.token_bytes(SECRET_BYTES))
        secret = bytes(await connection.fetchval("SELECT secret FROM secret"))
        await connection.execute("SELECT pg_advisory_unlock($1)", _LOCK)
    except (*FAILURES, TimeoutError) as error:
        raise JournalError(f"cannot migrate the journal's tables: {describe(error)}") from error
    return secret


async def _run_migrations(connection: Connection) -> None:
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
    for number, script in enumerate(scripts[version:], version + 1):
        match = _READABLE_FROM.match(script)
        assert match, f"migration {number} does not say who can read the result"
        async with connection.transaction():
            await connection.execute(script, timeout=_PATIENCE_S)
            await connection.execute(
                "UPDATE schema_version SET version = $1, readable_from = greatest(readable_from, $2)",
                number,
                int(match[1]),
            )
