"""PostgreSQL as the players, results and seeks use it."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from noughts.journal.nameless import without_names
from noughts.journal.postgres.append import columns_of, result_columns
from noughts.journal.postgres.connect import Connection, Pool
from noughts.journal.postgres.seeks import SeekWriter
from noughts.journal.results import RATING, RESULT, Rated
from noughts.journal.values import GameResult, StoredPlayer
from noughts.players.looks import stored_look
from noughts.players.names import guest_name, name_key

# Whoever takes a name and whoever registers it must see each other. Guests of one name need not wait for each other.
# They also meet who takes a name that looks like it. All take their locks in the same order.
_SHARE_NAME = "SELECT pg_advisory_xact_lock_shared(x'4E474855'::integer, lock) FROM unnest($1::integer[]) AS lock"
_OWN_NAME = "SELECT pg_advisory_xact_lock(x'4E474855'::integer, lock) FROM unnest($1::integer[]) AS lock"

_ADD_GUEST = """
WITH added AS (
    INSERT INTO players (id, name, name_key, kind, muted_until, banned_until, seated, greeted, look)
    SELECT $1, $2, $3, $4, $5::bigint, $6::bigint, FALSE, $7::bigint, $10
    WHERE NOT EXISTS (SELECT FROM players WHERE (name_key = $3 OR look = $10) AND registered)
    ON CONFLICT DO NOTHING
    RETURNING id
), held AS (
    INSERT INTO tokens (hash, player, label, added, used)
    SELECT $8::bytea, id, $9::text, $7::bigint, $7::bigint FROM added
)
SELECT id FROM added
"""
_EXISTS = "SELECT EXISTS (SELECT FROM players WHERE id = $1)"
# Whoever owns the name already keeps it, whatever it looks like. In another case it may look like another.
_OWNED = """
SELECT id FROM players WHERE id <> $2 AND registered
    AND (name_key = $1 OR look = $3 AND NOT EXISTS (SELECT FROM players WHERE id = $2 AND registered AND name = $4))
"""
_REGISTER = """
UPDATE players SET name = $2, name_key = $3, registered = TRUE, seated = TRUE, changed = $4, look = $5
WHERE id = $1 AND (NOT registered OR name_key = $3 OR $6) AND NOT deleted RETURNING id
"""
_USERS = "SELECT id FROM players WHERE (name_key = $1 OR look = $2) AND NOT registered LIMIT $3 FOR UPDATE"
_RENAME = """
UPDATE players SET name = r.name, name_key = r.key, look = r.look, changed = $5
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS r (player, name, key, look) WHERE id = r.player
"""

_PUT_RESULTS = f"""
INSERT INTO results ({RESULT})
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::bigint[]
)
ON CONFLICT (room) DO UPDATE SET game = excluded.game, first = excluded.first, second = excluded.second,
    winner = excluded.winner, reason = excluded.reason, public = excluded.public, pool = excluded.pool,
    ended_at = excluded.ended_at, position = CASE WHEN excluded.pool IS NULL THEN NULL ELSE results.position END
