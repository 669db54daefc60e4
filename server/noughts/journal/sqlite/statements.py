"""The statements that write to SQLite. All functions run in the writer's thread, within a transaction."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from noughts.journal import queries
from noughts.journal.results import RATING, RESULT, Rated
from noughts.journal.values import FOREVER, OUTAGES_KEPT, GameResult, Seek, StoredPlayer, StoredRating, UnknownPlayer
from noughts.players.looks import stored_look
from noughts.players.names import guest_name, name_key


class Refused(Exception):
    """A write is not the next of its room, or a game not the next to be rated."""


def run(connection: sqlite3.Connection, sql: str, parameters: Sequence[object]) -> list[Any]:
    """The rows of a statement in PostgreSQL's dialect."""
    values = [json.dumps(value) if isinstance(value, list) else value for value in parameters]
    return connection.execute(_translated(sql), values).fetchall()


@cache
def _translated(sql: str) -> str:
    """A PostgreSQL statement in SQLite's dialect. Lists are passed as JSON."""
    sql = re.sub(r"= ANY\((\$\d+)\)", r"IN (SELECT value FROM json_each(\1))", sql)
    return sql.replace("$", "?").replace(' COLLATE "default"', "")


# Rooms

# The records' key is the referee: each version is stored once, and only after the one before. Of two versions of a room
# the second may not see the first, and then neither statement nor transaction stores all: see Writer.store.
_PUT_RECORDS = """
INSERT INTO records (room, version, record) SELECT number, written.column2, written.column3
FROM (VALUES {}) AS written CROSS JOIN rooms ON rooms.room = written.column1
WHERE (SELECT coalesce(max(version), 0) FROM records WHERE records.room = number) = written.column2 - 1
"""
# The parameters of both statements are the same.
OPEN_ROOM = """
INSERT INTO rooms
    (changed, game, opened_by, status, public, due_at, thinking, attended, listing, sleeps, opener, first, second, room)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, CASE ?4 WHEN 'over' THEN NULL ELSE nullif(?11, x'') END, ?12, ?13, ?14)
ON CONFLICT (room) DO NOTHING
"""
CHANGE_ROOM = """
UPDATE rooms
SET changed = ?1, game = ?2, opened_by = ?3, status = ?4, public = ?5, due_at = ?6, thinking = ?7, attended = ?8,
    listing = ?9, sleeps = ?10, opener = CASE ?4 WHEN 'over' THEN NULL ELSE opener END, first = ?12, second = ?13
WHERE room = ?14
"""
_LAST_CHANGE = "SELECT coalesce(max(changed), 0) FROM rooms WHERE public AND status <> 'over'"
_KEEP = f"UPDATE rooms SET due_at = ? WHERE room = ? AND due_at >= {FOREVER}"
_STRIPPED = f"""
UPDATE rooms SET due_at = NULL WHERE number IN (
    SELECT number FROM rooms WHERE due_at BETWEEN {FOREVER} AND ? ORDER BY due_at LIMIT ?
) RETURNING number
"""
_STRIP = "DELETE FROM records WHERE room = ?1 AND version < (SELECT max(version) FROM records WHERE room = ?1)"
_STRIP_CHAT = "DELETE FROM chat WHERE room = ?"
_BEAT = "UPDATE heartbeat SET at = ?"


@cache
def put_records(count: int) -> str:
    """The statement that stores so many records. It stores fewer if one of them is not the next of its room."""
    return _PUT_RECORDS.format(", ".join(["(?, ?, ?)"] * count))


def last_change(connection: sqlite3.Connection) -> int:
    """The number of the last change of a public room that is not over: ``changed`` orders the lobby."""
    (changed,) = connection.execute(_LAST_CHANGE).fetchone()
    return int(changed)


def strip(connection: sqlite3.Connection, until: int, kept: Sequence[str], kept_until: int, limit: int) -> int:
    """As :meth:`Journal.strip`."""
    connection.executemany(_KEEP, [(FOREVER + kept_until, room) for room in kept])
    rooms = connection.execute(_STRIPPED, (FOREVER + until, limit)).fetchall()
    connection.executemany(_STRIP, rooms)
    connection.executemany(_STRIP_CHAT, rooms)
    return len(rooms)


