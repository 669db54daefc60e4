"""The control of the kill tests: a journal that acknowledges writes before it stores them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from noughts.journal import SqliteJournal
from noughts.journal.clock import system_time
from noughts.journal.sqlite.rooms import Rooms
from noughts.journal.sqlite.schema import open_file
from noughts.journal.sqlite.storage import Batch, FileStorage, Outcome

COMMIT_DELAY_S = 0.05


class EarlyAckJournal(SqliteJournal):
    """A :class:`SqliteJournal` whose writes return ``COMMIT_DELAY_S`` before they are committed."""

    @classmethod
    async def open(cls, path: Path, clock: Callable[[], int] = system_time, *, exclusive: bool = True) -> Self:
        assert exclusive
        connections = await asyncio.to_thread(open_file, path)
        return cls(_EarlyStorage(connections), Rooms(connections.writer), connections.secret, clock)


class _EarlyStorage(FileStorage):
    def _commit(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._resolve(batch, outcomes)
        time.sleep(COMMIT_DELAY_S)
        super()._commit(batch, outcomes)
