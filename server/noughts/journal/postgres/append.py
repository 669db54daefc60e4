"""The statement that stores appends: rooms, records, players and results, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg

from noughts.journal.postgres.connect import Connection
from noughts.journal.values import Append, GameResult, StoredPlayer
from noughts.players.looks import stored_look
from noughts.players.names import guest_name, name_key

# The records' key is the referee: each version is stored once, and only after the one before. Servers that race wait
# for each other's keys, in the order of the keys, which prevents deadlocks: first of records, then of new rooms, then
# of players. An index row that another session has locked is skipped, not waited for: no room can hold up a batch.
_MOVES = """
WITH written AS MATERIALIZED (
    SELECT rooms.number, w.* FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS w (room, version, record)
    JOIN rooms USING (room)
), continued AS (
    INSERT INTO records (room, version, record) SELECT number, version, record FROM written
    WHERE EXISTS (SELECT FROM records AS r WHERE r.room = number AND r.version = written.version - 1)
    ORDER BY number
    ON CONFLICT DO NOTHING
    RETURNING room AS number
)
SELECT room FROM unnest($1::text[]) AS w (room)
WHERE room NOT IN (SELECT room FROM written JOIN continued USING (number))
"""
# If a write's opening is not stored, begun has a record without a room, and the statement fails.
_APPEND = """
WITH {first}written AS MATERIALIZED (
    SELECT rooms.number, w.*
    FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::text[]) AS w (room, version, record, after)
    LEFT JOIN rooms USING (room){provided}
), rows AS MATERIALIZED (
    SELECT * FROM unnest(
        $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[], $10::bigint[], $11::boolean[], $12::boolean[],
        $13::bytea[], $14::boolean[], $15::bytea[], $16::text[], $17::text[]
    ) AS i (room, game, opened_by, status, public, due_at, thinking, attended, listing, sleeps, opener, first, second)
), free AS MATERIALIZED (
    SELECT rooms.room FROM rooms WHERE room IN (SELECT room FROM rows JOIN written USING (room) WHERE version > 1)
    FOR NO KEY UPDATE OF rooms SKIP LOCKED
), continued AS (
    INSERT INTO records (room, version, record) SELECT number, version, record FROM written
    WHERE EXISTS (SELECT FROM records AS r WHERE r.room = number AND r.version = written.version - 1)
        AND (room IN (SELECT room FROM free) OR room NOT IN (SELECT room FROM rows))
    ORDER BY number
    ON CONFLICT DO NOTHING
    RETURNING room AS number
), moved AS MATERIALIZED (
    SELECT number, room FROM written JOIN continued USING (number)
), opened AS (
    INSERT INTO rooms
        (room, changed, game, opened_by, status, public, due_at, thinking, attended, listing, sleeps, first, second,
        opener)
    SELECT room, nextval('changes'), game, opened_by, status, public, due_at, thinking, attended, listing, sleeps,
        first, second, CASE status WHEN 'over' THEN NULL ELSE nullif(opener, '') END
    FROM written JOIN rows USING (room)
    WHERE version = 1 AND (after IS NULL OR after IN (SELECT room FROM moved))
    ORDER BY room
    ON CONFLICT (room) DO NOTHING
    RETURNING number, room
), begun AS (
    INSERT INTO records (room, version, record)
    SELECT opened.number, 1, record FROM written LEFT JOIN opened USING (room)
    WHERE version = 1 AND (opened.number IS NOT NULL OR after IN (SELECT room FROM moved))
), changed AS (
    UPDATE rooms SET changed = nextval('changes'), game = rows.game, opened_by = rows.opened_by, status = rows.status,
        public = rows.public, due_at = rows.due_at, thinking = rows.thinking, attended = rows.attended,
        listing = rows.listing, sleeps = rows.sleeps, first = rows.first, second = rows.second,
        opener = CASE rows.status WHEN 'over' THEN NULL ELSE rooms.opener END
    FROM moved JOIN rows USING (room) WHERE rooms.number = moved.number
), taken AS MATERIALIZED (
    SELECT room FROM moved UNION ALL SELECT room FROM opened
){also}
SELECT room FROM unnest($1::text[]) AS w (room) WHERE room NOT IN (SELECT room FROM taken)
"""
# A new player whose name somebody else has registered meanwhile gets the other name. Nobody who is stored gets a token:
# it may have been taken from the player since.
_SEATED = """, sitting AS MATERIALIZED (
    SELECT DISTINCT ON (p.id) p.id,
        CASE WHEN owner.id IS NULL THEN p.name ELSE p.other_name END AS name,
        CASE WHEN owner.id IS NULL THEN p.name_key ELSE p.other_key END AS name_key,
        CASE WHEN owner.id IS NULL THEN p.look ELSE p.other_look END AS look,
        p.kind, p.token_hash, p.muted_until, p.banned_until
    FROM unnest(
        $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[],
        $26::text[], $27::bytea[], $28::bigint[], $29::bigint[]
    ) WITH ORDINALITY AS p (
        room, id, name, name_key, look, other_name, other_key, other_look, kind, token_hash, muted_until, banned_until,
        place
    )
    LEFT JOIN players AS owner
        ON (owner.name_key = p.name_key OR owner.look = p.look) AND owner.registered AND owner.id <> p.id
    WHERE p.room IN (SELECT room FROM taken)
    ORDER BY p.id, place
), seated AS (
    INSERT INTO players (id, name, name_key, look, kind, muted_until, banned_until, seated)
    SELECT id, name, name_key, look, kind, muted_until, banned_until, TRUE FROM sitting ORDER BY id
    ON CONFLICT (id) DO UPDATE SET seated = TRUE WHERE NOT players.seated
    RETURNING id, xmax = 0 AS is_new
), held AS (
    INSERT INTO tokens (hash, player, label, added, used)
    SELECT token_hash, id, '', 0, 0 FROM sitting JOIN seated USING (id) WHERE is_new AND token_hash <> ''
)"""
_FINISHED = """, finished AS (
    INSERT INTO results (room, game, first, second, winner, reason, public, pool, ended_at)
    SELECT f.* FROM unnest(
        $30::text[], $31::text[], $32::text[], $33::text[], $34::text[], $35::text[], $36::boolean[], $37::text[],
        $38::bigint[]
    ) AS f (room, game, first, second, winner, reason, public, pool, ended_at)
    WHERE room IN (SELECT room FROM taken)
    ON CONFLICT (room) DO NOTHING
)"""
# The rows of a player's notices are written in the order of their keys, which prevents deadlocks.
_CALLED = """, called AS (
    INSERT INTO notices (player, room, version, due_at, attempts)
    SELECT c.player, c.room, c.version, 0, 0
    FROM unnest($39::text[], $40::text[], $41::bigint[]) AS c (player, room, version) JOIN webhooks USING (player)
    WHERE c.room IN (SELECT room FROM taken)
    ORDER BY c.player, c.room
    ON CONFLICT (player, room) DO UPDATE SET version = excluded.version, due_at = 0, attempts = 0
)"""
# Seeks are locked in the order of their players, as everywhere, which prevents deadlocks. A session that had to wait
# for a lock sees the seek as it is then.
_SEEKING = """seeking AS MATERIALIZED (
    SELECT seeks.player, two.room FROM unnest($30::text[], $31::text[], $32::text[]) AS two (room, player, key)
    JOIN seeks USING (player, key)
    WHERE seeks.room IS NULL AND until > $33::bigint
    ORDER BY seeks.player FOR UPDATE OF seeks
), """
_BOTH_SEEK = " WHERE w.room IN (SELECT room FROM seeking GROUP BY room HAVING count(*) = 2)"
_PAIRED = """, paired AS (
    UPDATE seeks SET room = taken.room, paired_at = $33 FROM taken JOIN seeking USING (room)
    WHERE seeks.player = seeking.player
)"""

MOVES = _MOVES
"""Stores writes that consist of a record alone, by their columns. Returns the rooms whose writes were refused."""

APPEND = _APPEND.format(first="", provided="", also="")
"""As ``MOVES`` for any writes, with the columns of :func:`_rows`."""

APPEND_WITH_PLAYERS = _APPEND.format(first="", provided="", also=_SEATED)
"""As ``APPEND``, with the columns of :func:`_players`."""

APPEND_WITH_RESULTS = _APPEND.format(first="", provided="", also=_SEATED + _FINISHED)
"""As ``APPEND_WITH_PLAYERS``, with the columns of :func:`result_columns`."""

APPEND_WITH_CALLS = _APPEND.format(first="", provided="", also=_SEATED + _FINISHED + _CALLED)
"""As ``APPEND_WITH_RESULTS``, with whom to tell, and of which room and version."""

PAIR = _APPEND.format(first=_SEEKING, provided=_BOTH_SEEK, also=_SEATED + _PAIRED)
"""As ``APPEND_WITH_PLAYERS``, with the seeks as rooms, players and keys, two for each room, and the time."""


async def put(connection: Connection, writes: Sequence[Append]) -> set[str]:
    """Store ``writes``, no two for the same room; the rooms of those that were refused, or whose row is locked.

    If the statement fails by :func:`not_opened`, one of the writes is refused because of its opening.
    """
    finished = [write.finished for write in writes if write.finished is not None]
    calls = [(one.calls, one.room, one.version) for write in writes for one in _both(write) if one.calls is not None]
    if calls:
        columns = (*_rows(writes), *_players(writes), *result_columns(finished), *columns_of(calls, 3))
        refused = await connection.fetch(APPEND_WITH_CALLS, *columns)
    elif finished:
        refused = await connection.fetch(
            APPEND_WITH_RESULTS, *_rows(writes), *_players(writes), *result_columns(finished)
        )
    elif any(write.players for write in writes):
        refused = await connection.fetch(APPEND_WITH_PLAYERS, *_rows(writes), *_players(writes))
    elif any(write.index is not None or write.opening is not None for write in writes):
        refused = await connection.fetch(APPEND, *_rows(writes))
    else:
        rooms, versions = [write.room for write in writes], [write.version for write in writes]
        refused = await connection.fetch(MOVES, rooms, versions, [write.record for write in writes])
    return {room for (room,) in refused}


def not_opened(error: BaseException | None) -> bool:
    """True if a write failed because the room of its opening exists."""
    if not isinstance(error, asyncpg.NotNullViolationError):
        return False
    return (error.table_name, error.column_name) == ("records", "room")


async def put_pairs(
    connection: Connection, writes: Sequence[Append], seeking: Sequence[tuple[str, str, str]], now: int
) -> set[str]:
    """Open the rooms of ``writes`` for which both seeks wait at ``now``; the rooms that were not opened.

    ``seeking`` has the seeks by room, player and key, no player twice.
    """
    columns = (*_rows(writes), *_players(writes), *columns_of(seeking, 3))
    return {room for (room,) in await connection.fetch(PAIR, *columns, now)}


def result_columns(results: Sequence[GameResult]) -> list[Sequence[object]]:
    """The results, column by column."""
    rows = [
        (one.room, one.game, one.first, one.second, one.winner, one.reason, one.public, one.pool, one.ended_at)
        for one in results
    ]
    return columns_of(rows, 9)


def _both(write: Append) -> tuple[Append, ...]:
    return (write,) if write.opening is None else (write, write.opening)


def _rows(writes: Sequence[Append]) -> list[Sequence[object]]:
    """The writes and their openings, and then their index rows, column by column."""
    records: list[tuple[object, ...]] = [(write.room, write.version, write.record, None) for write in writes]
    openings = [(write.opening, write.room) for write in writes if write.opening is not None]
    records += [(one.room, one.version, one.record, after) for one, after in openings]
    rows = [
        (
            write.room,
            index.game,
            index.by,
            index.status,
            index.public,
            index.due_at,
            index.thinking,
            index.attended,
            index.listing,
            index.sleeps,
            index.opener,
            index.first,
            index.second,
        )
        for write in (*writes, *(one for one, _ in openings))
        if (index := write.index) is not None
    ]
    return [*columns_of(records, 4), *columns_of(rows, 13)]


def _players(writes: Sequence[Append]) -> list[Sequence[object]]:
    openings = [write.opening for write in writes if write.opening is not None]
    return columns_of([_player(write.room, player) for write in (*writes, *openings) for player in write.players], 12)


def _player(room: str, player: StoredPlayer) -> tuple[object, ...]:
    other = guest_name(player.id)
    names = tuple(each for name in (player.name, other) for each in (name, name_key(name), stored_look(name)))
    return room, player.id, *names, player.kind, player.token_hash, player.muted_until, player.banned_until


def columns_of(rows: Sequence[tuple[object, ...]], count: int) -> list[Sequence[object]]:
    """``rows`` of ``count`` fields, column by column."""
    return [*zip(*rows, strict=True)] or [()] * count
