"""The journal in a PostgreSQL database, for any number of servers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

from noughts.journal.base import OUTAGES_MS, Append, JournalError, Outage
from noughts.journal.postgres.clock import DatabaseClock
from noughts.journal.postgres.connect import Address, Pool, let_go
from noughts.journal.postgres.leader import Leadership
from noughts.journal.postgres.people import PostgresPeople
from noughts.journal.postgres.results import PostgresResults
from noughts.journal.postgres.schema import migrate
from noughts.journal.postgres.seeks import PostgresSeeks
from noughts.journal.postgres.writer import IN_FLIGHT, Writer

PATIENCE_S = 30.0
"""How long a starting server waits for a database that is not up yet."""

_ASKING = 4
"""How many sessions serve all that is not an append."""

_CLOSE_S = 10.0

_READ = """
SELECT record FROM records WHERE room = (SELECT number FROM rooms WHERE room = $1) AND version > $2 ORDER BY version
"""
_HEADS = "SELECT room, version FROM rooms WHERE room = ANY($1::text[])"
_DUE = "SELECT room FROM rooms WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
_ATTENDED = "SELECT room FROM rooms WHERE attended AND status <> 'over'"
_UNCLAIMED = """
SELECT room FROM rooms
WHERE thinking AND status <> 'over' AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
ORDER BY changed LIMIT $1
"""
# The commit need not wait for the disk: a claim may get lost with the server, and then a search is made twice.
_CLAIM = """
UPDATE rooms SET claimed_by = $3, claimed_until = clock_timestamp() + $4 * interval '1 ms'
WHERE room = $1 AND version = $2 AND thinking AND status <> 'over'
    AND (claimed_by = $3 OR claimed_until IS NULL OR claimed_until <= clock_timestamp())
RETURNING set_config('synchronous_commit', 'off', TRUE)
"""
_LOBBY = "SELECT listing FROM rooms WHERE public AND status <> 'over' ORDER BY changed DESC LIMIT $1"
_LOBBY_OF_GAME = """
SELECT listing FROM rooms WHERE game = $2 AND public AND status <> 'over' ORDER BY changed DESC LIMIT $1
"""
_PUBLIC = "SELECT room, version FROM rooms WHERE public AND status <> 'over'"
_OPEN_ROOMS = "SELECT count(*) FROM rooms WHERE opened_by = $1 AND status <> 'over'"
# One row, which each server moves on and which tells the one that has waited for it what the other has written.
# A sign is of the time at which it is left: the database may have been away since somebody wished to.
_BEAT = """
WITH present AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
), beat AS (
    INSERT INTO heartbeat (at, before) SELECT now, now FROM present
    ON CONFLICT (one) DO UPDATE SET before = heartbeat.at, at = greatest(heartbeat.at, excluded.at)
    RETURNING before, at
), forgotten AS (
    DELETE FROM outages WHERE until <= $2
)
INSERT INTO outages (since, until) SELECT before, at FROM beat WHERE at - before > $1
"""
_OUTAGES = "SELECT since, until FROM outages WHERE until > $1 ORDER BY until"

_GREATEST_INTEGER = 2**63 - 1


class PostgresJournal:
    """A :class:`~noughts.journal.base.Journal` in a database that other servers may use too: see ``open``.

    ``lobby`` and ``unleased`` go by a sequence that each write takes a number of: of two writes of which one
    began after the other had ended, it is the later one.
    """

    shared = True

    def __init__(self, address: Address, clock: DatabaseClock, secret: bytes) -> None:
        self.secret = secret
        self._clock = clock
        self._asking = Pool(address.connect, _ASKING)
        self.people = PostgresPeople(self._asking, clock)
        self.results = PostgresResults(self._asking, clock)
        self.seeks = PostgresSeeks(self._asking, clock)
        self._writing = Pool(address.connect, IN_FLIGHT)
        self._writer = Writer(self._writing)
        self._leadership = Leadership(address)
        self._closed: asyncio.Task[None] | None = None
        self._measuring = asyncio.create_task(clock.keep(self._asking))

    @classmethod
    async def open(cls, url: str, password: str | None = None, patience_s: float = PATIENCE_S) -> Self:
        """Open the journal in the database at ``url``, whose tables are made if they are not there.

        ``password`` goes before that in ``url``. Waits at most ``patience_s`` for a database that is not up yet.
        Raises :class:`JournalError` when the database cannot be reached, lets us not in, or has a schema that is
        too new; its words do not contain the password.
        """
        address = Address(url, password)
        connection = await address.connect_when_up(patience_s)
        try:
            clock = DatabaseClock()
            secret = await migrate(connection)
            await clock.measure(connection)
        finally:
            await let_go(connection)
        return cls(address, clock, secret)

    def now(self) -> int:
        return self._clock()

    async def append(self, write: Append) -> bool:
        self._check_open()
        return await self._writer.append(write)

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        return [record for (record,) in await self._ask(_READ, room, min(since, _GREATEST_INTEGER))]

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        return dict(await self._ask(_HEADS, rooms))

    async def due(self, until: int, limit: int) -> list[str]:
        return [room for (room,) in await self._ask(_DUE, until, limit)]

    async def attended(self) -> list[str]:
        return [room for (room,) in await self._ask(_ATTENDED)]

    async def unleased(self, limit: int) -> list[str]:
        return [room for (room,) in await self._ask(_UNCLAIMED, limit)]

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        return bool(await self._ask(_CLAIM, room, version, by, for_ms))

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        rows = await (self._ask(_LOBBY, limit) if game is None else self._ask(_LOBBY_OF_GAME, limit, game))
        return [listing for (listing,) in rows]

    async def public(self) -> dict[str, int]:
        return dict(await self._ask(_PUBLIC))

    async def open_rooms(self, by: str) -> int:
        ((count,),) = await self._ask(_OPEN_ROOMS, by)
        return int(count)

    async def forget(self, before: int) -> None:
        await self.seeks.forget(before)
        await self.people.forget(before)

    async def beat(self, gap_ms: int) -> list[Outage]:
        forgotten = self.now() - OUTAGES_MS
        await self._ask(_BEAT, gap_ms, forgotten)
        return [Outage(*row) for row in await self._ask(_OUTAGES, forgotten)]

    async def lead(self) -> bool:
        """As :meth:`Journal.lead`; to be asked each second, for who has not asked for some seconds leads no more."""
        self._check_open()
        return await self._leadership.held()

    async def close(self) -> None:
        if self._closed is None:
            self._closed = asyncio.create_task(self._close())
        await asyncio.shield(self._closed)

    async def _close(self) -> None:
        self._measuring.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await self._writer.finish()
        await asyncio.gather(self._leadership.close(), self._asking.close(), self._writing.close())
        await self._writer.finish()  # what could not be written is told so

    def _check_open(self) -> None:
        if self._closed is not None:
            raise JournalError("the journal is closed")

    async def _ask(self, sql: str, *arguments: object) -> list[Any]:
        self._check_open()
        return await self._asking.fetch(sql, *arguments)
