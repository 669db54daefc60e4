"""Gathers writes into batches: all of one turn of the loop, or all that come while a batch is under way."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from noughts.journal.callbacks import Done, Outcome, tell
from noughts.journal.values import Append, JournalError

Job: TypeAlias = Callable[[sqlite3.Connection], Any]
"""A caller's work within a transaction, and its result. It may run twice; if it raises, what it wrote is undone."""

CLOSED = "the journal is closed"


@dataclass(slots=True)
class Batch:
    """What is committed together, and what to call with each outcome: of the writes of rooms, and of the jobs."""

    writes: list[Append] = field(default_factory=list)
    written: list[Done] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    worked: list[Done] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.writes) + len(self.jobs)


class Gathering:
    """Gives batches to ``take``, one at a time, and calls ``end`` after the last.

    Whoever takes a batch calls ``tell`` in the loop when it is durable, and sets ``ended`` when all is closed.
    Handing over the next batch only then makes fewer, larger commits.
    """

    def __init__(self, take: Callable[[Batch], None], end: Callable[[], None]) -> None:
        self._take = take
        self._end = end
        self._batch = Batch()
        self._busy = False
        self.closed = False
        self.ended = asyncio.Event()

    def put(self, write: Append, done: Done) -> None:
        """As :meth:`Journal.put`."""
        if self._ready(done):
            self._batch.writes.append(write)
            self._batch.written.append(done)

    def work(self, job: Job, done: Done) -> None:
        """Run ``job``, and call ``done`` with its result, or with an exception, once its transaction is durable."""
        if self._ready(done):
            self._batch.jobs.append(job)
            self._batch.worked.append(done)

    def tell(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        """Tell the outcomes, of the writes and then of the jobs, and go on with the next batch."""
        tell(zip(chain(batch.written, batch.worked), outcomes, strict=True))
        asyncio.get_running_loop().call_soon(self._hand_over)  # after those who were told have gone on

    async def close(self) -> None:
        """Finish what is under way. Calling it twice does no harm."""
        if not self.closed:
            self.closed = True
            if not self._busy:
                self._end()
        await self.ended.wait()

    def _ready(self, done: Done) -> bool:
        if self.closed:
            asyncio.get_running_loop().call_soon(done, JournalError(CLOSED))
        elif not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_soon(self._hand_over)
        return not self.closed

    def _hand_over(self) -> None:
        if self._batch:
            batch, self._batch = self._batch, Batch()
            self._take(batch)
        else:
            self._busy = False
            if self.closed:
                self._end()
