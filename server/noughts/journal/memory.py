"""A journal that ends with its process, for tests and for a game at home."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import islice

from noughts.journal.base import Append, Index, JournalError, StoredPlayer
from noughts.journal.clock import SteadyClock, system_time


class MemoryJournal:
    """A :class:`~noughts.journal.base.Journal` in plain dictionaries; ``clock`` gives ms since the epoch."""

    def __init__(self, clock: Callable[[], int] = system_time) -> None:
        self._clock = SteadyClock(clock)
        self._records: dict[str, list[bytes]] = {}
        # Only rooms that a query may find, so that a sweep costs nothing for the games of last week;
        # a changed room moves to the end.
        self._index: dict[str, Index] = {}
        self._players: dict[str, StoredPlayer] = {}
        self._tokens: dict[bytes, StoredPlayer] = {}
        self._closed = False

    def now(self) -> int:
        return self._clock()

    async def append(self, write: Append) -> bool:
        self._check_open()
        if write.version != len(self._records.get(write.room, ())) + 1:
            return False
        new = {player.id: player for player in reversed(write.players) if player.id not in self._players}
        hashes = {player.token_hash for player in new.values()}
        if len(hashes) < len(new) or not hashes.isdisjoint(self._tokens):
            raise JournalError("a token belongs to one player")
        self._players |= new
        self._tokens |= {player.token_hash: player for player in new.values()}
        self._records.setdefault(write.room, []).append(write.record)
        self._index.pop(write.room, None)
        if write.index.status != "over" or write.index.due_at is not None:
            self._index[write.room] = write.index
        return True

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self._check_open()
        return self._records.get(room, [])[max(since, 0) :]

    async def due(self, until: int, limit: int) -> list[str]:
        self._check_open()
        due = (
            (row.due_at, room) for room, row in self._index.items() if row.due_at is not None and row.due_at <= until
        )
        return [room for _, room in heapq.nsmallest(limit, due)]

    async def waking(self) -> list[str]:
        self._check_open()
        return [room for room, row in self._index.items() if (row.thinking or row.attended) and row.status != "over"]

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        self._check_open()
        listed = (
            row.listing
            for row in reversed(self._index.values())
            if row.public and row.status != "over" and game in (None, row.game)
        )
        return list(islice(listed, limit))

    async def open_rooms(self, by: str) -> int:
        self._check_open()
        return sum(row.by == by and row.status != "over" for row in self._index.values())

    async def player(self, token_hash: bytes) -> StoredPlayer | None:
        self._check_open()
        return self._tokens.get(token_hash)

    async def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError("the journal is closed")
