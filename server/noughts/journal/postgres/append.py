"""The statement that stores appends: rooms, records, players and results, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.journal.postgres.connect import Connection
from noughts.journal.values import Append, GameResult, StoredPlayer
from noughts.players.names import guest_name, name_key

# The room's row is the referee: there is one, and its version only ever grows by one. A row that another session has
# locked is skipped instead of waited for: no room can hold up a batch, or cause a deadlock. New rooms and players are
# inserted in the order of their keys, which prevents deadlocks between servers.
_APPEND = """
WITH {first}written AS MATERIALIZED (
    SELECT * FROM unnest(
        $1::text[], $2::bigint[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bigint[],
        $9::boolean[], $10::boolean[], $11::bytea[]
    ) AS w (room, version, record, game, opened_by, status, public, due_at, thinking, attended, listing){provided}
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
){also}
SELECT room FROM taken
"""
# A new player whose name somebody else has registered meanwhile gets the other name.
_SEATED = """, seated AS (
    INSERT INTO players (id, name, name_key, kind, token_hash, muted_until, banned_until, seated)
    SELECT DISTINCT ON (p.id) p.id,
        CASE WHEN owner.id IS NULL THEN p.name ELSE p.other_name END,
        CASE WHEN owner.id IS NULL THEN p.name_key ELSE p.other_key END,
        p.kind, p.token_hash, p.muted_until, p.banned_until, TRUE
    FROM unnest(
        $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::bytea[],
        $20::bigint[], $21::bigint[]
    ) WITH ORDINALITY
        AS p (room, id, name, name_key, other_name, other_key, kind, token_hash, muted_until, banned_until, place)
    LEFT JOIN players AS owner ON owner.name_key = p.name_key AND owner.registered AND owner.id <> p.id
    WHERE p.room IN (SELECT room FROM taken)
    ORDER BY p.id, place
    ON CONFLICT (id) DO UPDATE SET seated = TRUE WHERE NOT players.seated
)"""
_FINISHED = """, finished AS (
    INSERT INTO results (room, game, first, second, winner, reason, public, pool, ended_at)
    SELECT f.* FROM unnest(
        $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::boolean[], $29::text[],
        $30::bigint[]
    ) AS f (room, game, first, second, winner, reason, public, pool, ended_at)
    WHERE room IN (SELECT room FROM taken)
    ON CONFLICT (room) DO NOTHING
)"""
# Seeks are locked in the order of their players, as everywhere, which prevents deadlocks. A session that had to wait
# for a lock sees the seek as it is then.
_SEEKING = """seeking AS MATERIALIZED (
    SELECT seeks.player, two.room FROM unnest($22::text[], $23::text[], $24::text[]) AS two (room, player, key)
    JOIN seeks USING (player, key)
    WHERE seeks.room IS NULL AND until > $25::bigint
    ORDER BY seeks.player FOR UPDATE OF seeks
), """
_BOTH_SEEK = " WHERE room IN (SELECT room FROM seeking GROUP BY room HAVING count(*) = 2)"
_PAIRED = """, paired AS (
    UPDATE seeks SET room = taken.room, paired_at = $25 FROM taken JOIN seeking USING (room)
    WHERE seeks.player = seeking.player
)"""

APPEND = _APPEND.format(first="", provided="", also="")
"""Parameters: the columns of :func:`_rows`. Returns the rooms whose writes were accepted."""

APPEND_WITH_PLAYERS = _APPEND.format(first="", provided="", also=_SEATED)
"""As ``APPEND``, with the columns of :func:`_players`."""

APPEND_WITH_RESULTS = _APPEND.format(first="", provided="", also=_SEATED + _FINISHED)
"""As ``APPEND_WITH_PLAYERS``, with the columns of :func:`result_columns`."""

PAIR = _APPEND.format(first=_SEEKING, provided=_BOTH_SEEK, also=_SEATED + _PAIRED)
"""As ``APPEND_WITH_PLAYERS``, with the seeks as rooms, players and keys, two for each room, and the time."""


async def put(connection: Connection, writes: Sequence[Append]) -> set[str]:
    """Store ``writes``, no two for the same room; the rooms of those that were accepted."""
    columns = _rows(writes)
    finished = [write.finished for write in writes if write.finished is not None]
    if finished:
        taken = await connection.fetch(APPEND_WITH_RESULTS, *columns, *_players(writes), *result_columns(finished))
    elif any(write.players for write in writes):
        taken = await connection.fetch(APPEND_WITH_PLAYERS, *columns, *_players(writes))
    else:
        taken = await connection.fetch(APPEND, *columns)
    return {room for (room,) in taken}


async def put_pairs(
    connection: Connection, writes: Sequence[Append], seeking: Sequence[tuple[str, str, str]], now: int
) -> set[str]:
    """Open the rooms of ``writes`` for which both seeks wait at ``now``; the rooms that were opened.

    ``seeking`` has the seeks by room, player and key, no player twice.
    """
    columns = (*_rows(writes), *_players(writes), *_columns(seeking, 3))
    return {room for (room,) in await connection.fetch(PAIR, *columns, now)}


def result_columns(results: Sequence[GameResult]) -> list[Sequence[object]]:
    """The results, column by column."""
    rows = [
        (one.room, one.game, one.first, one.second, one.winner, one.reason, one.public, one.pool, one.ended_at)
        for one in results
    ]
    return _columns(rows, 9)


def _rows(writes: Sequence[Append]) -> list[Sequence[object]]:
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
    return _columns(rows, 11)


def _players(writes: Sequence[Append]) -> list[Sequence[object]]:
    return _columns([_player(write.room, player) for write in writes for player in write.players], 10)


def _player(room: str, player: StoredPlayer) -> tuple[object, ...]:
    other = guest_name(player.id)
    names = (player.name, name_key(player.name), other, name_key(other))
    return room, player.id, *names, player.kind, player.token_hash, player.muted_until, player.banned_until


def _columns(rows: Sequence[tuple[object, ...]], count: int) -> list[Sequence[object]]:
    return [*zip(*rows, strict=True)] or [()] * count
