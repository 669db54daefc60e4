"""The games that are over, in SQLite."""

# ruff: noqa: S608  # queries are put together of constants alone
from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from noughts.journal import results
from noughts.journal.results import GameResult, StoredRating, Tally, start_of, tallies
from noughts.journal.sqlite.storage import Storage

FORGOTTEN = 1000
"""How many rows at most are dropped in one transaction: nobody else is to wait for more."""

_RESULT = "room, game, first, second, winner, reason, public, pool, ended_at"
_RATING = "player, game, pool, rating, deviation, volatility, games"
_LISTING = "(SELECT listing FROM rooms WHERE rooms.room = results.room AND status = 'over')"

_JUST_FINISHED = f"""
SELECT {_LISTING} FROM results WHERE public AND ended_at > ?1 AND (?2 IS NULL OR game = ?2)
ORDER BY ended_at DESC, room DESC LIMIT ?3
"""
_FINISHED = f"""
SELECT {_RESULT} FROM results
WHERE (ended_at, room) > (?1, ?2) AND (?3 IS NULL OR game = ?3) AND (?4 OR public)
ORDER BY ended_at, room LIMIT ?5
"""
# A player's games are those on either side, each side by its index; who plays against itself does so once.
_FINISHED_OF = f"""
SELECT {_RESULT} FROM results
WHERE first = ?6 AND (ended_at, room) > (?1, ?2) AND (?3 IS NULL OR game = ?3) AND (?4 OR public)
UNION ALL SELECT {_RESULT} FROM results
WHERE second = ?6 AND first <> ?6 AND (ended_at, room) > (?1, ?2) AND (?3 IS NULL OR game = ?3) AND (?4 OR public)
ORDER BY ended_at, room LIMIT ?5
"""
_LAST_OF = f"""
SELECT {_RESULT}, {_LISTING} FROM results WHERE first = ?1 AND public
UNION ALL SELECT {_RESULT}, {_LISTING} FROM results WHERE second = ?1 AND first <> ?1 AND public
ORDER BY ended_at DESC, room DESC LIMIT ?2
"""
# Each side comes in order by its index: no more rows are read than are counted.
_TALLY = """
SELECT game, outcome, count(*) FROM (
    SELECT game, CASE WHEN winner IS NULL THEN 'drawn' WHEN winner = 'first' AND second <> ?1 THEN 'won' ELSE 'lost'
        END AS outcome, ended_at, room
    FROM results WHERE first = ?1 AND public
    UNION ALL
    SELECT game, CASE WHEN winner IS NULL THEN 'drawn' WHEN winner = 'second' THEN 'won' ELSE 'lost'
        END AS outcome, ended_at, room
    FROM results WHERE second = ?1 AND first <> ?1 AND public
    ORDER BY ended_at DESC, room DESC LIMIT ?2
) GROUP BY game, outcome
"""
_UNRATED = f"SELECT {_RESULT} FROM results WHERE pool IS NOT NULL AND NOT rated ORDER BY ended_at, room LIMIT ?"
_RATINGS = f"SELECT {_RATING} FROM ratings WHERE player IN (SELECT value FROM json_each(?))"
_LEADERS = f"""
SELECT {_RATING}, coalesce(name, player), coalesce(kind, 'computer'), coalesce(registered, FALSE)
FROM ratings LEFT JOIN players ON players.id = ratings.player
WHERE game = ? AND pool = ? AND deviation <= ? AND coalesce(banned_until, 0) <= ?
ORDER BY rating DESC, player LIMIT ?
"""
_COURSE = """
SELECT ended_at, rating FROM courses WHERE player = ? AND game = ? AND pool = ?
ORDER BY ended_at DESC, room DESC LIMIT ?
"""
_OVER = "SELECT room FROM rooms WHERE status = 'over' AND room > ? ORDER BY room LIMIT ?"

