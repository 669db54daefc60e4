"""Writes of rooms to SQLite. All of this runs in the writer's thread, within a transaction."""

from __future__ import annotations

import sqlite3

from noughts.journal.sqlite import people, results
from noughts.journal.values import OUTAGES_MS, Append

# The room's row is the referee: there is one, and its version only ever grows by one. The parameters of both
# statements are the same and in the same order, but for the version.
_OPEN_ROOM = """
INSERT INTO rooms
    (version, changed, game, opened_by, status, public, due_at, thinking, attended, listing, room)
VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room) DO NOTHING
"""
_CHANGE_ROOM = """
UPDATE rooms
SET version = version + 1, changed = ?, game = ?, opened_by = ?, status = ?, public = ?, due_at = ?,
    thinking = ?, attended = ?, listing = ?
WHERE room = ? AND version = ? - 1
"""
_PUT_RECORD = "INSERT INTO records (room, version, record) SELECT number, version, ? FROM rooms WHERE room = ?"
_LAST_CHANGE = "SELECT coalesce(max(changed), 0) FROM rooms WHERE public AND status <> 'over'"
_BEAT = "UPDATE heartbeat SET at = ?"


class Rooms:
    """Stores writes, and numbers them: ``changed`` orders the lobby."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        (self._changed,) = connection.execute(_LAST_CHANGE).fetchone()

    def put(self, connection: sqlite3.Connection, write: Append) -> bool:
        """As :meth:`Journal.append`."""
        execute, index = connection.execute, write.index
        self._changed += 1
        row = (
            self._changed,
            index.game,
            index.by,
            index.status,
            index.public,
            index.due_at,
            index.thinking,
            index.attended,
            index.listing,
            write.room,
        )
        opening = write.version == 1
        changed = execute(_OPEN_ROOM, row) if opening else execute(_CHANGE_ROOM, (*row, write.version))
        if changed.rowcount != 1:
            return False
        execute(_PUT_RECORD, (write.record, write.room))
        for player in write.players:
            people.seat(connection, player)
        if write.finished is not None:
            results.put_result(connection, write.finished)
        return True


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
        execute("DELETE FROM outages WHERE until <= ?", (at - OUTAGES_MS,))
