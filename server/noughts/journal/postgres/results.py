"""The games that are over, in PostgreSQL."""

# ruff: noqa: S608  # queries are put together of constants alone
from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal import results
from noughts.journal.postgres.append import result_columns
from noughts.journal.postgres.connect import Connection, Pool
from noughts.journal.results import GameResult, StoredRating, Tally, start_of, tallies

_RESULT = "room, game, first, second, winner, reason, public, pool, ended_at"
_RATING = "player, game, pool, rating, deviation, volatility, games"
# The index of the rooms goes by the database's own order.
_LISTING = """(SELECT listing FROM rooms WHERE rooms.room = results.room COLLATE "default" AND status = 'over')"""

_JUST_FINISHED = f"""
SELECT {_LISTING} FROM results WHERE public AND ended_at > $1 AND ($2::text IS NULL OR game = $2)
ORDER BY ended_at DESC, room DESC LIMIT $3
"""
_WANTED = "(ended_at, room) > ($1, $2) AND ($3::text IS NULL OR game = $3) AND ($4 OR public)"
_FINISHED = f"SELECT {_RESULT} FROM results WHERE {_WANTED} ORDER BY ended_at, room LIMIT $5"
# A player's games are those on either side, each side by its index; who plays against itself does so once.
_FINISHED_OF = f"""
(SELECT {_RESULT} FROM results WHERE first = $6 AND {_WANTED} ORDER BY ended_at, room LIMIT $5)
UNION ALL
(SELECT {_RESULT} FROM results WHERE second = $6 AND first <> $6 AND {_WANTED} ORDER BY ended_at, room LIMIT $5)
ORDER BY ended_at, room LIMIT $5
"""
_LAST_OF = f"""
SELECT {_RESULT}, {_LISTING} FROM (
    (SELECT {_RESULT} FROM results WHERE first = $1 AND public ORDER BY ended_at DESC, room DESC LIMIT $2)
    UNION ALL
    (SELECT {_RESULT} FROM results WHERE second = $1 AND first <> $1 AND public
    ORDER BY ended_at DESC, room DESC LIMIT $2)
    ORDER BY ended_at DESC, room DESC LIMIT $2
) AS results ORDER BY ended_at DESC, room DESC
"""
_TALLY = """
SELECT game, outcome, count(*) FROM (
    (SELECT game, CASE WHEN winner IS NULL THEN 'drawn' WHEN winner = 'first' AND second <> $1 THEN 'won' ELSE 'lost'
        END AS outcome, ended_at, room
    FROM results WHERE first = $1 AND public ORDER BY ended_at DESC, room DESC LIMIT $2)
    UNION ALL
    (SELECT game, CASE WHEN winner IS NULL THEN 'drawn' WHEN winner = 'second' THEN 'won' ELSE 'lost'
        END AS outcome, ended_at, room
    FROM results WHERE second = $1 AND first <> $1 AND public ORDER BY ended_at DESC, room DESC LIMIT $2)
    ORDER BY ended_at DESC, room DESC LIMIT $2
) AS games GROUP BY game, outcome
"""
_UNRATED = f"SELECT {_RESULT} FROM results WHERE pool IS NOT NULL AND NOT rated ORDER BY ended_at, room LIMIT $1"
_RATINGS = f"SELECT {_RATING} FROM ratings WHERE player = ANY($1::text[])"
_LEADERS = f"""
SELECT {_RATING}, coalesce(name, player), coalesce(kind, 'computer'), coalesce(registered, FALSE)
FROM ratings LEFT JOIN players ON players.id = ratings.player
WHERE game = $1 AND pool = $2 AND deviation <= $3 AND coalesce(banned_until, 0) <= $4
ORDER BY rating DESC, player LIMIT $5
"""
_COURSE = """
SELECT ended_at, rating FROM courses WHERE player = $1 AND game = $2 AND pool = $3
ORDER BY ended_at DESC, room DESC LIMIT $4
"""
_OVER = "SELECT room FROM rooms WHERE status = 'over' AND room > $1 ORDER BY room LIMIT $2"

