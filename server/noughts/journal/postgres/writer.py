"""Stores appends in batches: all that wait go as one statement, and so as one commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import asyncpg

from noughts.journal import queries
from noughts.journal.callbacks import Done, tell
from noughts.journal.postgres.append import not_opened, put
from noughts.journal.postgres.connect import ANSWER_S, ATTEMPTS, Connection, Pool, undone
from noughts.journal.values import Append, JournalError

log = logging.getLogger(__name__)

IN_FLIGHT = 3
"""The number of batches that may run at once, each in a session of its own."""

ROWS = 500
"""The most appends in one batch."""

WIDE = 50
"""So many appends need not wait for the batch under way: they fill one of their own."""

GATHER_S = 0.005
"""The time for which appends wait for the batch under way, to share the next commit."""

_BUSY_S = 0.02
"""The time a write waits if another session has locked its room."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A write, what to call with its outcome, and until when it may wait for locks, by the loop's time."""

    write: Append
    done: Done
    until: float

    def resolve(self, outcome: bool | JournalError) -> None:
        tell([(self.done, outcome)])


class Writer:
    """Stores appends by a :class:`Pool` of ``IN_FLIGHT`` sessions, never two of one room at once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Waiting] = []
        self._rooms: set[str] = set()  # of the batches that run
        self._locked: set[str] = set()  # of the writes that are delayed
        self._batches: set[asyncio.Task[None]] = set()
        self._delayed = 0
        self._scheduled = False
        self._gathering: asyncio.TimerHandle | None = None

    def put(self, write: Append, done: Done) -> None:
        """As :meth:`Journal.put`."""
        self._waiting.append(_Waiting(write, done, self._loop.time() + ANSWER_S))
        self._schedule()

    async def finish(self) -> None:
        """Wait for all appends; call it after the last one."""
        while self._waiting or self._batches or self._delayed:
            self._send()
            if self._batches:
                await asyncio.wait(self._batches)
            else:
                await asyncio.sleep(_BUSY_S)

    def _schedule(self) -> None:
        # All appends of one turn of the loop go together: alone, the first would be a commit of its own.
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._send)

    def _send(self, *, late: bool = False) -> None:
        """Send what waits, as far as rooms and sessions are free.

        A few appends wait for the batch under way: what arrives meanwhile then shares a commit with them. Unless it is
        ``late``: a session may be frozen.
        """
        self._scheduled = False
        while self._waiting and len(self._batches) < IN_FLIGHT:
            if self._batches and not late and len(self._waiting) < WIDE:
                if self._gathering is None:
                    self._gathering = self._loop.call_later(GATHER_S, self._send_late)
                return
            if not (batch := self._next_batch()):
                return
            rooms = {room for waiting in batch for room in _rooms(waiting.write)}
            self._rooms |= rooms
            task = self._loop.create_task(self._store(batch))
            self._batches.add(task)
            task.add_done_callback(partial(self._free, rooms))

    def _send_late(self) -> None:
        self._gathering = None
        self._send(late=True)

    def _next_batch(self) -> list[_Waiting]:
        """Take the first write of each room that is free, in order of the rooms."""
        batch: list[_Waiting] = []
        left: list[_Waiting] = []
        taken: set[str] = set()
        for waiting in self._waiting:
            rooms = _rooms(waiting.write)
            if len(batch) == ROWS or not all(some.isdisjoint(rooms) for some in (taken, self._rooms, self._locked)):
                left.append(waiting)
            else:
                batch.append(waiting)
            taken.update(rooms)  # writes of the same room stay in order
        self._waiting = left
        return sorted(batch, key=lambda waiting: waiting.write.room)

    def _free(self, rooms: set[str], task: asyncio.Task[None]) -> None:
        self._batches.discard(task)
        self._rooms -= rooms
        if self._waiting:
            self._send()

    async def _store(self, batch: list[_Waiting]) -> None:
        """Store ``batch``, and resolve each write as soon as its outcome is known."""
        failure = await self._attempt(batch)
        if failure is None:
            return
        # Unless it was a deadlock, one of the rows cannot be stored, or not yet, and must not fail the others.
        apart = len(batch) > 1 and not isinstance(failure.__cause__, asyncpg.TransactionRollbackError)
        for waiting in batch:
            if apart and undone(failure.__cause__) and self._loop.time() < waiting.until:
                error = await self._attempt([waiting])
                if error is None:
                    continue
                failure = error
            waiting.resolve(failure)

    def _resolve(self, batch: Sequence[_Waiting], outcomes: Sequence[bool | None]) -> None:
        busy = []
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if outcome is not None:
                waiting.resolve(outcome)
            elif self._loop.time() < waiting.until:
                busy.append(waiting)
            else:
                waiting.resolve(JournalError("another session has locked the room"))
        if busy:
            self._delayed += 1
            self._locked.update(room for waiting in busy for room in _rooms(waiting.write))
            self._loop.call_later(_BUSY_S, self._again, busy)

    def _again(self, busy: list[_Waiting]) -> None:
        self._delayed -= 1
        self._locked.difference_update(room for waiting in busy for room in _rooms(waiting.write))
        self._waiting[:0] = busy
        self._send()

    async def _attempt(self, batch: Sequence[_Waiting]) -> JournalError | None:
        """Store ``batch`` and resolve it; None, or the failure, with nothing resolved."""
        writes = [waiting.write for waiting in batch]
        for _ in range(ATTEMPTS):
            try:
                outcomes = await self._pool.use(lambda connection: _put(connection, writes))
            except JournalError as error:
                if len(batch) == 1 and not_opened(error.__cause__):
                    self._resolve(batch, [False])
                    return None
                failure = error
                if not isinstance(error.__cause__, asyncpg.TransactionRollbackError):
                    break
            except Exception as error:
                log.exception("a batch of appends failed")
                return JournalError(f"the write failed: {error}")
            else:
                self._resolve(batch, outcomes)
                return None
        return failure


def _rooms(write: Append) -> tuple[str, ...]:
    return (write.room,) if write.opening is None else (write.room, write.opening.room)


async def _put(connection: Connection, writes: Sequence[Append]) -> list[bool | None]:
    """True if each write was stored; None if another session has locked its room's row."""
    refused = await put(connection, writes)
    if not refused:
        return [True] * len(writes)
    left = [write.room for write in writes if write.room in refused and write.index is not None and write.version > 1]
    rows = await connection.fetch(queries.HEADS, left) if left else []
    heads: dict[str, int] = dict(map(tuple, rows))
    return [
        write.room not in refused or (None if heads.get(write.room) == write.version - 1 else False) for write in writes
    ]
