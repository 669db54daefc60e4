"""Commits batches of writes. One that is refused or cannot be stored does not fail the others."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from noughts.journal.callbacks import Outcome
from noughts.journal.sqlite.batches import Batch, Job
from noughts.journal.values import Append, JournalError, UnknownPlayer

PutRooms: TypeAlias = Callable[[sqlite3.Connection, Sequence[Append]], None]
"""Stores writes of rooms. Raises :class:`Refused` if one of them is not to be stored."""


class Refused(Exception):
    """A write is not the next of its room."""


class Transactions:
    """Commits on one connection, and in one thread."""

    def __init__(self, connection: sqlite3.Connection, put_rooms: PutRooms) -> None:
        self._connection = connection
        self._put_rooms = put_rooms
        self.took_s = 0.0
        """How long the last transaction kept others from writing."""

    def commit(self, batch: Batch) -> list[Outcome]:
        """Store ``batch`` durably; the outcomes of its writes, and then of its jobs."""
        began = time.monotonic()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            outcomes = self._run_all(batch)
            self._connection.execute("COMMIT")
        except Exception as error:  # the journal goes on, whatever happened to this batch
            self._roll_back()
            outcomes = [_outcome(error)] * len(batch)
        self.took_s = time.monotonic() - began
        return outcomes

    def _run_all(self, batch: Batch) -> list[Outcome]:
        try:
            if batch.writes:
                self._put_rooms(self._connection, batch.writes)
            return [True] * len(batch.writes) + [job(self._connection) for job in batch.jobs]
        except sqlite3.OperationalError:  # the storage fails, not the row
            raise
        except Exception:  # one of them must not fail the others
            self._roll_back()
            self._connection.execute("BEGIN IMMEDIATE")
            return [self._run_apart(job) for job in (*map(self._storing, batch.writes), *batch.jobs)]

    def _storing(self, write: Append) -> Job:
        def store(connection: sqlite3.Connection) -> bool:
            self._put_rooms(connection, [write])
            return True

        return store

    def _run_apart(self, job: Job) -> Outcome:
        self._connection.execute("SAVEPOINT apart")
        outcome: Outcome
        try:
            outcome = job(self._connection)
        except Exception as error:
            self._connection.execute("ROLLBACK TO apart")
            outcome = _outcome(error)
        self._connection.execute("RELEASE apart")
        return outcome

    def _roll_back(self) -> None:
        # After some errors SQLite has rolled back already. If this fails, the next BEGIN fails and says why.
        with suppress(sqlite3.Error):
            self._connection.rollback()


def _outcome(error: Exception) -> Outcome:
    """The outcome that is reported to the caller of a failed write."""
    if isinstance(error, Refused):
        return False
    if isinstance(error, (JournalError, UnknownPlayer)):
        return error
    failure = JournalError(f"the write failed: {error}")
    failure.__cause__ = error
    return failure
