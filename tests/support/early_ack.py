"""The control of the kill tests: a journal that acknowledges writes before it stores them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from noughts.journal import SqliteJournal
from noughts.journal.callbacks import Outcome, tell
from noughts.journal.sqlite.batches import Batch
from noughts.journal.sqlite.rooms import Rooms
from noughts.journal.sqlite.schema import Connections, open_file
from noughts.journal.sqlite.storage import FileStorage
from noughts.journal.sqlite.transactions import PutRooms

COMMIT_DELAY_S = 0.05


class EarlyAckJournal(SqliteJournal):
    """A :class:`SqliteJournal` whose writes return ``COMMIT_DELAY_S`` before they are committed."""

    @classmethod
    async def open(cls, path: Path, clock: Callable[[], int] | None = None, *, exclusive: bool = True) -> Self:
        assert exclusive
        connections = await asyncio.to_thread(open_file, path)
        rooms = Rooms(connections.writer)
        return cls(_EarlyStorage(connections, rooms.put), rooms, connections.secret, clock)


class _EarlyStorage(FileStorage):
    def __init__(self, connections: Connections, put_rooms: PutRooms) -> None:
        super().__init__(connections, put_rooms)
        commit = self._transactions.commit

        def tell_first(batch: Batch) -> list[Outcome]:
            told, batch.written = batch.written, [lambda _: None] * len(batch.writes)
            self._call_loop(tell, [(done, True) for done in told])
            time.sleep(COMMIT_DELAY_S)
            return commit(batch)

        self._transactions.commit = tell_first  # type: ignore[method-assign]
