"""Writes of players to SQLite. All of this runs in the writer's thread, within a transaction."""

from __future__ import annotations

import sqlite3

from noughts.journal.values import StoredPlayer
from noughts.players.looks import stored_look
from noughts.players.names import guest_name, name_key

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
UPDATE players SET name = ?, name_key = ?, look = ?, registered = TRUE, seated = TRUE, changed = ? WHERE id = ?
"""
_USERS = "SELECT id FROM players WHERE (name_key = ? OR look = ?) AND NOT registered LIMIT ?"
_RENAME = "UPDATE players SET name = ?, name_key = ?, look = ?, changed = ? WHERE id = ?"


def exists(connection: sqlite3.Connection, player: str) -> bool:
    return connection.execute(_EXISTS, (player,)).fetchone() is not None


def seat(connection: sqlite3.Connection, player: StoredPlayer) -> None:
    """Keep a player who takes a seat, as stored or else as given."""
    if connection.execute(_SEATED, (player.id,)).fetchone() is not None:
        return  # true of nearly everybody who sits down
    if exists(connection, player.id):
        connection.execute(_SEAT, (player.id,))
        return
    name = guest_name(player.id) if _is_taken(connection, player.id, player.name) else player.name
    connection.execute(_ADD, (*_row(player, name), True, None))
    if player.token_hash:
        connection.execute(_ADD_HELD, (player.token_hash, player.id, "", 0))


def add_guest(connection: sqlite3.Connection, player: StoredPlayer, label: str, now: int) -> bool:
    if exists(connection, player.id):
        return True
    if _is_taken(connection, player.id, player.name):
        return False
    connection.execute(_ADD, (*_row(player, player.name), False, now))
    connection.execute(_ADD_HELD, (player.token_hash, player.id, label, now))
    return True


def own_name(connection: sqlite3.Connection, player: str, name: str, now: int) -> bool:
    execute, key = connection.execute, name_key(name)
    if execute(_OWNS_ANOTHER, (player, key)).fetchone() is not None or _is_taken(connection, player, name):
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
    """Whether another player has registered this name, or one that looks like it unless it is this one's already."""
    owns = connection.execute(_OWNS, (player, name)).fetchone() is not None
    found = (player, name_key(name)) if owns else (player, name_key(name), stored_look(name))
    return connection.execute(_TAKEN_AS_IT_IS if owns else _TAKEN, found).fetchone() is not None


def _row(player: StoredPlayer, name: str) -> tuple[object, ...]:
    return player.id, name, name_key(name), stored_look(name), player.kind, player.muted_until, player.banned_until
