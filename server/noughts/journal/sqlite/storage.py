"""An open SQLite journal. For a file, one thread commits and another reads."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from noughts.journal.callbacks import Done, Outcome, awaited
from noughts.journal.sqlite.batches import CLOSED, Batch, Gathering
from noughts.journal.sqlite.file import FileLost, damage
from noughts.journal.sqlite.schema import Connections, open_reader
from noughts.journal.sqlite.transactions import PutRooms, Transactions
from noughts.journal.values import Append, JournalError

T = TypeVar("T")

log = logging.getLogger(__name__)

RESCUE = (
    "nothing more is acknowledged. Before you stop the server, save what was deleted: see /proc/%d/fd. Before you put a"
    " backup there, delete %s-wal and %s-shm, which are not the backup's"
)
"""With the process's id, and twice the name of the file."""

UNLOCKED_PAUSE = 1.0
"""Without the lock, pause after each commit this many times as long as the commit took, and leave the file to the
server. SQLite does not queue those who wait for the file; they poll for it."""

SWITCH_S = 0.001
"""How long the event loop, or another thread, may keep the interpreter while the writer waits for it. A commit waits
some fifty times, once for each step of its statements, so with Python's 5 ms it takes 0.3 s while the loop is busy."""


class Storage(Protocol):
    """Reads and writes. All raise :class:`JournalError` if they fail, and after ``close``.

    ``trouble`` is as :attr:`Journal.trouble`.
    """

    trouble: str | None

    def put(self, write: Append, done: Done) -> None:
        """As :meth:`Journal.put`."""

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What ``job`` returns, once its transaction is durable. If it raises, it has written nothing."""

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        """Run one statement, which may write; the rows that it returns."""

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        """The rows that ``sql`` finds in what is committed."""

    def check_open(self) -> None:
        """Raise :class:`JournalError` after ``close``, and when the file is lost."""

    async def check(self) -> None:
        """As :meth:`Journal.check`."""

    async def close(self) -> None:
        """Finish the writes under way and close the database. Calling it twice does no harm."""


class MemoryStorage:
    """A :class:`Storage` in memory. It blocks the event loop, for microseconds, and uses no threads."""

    trouble: str | None = None

    def __init__(self, connection: sqlite3.Connection, put_rooms: PutRooms) -> None:
        self._connection = connection
        self._transactions = Transactions(connection, put_rooms)
        self._gathering = Gathering(self._commit, self._end)
        self.put = self._gathering.put
        self.close = self._gathering.close

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T:
        result: T = await awaited(self._gathering.work, job)
        return result

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        return await self.write(lambda connection: run(connection, sql, parameters))

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        self.check_open()
        try:
            return run(self._connection, sql, parameters)
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error

    def check_open(self) -> None:
        if self._gathering.closed:
            raise JournalError(CLOSED)

    async def check(self) -> None:
        """Nobody else can reach this memory."""

    def _commit(self, batch: Batch) -> None:
        self._gathering.tell(batch, self._transactions.commit(batch))

    def _end(self) -> None:
        self._connection.close()
        self._gathering.ended.set()


class FileStorage:
    """A :class:`Storage` in a file, for one event loop."""

    def __init__(self, connections: Connections, put_rooms: PutRooms) -> None:
        self.connections = connections
        self.trouble: str | None = None
        self._lost = False
        self._transactions = Transactions(connections.writer, put_rooms)
        self._loop = asyncio.get_running_loop()
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._gathering = Gathering(self._batches.put, lambda: self._batches.put(None))
        self.put = self._gathering.put
        self.close = self._gathering.close
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="journal-reader")
        sys.setswitchinterval(min(SWITCH_S, sys.getswitchinterval()))  # of the process, and no harm once it is closed
        threading.Thread(target=self._work, name="journal-writer", daemon=True).start()

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T:
        result: T = await awaited(self._gathering.work, job)
        return result

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        return await self.write(lambda connection: run(connection, sql, parameters))

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        self.check_open()
        try:
            return await self._loop.run_in_executor(self._reading, run, self.connections.reader, sql, parameters)
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error

    def check_open(self) -> None:
        if self._gathering.closed:
            raise JournalError(CLOSED)
        if self._lost:
            raise JournalError(self.trouble)

    async def check(self) -> None:
        # In a thread of its own, for which nobody waits: it may take minutes, and a stopped server leaves it behind.
        found: asyncio.Future[str | None] = self._loop.create_future()
        connection = open_reader(self.connections.path)
        if not self.connections.file.is_in_place():
            # The writer will say so. SQLite would take the new file's index, -shm, for nobody's and cut it off under
            # the old connections: a bus error, which ends the process.
            connection.close()
            return

        def end(fault: str | None) -> None:
            if not found.done():
                found.set_result(fault)

        def look() -> None:
            self._call_loop(end, damage(connection))

        threading.Thread(target=look, name="journal-check", daemon=True).start()
        try:
            fault = await found
        finally:
            with suppress(sqlite3.ProgrammingError):  # it is closed: the check has ended
                connection.interrupt()
        if fault is not None and self.trouble is None:
            self.trouble = f"the file is damaged: {fault}"
            log.error("the journal %s is damaged: %s; restore a backup", self.connections.path, fault)

    # Everything from here on runs in the writer thread.

    def _work(self) -> None:
        try:
            for batch in iter(self._batches.get, None):
                self._call_loop(self._gathering.tell, batch, self._commit(batch))
                if self.connections.lock is None:
                    time.sleep(UNLOCKED_PAUSE * self._transactions.took_s)
        finally:
            self._reading.shutdown()
            self.connections.close()
            self._call_loop(self._gathering.ended.set)

    def _commit(self, batch: Batch) -> list[Outcome]:
        """The outcomes. Once the file is lost all are unknown: what is written may be where nobody will read it."""
        try:
            if not self._lost:
                self.connections.file.look_before()
                outcomes = self._transactions.commit(batch)
                self.connections.file.look()
                return outcomes
        except FileLost as lost:
            self.trouble, self._lost = f"the file is lost: {lost}", True
            path = self.connections.path
            log.error("the journal %s is lost: %s; " + RESCUE, path, lost, os.getpid(), path.name, path.name)
        return [JournalError(self.trouble)] * len(batch)

    def _call_loop(self, call: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(call, *arguments)


def run(connection: sqlite3.Connection, sql: str, parameters: Sequence[object]) -> list[Any]:
    """The rows of a statement in PostgreSQL's dialect."""
    values = [json.dumps(value) if isinstance(value, list) else value for value in parameters]
    return connection.execute(_translated(sql), values).fetchall()


@cache
def _translated(sql: str) -> str:
    """A PostgreSQL statement in SQLite's dialect. Lists are passed as JSON."""
    sql = re.sub(r"= ANY\((\$\d+)\)", r"IN (SELECT value FROM json_each(\1))", sql)
    return sql.replace("$", "?").replace(' COLLATE "default"', "")
