"""Appends in batches: what waits goes as one statement, and so as one commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

import asyncpg

from noughts.journal.base import Append, JournalError
from noughts.journal.postgres.connect import ANSWER_S, Connection, Pool, undone

log = logging.getLogger(__name__)

IN_FLIGHT = 3
"""How many batches may be under way at once, each in a session of its own."""

ROWS = 500
"""At most so many appends go as one batch."""

_ATTEMPTS = 3
_BUSY_S = 0.02
"""How long a write rests whose room another session has locked."""

# The room's row is the referee: there is one, and it moves on only from the version before. A row that somebody
# else has locked is passed over, not waited for, and a batch cannot be held up, or be in a deadlock, by one room.
# New rooms and players are put in the order of their keys, so that servers do not wait for each other in a circle.
_APPEND = """
WITH written AS MATERIALIZED (
    SELECT * FROM unnest(
        $1::text[], $2::bigint[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bigint[],
        $9::boolean[], $10::boolean[], $11::bytea[]
    ) AS w (room, version, record, game, opened_by, status, public, due_at, thinking, attended, listing)
), opened AS (
    INSERT INTO rooms
        (room, version, changed, game, opened_by, status, public, due_at, thinking, attended, listing)
    SELECT room, 1, nextval('changes'), game, opened_by, status, public, due_at, thinking, attended, listing
    FROM written WHERE version = 1
    ON CONFLICT (room) DO NOTHING
    RETURNING number, room
), changed AS (
    UPDATE rooms SET version = w.version, changed = nextval('changes'), game = w.game, opened_by = w.opened_by,
        status = w.status, public = w.public, due_at = w.due_at, thinking = w.thinking, attended = w.attended,
        listing = w.listing, claimed_by = NULL, claimed_until = NULL
    FROM (
        SELECT rooms.number, written.* FROM written JOIN rooms USING (room) WHERE written.version > 1
        FOR NO KEY UPDATE OF rooms SKIP LOCKED
    ) AS w
    WHERE rooms.number = w.number AND rooms.version = w.version - 1
    RETURNING rooms.number, rooms.room, rooms.version, w.record
), taken AS (
    SELECT number, room, version, record FROM opened JOIN written USING (room)
    UNION ALL SELECT number, room, version, record FROM changed
), recorded AS (
    INSERT INTO records (room, version, record) SELECT number, version, record FROM taken
){seated}
SELECT room FROM taken
"""
_SEATED = """, seated AS (
    INSERT INTO players (id, name, kind, token_hash, seated)
    SELECT DISTINCT ON (id) id, name, kind, token_hash, TRUE
    FROM unnest($12::text[], $13::text[], $14::text[], $15::text[], $16::bytea[]) WITH ORDINALITY
        AS p (room, id, name, kind, token_hash, place)
    WHERE room IN (SELECT room FROM taken)
    ORDER BY id, place
    ON CONFLICT (id) DO UPDATE SET seated = TRUE WHERE NOT players.seated
)"""
_APPEND_ALONE = _APPEND.format(seated="")
_APPEND_WITH_PLAYERS = _APPEND.format(seated=_SEATED)

_HEADS = "SELECT room, version FROM rooms WHERE room = ANY($1::text[])"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A write, whom to tell, and until when it may wait for what others hold up, by the loop's time."""

    write: Append
    told: asyncio.Future[bool]
    until: float

    def tell(self, outcome: bool | JournalError) -> None:
        if self.told.done():  # who waited was cancelled
            return
        if isinstance(outcome, JournalError):
            self.told.set_exception(outcome)
        else:
            self.told.set_result(outcome)


class Writer:
    """Stores appends by a :class:`Pool` of ``IN_FLIGHT`` sessions, never two of one room at once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Waiting] = []
        self._rooms: set[str] = set()  # of the batches under way
        self._batches: set[asyncio.Task[None]] = set()
        self._resting = 0
        self._scheduled = False

    async def append(self, write: Append) -> bool:
        """As :meth:`Journal.append`."""
        told: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.append(_Waiting(write, told, self._loop.time() + ANSWER_S))
        self._schedule()
        return await told

    async def finish(self) -> None:
        """Wait until nothing waits any more; call it after the last ``append``."""
        while self._waiting or self._batches or self._resting:
            self._send()
            if self._batches:
                await asyncio.wait(self._batches)
            else:
                await asyncio.sleep(_BUSY_S)

    def _schedule(self) -> None:
        # What one turn of the loop brings goes together: the first alone would be a commit of its own.
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._send)

    def _send(self) -> None:
        """Send all that waits, as far as rooms and sessions are free."""
        self._scheduled = False
        while self._waiting and len(self._batches) < IN_FLIGHT and (batch := self._next_batch()):
            rooms = {waiting.write.room for waiting in batch}
            self._rooms |= rooms
            task = self._loop.create_task(self._store(batch))
            self._batches.add(task)
            task.add_done_callback(partial(self._free, rooms))

    def _next_batch(self) -> list[_Waiting]:
        """Take the first write of each room that is free, in order of the rooms."""
        batch: dict[str, _Waiting] = {}
        left: list[_Waiting] = []
        for waiting in self._waiting:
            room = waiting.write.room
            if room in batch or room in self._rooms or len(batch) == ROWS:
                left.append(waiting)
            else:
                batch[room] = waiting
        self._waiting = left
        return [batch[room] for room in sorted(batch)]

    def _free(self, rooms: set[str], task: asyncio.Task[None]) -> None:
        self._batches.discard(task)
        self._rooms -= rooms
        if self._waiting:
            self._send()

    async def _store(self, batch: list[_Waiting]) -> None:
        """Store ``batch``; each is told its outcome as soon as that is known."""
        failure = await self._attempt(batch)
        if failure is None:
            return
        # Unless it was a deadlock, one of the rows cannot be stored, or not yet, and shall not fail the others.
        apart = len(batch) > 1 and not isinstance(failure.__cause__, asyncpg.TransactionRollbackError)
        for waiting in batch:
            if apart and undone(failure.__cause__) and self._loop.time() < waiting.until:
                error = await self._attempt([waiting])
                if error is None:
                    continue
                failure = error
            waiting.tell(failure)

    def _tell(self, batch: Sequence[_Waiting], outcomes: Sequence[bool | None]) -> None:
        busy = []
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if outcome is not None:
                waiting.tell(outcome)
            elif self._loop.time() < waiting.until:
                busy.append(waiting)
            else:
                waiting.tell(JournalError("another session holds the room"))
        if busy:
            self._resting += 1
            self._loop.call_later(_BUSY_S, self._again, busy)

    def _again(self, busy: list[_Waiting]) -> None:
        self._resting -= 1
        self._waiting[:0] = busy
        self._send()

    async def _attempt(self, batch: Sequence[_Waiting]) -> JournalError | None:
        """Store ``batch`` and tell the outcomes; None, or what failed and nobody is told yet."""
        writes = [waiting.write for waiting in batch]
        for _ in range(_ATTEMPTS):
            try:
                outcomes = await self._pool.use(lambda connection: _put(connection, writes))
            except JournalError as error:
                failure = error
                if not isinstance(error.__cause__, asyncpg.TransactionRollbackError):
                    break
            except Exception as error:
                log.exception("a batch of appends failed")
                return JournalError(f"the write failed: {error}")
            else:
                self._tell(batch, outcomes)
                return None
        return failure


async def _put(connection: Connection, writes: Sequence[Append]) -> list[bool | None]:
    rows = [
        (
            write.room,
            write.version,
            write.record,
            write.index.game,
            write.index.by,
            write.index.status,
            write.index.public,
            write.index.due_at,
            write.index.thinking,
            write.index.attended,
            write.index.listing,
        )
        for write in writes
    ]
    players = [
        (write.room, player.id, player.name, player.kind, player.token_hash)
        for write in writes
        for player in write.players
    ]
    columns = [*zip(*rows, strict=True)]
    if players:
        taken = await connection.fetch(_APPEND_WITH_PLAYERS, *columns, *zip(*players, strict=True))
    else:
        taken = await connection.fetch(_APPEND_ALONE, *columns)
    accepted = {room for (room,) in taken}
    if len(accepted) == len(writes):
        return [True] * len(writes)
    return await _refused(connection, writes, accepted)


async def _refused(connection: Connection, writes: Sequence[Append], accepted: Collection[str]) -> list[bool | None]:
    """The outcomes, when not all rooms were ``accepted``: was it the version, or was the row locked?"""
    outcomes: list[bool | None] = []
    left = [write.room for write in writes if write.room not in accepted]
    heads = {row["room"]: row["version"] for row in await connection.fetch(_HEADS, left)}
    for write in writes:
        if write.room in accepted:
            outcomes.append(True)
        else:
            outcomes.append(None if heads.get(write.room, 0) == write.version - 1 else False)
    return outcomes
