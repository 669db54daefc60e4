"""Writes of players to SQLite. All of this runs in the writer's thread, within a transaction."""

from __future__ import annotations

import sqlite3

from noughts.journal.values import StoredPlayer
from noughts.players.names import guest_name, name_key

_EXISTS = "SELECT 1 FROM players WHERE id = ?"
_SEATED = "SELECT 1 FROM players WHERE id = ? AND seated"
_OWNER = "SELECT id FROM players WHERE name_key = ? AND registered"
_OWNS_ANOTHER = "SELECT 1 FROM players WHERE id = ? AND registered AND name_key <> ?"
_SEAT = "UPDATE players SET seated = TRUE WHERE id = ?"
_ADD = """
INSERT INTO players (id, name, name_key, kind, muted_until, banned_until, seated, greeted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_ADD_HELD = "INSERT INTO tokens (hash, player, label, added, used) VALUES (?1, ?2, ?3, ?4, ?4)"
_OWN = "UPDATE players SET name = ?, name_key = ?, registered = TRUE, seated = TRUE, changed = ? WHERE id = ?"
_USERS = "SELECT id FROM players WHERE name_key = ? AND NOT registered LIMIT ?"
_RENAME = "UPDATE players SET name = ?, name_key = ?, changed = ? WHERE id = ?"


def exists(connection: sqlite3.Connection, player: str) -> bool:
    return connection.execute(_EXISTS, (player,)).fetchone() is not None


def seat(connection: sqlite3.Connection, player: StoredPlayer) -> None:
    """Keep a player who takes a seat, as stored or else as given."""
    if connection.execute(_SEATED, (player.id,)).fetchone() is not None:
        return  # true of nearly everybody who sits down
    if exists(connection, player.id):
        connection.execute(_SEAT, (player.id,))
        return
    free = _owner(connection, player.name) in (None, player.id)
    connection.execute(_ADD, (*_row(player, player.name if free else guest_name(player.id)), True, None))
    if player.token_hash:
        connection.execute(_ADD_HELD, (player.token_hash, player.id, "", 0))


def add_guest(connection: sqlite3.Connection, player: StoredPlayer, label: str, now: int) -> bool:
    if exists(connection, player.id):
        return True
    if _owner(connection, player.name) is not None:
        return False
    connection.execute(_ADD, (*_row(player, player.name), False, now))
    connection.execute(_ADD_HELD, (player.token_hash, player.id, label, now))
    return True


def own_name(connection: sqlite3.Connection, player: str, name: str, now: int) -> bool:
    execute, key = connection.execute, name_key(name)
    if execute(_OWNS_ANOTHER, (player, key)).fetchone() is not None or _owner(connection, name) not in (None, player):
        return False
    return execute(_OWN, (name, key, now, player)).rowcount == 1


def rename_guests(connection: sqlite3.Connection, key: str, limit: int, now: int) -> bool:
    """Rename some who use the name without owning it; whether there may be more."""
    users = [user for (user,) in connection.execute(_USERS, (key, limit)).fetchall()]
    rows = [(guest_name(user), name_key(guest_name(user)), now, user) for user in users]
    rows = [row for row in rows if row[1] != key]
    connection.executemany(_RENAME, rows)
    return len(rows) == limit


def _owner(connection: sqlite3.Connection, name: str) -> str | None:
    """The id of the player who has registered this name."""
    row = connection.execute(_OWNER, (name_key(name),)).fetchone()
    return None if row is None else str(row[0])


def _row(player: StoredPlayer, name: str) -> tuple[object, ...]:
    return player.id, name, name_key(name), player.kind, player.muted_until, player.banned_until
