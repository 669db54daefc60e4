"""SQLite as the players, results and seeks use it. For a file, one thread reads and another commits."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from noughts.journal.callbacks import awaited
from noughts.journal.nameless import without_names
from noughts.journal.results import Rated
from noughts.journal.sqlite import statements
from noughts.journal.sqlite.file import damage
from noughts.journal.sqlite.schema import Connections, open_reader
from noughts.journal.sqlite.writer import CLOSED, Writer
from noughts.journal.values import Append, GameResult, JournalError, Seek, StoredPlayer

T = TypeVar("T")

log = logging.getLogger(__name__)


class SqliteDatabase:
    """A :class:`~noughts.journal.database.Database` in a file, or in memory. ``writer`` has all that is written."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self.deleted: frozenset[str] = frozenset()
        in_file = connections.file is not None
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="journal-reader") if in_file else None
        self.writer = Writer(connections, self._end)

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        self.check_open()
        try:
            reader = self.connections.reader
            if self._reading is None:
                rows = statements.run(reader, sql, parameters)
            else:
                loop = asyncio.get_running_loop()
                rows = await loop.run_in_executor(self._reading, statements.run, reader, sql, parameters)
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error
        return without_names(rows, self.deleted) if self.deleted else rows

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """The result of ``job``, once its transaction is durable. If it raises, it has written nothing."""
        result: T = await awaited(self.writer.work, job)
        return result

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        return await self.write(lambda connection: statements.run(connection, sql, parameters))

    async def transact(self, *pairs: tuple[str, Sequence[object]]) -> list[list[Any]]:
        return await self.write(
            lambda connection: [statements.run(connection, sql, parameters) for sql, parameters in pairs]
        )

    async def add_guest(self, player: StoredPlayer, label: str, now: int) -> bool:
        return await self.write(lambda connection: statements.add_guest(connection, player, label, now))

    async def own_name(self, player: str, name: str, now: int, *, anew: bool) -> bool:
        return await self.write(lambda connection: statements.own_name(connection, player, name, now, anew=anew))

    async def rename_guests(self, name: str, limit: int, now: int) -> bool:
        return await self.write(lambda connection: statements.rename_guests(connection, name, limit, now))

    async def rate(self, rated: Sequence[Rated]) -> bool:
        return await self.write(lambda connection: statements.rate(connection, rated))

    async def put_results(self, found: Sequence[GameResult]) -> None:
        await self.write(lambda connection: statements.put_results(connection, found))

    async def clear_ratings(self) -> None:
        await self.write(statements.clear_ratings)

    async def put_seek(self, seek: Seek, until: int) -> str | None:
        return await self.write(lambda connection: statements.put_seek(connection, seek, until))

    async def renew_seeks(self, asked: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        return await self.write(lambda connection: statements.renew_seeks(connection, asked, until))

    async def pair(self, one: Seek, other: Seek, write: Append, now: int) -> bool:
        def pair(connection: sqlite3.Connection) -> bool:
            if not statements.both_wait(connection, (one, other), now):
                return False
            self.writer.store([write])
            statements.pair(connection, (one, other), write.room, now)
            return True

        return await self.write(pair)

    def check_open(self) -> None:
        """Raise :class:`JournalError` after ``close``, and when the file is lost."""
        if self.writer.closed:
            raise JournalError(CLOSED)
        if self.writer.lost:
            raise JournalError(self.writer.trouble)

    async def check(self) -> None:
        """As :meth:`Journal.check`. Nobody else can reach a journal in memory."""
        file = self.connections.file
        if file is None:
            return
        # In a thread of its own, for which nobody waits: it may take minutes, and a stopped server leaves it behind.
        loop = asyncio.get_running_loop()
        found: asyncio.Future[str | None] = loop.create_future()
        connection = open_reader(file.path)
        if not file.is_in_place():
            # The writer will say so. SQLite would take the new file's index, -shm, for nobody's and cut it off under
            # the old connections: a bus error, which ends the process.
            connection.close()
            return

        def end(fault: str | None) -> None:
            if not found.done():
                found.set_result(fault)

        def look() -> None:
            fault = damage(connection)
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(end, fault)

        threading.Thread(target=look, name="journal-check", daemon=True).start()
        try:
            fault = await found
        finally:
            with suppress(sqlite3.ProgrammingError):  # it is closed: the check has ended
                connection.interrupt()
        if fault is not None and self.writer.trouble is None:
            self.writer.trouble = f"the file is damaged: {fault}"
            log.error("the journal %s is damaged: %s; restore a backup", file.path, fault)

    def _end(self) -> None:
        """Close the connections, when nothing more is written. For a file it is called in the writer's thread."""
        if self._reading is not None:
            self._reading.shutdown()
        self.connections.close()