_PUT = f"""
INSERT INTO results ({_RESULT})
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::bigint[]
)
ON CONFLICT (room) DO NOTHING
"""
_FORGET_ALL = "TRUNCATE results, rated_until, courses, ratings"

# One at a time makes ratings, and sees what the one before has made.
_LOCK = "SELECT pg_advisory_xact_lock(x'4E474854'::integer, 3)"
_LATER = "game = $1 AND pool = $2 AND (ended_at, room) > ($3, $4)"
_LATER_RATED = f"SELECT FROM rated_until WHERE {_LATER}"
_RATED_UNTIL = "UPDATE rated_until SET ended_at = $3, room = $4 WHERE game = $1 AND pool = $2"
_KEPT_LATER = f"SELECT ended_at, room FROM courses WHERE {_LATER} ORDER BY ended_at DESC, room DESC OFFSET $5 LIMIT 1"
_DROP_COURSES = f"DELETE FROM courses WHERE {_LATER} RETURNING player, room"
_UNRATE = "UPDATE results SET rated = FALSE WHERE room = ANY($1::text[])"
_DROP_RATINGS = "DELETE FROM ratings WHERE game = $1 AND pool = $2 AND player = ANY($3::text[])"
_RESTORE_RATINGS = f"""
INSERT INTO ratings ({_RATING})
SELECT last.* FROM unnest($3::text[]) AS moved, LATERAL (
    SELECT {_RATING} FROM courses WHERE player = moved AND game = $1 AND pool = $2
    ORDER BY ended_at DESC, room DESC LIMIT 1
) AS last
"""
_AS_OF = f"""
SELECT last.* FROM unnest($5::text[]) AS wanted, LATERAL (
    SELECT {_RATING} FROM courses
    WHERE player = wanted AND game = $1 AND pool = $2 AND (ended_at, room) < ($3, $4)
    ORDER BY ended_at DESC, room DESC LIMIT 1
) AS last
"""
_RATE = f"""
WITH new AS MATERIALIZED (
    SELECT player, $1::text AS game, $2::text AS pool, rating, deviation, volatility, games
    FROM unnest($5::text[], $6::float8[], $7::float8[], $8::float8[], $9::bigint[])
        AS n (player, rating, deviation, volatility, games)
), rated AS (
    UPDATE results SET rated = TRUE
    WHERE room = $4 AND ended_at = $3 AND game = $1 AND pool = $2 AND NOT rated
        AND NOT EXISTS ({_LATER_RATED})
        AND NOT EXISTS (
            SELECT FROM new LEFT JOIN ratings USING (player, game, pool)
            WHERE new.games <> coalesce(ratings.games, 0) + 1
        )
    RETURNING game, pool, ended_at, room
), until AS (
    INSERT INTO rated_until (game, pool, ended_at, room) SELECT game, pool, ended_at, room FROM rated
    ON CONFLICT (game, pool) DO UPDATE SET ended_at = excluded.ended_at, room = excluded.room
), course AS (
    INSERT INTO courses ({_RATING}, ended_at, room) SELECT new.*, ended_at, room FROM new, rated
), put AS (
    INSERT INTO ratings ({_RATING}) SELECT new.* FROM new, rated
    ON CONFLICT (player, game, pool) DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation,
        volatility = excluded.volatility, games = excluded.games
)
SELECT room FROM rated
"""


