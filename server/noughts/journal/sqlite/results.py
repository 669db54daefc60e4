"""Writes of results and ratings to SQLite. All of this runs in the writer's thread, within a transaction."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from noughts.journal.results import RATING, RESULT
from noughts.journal.values import GameResult, StoredRating

_PUT = f"INSERT INTO results ({RESULT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room) DO "
_PUT_NEW = f"{_PUT} NOTHING"
_REPLACE = f"""{_PUT} UPDATE SET game = excluded.game, first = excluded.first, second = excluded.second,
    winner = excluded.winner, reason = excluded.reason, public = excluded.public, pool = excluded.pool,
    ended_at = excluded.ended_at, position = CASE WHEN excluded.pool IS NULL THEN NULL ELSE position END
"""
# Where the game is in the order of rating, up to where games are rated, and which must be rated next, again.
_POSITION = """
SELECT results.position, rated_until.position,
    (SELECT min(position) FROM results WHERE position > (SELECT position FROM rated_until))
FROM results, rated_until WHERE room = ? AND pool IS NOT NULL
"""
_GAMES = "SELECT games FROM ratings WHERE player = ? AND game = ? AND pool = ?"
_SET_POSITION = "UPDATE results SET position = ? WHERE room = ?"
_RATED_UNTIL = "UPDATE rated_until SET position = ?"
_PUT_RATING = f"INSERT OR REPLACE INTO ratings ({RATING}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_PUT_HISTORY = """
INSERT INTO rating_history (player, game, pool, position, ended_at, rating) VALUES (?, ?, ?, ?, ?, ?)
"""


def put_new(connection: sqlite3.Connection, results: Sequence[GameResult]) -> None:
    """Store the results of rooms that have none."""
    connection.executemany(_PUT_NEW, map(_row, results))


def put_results(connection: sqlite3.Connection, results: Sequence[GameResult]) -> None:
    connection.executemany(_REPLACE, map(_row, results))


def rate(connection: sqlite3.Connection, game: GameResult, ratings: Sequence[StoredRating]) -> bool:
    execute = connection.execute
    position, rated_until, again = execute(_POSITION, (game.room,)).fetchone() or (None, None, None)
    if rated_until is None or position != again:
        return False
    stored = [execute(_GAMES, (one.player, one.game, one.pool)).fetchone() or (0,) for one in ratings]
    if any(one.games != games + 1 for one, (games,) in zip(ratings, stored, strict=True)):
        return False
    if position is None:
        position = rated_until + 1
        execute(_SET_POSITION, (position, game.room))
    execute(_RATED_UNTIL, (position,))
    for one in ratings:
        execute(_PUT_RATING, (one.player, one.game, one.pool, one.rating, one.deviation, one.volatility, one.games))
        execute(_PUT_HISTORY, (one.player, one.game, one.pool, position, game.ended_at, one.rating))
    return True


def clear_ratings(connection: sqlite3.Connection) -> None:
    # Without a WHERE clause SQLite drops whole tables: nobody waits for long.
    connection.execute("DELETE FROM ratings")
    connection.execute("DELETE FROM rating_history")
    connection.execute(_RATED_UNTIL, (0,))


def _row(result: GameResult) -> tuple[object, ...]:
    row = (result.room, result.game, result.first, result.second, result.winner, result.reason)
    return (*row, result.public, result.pool, result.ended_at)