def beat(connection: sqlite3.Connection, at: int, gap_ms: int) -> None:
    """As :meth:`Journal.beat`."""
    execute = connection.execute
    last = execute("SELECT at FROM heartbeat").fetchone()
    if last is None:
        execute("INSERT INTO heartbeat (at) VALUES (?)", (at,))
        return
    execute(_BEAT, (at,))
    if at - last[0] > gap_ms:
        execute("INSERT INTO outages (since, until) VALUES (?, ?)", (last[0], at))
        execute(queries.FORGET_OUTAGES.format(OUTAGES_KEPT))


# Players

_EXISTS = "SELECT 1 FROM players WHERE id = ?"
_SEATED = "SELECT 1 FROM players WHERE id = ? AND seated"
_TAKEN = "SELECT 1 FROM players WHERE id <> ?1 AND registered AND (name_key = ?2 OR look = ?3)"
_TAKEN_AS_IT_IS = "SELECT 1 FROM players WHERE id <> ?1 AND registered AND name_key = ?2"
_OWNS = "SELECT 1 FROM players WHERE id = ? AND registered AND name = ?"
_OWNS_ANOTHER = "SELECT 1 FROM players WHERE id = ? AND registered AND name_key <> ?"
_SEAT = "UPDATE players SET seated = TRUE WHERE id = ?"
_ADD = """
INSERT INTO players (id, name, name_key, look, kind, muted_until, banned_until, seated, greeted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ADD_HELD = "INSERT INTO tokens (hash, player, label, added, used) VALUES (?1, ?2, ?3, ?4, ?4)"
_OWN = """
UPDATE players SET name = ?, name_key = ?, look = ?, registered = TRUE, seated = TRUE, changed = ?
WHERE id = ? AND NOT deleted
"""
_USERS = "SELECT id FROM players WHERE (name_key = ? OR look = ?) AND NOT registered LIMIT ?"
_RENAME = "UPDATE players SET name = ?, name_key = ?, look = ?, changed = ? WHERE id = ?"


def _exists(connection: sqlite3.Connection, player: str) -> bool:
    return connection.execute(_EXISTS, (player,)).fetchone() is not None


def seat(connection: sqlite3.Connection, player: StoredPlayer) -> None:
    """Keep a player who takes a seat, as stored or else as given."""
    if connection.execute(_SEATED, (player.id,)).fetchone() is not None:
        return  # true of nearly everybody who sits down
    if _exists(connection, player.id):
        connection.execute(_SEAT, (player.id,))
        return
    name = guest_name(player.id) if _is_taken(connection, player.id, player.name) else player.name
    connection.execute(_ADD, (*_player_row(player, name), True, None))
    if player.token_hash:
        connection.execute(_ADD_HELD, (player.token_hash, player.id, "", 0))


def add_guest(connection: sqlite3.Connection, player: StoredPlayer, label: str, now: int) -> bool:
    if _exists(connection, player.id):
        return True
    if _is_taken(connection, player.id, player.name):
        return False
    connection.execute(_ADD, (*_player_row(player, player.name), False, now))
    connection.execute(_ADD_HELD, (player.token_hash, player.id, label, now))
    return True


def own_name(connection: sqlite3.Connection, player: str, name: str, now: int, *, anew: bool) -> bool:
    execute, key = connection.execute, name_key(name)
    if not anew and execute(_OWNS_ANOTHER, (player, key)).fetchone() is not None:
        return False
    if _is_taken(connection, player, name):
        return False
    return execute(_OWN, (name, key, stored_look(name), now, player)).rowcount == 1


def rename_guests(connection: sqlite3.Connection, name: str, limit: int, now: int) -> bool:
    """Rename some who use the name, or one that looks like it, without owning it; whether there may be more."""
    taken = name_key(name), stored_look(name)
    users = [user for (user,) in connection.execute(_USERS, (*taken, limit)).fetchall()]
    rows = [(guest, name_key(guest), stored_look(guest), now, user) for user in users if (guest := guest_name(user))]
    rows = [row for row in rows if row[1] != taken[0] and row[2] != taken[1]]
    connection.executemany(_RENAME, rows)
    return len(rows) == limit


def _is_taken(connection: sqlite3.Connection, player: str, name: str) -> bool:
    """True if another player has registered this name, or one that looks like it unless it is this one's already."""
    owns = connection.execute(_OWNS, (player, name)).fetchone() is not None
    found = (player, name_key(name)) if owns else (player, name_key(name), stored_look(name))
    return connection.execute(_TAKEN_AS_IT_IS if owns else _TAKEN, found).fetchone() is not None


