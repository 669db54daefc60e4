"""The players, in SQLite."""

# ruff: noqa: S608  # queries are put together of constants alone
from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from noughts.journal.people import RENAMED_AT_ONCE, StoredPlayer
from noughts.journal.sqlite.storage import Storage
from noughts.players.names import guest_name, name_key

COLUMNS = "id, name, kind, token_hash, registered, muted_until, banned_until"
"""Those that make a :class:`StoredPlayer`, see :func:`player_of`; no other table has columns of these names."""

_PLAYER = f"SELECT {COLUMNS} FROM players WHERE id = ?"
_HOLDER = f"SELECT {COLUMNS} FROM players WHERE token_hash = ?"
_REGISTERED = f"SELECT {COLUMNS} FROM players WHERE name_key = ? AND registered"
_CHANGED = f"SELECT {COLUMNS} FROM players WHERE id IN (SELECT value FROM json_each(?)) AND +changed >= ?"

_THERE = "SELECT 1 FROM players WHERE id = ?"
_OTHER_NAME = "SELECT 1 FROM players WHERE id = ? AND registered AND name_key <> ?"
_OWNER = "SELECT id FROM players WHERE name_key = ? AND registered"
_SEATED = "SELECT 1 FROM players WHERE id = ? AND seated"
_SEAT = """
INSERT INTO players (id, name, name_key, kind, token_hash, muted_until, banned_until, seated)
VALUES (?, ?, ?, ?, ?, ?, ?, TRUE)
ON CONFLICT (id) DO UPDATE SET seated = TRUE WHERE NOT seated
"""
_GREET = """
INSERT INTO players (id, name, name_key, kind, token_hash, muted_until, banned_until, seated, greeted)
VALUES (?, ?, ?, ?, ?, ?, ?, FALSE, ?)
"""
_BEARERS = "SELECT id FROM players WHERE name_key = ? AND NOT registered LIMIT ?"
_RENAME = "UPDATE players SET name = ?, name_key = ?, changed = ? WHERE id = ?"
_REGISTER = """
UPDATE players SET name = ?, name_key = ?, registered = TRUE, seated = TRUE, changed = ? WHERE id = ?
"""
_CHANGE_HASH = "UPDATE players SET token_hash = ?, changed = ? WHERE id = ? AND token_hash = coalesce(?, token_hash)"
_MUTE = "UPDATE players SET muted_until = ?, changed = ? WHERE id = ?"
_BAN = "UPDATE players SET banned_until = ?, changed = ? WHERE id = ?"
_FORGET = """
DELETE FROM players WHERE NOT seated AND greeted < ? AND NOT EXISTS (SELECT 1 FROM seeks WHERE player = players.id)
"""


class SqlitePeople:
    """A :class:`~noughts.journal.people.People`; ``now`` gives ms since the epoch."""

    def __init__(self, storage: Storage, now: Callable[[], int]) -> None:
        self._storage = storage
        self._now = now

    async def add_guest(self, player: StoredPlayer) -> bool:
        now = self._now()
        return await self._storage.write(lambda connection: _greet(connection, player, now))

    async def find_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        return await self._one(_HOLDER, token_hash)

    async def find(self, who: str) -> StoredPlayer | None:
        return await self._one(_PLAYER, who) or await self._one(_REGISTERED, name_key(who))

    async def register(self, player: str, name: str) -> bool:
        now, key = self._now(), name_key(name)
        if not await self._storage.write(lambda connection: _own(connection, player, name, now)):
            return False
        while await self._storage.write(lambda connection: _rename_bearers(connection, key, now)):
            pass  # not all at once: others wait for what is written meanwhile
        return True

    async def change_token(self, player: str, before: bytes | None, after: bytes) -> bool:
        return await self._change(_CHANGE_HASH, after, self._now(), player, before)

    async def mute(self, player: str, until: int) -> bool:
        return await self._change(_MUTE, until, self._now(), player)

    async def ban(self, player: str, until: int) -> bool:
        return await self._change(_BAN, until, self._now(), player)

    async def changed(self, since: int, among: Sequence[str]) -> list[StoredPlayer]:
        return [player_of(row) for row in await self._storage.query(_CHANGED, json.dumps(among), since)]

    async def _one(self, sql: str, value: object) -> StoredPlayer | None:
        rows = await self._storage.query(sql, value)
        return player_of(rows[0]) if rows else None

    async def _change(self, sql: str, *parameters: object) -> bool:
        return await self._storage.write(lambda connection: connection.execute(sql, parameters).rowcount == 1)


def player_of(row: tuple[Any, ...]) -> StoredPlayer:
    """The player of a row of :data:`COLUMNS`."""
    player_id, name, kind, token_hash, registered, muted_until, banned_until = row
    return StoredPlayer(player_id, name, kind, token_hash, bool(registered), muted_until, banned_until)


# What follows runs in the writer thread.


def is_stored(connection: sqlite3.Connection, player: str) -> bool:
    """Whether there is such a player."""
    return connection.execute(_THERE, (player,)).fetchone() is not None


def seat(connection: sqlite3.Connection, player: StoredPlayer) -> None:
    """Keep a player for good, as stored or else as given."""
    if connection.execute(_SEATED, (player.id,)).fetchone() is not None:
        return  # as nearly all are who sit down
    owner = _owner(connection, player.name)
    name = player.name if owner in (None, player.id) else guest_name(player.id)
    connection.execute(_SEAT, _row(player, name))


def forget(connection: sqlite3.Connection, before: int) -> None:
    """Drop who was greeted before that time, never took a seat, and has no seek."""
    connection.execute(_FORGET, (before,))


def _greet(connection: sqlite3.Connection, player: StoredPlayer, at: int) -> bool:
    if is_stored(connection, player.id):
        return True
    if _owner(connection, player.name) is not None:
        return False
    connection.execute(_GREET, (*_row(player, player.name), at))
    return True


def _own(connection: sqlite3.Connection, player: str, name: str, at: int) -> bool:
    execute, key = connection.execute, name_key(name)
    if execute(_OTHER_NAME, (player, key)).fetchone() is not None or _owner(connection, name) not in (None, player):
        return False
    return execute(_REGISTER, (name, key, at, player)).rowcount == 1


def _rename_bearers(connection: sqlite3.Connection, key: str, at: int) -> bool:
    """Have some of those who bear an owned name be guests again; whether there may be more of them."""
    bearers = [bearer for (bearer,) in connection.execute(_BEARERS, (key, RENAMED_AT_ONCE)).fetchall()]
    called = [(guest_name(bearer), bearer) for bearer in bearers]
    rows = [(name, name_key(name), at, bearer) for name, bearer in called if name_key(name) != key]
    connection.executemany(_RENAME, rows)
    return len(rows) == RENAMED_AT_ONCE


def _owner(connection: sqlite3.Connection, name: str) -> str | None:
    """The id of the player who has registered this name."""
    row = connection.execute(_OWNER, (name_key(name),)).fetchone()
    return None if row is None else str(row[0])


def _row(player: StoredPlayer, name: str) -> tuple[object, ...]:
    token_hash = player.token_hash
    return player.id, name, name_key(name), player.kind, token_hash, player.muted_until, player.banned_until
