"""New journals of each kind for tests."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from noughts.journal import Append, Journal, SqliteJournal
from noughts.journal.postgres.journal import PostgresJournal
from noughts.journal.sqlite.schema import open_memory
from noughts.journal.steady_clock import system_time
from support.postgres import Postgres, database

Opener = Callable[[], AbstractAsyncContextManager[Journal]]


class MemoryJournal(SqliteJournal):
    """A journal in memory that tests can make by a plain call, subclass and tamper with."""

    def __init__(self, clock: Callable[[], int] = system_time) -> None:
        connections = open_memory()
        weakref.finalize(self, connections.close)
        super().__init__(connections, clock)
        self.sql = connections.writer.execute

    def records(self) -> dict[str, list[bytes]]:
        """The records of every room."""
        found: dict[str, list[bytes]] = {}
        query = "SELECT rooms.room, record FROM records JOIN rooms ON number = records.room ORDER BY 1, records.version"
        for room, record in self.sql(query):
            found.setdefault(room, []).append(record)
        return found

    def set_records(self, room: str, records: Sequence[bytes]) -> None:
        """Replace the records of an existing room, which no server does."""
        ((number,),) = self.sql("SELECT number FROM rooms WHERE room = ?", (room,))
        self.sql("DELETE FROM records WHERE room = ?", (number,))
        for version, record in enumerate(records, 1):
            self.sql("INSERT INTO records (room, version, record) VALUES (?, ?, ?)", (number, version, record))


@asynccontextmanager
async def in_memory() -> AsyncIterator[Journal]:
    journal = SqliteJournal.in_memory()
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
