"""Writes of rooms to SQLite. All of this runs in the writer's thread, within a transaction."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache

from noughts.journal import queries
from noughts.journal.sqlite import people, results
from noughts.journal.sqlite.transactions import Refused
from noughts.journal.values import FOREVER, OUTAGES_KEPT, Append, IndexRow

# The records' key is the referee: each version is stored once, and only after the one before. Any other has no room's
# number here, and is ignored because it must have one.
_PUT_RECORDS = "INSERT OR IGNORE INTO records (room, version, record) VALUES "
_RECORD = """((
    SELECT number FROM rooms
    WHERE room = ?{0} AND (SELECT coalesce(max(version), 0) FROM records WHERE records.room = number) = ?{1} - 1
), ?{1}, ?{2})"""
_AT_ONCE = (64, 16, 4, 1)
"""So many records are stored by one statement: this thread and the event loop's take turns after each statement."""
# The parameters of both statements are the same.
_OPEN_ROOM = """
INSERT INTO rooms
    (changed, game, opened_by, status, public, due_at, thinking, attended, listing, sleeps, opener, first, second, room)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, CASE ?4 WHEN 'over' THEN NULL ELSE nullif(?11, x'') END, ?12, ?13, ?14)
ON CONFLICT (room) DO NOTHING
"""
_CHANGE_ROOM = """
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
_BEAT = "UPDATE heartbeat SET at = ?"


class Rooms:
    """Stores writes, and numbers their index rows: ``changed`` orders the lobby."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        (self._changed,) = connection.execute(_LAST_CHANGE).fetchone()

    def put(self, connection: sqlite3.Connection, writes: Sequence[Append]) -> None:
        """As :meth:`Journal.put`, for several writes. If it raises, some of them may have been stored: roll back.

        Raises :class:`Refused` unless all of them are stored.
        """
        if any(write.opening is not None for write in writes):
            writes = [each for write in writes for each in (write.opening, write) if each is not None]
        opened: list[tuple[object, ...]] = []
        changed: list[tuple[object, ...]] = []
        for write in writes:
            if write.index is not None:
                (opened if write.version == 1 else changed).append(self._row(write.room, write.index))
        finished = [write.finished for write in writes if write.finished is not None]
        if opened:
            _put_all(connection, _OPEN_ROOM, opened)
        _put_records(connection, writes)
        if changed:
            _put_all(connection, _CHANGE_ROOM, changed)
        if finished:
            results.put_new(connection, finished)
        for write in writes:
            for player in write.players:
                people.seat(connection, player)

    def _row(self, room: str, index: IndexRow) -> tuple[object, ...]:
        self._changed += 1
        row: tuple[object, ...] = (self._changed, index.game, index.by, index.status, index.public, index.due_at)
        row += (index.thinking, index.attended, index.listing, index.sleeps, index.opener)
        return (*row, index.first, index.second, room)


def _put_records(connection: sqlite3.Connection, writes: Sequence[Append]) -> None:
    """Store the records. Raises :class:`Refused` unless each is the next of its room."""
    start = 0
    while start < len(writes):
        count = next(count for count in _AT_ONCE if count <= len(writes) - start)
        some = writes[start : start + count]
        values = [value for write in some for value in (write.room, write.version, write.record)]
        if connection.execute(_put_records_sql(count), values).rowcount != count:
            raise Refused
        start += count


@cache
def _put_records_sql(count: int) -> str:
    return _PUT_RECORDS + ", ".join(_RECORD.format(at + 1, at + 2, at + 3) for at in range(0, 3 * count, 3))


def _put_all(connection: sqlite3.Connection, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Run the statement for each row. Raises :class:`Refused` unless each changes one row."""
    if connection.executemany(sql, rows).rowcount != len(rows):
        raise Refused


def strip(connection: sqlite3.Connection, until: int, kept: Sequence[str], kept_until: int, limit: int) -> int:
    """As :meth:`Journal.strip`."""
    connection.executemany(_KEEP, [(FOREVER + kept_until, room) for room in kept])
    rooms = connection.execute(_STRIPPED, (FOREVER + until, limit)).fetchall()
    connection.executemany(_STRIP, rooms)
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
