"""A journal file in use: one thread commits all writes that wait at once, another reads."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

from noughts.journal.base import JournalError
from noughts.journal.sqlite.schema import Connections

T = TypeVar("T")

Write: TypeAlias = Callable[[sqlite3.Connection], Any]
"""What the writer thread has to do for one caller, within a transaction, and answers. It may be done twice."""

Batch: TypeAlias = list[tuple[Write, "asyncio.Future[Any]"]]
Outcome: TypeAlias = Any
"""What a write has answered, or a :class:`JournalError` to be raised."""

BESIDE = 1.0
"""Who writes beside a server leaves it the file for so many times as long as each commit took.

SQLite does not queue who waits for the file, but has it look again now and then.
"""


class Storage:
    """Reads and writes for one event loop. Both raise :class:`JournalError` when they fail, and after ``close``."""

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
        """What ``write`` answers, once what it has written is on the disk; where it raises, it has written nothing."""
        self.check_open()
        told: asyncio.Future[T] = self._loop.create_future()
        # What one turn of the loop brings is handed over at once: the first alone would be a commit of its own.
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append((write, told))
        return await told

    async def query(self, sql: str, *parameters: object) -> list[Any]:
        """The rows that ``sql`` finds in what is committed."""
        self.check_open()
        reader = self.connections.reader
        try:
            return await self._loop.run_in_executor(self._reading, lambda: reader.execute(sql, parameters).fetchall())
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error

    def check_open(self) -> None:
        """Raise :class:`JournalError` after ``close``."""
        if self._closed:
            raise JournalError("the journal is closed")

    async def close(self) -> None:
        """Finish the writes under way, and let go of the file. Calling it twice does no harm."""
        if not self._closed:
            self._closed = True
            self._hand_over()
            self._waiting.put(None)
        await asyncio.shield(self._stopped)

    def _hand_over(self) -> None:
        if self._gathered:
            self._waiting.put(self._gathered)
            self._gathered = []

    # From here on everything runs in the writer thread.

    def _work(self) -> None:
        try:
            for batch in self._batches():
                took_s = self._store(batch)
                if self.connections.lock is None:
                    time.sleep(BESIDE * took_s)
        finally:
            self._reading.shutdown()
            self.connections.close()
            self._call_loop(self._stopped.set_result, None)

    def _batches(self) -> Iterator[Batch]:
        """All that waits, time and again, until the journal is closed."""
        for batch in iter(self._waiting.get, None):
            while not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    yield batch
                    return
                batch.extend(following)
            yield batch

    def _store(self, batch: Batch) -> float:
        """Commit ``batch``; for how long, in s, nobody else could write."""
        began = time.monotonic()
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            self._commit(batch, self._put_all([write for write, _ in batch]))
        except Exception as error:  # the journal goes on, whatever befell this batch
            self._roll_back()
            self._tell(batch, [_failure(error) for _ in batch])
        return time.monotonic() - began

    def _commit(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._writer.execute("COMMIT")
        self._tell(batch, outcomes)

    def _put_all(self, writes: Sequence[Write]) -> Sequence[Outcome]:
        try:
            return [write(self._writer) for write in writes]
        except sqlite3.OperationalError:  # the storage fails, not the row
            raise
        except Exception:  # a row that cannot be stored shall not fail the others
            self._roll_back()
            self._writer.execute("BEGIN IMMEDIATE")
            return [self._put_apart(write) for write in writes]

    def _put_apart(self, write: Write) -> Outcome:
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
        # After some errors SQLite has already rolled back. Should it fail, the next BEGIN fails and says why.
        with suppress(sqlite3.Error):
            self._writer.rollback()

    def _tell(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._call_loop(_resolve, [told for _, told in batch], outcomes)

    def _call_loop(self, call: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(call, *arguments)


def _resolve(waiting: Sequence[asyncio.Future[Any]], outcomes: Sequence[Outcome]) -> None:
    for told, outcome in zip(waiting, outcomes, strict=True):
        if told.done():  # who waited was cancelled
            continue
        if isinstance(outcome, JournalError):
            told.set_exception(outcome)
        else:
            told.set_result(outcome)


def _failure(cause: Exception) -> JournalError:
    if isinstance(cause, JournalError):
        return cause
    failure = JournalError(f"the write failed: {cause}")
    failure.__cause__ = cause
    return failure
