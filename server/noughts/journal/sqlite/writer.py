"""The way of a write: gathered while a commit is under way, stored in one transaction, and told in the event loop.

For a file, a thread commits. In memory it happens in the loop, and blocks that for microseconds.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from queue import SimpleQueue
from typing import Any, TypeAlias

from noughts.journal.callbacks import Done, Outcome
from noughts.journal.sqlite import statements
from noughts.journal.sqlite.file import FileLost
from noughts.journal.sqlite.schema import Connections
from noughts.journal.sqlite.statements import Refused
from noughts.journal.values import Append, GameResult, JournalError, StoredPlayer, UnknownPlayer
from noughts.journal.webhooks import NOTE

log = logging.getLogger(__name__)

Job: TypeAlias = Callable[[sqlite3.Connection], Any]
"""A caller's work within a transaction, and its result. It may run twice; if it raises, what it wrote is undone."""

CLOSED = "the journal is closed"

RESCUE = (
    "nothing more is acknowledged. Before you stop the server, save what was deleted: see /proc/%d/fd. Before you put a"
    " backup there, delete %s-wal and %s-shm, which are not the backup's"
)
"""With the process's id, and twice the name of the file."""

AT_ONCE = 32
"""The most records that one statement stores. Another statement for each number of records is prepared and kept."""

UNLOCKED_PAUSE = 1.0
"""Without the lock, pause after each commit this many times as long as the commit took, and leave the file to the
server. SQLite does not queue those who wait for the file; they poll for it."""

SWITCH_S = 0.001
"""The time the event loop, or another thread, may keep the interpreter while the writer waits for it. A commit waits
some twenty times, once for each step of its statements, so with Python's 5 ms it takes 0.1 s while the loop is busy."""


@dataclass(slots=True)
class Batch:
    """The writes committed together, and what to call with each outcome: of the writes of rooms, and of the jobs."""

    writes: list[Append] = field(default_factory=list)
    written: list[Done] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    worked: list[Done] = field(default_factory=list)