def _player_row(player: StoredPlayer, name: str) -> tuple[object, ...]:
    return player.id, name, name_key(name), stored_look(name), player.kind, player.muted_until, player.banned_until


# Results and ratings

_PUT_RESULT = f"INSERT INTO results ({RESULT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room) DO "
_PUT_NEW_RESULT = f"{_PUT_RESULT} NOTHING"
_REPLACE = f"""{_PUT_RESULT} UPDATE SET game = excluded.game, first = excluded.first, second = excluded.second,
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


def put_new_results(connection: sqlite3.Connection, results: Sequence[GameResult]) -> None:
    """Store the results of rooms that have none."""
    connection.executemany(_PUT_NEW_RESULT, map(_result_row, results))


def put_results(connection: sqlite3.Connection, results: Sequence[GameResult]) -> None:
    connection.executemany(_REPLACE, map(_result_row, results))


def rate(connection: sqlite3.Connection, rated: Sequence[Rated]) -> bool:
    """As :meth:`Results.rate`, where :class:`Refused` stands for False."""
    for game, first, second in rated:
        _rate(connection, game, [rating for rating in (first, second) if rating is not None])
    return True


def _rate(connection: sqlite3.Connection, game: GameResult, ratings: Sequence[StoredRating]) -> None:
    execute = connection.execute
    position, rated_until, again = execute(_POSITION, (game.room,)).fetchone() or (None, None, None)
    if rated_until is None or position != again:
        raise Refused
    stored = [execute(_GAMES, (one.player, one.game, one.pool)).fetchone() or (0,) for one in ratings]
    if any(one.games != games + 1 for one, (games,) in zip(ratings, stored, strict=True)):
        raise Refused
    if position is None:
        position = rated_until + 1
        execute(_SET_POSITION, (position, game.room))
    execute(_RATED_UNTIL, (position,))
    for one in ratings:
        execute(_PUT_RATING, (one.player, one.game, one.pool, one.rating, one.deviation, one.volatility, one.games))
        execute(_PUT_HISTORY, (one.player, one.game, one.pool, position, game.ended_at, one.rating))


def clear_ratings(connection: sqlite3.Connection) -> None:
    # Without a WHERE clause SQLite drops whole tables: nobody waits for long.
    connection.execute("DELETE FROM ratings")
    connection.execute("DELETE FROM rating_history")
    connection.execute(_RATED_UNTIL, (0,))


def _result_row(result: GameResult) -> tuple[object, ...]:
    row = (result.room, result.game, result.first, result.second, result.winner, result.reason)
    return (*row, result.public, result.pool, result.ended_at)


# Seeks

_PUT_SEEK = """
INSERT OR REPLACE INTO seeks (player, key, game, terms, rating, deviation, since, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_RENEW = "UPDATE seeks SET until = ? WHERE player = ? AND key = ? RETURNING room"
_WAITS = "SELECT 1 FROM seeks WHERE player = ? AND key = ? AND room IS NULL AND until > ?"
_PAIR = "UPDATE seeks SET room = ?, paired_at = ? WHERE player = ?"


def put_seek(connection: sqlite3.Connection, seek: Seek, until: int) -> str | None:
    """Store or renew a seek; the room that it was paired in. Raises :class:`UnknownPlayer`."""
    if not _exists(connection, seek.player.id):
        raise UnknownPlayer(seek.player.id)
    renewed = renew_seeks(connection, [(seek.player.id, seek.key)], until)
    if not renewed:
        row = (seek.player.id, seek.key, seek.game, seek.terms, seek.rating, seek.deviation, seek.since, until)
        connection.execute(_PUT_SEEK, row)
    return renewed.get(seek.player.id)


def renew_seeks(connection: sqlite3.Connection, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
    rooms = {}
    for player, key in seeks:
        for (room,) in connection.execute(_RENEW, (until, player, key)).fetchall():
            rooms[player] = room
    return rooms


def both_wait(connection: sqlite3.Connection, seeks: Sequence[Seek], now: int) -> bool:
    """True if all of these seeks wait."""
    return all(connection.execute(_WAITS, (seek.player.id, seek.key, now)).fetchone() for seek in seeks)


def pair(connection: sqlite3.Connection, seeks: Sequence[Seek], room: str, now: int) -> None:
    connection.executemany(_PAIR, [(room, now, seek.player.id) for seek in seeks])