"""

# One server at a time rates, and sees what the one before has stored.
_RATING_LOCK = "SELECT pg_advisory_xact_lock(x'4E474854'::integer, 3)"
# The games that are to be rated again are the next of those; the others are new. Each rating counts one game more than
# the one before, of this batch or stored.
_RATE = f"""
WITH batch AS MATERIALIZED (
    SELECT room, place FROM unnest($1::text[]) WITH ORDINALITY AS b (room, place)
), new AS MATERIALIZED (
    SELECT *, row_number() OVER later AS nth, lead(place) OVER later IS NULL AS last
    FROM unnest(
        $2::bigint[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[], $8::float8[], $9::bigint[]
    ) AS n (place, player, game, pool, rating, deviation, volatility, games)
    WINDOW later AS (PARTITION BY player, game, pool ORDER BY place)
), again AS MATERIALIZED (
    SELECT position, row_number() OVER (ORDER BY position) AS place FROM results
    WHERE position > (SELECT position FROM rated_until) ORDER BY position LIMIT cardinality($1::text[])
), found AS MATERIALIZED (
    SELECT place, room, position, ended_at FROM batch JOIN results USING (room) WHERE pool IS NOT NULL
), rated AS MATERIALIZED (
    SELECT place, room, ended_at, coalesce(
        found.position, rated_until.position + place - (SELECT count(*) FROM again)
            + coalesce((SELECT max(position) FROM again) - rated_until.position, 0)
    ) AS position
    FROM found, rated_until
    WHERE NOT EXISTS (
        SELECT FROM batch LEFT JOIN found AS f USING (place) LEFT JOIN again USING (place)
        WHERE f.room IS NULL OR f.position IS DISTINCT FROM again.position
    ) AND NOT EXISTS (
        SELECT FROM new LEFT JOIN ratings USING (player, game, pool)
        WHERE new.games <> coalesce(ratings.games, 0) + nth
    )
), ordered AS (
    UPDATE results SET position = rated.position FROM rated WHERE results.room = rated.room AND results.position IS NULL
), until AS (
    UPDATE rated_until SET position = last.position FROM (SELECT max(position) AS position FROM rated) AS last
    WHERE last.position IS NOT NULL
), history AS (
    INSERT INTO rating_history (player, game, pool, position, ended_at, rating)
    SELECT player, game, pool, position, ended_at, rating FROM new JOIN rated USING (place)
), put AS (
    INSERT INTO ratings ({RATING}) SELECT {RATING} FROM new JOIN rated USING (place) WHERE last
    ON CONFLICT (player, game, pool) DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation,
        volatility = excluded.volatility, games = excluded.games
)
SELECT FROM rated LIMIT 1
"""
_CLEAR_RATINGS = "TRUNCATE ratings, rating_history"
_RATE_FROM_THE_START = "UPDATE rated_until SET position = 0"


class PostgresDatabase:
    """A :class:`~noughts.journal.database.Database`."""

    def __init__(self, pool: Pool) -> None:
        self.deleted: frozenset[str] = frozenset()
        self._pool = pool
        self._seeks = SeekWriter(pool)
        self.put_seek = self._seeks.put
        self.renew_seeks = self._seeks.renew
        self.pair = self._seeks.pair

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        rows = await self._pool.fetch(sql, *parameters)
        return without_names(rows, self.deleted) if self.deleted else rows

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        return await self._pool.fetch(sql, *parameters)

    async def transact(self, *statements: tuple[str, Sequence[object]]) -> list[list[Any]]:
        async def run(connection: Connection) -> list[list[Any]]:
            return [await connection.fetch(sql, *parameters) for sql, parameters in statements]

        return await self._pool.transact(run)

    async def add_guest(self, player: StoredPlayer, label: str, now: int) -> bool:
        key, look = name_key(player.name), stored_look(player.name)
        row = (player.id, player.name, key, player.kind, player.muted_until, player.banned_until, now)

        async def add(connection: Connection) -> bool:
            await connection.execute(_SHARE_NAME, _locks_of(key, look))
            if await connection.fetch(_ADD_GUEST, *row, player.token_hash, label, look):
                return True
            return bool(await connection.fetchval(_EXISTS, player.id))

        return await self._pool.transact(add)

    async def own_name(self, player: str, name: str, now: int, *, anew: bool) -> bool:
        key, look = name_key(name), stored_look(name)

        async def own(connection: Connection) -> bool:
            await connection.execute(_OWN_NAME, _locks_of(key, look))
            if await connection.fetch(_OWNED, key, player, look, name):
                return False
            return bool(await connection.fetch(_REGISTER, player, name, key, now, look, anew))

        return await self._pool.transact(own)

    async def rename_guests(self, name: str, limit: int, now: int) -> bool:
        key, look = name_key(name), stored_look(name)

        async def rename(connection: Connection) -> bool:
            users = [user for (user,) in await connection.fetch(_USERS, key, look, limit)]
            rows = [(user, guest, name_key(guest), stored_look(guest)) for user in users if (guest := guest_name(user))]
            rows = [row for row in rows if row[2] != key and row[3] != look]
            if rows:
                await connection.execute(_RENAME, *(list(column) for column in zip(*rows, strict=True)), now)
            return len(rows) == limit

        return await self._pool.transact(rename)

    async def rate(self, rated: Sequence[Rated]) -> bool:
        ratings = [
            (place, one.player, one.game, one.pool, one.rating, one.deviation, one.volatility, one.games)
            for place, (_, *both) in enumerate(rated, 1)
            for one in both
            if one is not None
        ]
        rooms = [game.room for game, _, _ in rated]

        async def put(connection: Connection) -> bool:
            await connection.execute(_RATING_LOCK)
            return bool(await connection.fetch(_RATE, rooms, *columns_of(ratings, 8)))

        return await self._pool.transact(put)

    async def put_results(self, results: Sequence[GameResult]) -> None:
        # In the order of the rooms, so that servers do not wait for each other in a circle.
        await self._pool.fetch(_PUT_RESULTS, *result_columns(sorted(results, key=lambda one: one.room)))

    async def clear_ratings(self) -> None:
        async def clear(connection: Connection) -> None:
            await connection.execute(_RATING_LOCK)
            await connection.execute(_CLEAR_RATINGS)
            await connection.execute(_RATE_FROM_THE_START)

        await self._pool.transact(clear)


def _locks_of(*keys: str) -> list[int]:
    """The numbers of the locks of these keys, in order. If two keys share one, they only wait for each other."""
    return sorted({int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], signed=True) for key in keys})
