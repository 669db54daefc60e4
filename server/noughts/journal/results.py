"""The results, ratings and reviews in a journal. All of it follows from the records, and is kept so that nobody has to
replay or search them."""

# ruff: noqa: S608  # the queries are put together from constants
from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from noughts.journal.database import Database
from noughts.journal.values import GameResult, StoredRating, StoredReview, Tally

RESULT = "room, game, first, second, winner, reason, public, pool, ended_at"
"""The columns of a :class:`GameResult`."""

RATING = "player, game, pool, rating, deviation, volatility, games"
"""The columns of a :class:`StoredRating`."""

# In PostgreSQL the index of the rooms is in the database's own order, and results are in that of "C".


def listing_of(results: str) -> str:
    """The listing of the room of a row of ``results``, NULL if there is no such room."""
    return f"""(SELECT listing FROM rooms WHERE rooms.room = {results}.room COLLATE "default" AND status = 'over')"""


_LISTING = listing_of("results")
_WANTED = "(ended_at, room) > ($1, $2) AND (CAST($3 AS text) IS NULL OR game = $3) AND ($4 OR public)"

_JUST_FINISHED = f"""
SELECT {_LISTING} FROM results WHERE public AND ended_at > $1 AND (CAST($2 AS text) IS NULL OR game = $2)
ORDER BY ended_at DESC, room DESC LIMIT $3
"""
_FINISHED = f"SELECT {RESULT} FROM results WHERE {_WANTED} ORDER BY ended_at, room LIMIT $5"
# A player's games are found on either side by its own index, no more of them than needed. A game against oneself must
# not appear twice.
_FINISHED_OF = f"""
SELECT * FROM (
    SELECT {RESULT} FROM results WHERE first = $6 AND {_WANTED} ORDER BY ended_at, room LIMIT $5
) AS one UNION ALL SELECT * FROM (
    SELECT {RESULT} FROM results WHERE second = $6 AND first <> $6 AND {_WANTED} ORDER BY ended_at, room LIMIT $5
) AS other ORDER BY ended_at, room LIMIT $5
"""
_AMONG = f"""
SELECT {RESULT} FROM results WHERE first = ANY($1) AND ended_at >= $2
UNION SELECT {RESULT} FROM results WHERE second = ANY($1) AND ended_at >= $2
ORDER BY ended_at DESC, room LIMIT $3
"""
_LAST_OF = f"""
SELECT * FROM (
    SELECT {RESULT}, {_LISTING} FROM results WHERE first = $1 AND public
    ORDER BY ended_at DESC, room DESC LIMIT $2
) AS one UNION ALL SELECT * FROM (
    SELECT {RESULT}, {_LISTING} FROM results WHERE second = $1 AND first <> $1 AND public
    ORDER BY ended_at DESC, room DESC LIMIT $2
) AS other ORDER BY ended_at DESC, room DESC LIMIT $2
"""
# The rated wins among a player's last games, each with the opponent's rating before it.
_WINS_OF = f"""
SELECT {RESULT}, (
    SELECT rating FROM rating_history AS h
    WHERE h.player = opponent AND h.game = wins.game AND h.pool = wins.pool AND h.position < wins.position
    ORDER BY h.position DESC LIMIT 1
) FROM (
    SELECT * FROM (
        SELECT {RESULT}, position, 'first' AS side, second AS opponent FROM results WHERE first = $1 AND public
        ORDER BY ended_at DESC, room DESC LIMIT $2
    ) AS one UNION ALL SELECT * FROM (
        SELECT {RESULT}, position, 'second' AS side, first AS opponent FROM results WHERE second = $1 AND public
        ORDER BY ended_at DESC, room DESC LIMIT $2
    ) AS other
) AS wins WHERE winner = side AND position IS NOT NULL
"""
_FIRST_OF = """
SELECT min(at) FROM (
    SELECT min(ended_at) AS at FROM results WHERE first = $1 AND public
    UNION ALL SELECT min(ended_at) FROM results WHERE second = $1 AND public
) AS ends
"""
_TALLY = """
SELECT game, outcome, count(*) FROM (
    SELECT * FROM (
        SELECT game, ended_at, room,
            CASE WHEN winner IS NULL THEN 'drawn' WHEN winner = 'first' AND second <> $1 THEN 'won' ELSE 'lost' END
            AS outcome
        FROM results WHERE first = $1 AND public ORDER BY ended_at DESC, room DESC LIMIT $2
    ) AS one UNION ALL SELECT * FROM (
        SELECT game, ended_at, room,
            CASE WHEN winner IS NULL THEN 'drawn' WHEN winner = 'second' THEN 'won' ELSE 'lost' END
        FROM results WHERE second = $1 AND first <> $1 AND public ORDER BY ended_at DESC, room DESC LIMIT $2
    ) AS other ORDER BY ended_at DESC, room DESC LIMIT $2
) AS games GROUP BY game, outcome
"""
_UNRATED_AGAIN = f"""
SELECT {RESULT} FROM results WHERE position > (SELECT position FROM rated_until) ORDER BY position LIMIT $1
"""
_NEVER_RATED = f"""
SELECT {RESULT} FROM results WHERE pool IS NOT NULL AND position IS NULL ORDER BY ended_at, room LIMIT $1
"""
# Whether a player's rated games are against more than one opponent. Of most players a few rows tell.
_RATED_AS = "{side} = ratings.player AND game = $1 AND pool = $2"
_AS_FIRST, _AS_SECOND = _RATED_AS.format(side="first"), _RATED_AS.format(side="second")
_ONE_OPPONENT = f"""coalesce(
    (SELECT second FROM results WHERE {_AS_FIRST} LIMIT 1), (SELECT first FROM results WHERE {_AS_SECOND} LIMIT 1)
)"""
_HAS_ANOTHER = f"""(
    EXISTS (SELECT 1 FROM results WHERE {_AS_FIRST} AND second <> {_ONE_OPPONENT})
    OR EXISTS (SELECT 1 FROM results WHERE {_AS_SECOND} AND first <> {_ONE_OPPONENT})
)"""
_LEADERS = f"""
SELECT {RATING}, coalesce(name, player), coalesce(kind, 'computer'), coalesce(registered, FALSE)
FROM ratings LEFT JOIN players ON players.id = ratings.player
WHERE game = $1 AND pool = $2 AND deviation <= $3 AND coalesce(banned_until, 0) <= $4
    AND NOT coalesce(deleted, FALSE) AND {_HAS_ANOTHER}
ORDER BY rating DESC, player LIMIT $5
"""
_HISTORY = """
SELECT ended_at, rating FROM rating_history WHERE player = $1 AND game = $2 AND pool = $3
ORDER BY position DESC LIMIT $4
"""


