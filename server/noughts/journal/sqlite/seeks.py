"""Writes of seeks to SQLite. All of this runs in the writer's thread, within a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from noughts.journal.sqlite.people import exists
from noughts.journal.values import Seek, UnknownPlayer

_PUT = """
INSERT OR REPLACE INTO seeks (player, key, game, terms, rating, deviation, since, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_RENEW = "UPDATE seeks SET until = ? WHERE player = ? AND key = ? RETURNING room"
_WAITS = "SELECT 1 FROM seeks WHERE player = ? AND key = ? AND room IS NULL AND until > ?"
_PAIR = "UPDATE seeks SET room = ?, paired_at = ? WHERE player = ?"


def put(connection: sqlite3.Connection, seek: Seek, until: int) -> str | None:
    """Store or renew a seek; the room that it was paired in. Raises :class:`UnknownPlayer`."""
    if not exists(connection, seek.player.id):
        raise UnknownPlayer(seek.player.id)
    renewed = renew(connection, [(seek.player.id, seek.key)], until)
    if not renewed:
        row = (seek.player.id, seek.key, seek.game, seek.terms, seek.rating, seek.deviation, seek.since, until)
        connection.execute(_PUT, row)
    return renewed.get(seek.player.id)


def renew(connection: sqlite3.Connection, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
    rooms = {}
    for player, key in seeks:
        for (room,) in connection.execute(_RENEW, (until, player, key)).fetchall():
            rooms[player] = room
    return rooms


def wait(connection: sqlite3.Connection, seeks: Sequence[Seek], now: int) -> bool:
    """Whether all of these seeks wait."""
    return all(connection.execute(_WAITS, (seek.player.id, seek.key, now)).fetchone() for seek in seeks)


def set_room(connection: sqlite3.Connection, seeks: Sequence[Seek], room: str, now: int) -> None:
    connection.executemany(_PAIR, [(room, now, seek.player.id) for seek in seeks])
