"""The journal in an SQLite file."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from noughts.journal.base import OUTAGES_MS, Append, Outage
from noughts.journal.clock import SteadyClock, system_time
from noughts.journal.leases import Leases
from noughts.journal.sqlite import people, results, seeks
from noughts.journal.sqlite.people import SqlitePeople
from noughts.journal.sqlite.results import SqliteResults
from noughts.journal.sqlite.schema import open_beside, open_file
from noughts.journal.sqlite.seeks import SqliteSeeks
from noughts.journal.sqlite.storage import Storage

# The room's row is the referee: there is one, and it moves on only from the version before. The parameters
# are the same and in the same order for both, but for the version.
_OPEN_ROOM = """
INSERT INTO rooms
    (version, changed, game, opened_by, status, public, due_at, thinking, attended, listing, room)
VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room) DO NOTHING
"""
_CHANGE_ROOM = """
UPDATE rooms
SET version = version + 1, changed = ?, game = ?, opened_by = ?, status = ?, public = ?, due_at = ?,
    thinking = ?, attended = ?, listing = ?
WHERE room = ? AND version = ? - 1
"""
_PUT_RECORD = "INSERT INTO records (room, version, record) SELECT number, version, ? FROM rooms WHERE room = ?"
_ALIVE = "SELECT at FROM heartbeat"
_FIRST_BEAT = "INSERT INTO heartbeat (at) VALUES (?)"
_BEAT = "UPDATE heartbeat SET at = ?"
_PUT_OUTAGE = "INSERT INTO outages (since, until) VALUES (?, ?)"
_FORGET_OUTAGES = "DELETE FROM outages WHERE until <= ?"
_LAST_CHANGED = "SELECT coalesce(max(changed), 0) FROM rooms WHERE public AND status <> 'over'"

_READ = """
SELECT record FROM records WHERE room = (SELECT number FROM rooms WHERE room = ?) AND version > ?
ORDER BY version
"""
_DUE = "SELECT room FROM rooms WHERE due_at <= ? ORDER BY due_at LIMIT ?"
_HEADS = "SELECT room, version FROM rooms WHERE room IN (SELECT value FROM json_each(?))"
_ATTENDED = "SELECT room FROM rooms WHERE attended AND status <> 'over'"
_THINKING = "SELECT room, version FROM rooms WHERE thinking AND status <> 'over' ORDER BY changed LIMIT ?"
_THINKS = "SELECT 1 FROM rooms WHERE room = ? AND version = ? AND thinking AND status <> 'over'"
_LOBBY = "SELECT listing FROM rooms WHERE public AND status <> 'over' ORDER BY changed DESC LIMIT ?"
_LOBBY_OF_GAME = """
SELECT listing FROM rooms WHERE game = ? AND public AND status <> 'over' ORDER BY changed DESC LIMIT ?
"""
_PUBLIC = "SELECT room, version FROM rooms WHERE public AND status <> 'over'"
_OUTAGES = "SELECT since, until FROM outages WHERE until > ? ORDER BY until"
_OPEN_ROOMS = "SELECT count(*) FROM rooms WHERE opened_by = ? AND status <> 'over'"

_GREATEST_INTEGER = 2**63 - 1  # that SQLite can be asked for


class SqliteJournal:
    """A :class:`~noughts.journal.base.Journal` in one file, for one process and event loop: see ``open``."""

    shared = False

    def __init__(self, storage: Storage, clock: Callable[[], int]) -> None:
        self.secret = storage.connections.secret
        self._storage = storage
        self._clock = SteadyClock(clock)
        self._leases = Leases(self._clock)
        (self._changed,) = storage.connections.writer.execute(_LAST_CHANGED).fetchone()
        self.people = SqlitePeople(storage, self._clock)
        self.results = SqliteResults(storage, self._clock)
        self.seeks = SqliteSeeks(storage, self._clock, self._put)

    @classmethod
    async def open(cls, path: Path, clock: Callable[[], int] = system_time, *, beside: bool = False) -> Self:
        """Open the journal at ``path``, made if it is not there; ``clock`` gives ms since the epoch.

        ``beside``: only for a short while, also when a server has it open. Then the journal must be there, and who
        opens it may do all but ``append``.

        Raises :class:`JournalInUse` when it is open already, here or in another process, and
        :class:`JournalError` when the file cannot be opened, is not a journal, or is that of a newer version.
        """
        return cls(Storage(await asyncio.to_thread(open_beside if beside else open_file, path)), clock)

    def now(self) -> int:
        return self._clock()

    async def append(self, write: Append) -> bool:
        return await self._storage.write(lambda connection: self._put(connection, write))

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        return [record for (record,) in await self._storage.query(_READ, room, min(since, _GREATEST_INTEGER))]

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        return dict(await self._storage.query(_HEADS, json.dumps(list(rooms))))

    async def due(self, until: int, limit: int) -> list[str]:
        return [room for (room,) in await self._storage.query(_DUE, until, limit)]

    async def attended(self) -> list[str]:
        return [room for (room,) in await self._storage.query(_ATTENDED)]

    async def unleased(self, limit: int) -> list[str]:
        rows = await self._storage.query(_THINKING, limit + len(self._leases))
        return [room for room, version in rows if not self._leases.held(room, version)][:limit]

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        return bool(await self._storage.query(_THINKS, room, version)) and self._leases.take(room, version, by, for_ms)

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        rows = await (
            self._storage.query(_LOBBY, limit) if game is None else self._storage.query(_LOBBY_OF_GAME, game, limit)
        )
        return [listing for (listing,) in rows]

    async def public(self) -> dict[str, int]:
        return dict(await self._storage.query(_PUBLIC))

    async def open_rooms(self, by: str) -> int:
        ((count,),) = await self._storage.query(_OPEN_ROOMS, by)
        return int(count)

    async def forget(self, before: int) -> None:
        now = self.now()
        await self._storage.write(lambda connection: _forget(connection, before, now))

    async def beat(self, gap_ms: int) -> list[Outage]:
        # A sign is of the time at which it is left: the disk may not have answered since somebody wished to.
        await self._storage.write(lambda connection: _beat(connection, self.now(), gap_ms))
        return [Outage(*row) for row in await self._storage.query(_OUTAGES, self.now() - OUTAGES_MS)]

    async def lead(self) -> bool:
        self._storage.check_open()
        return True

    async def close(self) -> None:
        await self._storage.close()

    # From here on everything runs in the writer thread.

    def _put(self, connection: sqlite3.Connection, write: Append) -> bool:
        execute, index = connection.execute, write.index
        self._changed += 1
        row = (
            self._changed,
            index.game,
            index.by,
            index.status,
            index.public,
            index.due_at,
            index.thinking,
            index.attended,
            index.listing,
            write.room,
        )
        opening = write.version == 1
        changed = execute(_OPEN_ROOM, row) if opening else execute(_CHANGE_ROOM, (*row, write.version))
        if changed.rowcount != 1:
            return False
        execute(_PUT_RECORD, (write.record, write.room))
        for player in write.players:
            people.seat(connection, player)
        if write.finished is not None:
            results.put(connection, write.finished)
        return True


def _beat(connection: sqlite3.Connection, at: int, gap_ms: int) -> None:
    execute = connection.execute
    before = execute(_ALIVE).fetchone()
    if before is None:
        execute(_FIRST_BEAT, (at,))
        return
    execute(_BEAT, (at,))
    if at - before[0] > gap_ms:
        execute(_PUT_OUTAGE, (before[0], at))
        execute(_FORGET_OUTAGES, (at - OUTAGES_MS,))


def _forget(connection: sqlite3.Connection, before: int, now: int) -> None:
    seeks.forget(connection, before, now)
    people.forget(connection, before)
