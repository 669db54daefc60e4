"""New journals of each kind, for the suites that every kind must pass."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from noughts.journal import Append, Journal, MemoryJournal, PostgresJournal, SqliteJournal
from support.postgres import Postgres, database

Opener = Callable[[], AbstractAsyncContextManager[Journal]]


@asynccontextmanager
async def in_memory() -> AsyncIterator[Journal]:
    journal = MemoryJournal()
    yield journal
    await journal.close()


@asynccontextmanager
async def in_sqlite() -> AsyncIterator[Journal]:
    with tempfile.TemporaryDirectory() as directory:
        journal = await SqliteJournal.open(Path(directory) / "journal.db")
        yield journal
        await journal.close()


@asynccontextmanager
async def in_postgres(server: Postgres) -> AsyncIterator[Journal]:
    async with database(server) as url:
        journal = await PostgresJournal.open(url)
        yield journal
        await journal.close()


async def store(journal: Journal, *writes: Append) -> None:
    for one in writes:
        assert await journal.append(one)
