"""A journal that ends with its process, for tests and for a game at home."""

from __future__ import annotations

import heapq
import secrets
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from noughts.journal.base import OUTAGES_MS, SECRET_BYTES, Append, IndexRow, JournalError, Outage
from noughts.journal.clock import SteadyClock, system_time
from noughts.journal.leases import Leases
from noughts.journal.memory.people import MemoryPeople
from noughts.journal.memory.results import MemoryResults
from noughts.journal.memory.seeks import MemorySeeks


class MemoryJournal:
    """A :class:`~noughts.journal.base.Journal` in plain dictionaries; ``clock`` gives ms since the epoch."""

    shared = False

    def __init__(self, clock: Callable[[], int] = system_time) -> None:
        self.secret = secrets.token_bytes(SECRET_BYTES)
        self._clock = SteadyClock(clock)
        self._leases = Leases(self._clock)
        self._records: dict[str, list[bytes]] = {}
        # Only rooms that a query may find, so that a sweep costs nothing for the games of last week;
        # a changed room moves to the end.
        self._index: dict[str, IndexRow] = {}
        self._over: dict[str, bytes] = {}  # the listings of the rooms that are
        self.people = MemoryPeople(self._clock, self._check_open)
        self.results = MemoryResults(self._clock, self._check_open, self.people, self._over)
        self.seeks = MemorySeeks(self._clock, self._check_open, self.people, self._put)
        self._alive_at: int | None = None
        self._outages: list[Outage] = []
        self._closed = False

    def now(self) -> int:
        return self._clock()

    async def append(self, write: Append) -> bool:
        self._check_open()
        return self._put(write)

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self._check_open()
        return self._records.get(room, [])[max(since, 0) :]

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        self._check_open()
        return {room: self._head(room) for room in rooms if room in self._records}

    async def due(self, until: int, limit: int) -> list[str]:
        self._check_open()
        due = (
            (row.due_at, room) for room, row in self._index.items() if row.due_at is not None and row.due_at <= until
        )
        return [room for _, room in heapq.nsmallest(limit, due)]

    async def attended(self) -> list[str]:
        return [room for room, row in self._still_open() if row.attended]

    async def unleased(self, limit: int) -> list[str]:
        thinking = (room for room, row in self._still_open() if row.thinking)
        return list(islice((room for room in thinking if not self._leases.held(room, self._head(room))), limit))

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        self._check_open()
        row = self._index.get(room)
        if row is None or not row.thinking or row.status == "over" or self._head(room) != version:
            return False
        return self._leases.take(room, version, by, for_ms)

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        self._check_open()
        listed = (
            row.listing
            for row in reversed(self._index.values())
            if row.public and row.status != "over" and game in (None, row.game)
        )
        return list(islice(listed, limit))

    async def public(self) -> dict[str, int]:
        return {room: self._head(room) for room, row in self._still_open() if row.public}

    async def open_rooms(self, by: str) -> int:
        return sum(row.by == by for _, row in self._still_open())

    async def forget(self, before: int) -> None:
        self._check_open()
        self.people.forget(before, but=self.seeks.drop(before))

    async def beat(self, gap_ms: int) -> list[Outage]:
        self._check_open()
        now = self.now()
        if self._alive_at is not None and now - self._alive_at > gap_ms:
            self._outages.append(Outage(self._alive_at, now))
        self._alive_at = now
        self._outages = [outage for outage in self._outages if outage.until > now - OUTAGES_MS]
        return self._outages[:]

    async def lead(self) -> bool:
        self._check_open()
        return True

    async def close(self) -> None:
        self._closed = True

    def _put(self, write: Append) -> bool:
        if write.version != self._head(write.room) + 1:
            return False
        if write.players:
            self.people.check_tokens(write.players)  # what may fail comes first: all of it is stored, or nothing
        self.people.seat(write.players)
        self._records.setdefault(write.room, []).append(write.record)
        self._index.pop(write.room, None)
        self._over.pop(write.room, None)
        if write.index.status == "over":
            self._over[write.room] = write.index.listing
        if write.index.status != "over" or write.index.due_at is not None:
            self._index[write.room] = write.index
        if write.finished is not None:
            self.results.put(write.finished)
        return True

    def _head(self, room: str) -> int:
        return len(self._records.get(room, ()))

    def _still_open(self) -> Iterator[tuple[str, IndexRow]]:
        """The rooms that are not over, the longest unchanged first."""
        self._check_open()
        return ((room, row) for room, row in self._index.items() if row.status != "over")

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError("the journal is closed")