_PUT = f"INSERT INTO results ({_RESULT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room) DO NOTHING"
_LATER = "game = ? AND pool = ? AND (ended_at, room) > (?, ?)"
_LATER_RATED = f"SELECT 1 FROM rated_until WHERE {_LATER}"
_RATED_UNTIL = "INSERT OR REPLACE INTO rated_until (game, pool, ended_at, room) VALUES (?, ?, ?, ?)"
_KEPT_LATER = f"SELECT ended_at, room FROM courses WHERE {_LATER} ORDER BY ended_at DESC, room DESC LIMIT 1 OFFSET ?"
_MOVED = f"SELECT player, room FROM courses WHERE {_LATER}"
_DROP_COURSES = f"DELETE FROM courses WHERE {_LATER}"
_UNRATE = "UPDATE results SET rated = FALSE WHERE room = ?"
_RESTORE_RATING = f"""
INSERT INTO ratings ({_RATING})
SELECT {_RATING} FROM courses WHERE player = ? AND game = ? AND pool = ? ORDER BY ended_at DESC, room DESC LIMIT 1
"""
_DROP_RATING = "DELETE FROM ratings WHERE player = ? AND game = ? AND pool = ?"
_AS_OF = f"""
SELECT {_RATING} FROM courses WHERE player = ? AND game = ? AND pool = ? AND (ended_at, room) < (?, ?)
ORDER BY ended_at DESC, room DESC LIMIT 1
"""
_IS_UNRATED = "SELECT 1 FROM results WHERE game = ? AND pool = ? AND ended_at = ? AND room = ? AND NOT rated"
_GAMES = "SELECT games FROM ratings WHERE player = ? AND game = ? AND pool = ?"
_RATED = "UPDATE results SET rated = TRUE WHERE room = ?"
_PUT_COURSE = f"INSERT INTO courses ({_RATING}, ended_at, room) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_RATING = f"INSERT OR REPLACE INTO ratings ({_RATING}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_FORGET_SOME = (
    "DELETE FROM results WHERE room IN (SELECT room FROM results LIMIT ?)",
    """
    DELETE FROM courses WHERE (player, game, pool, ended_at, room) IN (
        SELECT player, game, pool, ended_at, room FROM courses LIMIT ?
    )
    """,
)
_FORGET_ALL = ("DELETE FROM results", "DELETE FROM rated_until", "DELETE FROM courses", "DELETE FROM ratings")


class SqliteResults:
    """A :class:`~noughts.journal.results.Results`; ``now`` gives ms since the epoch."""

    def __init__(self, storage: Storage, now: Callable[[], int]) -> None:
        self._storage = storage
        self._now = now

    async def just_finished(self, game: str | None, since: int, limit: int) -> list[bytes]:
        rows = await self._storage.query(_JUST_FINISHED, since, game, limit)
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
            return [_result_of(row) for row in await self._storage.query(_FINISHED, *wanted)]
        return [_result_of(row) for row in await self._storage.query(_FINISHED_OF, *wanted, player)]

    async def last_of(self, player: str, limit: int) -> list[tuple[GameResult, bytes]]:
        rows = await self._storage.query(_LAST_OF, player, limit)
        return [(_result_of(row[:-1]), row[-1]) for row in rows if row[-1] is not None]

    async def tally(self, player: str, limit: int) -> list[Tally]:
        return tallies(await self._storage.query(_TALLY, player, limit))

    async def unrated(self, limit: int) -> list[GameResult]:
        return [_result_of(row) for row in await self._storage.query(_UNRATED, limit)]

    async def before(self, finished: GameResult) -> tuple[StoredRating | None, StoredRating | None]:
        while (found := await self._storage.write(lambda connection: _before(connection, finished))) is None:
            pass  # each time some more games are unrated
        return found

    async def rate(self, finished: GameResult, first: StoredRating | None, second: StoredRating | None) -> bool:
        new = [rating for rating in (first, second) if rating is not None]
        return await self._storage.write(lambda connection: _rate(connection, finished, new))

    async def ratings(self, players: Sequence[str]) -> list[StoredRating]:
        return [StoredRating(*row) for row in await self._storage.query(_RATINGS, json.dumps(list(players)))]

    async def leaders(
        self, game: str, pool: str, deviation: float, limit: int
    ) -> list[tuple[StoredRating, str, str, bool]]:
        rows = await self._storage.query(_LEADERS, game, pool, deviation, self._now(), limit)
        return [(StoredRating(*rating), name, kind, bool(registered)) for *rating, name, kind, registered in rows]

    async def rating_history(self, player: str, game: str, pool: str, limit: int) -> list[tuple[int, float]]:
        return (await self._storage.query(_COURSE, player, game, pool, limit))[::-1]

    async def over(self, after: str, limit: int) -> list[str]:
        return [room for (room,) in await self._storage.query(_OVER, after, limit)]

    async def put_anew(self, finished: Sequence[GameResult]) -> None:
        await self._storage.write(lambda connection: _put_all(connection, finished))

    async def forget_all(self) -> None:
        for statement in _FORGET_SOME:
            while await self._storage.write(lambda connection: _forget_some(connection, statement)):  # noqa: B023
                pass
        await self._storage.write(_forget_all)  # the little that has come meanwhile, and what went with the others


def _result_of(row: Sequence[Any]) -> GameResult:
    room, game, first, second, winner, reason, public, pool, ended_at = row
    return GameResult(room, game, first, second, winner, reason, bool(public), pool, ended_at)


# What follows runs in the writer thread.


def put(connection: sqlite3.Connection, finished: GameResult) -> None:
    """Store a result if it is not there yet."""
    row = (finished.room, finished.game, finished.first, finished.second, finished.winner, finished.reason)
    connection.execute(_PUT, (*row, finished.public, finished.pool, finished.ended_at))


def _before(
    connection: sqlite3.Connection, finished: GameResult
) -> tuple[StoredRating | None, StoredRating | None] | None:
    """As :meth:`SqliteResults.before`; None while some later game is rated still."""
    place = (finished.game, finished.pool, finished.ended_at, finished.room)
    if connection.execute(_LATER_RATED, place).fetchone() is not None and not _rewind(connection, finished):
        return None
    return _as_of(connection, finished, finished.first), _as_of(connection, finished, finished.second)


def _rewind(connection: sqlite3.Connection, finished: GameResult) -> bool:
    """Make games after ``finished`` unrated, the latest first, and all ratings what they were then; whether all are."""
    execute, place = connection.execute, (finished.game, finished.pool, finished.ended_at, finished.room)
    kept = execute(_KEPT_LATER, (*place, 2 * results.UNDONE)).fetchone()  # a game has two rows there at most
    until = place if kept is None else (finished.game, finished.pool, *kept)
    undone = execute(_MOVED, until).fetchall()
    moved = {(player, finished.game, finished.pool) for player, _ in undone}
    execute(_DROP_COURSES, until)
    connection.executemany(_UNRATE, {(room,) for _, room in undone})
    execute(_RATED_UNTIL, until)
    connection.executemany(_DROP_RATING, moved)
    connection.executemany(_RESTORE_RATING, moved)
    return kept is None


def _as_of(connection: sqlite3.Connection, finished: GameResult, player: str) -> StoredRating | None:
    """The player's rating after all games before ``finished``, of those that have been rated."""
    place = (finished.game, finished.pool, finished.ended_at, finished.room)
    row = connection.execute(_AS_OF, (player, *place)).fetchone()
    return None if row is None else StoredRating(*row)


def _rate(connection: sqlite3.Connection, finished: GameResult, new: Sequence[StoredRating]) -> bool:
    execute, place = connection.execute, (finished.game, finished.pool, finished.ended_at, finished.room)
    if len({one.player for one in new}) < len(new):
        return False
    if execute(_IS_UNRATED, place).fetchone() is None or execute(_LATER_RATED, place).fetchone() is not None:
        return False
    stored = [execute(_GAMES, (one.player, one.game, one.pool)).fetchone() or (0,) for one in new]
    if any(one.games != games + 1 for one, (games,) in zip(new, stored, strict=True)):
        return False
    execute(_RATED, (finished.room,))
    execute(_RATED_UNTIL, place)
    rows = [(one.player, one.game, one.pool, one.rating, one.deviation, one.volatility, one.games) for one in new]
    connection.executemany(_PUT_COURSE, [(*row, finished.ended_at, finished.room) for row in rows])
    connection.executemany(_PUT_RATING, rows)
    return True


def _put_all(connection: sqlite3.Connection, finished: Sequence[GameResult]) -> None:
    for one in finished:
        put(connection, one)


def _forget_some(connection: sqlite3.Connection, statement: str) -> bool:
    return connection.execute(statement, (FORGOTTEN,)).rowcount == FORGOTTEN


def _forget_all(connection: sqlite3.Connection) -> None:
    for statement in _FORGET_ALL:
        connection.execute(statement)
