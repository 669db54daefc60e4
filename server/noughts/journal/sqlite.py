"""The journal in an SQLite file: one thread commits all writes that wait at once, another reads."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self, TypeAlias

from noughts.journal.base import OUTAGES_MS, Append, JournalError, Outage
from noughts.journal.claims import Claims
from noughts.journal.clock import SteadyClock, system_time
from noughts.journal.people import StoredPlayer
from noughts.journal.schema import Connections, open_file

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
_SEAT = """
INSERT INTO players (id, name, kind, token_hash, seated) VALUES (?, ?, ?, ?, TRUE)
ON CONFLICT (id) DO UPDATE SET seated = TRUE WHERE NOT seated
"""
_GREET = """
INSERT INTO players (id, name, kind, token_hash, seated, greeted) VALUES (?, ?, ?, ?, FALSE, ?)
ON CONFLICT (id) DO NOTHING
"""
_FORGET = "DELETE FROM players WHERE NOT seated AND greeted < ?"
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
_PLAYER = "SELECT id, name, kind, token_hash FROM players WHERE token_hash = ?"

_GREATEST_INTEGER = 2**63 - 1  # that SQLite can be asked for

Outcome: TypeAlias = bool | JournalError
Write: TypeAlias = Callable[[], bool]
"""What the writer thread has to do for one caller, and answers."""

Batch: TypeAlias = list[tuple[Write, "asyncio.Future[bool]"]]


class SqliteJournal:
    """A :class:`~noughts.journal.base.Journal` in one file, for one process and event loop: see ``open``."""

    shared = False

    def __init__(self, connections: Connections, clock: Callable[[], int]) -> None:
        self.people = self  # until the parts of this journal are there
        self.secret = connections.secret
        self._clock = SteadyClock(clock)
        self._claims = Claims(self._clock)
        self._connections = connections
        self._writer = connections.writer
        (self._changed,) = self._writer.execute(_LAST_CHANGED).fetchone()
        self._loop = asyncio.get_running_loop()
        self._gathered: Batch = []
        self._waiting: SimpleQueue[Batch | None] = SimpleQueue()
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="journal-reader")
        self._closed = False
        self._stopped = self._loop.create_future()
        threading.Thread(target=self._work, name="journal-writer", daemon=True).start()

    @classmethod
    async def open(cls, path: Path, clock: Callable[[], int] = system_time) -> Self:
        """Open the journal at ``path``, made if it is not there; ``clock`` gives ms since the epoch.

        Raises :class:`JournalInUse` when it is open already, here or in another process, and
        :class:`JournalError` when the file cannot be opened, is not a journal, or is that of a newer version.
        """
        return cls(await asyncio.to_thread(open_file, path), clock)

    def now(self) -> int:
        return self._clock()

    async def append(self, write: Append) -> bool:
        return await self._write(partial(self._put, write))

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        return [record for (record,) in await self._query(_READ, room, min(since, _GREATEST_INTEGER))]

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        return dict(await self._query(_HEADS, json.dumps(list(rooms))))

    async def due(self, until: int, limit: int) -> list[str]:
        return [room for (room,) in await self._query(_DUE, until, limit)]

    async def attended(self) -> list[str]:
        return [room for (room,) in await self._query(_ATTENDED)]

    async def unclaimed(self, limit: int) -> list[str]:
        rows = await self._query(_THINKING, limit + len(self._claims))
        return [room for room, version in rows if not self._claims.held(room, version)][:limit]

    async def claim(self, room: str, version: int, by: str, for_ms: int) -> bool:
        return bool(await self._query(_THINKS, room, version)) and self._claims.take(room, version, by, for_ms)

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        rows = await (self._query(_LOBBY, limit) if game is None else self._query(_LOBBY_OF_GAME, game, limit))
        return [listing for (listing,) in rows]

    async def public(self) -> dict[str, int]:
        return dict(await self._query(_PUBLIC))

    async def open_rooms(self, by: str) -> int:
        ((count,),) = await self._query(_OPEN_ROOMS, by)
        return int(count)

    async def greet(self, player: StoredPlayer) -> bool:
        return await self._write(partial(self._greet, player, self.now()))

    async def holder(self, token_hash: bytes) -> StoredPlayer | None:
        rows = await self._query(_PLAYER, token_hash)
        return StoredPlayer(*rows[0]) if rows else None

    async def forget(self, before: int) -> None:
        await self._write(partial(self._forget, before))

    async def beat(self, gap_ms: int) -> list[Outage]:
        now = self.now()
        await self._write(partial(self._beat, now, gap_ms))
        return [Outage(*row) for row in await self._query(_OUTAGES, now - OUTAGES_MS)]

    async def lead(self) -> bool:
        self._check_open()
        return True

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._hand_over()
            self._waiting.put(None)
        await asyncio.shield(self._stopped)

    async def _write(self, write: Write) -> bool:
        self._check_open()
        told: asyncio.Future[bool] = self._loop.create_future()
        # What one turn of the loop brings is handed over at once: the first alone would be a commit of its own.
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append((write, told))
        return await told

    def _hand_over(self) -> None:
        if self._gathered:
            self._waiting.put(self._gathered)
            self._gathered = []

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError("the journal is closed")

    async def _query(self, sql: str, *parameters: object) -> list[Any]:
        self._check_open()
        reader = self._connections.reader
        try:
            return await self._loop.run_in_executor(self._reading, lambda: reader.execute(sql, parameters).fetchall())
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error

    # From here on everything runs in the writer thread.

    def _work(self) -> None:
        try:
            for batch in self._batches():
                self._store(batch)
        finally:
            self._reading.shutdown()
            self._connections.close()
            self._call_loop(self._stopped.set_result, None)

    def _batches(self) -> Iterator[Batch]:
        """All that waits, time and again, until the journal is closed."""
        for batch in iter(self._waiting.get, None):
            while not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    yield batch
                    return
                batch.extend(following)
            yield batch

    def _store(self, batch: Batch) -> None:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            self._commit(batch, self._put_all([write for write, _ in batch]))
        except Exception as error:  # the journal goes on, whatever befell this batch
            self._roll_back()
            self._tell(batch, [_failure(error) for _ in batch])

    def _commit(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._writer.execute("COMMIT")
        self._tell(batch, outcomes)

    def _put_all(self, writes: Sequence[Write]) -> Sequence[Outcome]:
        try:
            return [write() for write in writes]
        except sqlite3.OperationalError:  # the storage fails, not the row
            raise
        except Exception:  # a row that cannot be stored shall not fail the others
            self._roll_back()
            self._writer.execute("BEGIN IMMEDIATE")
            return [self._put_apart(write) for write in writes]

    def _put_apart(self, write: Write) -> Outcome:
        self._writer.execute("SAVEPOINT apart")
        outcome: Outcome
        try:
            outcome = write()
        except Exception as error:
            self._writer.execute("ROLLBACK TO apart")
            outcome = _failure(error)
        self._writer.execute("RELEASE apart")
        return outcome

    def _put(self, write: Append) -> bool:
        execute = self._writer.execute
        index = write.index
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
            execute(_SEAT, (player.id, player.name, player.kind, player.token_hash))
        return True

    def _greet(self, player: StoredPlayer, at: int) -> bool:
        self._writer.execute(_GREET, (player.id, player.name, player.kind, player.token_hash, at))
        return True

    def _beat(self, at: int, gap_ms: int) -> bool:
        execute = self._writer.execute
        before = execute(_ALIVE).fetchone()
        if before is None:
            execute(_FIRST_BEAT, (at,))
            return True
        execute(_BEAT, (at,))
        if at - before[0] > gap_ms:
            execute(_PUT_OUTAGE, (before[0], at))
            execute(_FORGET_OUTAGES, (at - OUTAGES_MS,))
        return True

    def _forget(self, before: int) -> bool:
        self._writer.execute(_FORGET, (before,))
        return True

    def _roll_back(self) -> None:
        # After some errors SQLite has already rolled back. Should it fail, the next BEGIN fails and says why.
        with suppress(sqlite3.Error):
            self._writer.rollback()

    def _tell(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        self._call_loop(_resolve, [told for _, told in batch], outcomes)

    def _call_loop(self, call: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(call, *arguments)


def _resolve(waiting: Sequence[asyncio.Future[bool]], outcomes: Sequence[Outcome]) -> None:
    for told, outcome in zip(waiting, outcomes, strict=True):
        if told.done():  # who waited was cancelled
            continue
        if isinstance(outcome, JournalError):
            told.set_exception(outcome)
        else:
            told.set_result(outcome)


def _failure(cause: Exception) -> JournalError:
    failure = JournalError(f"the write failed: {cause}")
    failure.__cause__ = cause
    return failure
