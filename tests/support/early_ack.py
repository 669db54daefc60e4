"""The control of the kill tests: a journal that acknowledges writes before it stores them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from noughts.journal import SqliteJournal
from noughts.journal.callbacks import Outcome
from noughts.journal.sqlite.schema import open_file
from noughts.journal.sqlite.writer import Batch

COMMIT_DELAY_S = 0.05


class EarlyAckJournal(SqliteJournal):
    """A :class:`SqliteJournal` whose writes return ``COMMIT_DELAY_S`` before they are committed."""

    @classmethod
    async def open(cls, path: Path, clock: Callable[[], int] | None = None, *, exclusive: bool = True) -> Self:
        assert exclusive
        connections = await asyncio.to_thread(open_file, path)
        journal = cls(connections, clock)
        writer, loop = journal.database.writer, asyncio.get_running_loop()
        commit = writer._commit

        def tell_first(batch: Batch) -> list[Outcome]:
            told, batch.written = batch.written, [lambda _: None] * len(batch.writes)
            for done in told:
                loop.call_soon_threadsafe(done, True)
            time.sleep(COMMIT_DELAY_S)
            return commit(batch)

        writer._commit = tell_first  # type: ignore[method-assign]
        return journal
