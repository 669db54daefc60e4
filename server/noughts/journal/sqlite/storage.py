"""An open SQLite journal. For a file, one thread commits all waiting writes together, and another reads."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import Any, Protocol, TypeAlias, TypeVar

from noughts.journal.sqlite.schema import Connections
from noughts.journal.values import JournalError, UnknownPlayer

T = TypeVar("T")

Write: TypeAlias = Callable[[sqlite3.Connection], Any]
"""A caller's work for the writer thread, within a transaction, and its result. It may run twice."""

Batch: TypeAlias = list[tuple[Write, "asyncio.Future[Any]"]]
Outcome: TypeAlias = Any
"""What a write has returned, or an exception to raise."""

CLOSED = "the journal is closed"

UNLOCKED_PAUSE = 1.0
"""Without the lock, pause after each commit this many times as long as the commit took, and leave the file to the
server. SQLite does not queue those who wait for the file; they poll for it."""


class Storage(Protocol):
    """Reads and writes. All raise :class:`JournalError` if they fail, and after ``close``."""

    async def write(self, write: Callable[[sqlite3.Connection], T]) -> T:
        """What ``write`` returns, once its transaction is durable. If it raises, it has written nothing."""

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        """Run one statement, which may write; the rows that it returns."""

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        """The rows that ``sql`` finds in what is committed."""

    def check_open(self) -> None:
        """Raise :class:`JournalError` after ``close``."""

    async def close(self) -> None:
        """Finish the writes under way and close the database. Calling it twice does no harm."""


class MemoryStorage:
    """A :class:`Storage` in memory. It blocks the event loop, for some microseconds, instead of using threads."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._closed = False

    async def write(self, write: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise JournalError(CLOSED)
        self._connection.execute("BEGIN")
        try:
            result = write(self._connection)
        except Exception as error:
            self._connection.rollback()
            raise _failure(error) from error
        self._connection.execute("COMMIT")
        return result

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        self.check_open()
        try:
            return _run(self._connection, sql, parameters)
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error

    fetch = execute

    def check_open(self) -> None:
        if self._closed:
            raise JournalError(CLOSED)

    async def close(self) -> None:
        self._closed = True
        self._connection.close()


class FileStorage:
    """A :class:`Storage` in a file, for one event loop."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self._writer = connections.writer
        self._loop = asyncio.get_running_loop()
        self._gathered: Batch = []
        self._waiting: SimpleQueue[Batch | None] = SimpleQueue()
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="journal-reader")
        self._closed = False
        self._stopped = self._loop.create_future()
        threading.Thread(target=self._work, name="journal-writer", daemon=True).start()

    async def write(self, write: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise JournalError(CLOSED)
        result: asyncio.Future[T] = self._loop.create_future()
        # All writes of one turn of the loop go together: alone, the first would be a commit of its own.
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append((write, result))
        return await result

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        return await self.write(lambda connection: _run(connection, sql, parameters))

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        self.check_open()
        try:
            return await self._loop.run_in_executor(self._reading, _run, self.connections.reader, sql, parameters)
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error

    def check_open(self) -> None:
        if self._closed:
            raise JournalError(CLOSED)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._hand_over()
            self._waiting.put(None)
        await asyncio.shield(self._stopped)

    def _hand_over(self) -> None:
        if self._gathered:
            self._waiting.put(self._gathered)
            self._gathered = []

    # Everything from here on runs in the writer thread.

    def _work(self) -> None:
        try:
            for batch in self._batches():
                took_s = self._store(batch)
                if self.connections.lock is None:
                    time.sleep(UNLOCKED_PAUSE * took_s)
        finally:
            self._reading.shutdown()
            self.connections.close()
            self._call_loop(self._stopped.set_result, None)

    def _batches(self) -> Iterator[Batch]:
        """All writes that wait, again and again, until the journal is closed."""
        for batch in iter(self._waiting.get, None):
            while not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    yield batch
                    return
                batch.extend(following)
            yield batch

    def _store(self, batch: Batch) -> float:
        """Commit ``batch``; for how many seconds it kept others from writing."""
        began = time.monotonic()
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            self._commit(batch, self._run_all(batch))
        except Exception as error:  # the journal goes on, whatever happened to this batch
            self._roll_back()
            self._resolve(batch, [_failure(error) for _ in batch])
        return time.monotonic() - began

    def _commit(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._writer.execute("COMMIT")
        self._resolve(batch, outcomes)

    def _run_all(self, batch: Batch) -> Sequence[Outcome]:
        try:
            return [write(self._writer) for write, _ in batch]
        except sqlite3.OperationalError:  # the storage fails, not the row
            raise
        except Exception:  # a row that cannot be stored must not fail the others
            self._roll_back()
            self._writer.execute("BEGIN IMMEDIATE")
            return [self._run_apart(write) for write, _ in batch]

    def _run_apart(self, write: Write) -> Outcome:
        self._writer.execute("SAVEPOINT apart")
        outcome: Outcome
        try:
            outcome = write(self._writer)
        except Exception as error:
            self._writer.execute("ROLLBACK TO apart")
            outcome = _failure(error)
        self._writer.execute("RELEASE apart")
        return outcome

    def _roll_back(self) -> None:
        # After some errors SQLite has rolled back already. If this fails, the next BEGIN fails and says why.
        with suppress(sqlite3.Error):
            self._writer.rollback()

    def _resolve(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._call_loop(_set_results, batch, outcomes)

    def _call_loop(self, call: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(call, *arguments)


def _set_results(batch: Batch, outcomes: Sequence[Outcome]) -> None:
    for (_, result), outcome in zip(batch, outcomes, strict=True):
        if result.done():  # the caller was cancelled
            continue
        if isinstance(outcome, Exception):
            result.set_exception(outcome)
        else:
            result.set_result(outcome)


def _failure(cause: Exception) -> Exception:
    if isinstance(cause, (JournalError, UnknownPlayer)):
        return cause
    failure = JournalError(f"the write failed: {cause}")
    failure.__cause__ = cause
    return failure


def _run(connection: sqlite3.Connection, sql: str, parameters: Sequence[object]) -> list[Any]:
    values = [json.dumps(value) if isinstance(value, list) else value for value in parameters]
    return connection.execute(_translated(sql), values).fetchall()


@cache
def _translated(sql: str) -> str:
    """A PostgreSQL statement in SQLite's dialect. Lists are passed as JSON."""
    sql = re.sub(r"= ANY\((\$\d+)\)", r"IN (SELECT value FROM json_each(\1))", sql)
    return sql.replace("$", "?").replace(' COLLATE "default"', "")
