"""PostgreSQL as the players, results and seeks use it."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from noughts.journal.nameless import without_names
from noughts.journal.postgres.append import result_columns
from noughts.journal.postgres.connect import Connection, Pool
from noughts.journal.postgres.seeks import SeekWriter
from noughts.journal.results import RATING, RESULT
from noughts.journal.values import GameResult, StoredPlayer, StoredRating
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
# Either no game has to be rated again and this one is new, or it is the next one to be rated again.
_RATE = f"""
WITH new AS MATERIALIZED (
    SELECT player, $2::text AS game, $3::text AS pool, rating, deviation, volatility, games
    FROM unnest($4::text[], $5::float8[], $6::float8[], $7::float8[], $8::bigint[])
        AS n (player, rating, deviation, volatility, games)
), rated AS (
    UPDATE results SET position = coalesce(results.position, rated_until.position + 1) FROM rated_until
    WHERE room = $1 AND pool IS NOT NULL
        AND results.position IS NOT DISTINCT FROM (
            SELECT min(position) FROM results WHERE position > (SELECT position FROM rated_until)
        )
        AND NOT EXISTS (
            SELECT FROM new LEFT JOIN ratings USING (player, game, pool)
            WHERE new.games <> coalesce(ratings.games, 0) + 1
        )
    RETURNING results.position, ended_at
), until AS (
    UPDATE rated_until SET position = rated.position FROM rated
), history AS (
    INSERT INTO rating_history (player, game, pool, position, ended_at, rating)
    SELECT player, game, pool, position, ended_at, rating FROM new, rated
), put AS (
    INSERT INTO ratings ({RATING}) SELECT new.* FROM new, rated
    ON CONFLICT (player, game, pool) DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation,
        volatility = excluded.volatility, games = excluded.games
)
SELECT position FROM rated
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

    async def rate(self, game: GameResult, ratings: Sequence[StoredRating]) -> bool:
        columns = (
            [one.player for one in ratings],
            [one.rating for one in ratings],
            [one.deviation for one in ratings],
            [one.volatility for one in ratings],
            [one.games for one in ratings],
        )

        async def put(connection: Connection) -> bool:
            await connection.execute(_RATING_LOCK)
            return bool(await connection.fetch(_RATE, game.room, game.game, game.pool, *columns))

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
