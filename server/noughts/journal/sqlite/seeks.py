"""The seeks, in SQLite."""

# ruff: noqa: S608  # queries are put together of constants alone
from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from noughts.journal.base import Append
from noughts.journal.people import UnknownPlayer
from noughts.journal.seeks import PAIRED_MS, Seek
from noughts.journal.sqlite.people import COLUMNS, is_stored, player_of
from noughts.journal.sqlite.storage import Storage

_FIND = "SELECT room FROM seeks WHERE player = ? AND key = ?"
_PUT = """
INSERT OR REPLACE INTO seeks (player, key, game, terms, rating, deviation, since, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_KEEP = "UPDATE seeks SET until = ? WHERE player = ? AND key = ?"
_WITHDRAW = "DELETE FROM seeks WHERE player = ? AND room IS NULL"
_WAITING = f"""
SELECT key, game, terms, rating, deviation, since, {COLUMNS}
FROM seeks JOIN players ON players.id = seeks.player
WHERE room IS NULL AND game = ?1 AND terms = ?2 AND until > ?3 AND banned_until <= ?3
ORDER BY since, player LIMIT ?4
"""
_PAIR = "UPDATE seeks SET room = ?, paired_at = ? WHERE player = ?"
_WAITS = "SELECT 1 FROM seeks WHERE player = ? AND key = ? AND room IS NULL AND until > ?"
_FORGET_WAITING = "DELETE FROM seeks WHERE room IS NULL AND until < ?"
_FORGET_PAIRED = "DELETE FROM seeks WHERE room IS NOT NULL AND paired_at < ?"


class SqliteSeeks:
    """A :class:`~noughts.journal.seeks.Seeks`; ``put_room`` stores a room's write as a whole, if it may be."""

    def __init__(
        self, storage: Storage, now: Callable[[], int], put_room: Callable[[sqlite3.Connection, Append], bool]
    ) -> None:
        self._storage = storage
        self._now = now
        self._put_room = put_room

    async def put(self, seek: Seek, until: int) -> str | None:
        stored, room = await self._storage.write(lambda connection: _put(connection, seek, until))
        if not stored:
            raise UnknownPlayer(seek.player.id)
        return room

    async def withdraw(self, player: str) -> bool:
        return await self._storage.write(lambda connection: connection.execute(_WITHDRAW, (player,)).rowcount == 1)

    async def renew(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        return await self._storage.write(lambda connection: _keep(connection, seeks, until))

    async def waiting(self, game: str, terms: str, now: int, limit: int) -> list[Seek]:
        rows = await self._storage.query(_WAITING, game, terms, now, limit)
        return [Seek(player_of(row[6:]), *row[:6]) for row in rows]

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        now = self._now()
        return await self._storage.write(lambda connection: self._pair(connection, one, other, write, now))

    async def forget(self, before: int) -> None:
        now = self._now()
        await self._storage.write(lambda connection: forget(connection, before, now))

    def _pair(self, connection: sqlite3.Connection, one: Seek, other: Seek, write: Append, now: int) -> bool:
        both = [connection.execute(_WAITS, (seek.player.id, seek.key, now)).fetchone() for seek in (one, other)]
        if None in both or one.player.id == other.player.id or write.version != 1:
            return False
        if not self._put_room(connection, write):
            return False
        connection.executemany(_PAIR, [(write.room, now, seek.player.id) for seek in (one, other)])
        return True


def forget(connection: sqlite3.Connection, before: int, now: int) -> None:
    """Drop the seeks that have not been kept since then, and those long paired."""
    connection.execute(_FORGET_WAITING, (before,))
    connection.execute(_FORGET_PAIRED, (now - PAIRED_MS,))


def _put(connection: sqlite3.Connection, seek: Seek, until: int) -> tuple[bool, str | None]:
    """Whether the player is stored, and the room that this seek was paired in."""
    if not is_stored(connection, seek.player.id):
        return False, None
    there = connection.execute(_FIND, (seek.player.id, seek.key)).fetchone()
    if there is not None:
        connection.execute(_KEEP, (until, seek.player.id, seek.key))
        return True, there[0]
    row = (seek.player.id, seek.key, seek.game, seek.terms, seek.rating, seek.deviation, seek.since, until)
    connection.execute(_PUT, row)
    return True, None


def _keep(connection: sqlite3.Connection, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
    became = {}
    for player, key in seeks:
        if connection.execute(_KEEP, (until, player, key)).rowcount == 1:
            (became[player],) = connection.execute(_FIND, (player, key)).fetchone()
    return became
