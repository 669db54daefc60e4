"""The journal in a PostgreSQL database, for any number of servers."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

from noughts.journal import queries
from noughts.journal.acts import Acts
from noughts.journal.bans import Bans
from noughts.journal.callbacks import Done, awaited
from noughts.journal.classes import Classes
from noughts.journal.games import Games
from noughts.journal.index import Index, unleased
from noughts.journal.nameless import without_names
from noughts.journal.pairs import Pairs
from noughts.journal.passes import Passes
from noughts.journal.people import People
from noughts.journal.postgres.batching import Batching
from noughts.journal.postgres.connect import Address, Connection, Pool, end
from noughts.journal.postgres.database import PostgresDatabase
from noughts.journal.postgres.database_clock import DatabaseClock
from noughts.journal.postgres.leader import Leadership
from noughts.journal.postgres.schema import migrate, migrations, session_name
from noughts.journal.postgres.writer import IN_FLIGHT, Writer
from noughts.journal.puzzles import Puzzles
from noughts.journal.results import Results
from noughts.journal.seeks import Seeks
from noughts.journal.talk import Talk
from noughts.journal.tokens import Tokens
from noughts.journal.tournaments import Tournaments
from noughts.journal.values import FOREVER, OUTAGES_KEPT, OUTAGES_MS, Append, JournalError, Outage
from noughts.journal.webhooks import Webhooks

log = logging.getLogger(__name__)

PATIENCE_S = 30.0
"""The time a starting server waits for a database that is not up yet."""

_SESSIONS = 4
"""The number of sessions that serve everything but appends."""

_READS_AT_ONCE = 2
"""The number of batches of reads that run at once: if one session freezes, the others answer."""

_CLOSE_S = 10.0

_FREE = f"claimed_until IS NULL OR claimed_until <= clock_timestamp() OR claimed_version <> {queries.LAST}"
_UNLEASED = queries.UNLEASED.format(columns="room", free=_FREE)
_READ = """
SELECT place, record FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS w (room, since, place)
JOIN rooms USING (room) JOIN records ON records.room = rooms.number AND version > since ORDER BY place, version
"""
_LEASED_UNTIL = """
SELECT (extract(epoch FROM claimed_until) * 1000)::bigint FROM rooms WHERE room = $1 AND claimed_version >= $2
"""
# The commit need not wait for the disk: if a lease is lost with the server, a search is made twice.
_LEASE = f"""
UPDATE rooms SET claimed_by = $3, claimed_version = $2, claimed_until = clock_timestamp() + $4 * interval '1 ms'
WHERE room = $1 AND {queries.LAST} = $2 AND thinking AND status <> 'over' AND (claimed_by = $3 OR {_FREE})
RETURNING set_config('synchronous_commit', 'off', TRUE)
"""
# A room whose row another session has locked is left for the next time.
_STRIP = f"""
WITH kept AS (
    UPDATE rooms SET due_at = {FOREVER} + $4 WHERE room = ANY($3::text[]) AND due_at >= {FOREVER}
), spent AS MATERIALIZED (
    SELECT number FROM rooms WHERE due_at BETWEEN {FOREVER} AND {FOREVER} + $1 AND room <> ALL($3::text[])
    ORDER BY due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
), stripped AS (
    UPDATE rooms SET due_at = NULL FROM spent WHERE rooms.number = spent.number RETURNING rooms.number
), deleted AS (
    DELETE FROM records USING stripped
    WHERE records.room = stripped.number
        AND version < (SELECT max(version) FROM records AS r WHERE r.room = stripped.number)
), silenced AS (
    DELETE FROM chat USING stripped WHERE chat.room = stripped.number
)
SELECT count(*) FROM stripped
"""
# All servers update one row: one that waited for it sees what the other wrote. The time is that of the update itself,
# as the database may have been away since the call.
_BEAT = f"""
WITH present AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
), beat AS (
    INSERT INTO heartbeat (at, before) SELECT now, now FROM present
    ON CONFLICT (one) DO UPDATE SET before = heartbeat.at, at = greatest(heartbeat.at, excluded.at)
    RETURNING before, at
), forgotten AS (
    {queries.FORGET_OUTAGES.format(OUTAGES_KEPT)}
)
INSERT INTO outages (since, until) SELECT before, at FROM beat WHERE at - before > $1
"""


_MOVED = "SELECT version FROM schema_version WHERE one AND readable_from > $1"


class PostgresJournal:
    """A :class:`~noughts.journal.base.Journal` in a database that other servers may use too: see ``open``.

    ``lobby`` and ``unleased`` order rooms by a sequence: a write that begins after another has ended counts as later.
    """

    shared = True

    def __init__(self, address: Address, clock: DatabaseClock, secret: bytes) -> None:
        self.secret = secret
        self.trouble: str | None = None  # only if it was migrated; the database looks after its own files
        self._schema = len(migrations())
        self._clock = clock
        self._pool = Pool(address.connect, _SESSIONS)
        self.database = PostgresDatabase(self._pool)
        self._reads: Batching[tuple[str, int], list[bytes]] = Batching(self._pool, _read, lambda _: (), _READS_AT_ONCE)
        self.index = Index(self.database)
        self.people = People(self.database, clock)
        self.tokens = Tokens(self.database, clock)
        self.bans = Bans(self.database, clock)
        self.passes = Passes(self.database, clock)
        self.acts = Acts(self.database, clock)
        self.results = Results(self.database, clock)
        self.puzzles = Puzzles(self.database, clock)
        self.classes = Classes(self.database, clock)
        self.games = Games(self.database)
        self.seeks = Seeks(self.database, clock)
        self.pairs = Pairs(self.database, clock)
        self.talk = Talk(self.database, clock)
        self.tournaments = Tournaments(self.database, clock)
        self.webhooks = Webhooks(self.database, clock)
        self._writing = Pool(address.connect, IN_FLIGHT)
        self._writer = Writer(self._writing)
        self._leadership = Leadership(address)
        self._closed: asyncio.Task[None] | None = None
        self._measuring = asyncio.create_task(clock.run(self._pool))

    @classmethod
    async def open(
        cls,
        url: str,
        password: str | None = None,
        patience_s: float = PATIENCE_S,
        *,
        node: str | None = None,
        migrate_anyway: bool = False,
    ) -> Self:
        """Open the journal in the database at ``url``, creating its tables if they are not there.

        ``password`` overrides that in ``url``. Waits at most ``patience_s`` for a database that is not up yet.
        ``node`` is the name of the server that opens it, None for another program. ``migrate_anyway``: migrate the
        tables even if servers are up that cannot use them then.

        Raises :class:`JournalError` if the database cannot be reached, refuses the connection, has a schema that
        is too new, or an old one that servers still use; the message does not contain the password.
        """
        address = Address(url, password, session_name(node))
        connection = await address.connect_when_up(patience_s)
        try:
            clock = DatabaseClock()
            secret = await migrate(connection, anyway=migrate_anyway)
            await clock.measure(connection)
        finally:
            await end(connection)
        journal = cls(address, clock, secret)
        await journal.people.look_for_deleted()
        return journal

    @property
    def clock_jumps(self) -> int:
        return self._clock.jumps

    def now(self) -> int:
        return self._clock()

    def put(self, write: Append, done: Done) -> None:
        if self._closed is None:
            self._writer.put(write, done)
        else:
            asyncio.get_running_loop().call_soon(done, JournalError("the journal is closed"))

    async def append(self, write: Append) -> bool:
        stored: bool = await awaited(self.put, write)
        return stored

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self._check_open()
        records = await self._reads.submit((room, min(since, queries.GREATEST_INTEGER)))
        deleted = self.database.deleted
        return [record for (record,) in without_names([*zip(records, strict=True)], deleted)] if deleted else records

    async def unleased(self, limit: int) -> list[str]:
        self._check_open()
        return [room for room, _ in await unleased(self.database, _UNLEASED, limit)]

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        return bool(await self._fetch(_LEASE, room, version, by, for_ms))

    async def leased_until(self, room: str, version: int) -> int:
        rows = await self._fetch(_LEASED_UNTIL, room, version)
        return int(rows[0][0]) if rows else 0

    async def strip(self, until: int, kept: Sequence[str], kept_until: int, limit: int) -> int:
        ((count,),) = await self._fetch(_STRIP, until, limit, kept, kept_until)
        return int(count)

    async def forget(self, before: int) -> None:
        await self.seeks.forget(before)
        await self.people.forget(before)
        await self.pairs.forget(before)

    async def beat(self, gap_ms: int) -> list[Outage]:
        if moved := await self._fetch(_MOVED, self._schema):
            self._end(moved[0]["version"])
        await self._fetch(_BEAT, gap_ms)
        return await self.outages(self.now() - OUTAGES_MS)

    async def outages(self, since: int) -> list[Outage]:
        return [Outage(*row) for row in await self._fetch(queries.OUTAGES, since)]

    async def lead(self) -> bool:
        """As :meth:`Journal.lead`: call it each second, or the lead is lost after some seconds."""
        self._check_open()
        return await self._leadership.held()

    async def check(self) -> None:
        """The database looks after its own files."""

    async def close(self) -> None:
        if self._closed is None:
            self._closed = asyncio.create_task(self._close())
        await asyncio.shield(self._closed)

    async def _close(self) -> None:
        self._measuring.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await self._writer.finish()
        await asyncio.gather(self._leadership.close(), self._pool.close(), self._writing.close())
        await self._writer.finish()  # resolves what could not be written

    def _end(self, version: int) -> None:
        """The tables are not those that this server knows any more: touch nothing."""
        self.trouble = f"a newer version of noughts migrated its tables to schema {version}"
        for pool in (self._pool, self._writing):
            pool.refuse(self.trouble)
        log.error("%s, and this one knows %d: stop this server and start the new version", self.trouble, self._schema)
        raise JournalError(self.trouble)

    def _check_open(self) -> None:
        if self.trouble is not None:
            raise JournalError(self.trouble)
        if self._closed is not None:
            raise JournalError("the journal is closed")

    async def _fetch(self, sql: str, *arguments: object) -> list[Any]:
        self._check_open()
        return await self.database.fetch(sql, *arguments)


async def _read(connection: Connection, reads: Sequence[tuple[str, int]]) -> list[list[bytes]]:
    """The records of rooms, each after a version."""
    rooms, since = [room for room, _ in reads], [version for _, version in reads]
    found: list[list[bytes]] = [[] for _ in reads]
    for place, record in await connection.fetch(_READ, rooms, since):
        found[place - 1].append(record)
    return found
