"""Migrations of PostgreSQL under servers of an older version: refused, done anyway, and what those servers then do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg
import pytest

from noughts.journal import JournalError
from noughts.journal.postgres import schema
from noughts.journal.postgres.journal import PostgresJournal
from support.postgres import Postgres, database
from support.writes import write

KNOWN = schema.migrations()
USABLE = f"-- readable from {len(KNOWN)}\nCREATE TABLE added (x integer);"
BREAKING = f"-- readable from {len(KNOWN) + 2}\nALTER TABLE heartbeat RENAME at TO beaten;"
OTHER = "-- readable from {}\nCREATE TABLE other (x integer);"


@pytest.fixture
async def url(postgres: Postgres) -> AsyncIterator[str]:
    async with database(postgres) as url:
        yield url


@asynccontextmanager
async def opened(url: str, node: str | None, *, anyway: bool = False) -> AsyncIterator[PostgresJournal]:
    """A journal that is closed after the block."""
    journal = await PostgresJournal.open(url, node=node, migrate_anyway=anyway)
    try:
        yield journal
    finally:
        await journal.close()


@asynccontextmanager
async def server(url: str, node: str) -> AsyncIterator[PostgresJournal]:
    """A journal into which a server writes heartbeats."""

    async def beat(journal: PostgresJournal) -> None:
        while True:
            with suppress(JournalError):
                await journal.beat(60_000)
            await asyncio.sleep(0.1)

    async with opened(url, node) as journal:
        await journal.beat(60_000)
        beating = asyncio.create_task(beat(journal))
        try:
            yield journal
        finally:
            beating.cancel()
            await asyncio.gather(beating, return_exceptions=True)


async def version(url: str) -> int:
    connection = await asyncpg.connect(url)
    found = await connection.fetchval("SELECT version FROM schema_version")
    await connection.close()
    return int(found)


async def test_tables_are_migrated_when_the_older_servers_have_stopped(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(url, "node1"), server(url, "node2"), opened(url, None):
        monkeypatch.setattr(schema, "migrations", lambda: [*KNOWN, USABLE, BREAKING])
        with pytest.raises(JournalError) as refused:
            await PostgresJournal.open(url, node="node3")
        words = str(refused.value)
        assert words.startswith(f"older servers are up that cannot use schema {len(KNOWN) + 2} of the journal: node1 ")
        assert words.count(" at ") == 2, "not the command"
        assert ", node2 at " in words
        assert "--migrate-anyway" in words
        assert await version(url) == len(KNOWN)
    async with opened(url, "node3"):
        assert await version(url) == len(KNOWN) + 2


async def test_tables_are_migrated_under_servers_that_can_use_the_result(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(url, "node1") as older:
        monkeypatch.setattr(schema, "migrations", lambda: [*KNOWN, USABLE])
        async with server(url, "node2"):
            assert await version(url) == len(KNOWN) + 1
            assert await older.append(write("a", 1))


async def test_a_server_that_does_not_say_what_it_knows_is_named_by_its_address(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("noughts.journal.postgres.journal.session_name", lambda _: "noughts")
        async with server(url, "node1"):
            monkeypatch.setattr(schema, "migrations", lambda: [*KNOWN, USABLE, BREAKING])
            with pytest.raises(JournalError, match=r": a server of an older version at [\w.]+( machine)?; "):
                await PostgresJournal.open(url)


async def test_a_server_whose_tables_have_moved_touches_nothing_more(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with server(url, "node1") as older:
        assert await older.append(write("a", 1))
        monkeypatch.setattr(schema, "migrations", lambda: [*KNOWN, USABLE, OTHER.format(len(KNOWN) + 2)])
        async with opened(url, "node2", anyway=True) as newer:
            assert "node1 at " in caplog.text
            assert "migrating anyway" in caplog.text
            async with asyncio.timeout(20):
                while older.trouble is None:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.05)
            moved = f"a newer version of noughts migrated its tables to schema {len(KNOWN) + 2}"
            assert older.trouble == moved
            for asked in (older.append(write("a", 2)), older.read("a"), older.people.find("p-1"), older.lead()):
                with pytest.raises(JournalError, match=moved):
                    await asked
            assert await newer.append(write("a", 2))
    errors = [line for line in caplog.messages if "stop this server" in line]
    assert len(errors) == 1