class Writer:
    """All writes to a journal that is open in ``connections``, for one event loop.

    One batch is under way at a time. The next is handed over once the outcomes of the one before are told: that makes
    fewer, larger commits. ``end`` closes the connections, after the last batch and in the thread that commits.

    ``trouble`` is as :attr:`Journal.trouble`; ``lost``: the file is lost, and every outcome from then on is unknown.
    """

    def __init__(self, connections: Connections, end: Callable[[], None]) -> None:
        self.trouble: str | None = None
        self.lost = False
        self.closed = False
        self._connection, self._file = connections.writer, connections.file
        self._locked = connections.lock is not None
        self._end = end
        self._batch = Batch()
        self._busy = False
        self._took_s = 0.0  # for which the last transaction kept others from writing
        self._ended = asyncio.Event()
        self._changed = statements.last_change(self._connection)
        if self._file is not None:
            self._loop = asyncio.get_running_loop()
            self._batches: SimpleQueue[Batch | None] = SimpleQueue()
            sys.setswitchinterval(min(SWITCH_S, sys.getswitchinterval()))  # of the process, and no harm afterwards
            threading.Thread(target=self._work, name="journal-writer", daemon=True).start()

    def put(self, write: Append, done: Done) -> None:
        """As :meth:`Journal.put`."""
        if self.closed:
            asyncio.get_running_loop().call_soon(done, JournalError(CLOSED))
            return
        self._batch.writes.append(write)
        self._batch.written.append(done)
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_soon(self._hand_over)

    def work(self, job: Job, done: Done) -> None:
        """Run ``job``, and call ``done`` with its result, or with an exception, once its transaction is durable."""
        if self.closed:
            asyncio.get_running_loop().call_soon(done, JournalError(CLOSED))
            return
        self._batch.jobs.append(job)
        self._batch.worked.append(done)
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_soon(self._hand_over)

    async def close(self) -> None:
        """Finish what is under way. Calling it twice does no harm."""
        if not self.closed:
            self.closed = True
            if not self._busy:
                self._hand_over()
        await self._ended.wait()

    def _hand_over(self) -> None:
        """Give what has come to the thread that commits; if nothing has, wait for the next write."""
        batch = self._batch
        if batch.writes or batch.jobs:
            self._batch = Batch()
            if self._file is None:
                self._tell(batch, self._commit(batch))
            else:
                self._batches.put(batch)
            return
        self._busy = False
        if self.closed:
            if self._file is None:
                self._end()
                self._ended.set()
            else:
                self._batches.put(None)

    def _tell(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        """Tell the outcomes, of the writes and then of the jobs, and go on with the next batch."""
        for done, outcome in zip(chain(batch.written, batch.worked), outcomes, strict=True):
            try:
                done(outcome)
            except Exception:  # it must not keep the others from being told
                log.exception("the callback of a write failed")
        asyncio.get_running_loop().call_soon(self._hand_over)  # after those who were told have gone on

    # Everything from here on runs in the thread that commits.

    def _work(self) -> None:
        call = self._loop.call_soon_threadsafe
        try:
            for batch in iter(self._batches.get, None):
                outcomes = self._commit(batch)
                with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                    call(self._tell, batch, outcomes)
                if not self._locked:
                    time.sleep(UNLOCKED_PAUSE * self._took_s)
        finally:
            self._end()
            with suppress(RuntimeError):
                call(self._ended.set)

    def _commit(self, batch: Batch) -> list[Outcome]:
        """Store ``batch`` durably; the outcomes of its writes, and then of its jobs."""
        count = len(batch.writes) + len(batch.jobs)
        if self.lost:
            return [JournalError(self.trouble)] * count
        execute = self._connection.execute
        began = time.monotonic()
        try:
            if self._file is not None:
                self._file.look_before()
            try:
                execute("BEGIN IMMEDIATE")
                began = time.monotonic()
                try:
                    self.store(batch.writes)
                    outcomes = [True] * len(batch.writes) + [job(self._connection) for job in batch.jobs]
                except sqlite3.OperationalError:  # the storage fails, not the row
                    raise
                except Exception:  # one of them must not fail the others
                    outcomes = self._store_apart(batch)
                execute("COMMIT")
            except Exception as error:  # the journal goes on, whatever happened to this batch
                self._roll_back()
                outcomes = [_outcome(error)] * count
            self._took_s = time.monotonic() - began
            if self._file is not None:
                self._file.look()
        except FileLost as error:
            assert self._file is not None
            self.trouble, self.lost = f"the file is lost: {error}", True
            path = self._file.path
            log.error("the journal %s is lost: %s; " + RESCUE, path, error, os.getpid(), path.name, path.name)
            return [JournalError(self.trouble)] * count  # what was written may be where nobody will read it
        return outcomes

    def store(self, writes: Sequence[Append]) -> None:
        """Store writes of rooms, as a job may too. If it raises, some of them may have been stored: roll back.

        Raises :class:`Refused` unless all of them are the next of their rooms.
        """
        execute, executemany = self._connection.execute, self._connection.executemany
        records: list[object] = []
        opened: list[tuple[object, ...]] = []
        changed: list[tuple[object, ...]] = []
        finished: list[GameResult] = []
        players: list[StoredPlayer] = []
        calls: list[tuple[object, ...]] = []
        each: list[Append] = []
        for write in writes:
            if write.opening is not None:
                each.append(write.opening)
            each.append(write)
        # Numbers, texts and bytearrays are bound as they are. For any other value, even bytes or a bool, sqlite3 looks
        # for an adapter first, in vain.
        for write in each:
            records += (write.room, write.version, bytearray(write.record))
            if (index := write.index) is not None:
                self._changed += 1  # it orders the lobby
                row = (
                    *(self._changed, index.game, index.by, index.status, int(index.public), index.due_at),
                    *(int(index.thinking), int(index.attended), bytearray(index.listing), int(index.sleeps)),
                    *(bytearray(index.opener), index.first, index.second, write.room),
                )
                (opened if write.version == 1 else changed).append(row)
            if write.finished is not None:
                finished.append(write.finished)
            if write.players:
                players += write.players
            if write.calls is not None:
                calls.append((write.calls, write.room, write.version))
        if opened and executemany(statements.OPEN_ROOM, opened).rowcount != len(opened):
            raise Refused
        for start in range(0, len(records), 3 * AT_ONCE):
            some = records[start : start + 3 * AT_ONCE]
            if execute(statements.put_records(len(some) // 3), some).rowcount != len(some) // 3:
                raise Refused
        if changed and executemany(statements.CHANGE_ROOM, changed).rowcount != len(changed):
            raise Refused
        if finished:
            statements.put_new_results(self._connection, finished)
        for player in players:
            statements.seat(self._connection, player)
        for call in calls:
            statements.run(self._connection, NOTE, call)

    def _store_apart(self, batch: Batch) -> list[Outcome]:
        """Store each by itself, from the beginning of the transaction; the outcomes."""
        self._roll_back()
        self._connection.execute("BEGIN IMMEDIATE")
        apart: list[Append | Job] = [*batch.writes, *batch.jobs]
        outcomes: list[Outcome] = []
        for each in apart:
            self._connection.execute("SAVEPOINT apart")
            outcome: Outcome = True
            try:
                if isinstance(each, Append):
                    self.store([each])
                else:
                    outcome = each(self._connection)
            except Exception as error:
                self._connection.execute("ROLLBACK TO apart")
                outcome = _outcome(error)
            self._connection.execute("RELEASE apart")
            outcomes.append(outcome)
        return outcomes

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