_PUT_REVIEW = """
INSERT INTO reviews (room, engine, seconds, review) VALUES ($1, $2, $3, $4)
ON CONFLICT (room) DO UPDATE SET engine = excluded.engine, seconds = excluded.seconds, review = excluded.review
"""

Rated = tuple[GameResult, StoredRating | None, StoredRating | None]
"""A game, and the ratings of its first and its second player after it, None for a rating that does not change."""


class Results:
    """The finished games. Every method may wait, none blocks the event loop; all raise :class:`JournalError`."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def just_finished(self, game: str | None, since: int, limit: int) -> list[bytes]:
        """The ``listing`` of at most ``limit`` public games that ended after ``since``, the last first."""
        rows = await self._database.fetch(_JUST_FINISHED, since, game, limit)
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
        """At most ``limit`` games in the order of their ends that ended at ``since`` or later and come after ``after``.

        Only those of one ``player``, by id, and of one ``game``, where given; ``private`` games too if that is set.
        """
        start = (since, "") if after is None else max((since, ""), (after.ended_at, after.room))
        wanted = (*start, game, private, limit)
        if player is None:
            return [result_of(row) for row in await self._database.fetch(_FINISHED, *wanted)]
        return [result_of(row) for row in await self._database.fetch(_FINISHED_OF, *wanted, player)]

    async def last_of(self, player: str, limit: int) -> list[tuple[GameResult, bytes]]:
        """A player's last ``limit`` public games, the latest first, each with its room's ``listing``."""
        rows = map(tuple, await self._database.fetch(_LAST_OF, player, limit))
        return [(result_of(row[:-1]), row[-1]) for row in rows if row[-1] is not None]

    async def best_of(self, player: str, among: int, limit: int) -> list[tuple[GameResult, float]]:
        """The best rated win over each of the ``limit`` strongest, in a player's last ``among`` public games per side.

        Each has the opponent's rating before it. The strongest come first.
        """
        rows = await self._database.fetch(_WINS_OF, player, among)
        return await asyncio.to_thread(_best, rows, player, limit)  # there may be hundreds

    async def first_of(self, player: str) -> int | None:
        """When a player's first public game ended, None without one."""
        ((ended_at,),) = await self._database.fetch(_FIRST_OF, player)
        return None if ended_at is None else int(ended_at)

    async def among(self, players: Sequence[str], since: int, limit: int) -> list[GameResult]:
        """At most ``limit`` games of any of ``players``, private ones too, that ended at ``since`` or later, the last
        first."""
        rows = await self._database.fetch(_AMONG, list(players), since, limit)
        return await asyncio.to_thread(lambda: [result_of(row) for row in rows])  # there may be thousands

    async def reviewed(self, rooms: Sequence[str]) -> set[str]:
        """Those of ``rooms`` of whose games a review is stored."""
        sql = "SELECT room FROM reviews WHERE room = ANY($1)"
        return {room for (room,) in await self._database.fetch(sql, list(rooms))}

    async def tally(self, player: str, limit: int) -> list[Tally]:
        """The outcomes of a player's last ``limit`` public games, one tally for each game, ordered by its key.

        A game against oneself is drawn or lost.
        """
        counts: dict[str, dict[str, int]] = {}
        for game, outcome, count in await self._database.fetch(_TALLY, player, limit):
            counts.setdefault(game, {})[outcome] = count
        return [
            Tally(game, *(outcomes.get(outcome, 0) for outcome in ("won", "drawn", "lost")))
            for game, outcomes in sorted(counts.items())
        ]

    async def unrated(self, limit: int) -> list[GameResult]:
        """At most ``limit`` games with a pool that are not rated, in the order in which to rate them.

        After :meth:`clear_ratings` those that were rated before come first, in the order in which they were rated;
        the others come in the order of their ends.
        """
        again = await self._database.fetch(_UNRATED_AGAIN, limit)
        return [result_of(row) for row in again or await self._database.fetch(_NEVER_RATED, limit)]

    async def rate(self, rated: Sequence[Rated]) -> bool:
        """Store the ratings after these games, in this order and in one transaction.

        Returns False and stores nothing if one of the games is rated already, if others must be rated again before it,
        or if a rating does not count exactly one game more than the one before.
        """
        return await self._database.rate(rated)

    async def ratings(self, players: Sequence[str]) -> list[StoredRating]:
        """All ratings of these players, in no particular order."""
        rows = await self._database.fetch(f"SELECT {RATING} FROM ratings WHERE player = ANY($1)", list(players))
        return [StoredRating(*row) for row in rows]

    async def leaders(
        self, game: str, pool: str, deviation: float, limit: int
    ) -> list[tuple[StoredRating, str, str, bool]]:
        """The ``limit`` best players of a pool whose deviation is at most ``deviation``, the best first.

        Each with name, kind, and whether the name is registered. Players who are banned, or who have been rated against
        one opponent only, are left out. A player who is not stored is a computer, whose name is its id.
        """
        rows = map(tuple, await self._database.fetch(_LEADERS, game, pool, deviation, self._now(), limit))
        return [(StoredRating(*rating), name, kind, bool(registered)) for *rating, name, kind, registered in rows]

    async def rating_history(self, player: str, game: str, pool: str, limit: int) -> list[tuple[int, float]]:
        """The time at which each of a player's last ``limit`` rated games ended, and the rating after it, in the order
        of rating."""
        rows = await self._database.fetch(_HISTORY, player, game, pool, limit)
        return [(ended_at, rating) for ended_at, rating in reversed(rows)]

    async def over(self, after: str, limit: int) -> list[str]:
        """The ids of at most ``limit`` finished rooms that come after the id ``after``, in order."""
        sql = "SELECT room FROM rooms WHERE status = 'over' AND room > $1 ORDER BY room LIMIT $2"
        return [room for (room,) in await self._database.fetch(sql, after, limit)]

    async def replace(self, results: Mapping[str, GameResult | None]) -> None:
        """Store the result of each of these rooms, None for a room without one, in place of what is stored.

        A game that has been rated keeps its place in the order of rating.
        """
        await self._database.put_results([result for _, result in sorted(results.items()) if result is not None])
        without = [room for room, result in results.items() if result is None]
        await self._database.execute("DELETE FROM results WHERE room = ANY($1)", without)

    async def review(self, room: str) -> StoredReview | None:
        """The review of the game in ``room``; None if none is stored."""
        rows = await self._database.fetch("SELECT room, engine, seconds, review FROM reviews WHERE room = $1", room)
        return StoredReview(*rows[0]) if rows else None

    async def put_review(self, review: StoredReview) -> None:
        """Store ``review`` in place of the one that its room may have."""
        await self._database.execute(_PUT_REVIEW, review.room, review.engine, review.seconds, review.review)

    async def clear_ratings(self) -> None:
        """Drop all ratings and rating histories, in one transaction: all games have to be rated again."""
        await self._database.clear_ratings()


def _best(rows: Sequence[Sequence[Any]], player: str, limit: int) -> list[tuple[GameResult, float]]:
    wins = [(result_of(row[:-1]), row[-1]) for row in map(tuple, rows) if row[-1] is not None]
    wins.sort(key=lambda win: (-win[1], win[0].ended_at, win[0].room))
    best: dict[str, tuple[GameResult, float]] = {}
    for win, strength in wins:
        best.setdefault(win.second if win.first == player else win.first, (win, strength))
    return list(best.values())[:limit]


def result_of(row: Sequence[Any]) -> GameResult:
    """The result in a row of :data:`RESULT`."""
    room, game, first, second, winner, reason, public, pool, ended_at = row
    return GameResult(room, game, first, second, winner, reason, bool(public), pool, ended_at)