class PostgresResults:
    """A :class:`~noughts.journal.results.Results`; ``now`` gives ms since the epoch."""

    def __init__(self, pool: Pool, now: Callable[[], int]) -> None:
        self._pool = pool
        self._now = now

    async def just_finished(self, game: str | None, since: int, limit: int) -> list[bytes]:
        rows = await self._pool.fetch(_JUST_FINISHED, since, game, limit)
        return [listing for (listing,) in rows if listing is not None]

    async def finished(
        self,
        *,
        player: str | None = None,
        game: str | None = None,
        since: int = 0,
        private: bool = False,
        after: GameResult | None = None,
        limit: int,
    ) -> list[GameResult]:
        wanted = (*start_of(since, after), game, private, limit)
        if player is None:
            return [GameResult(*row) for row in await self._pool.fetch(_FINISHED, *wanted)]
        return [GameResult(*row) for row in await self._pool.fetch(_FINISHED_OF, *wanted, player)]

    async def last_of(self, player: str, limit: int) -> list[tuple[GameResult, bytes]]:
        rows = map(tuple, await self._pool.fetch(_LAST_OF, player, limit))
        return [(GameResult(*row[:-1]), row[-1]) for row in rows if row[-1] is not None]

    async def tally(self, player: str, limit: int) -> list[Tally]:
        rows = await self._pool.fetch(_TALLY, player, limit)
        return tallies((game, outcome, count) for game, outcome, count in rows)

    async def unrated(self, limit: int) -> list[GameResult]:
        return [GameResult(*row) for row in await self._pool.fetch(_UNRATED, limit)]

    async def before(self, finished: GameResult) -> tuple[StoredRating | None, StoredRating | None]:
        place = (finished.game, finished.pool, finished.ended_at, finished.room)
        players = [finished.first, finished.second]

        async def look(connection: Connection) -> dict[str, StoredRating] | None:
            await connection.execute(_LOCK)
            if await connection.fetch(_LATER_RATED, *place) and not await _rewind(connection, finished):
                return None
            rows = await connection.fetch(_AS_OF, *place, players)
            return {row["player"]: StoredRating(*row) for row in rows}

        while (found := await self._pool.transact(look)) is None:
            pass  # each time some more games are unrated
        return found.get(finished.first), found.get(finished.second)

    async def rate(self, finished: GameResult, first: StoredRating | None, second: StoredRating | None) -> bool:
        place = (finished.game, finished.pool, finished.ended_at, finished.room)
        new = [rating for rating in (first, second) if rating is not None]
        if len({one.player for one in new}) < len(new):
            return False
        columns = (
            [one.player for one in new],
            [one.rating for one in new],
            [one.deviation for one in new],
            [one.volatility for one in new],
            [one.games for one in new],
        )

        async def put(connection: Connection) -> bool:
            await connection.execute(_LOCK)
            return bool(await connection.fetch(_RATE, *place, *columns))

        return await self._pool.transact(put)

    async def ratings(self, players: Sequence[str]) -> list[StoredRating]:
        return [StoredRating(*row) for row in await self._pool.fetch(_RATINGS, players)]

    async def leaders(
        self, game: str, pool: str, deviation: float, limit: int
    ) -> list[tuple[StoredRating, str, str, bool]]:
        rows = map(tuple, await self._pool.fetch(_LEADERS, game, pool, deviation, self._now(), limit))
        return [(StoredRating(*rating), name, kind, registered) for *rating, name, kind, registered in rows]

    async def rating_history(self, player: str, game: str, pool: str, limit: int) -> list[tuple[int, float]]:
        rows = await self._pool.fetch(_COURSE, player, game, pool, limit)
        return [(ended_at, rating) for ended_at, rating in reversed(rows)]

    async def over(self, after: str, limit: int) -> list[str]:
        return [room for (room,) in await self._pool.fetch(_OVER, after, limit)]

    async def put_anew(self, finished: Sequence[GameResult]) -> None:
        await self._pool.fetch(_PUT, *result_columns(sorted(finished, key=lambda one: one.room)))

    async def forget_all(self) -> None:
        await self._pool.fetch(_FORGET_ALL)


async def _rewind(connection: Connection, finished: GameResult) -> bool:
    """Make games after ``finished`` unrated, the latest first, and all ratings what they were then; whether all are."""
    place = (finished.game, finished.pool, finished.ended_at, finished.room)
    kept = await connection.fetch(_KEPT_LATER, *place, 2 * results.UNDONE)  # a game has two rows there at most
    until = (finished.game, finished.pool, *kept[0]) if kept else place
    undone = await connection.fetch(_DROP_COURSES, *until)
    moved, rooms = list({player for player, _ in undone}), list({room for _, room in undone})
    await connection.execute(_UNRATE, rooms)
    await connection.execute(_RATED_UNTIL, *until)
    await connection.execute(_DROP_RATINGS, finished.game, finished.pool, moved)
    await connection.execute(_RESTORE_RATINGS, finished.game, finished.pool, moved)
    return not kept
