"""The players, in PostgreSQL."""

# ruff: noqa: S608  # queries are put together of constants alone
from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from noughts.journal.base import JournalError
from noughts.journal.people import RENAMED_AT_ONCE, StoredPlayer
from noughts.journal.postgres.connect import Connection, Pool
from noughts.players.names import guest_name, name_key

COLUMNS = "id, name, kind, token_hash, registered, muted_until, banned_until"
"""Those that make a :class:`StoredPlayer`; no other table has columns of these names."""

_PLAYER = f"SELECT {COLUMNS} FROM players WHERE id = $1"
_HOLDER = f"SELECT {COLUMNS} FROM players WHERE token_hash = $1"
_REGISTERED = f"SELECT {COLUMNS} FROM players WHERE name_key = $1 AND registered"
_CHANGED = f"SELECT {COLUMNS} FROM players WHERE changed >= $1 AND id = ANY($2::text[])"

# Who takes a name and who registers it must see each other. Guests of one name need not wait for each other.
_SHARE_NAME = "SELECT pg_advisory_xact_lock_shared(x'4E474855'::integer, $1)"
_OWN_NAME = "SELECT pg_advisory_xact_lock(x'4E474855'::integer, $1)"

_GREET = """
INSERT INTO players (id, name, name_key, kind, token_hash, muted_until, banned_until, seated, greeted)
SELECT $1, $2, $3, $4, $5::bytea, $6::bigint, $7::bigint, FALSE, $8::bigint
WHERE NOT EXISTS (SELECT FROM players WHERE name_key = $3 AND registered)
ON CONFLICT DO NOTHING
RETURNING id
"""
_WHY_NOT = """
SELECT EXISTS (SELECT FROM players WHERE id = $1), EXISTS (SELECT FROM players WHERE name_key = $2 AND registered)
"""
_OWNED = "SELECT id FROM players WHERE name_key = $1 AND registered AND id <> $2"
_REGISTER = """
UPDATE players SET name = $2, name_key = $3, registered = TRUE, seated = TRUE, changed = $4
WHERE id = $1 AND (NOT registered OR name_key = $3) RETURNING id
"""
_BEARERS = "SELECT id FROM players WHERE name_key = $1 AND NOT registered LIMIT $2 FOR UPDATE"
_RENAME = """
UPDATE players SET name = r.name, name_key = r.key, changed = $4
FROM unnest($1::text[], $2::text[], $3::text[]) AS r (bearer, name, key) WHERE id = r.bearer
"""
_CHANGE_HASH = """
UPDATE players SET token_hash = $3, changed = $4 WHERE id = $1 AND token_hash = coalesce($2, token_hash) RETURNING id
"""
_MUTE = "UPDATE players SET muted_until = $2, changed = $3 WHERE id = $1 RETURNING id"
_BAN = "UPDATE players SET banned_until = $2, changed = $3 WHERE id = $1 RETURNING id"
_FORGET = """
DELETE FROM players WHERE NOT seated AND greeted < $1 AND NOT EXISTS (SELECT FROM seeks WHERE player = players.id)
"""


class PostgresPeople:
    """A :class:`~noughts.journal.people.People`; ``now`` gives ms since the epoch.

    A change is to be seen some seconds after the time that it bears, at most: ask for those ``changed`` since a little
    before the last time you asked.
    """

    def __init__(self, pool: Pool, now: Callable[[], int]) -> None:
        self._pool = pool
        self._now = now

    async def add_guest(self, player: StoredPlayer) -> bool:
        key, token_hash, now = name_key(player.name), player.token_hash, self._now()
        row = (player.id, player.name, key, player.kind, token_hash, player.muted_until, player.banned_until, now)

        async def put(connection: Connection) -> tuple[bool, bool]:
            await connection.execute(_SHARE_NAME, _lock_of(key))
            if await connection.fetch(_GREET, *row):
                return True, False
            there, taken = await connection.fetchrow(_WHY_NOT, player.id, key) or (False, False)
            return there, taken

        there, taken = await self._pool.transact(put)
        if not there and not taken:
            raise JournalError("a token belongs to one player")
        return there

    async def find_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        return await self._one(_HOLDER, token_hash)

    async def find(self, who: str) -> StoredPlayer | None:
        return await self._one(_PLAYER, who) or await self._one(_REGISTERED, name_key(who))

    async def register(self, player: str, name: str) -> bool:
        key, now = name_key(name), self._now()

        async def own(connection: Connection) -> bool:
            await connection.execute(_OWN_NAME, _lock_of(key))
            if await connection.fetch(_OWNED, key, player):
                return False
            return bool(await connection.fetch(_REGISTER, player, name, key, now))

        if not await self._pool.transact(own):
            return False
        while await self._rename_bearers(key):
            pass  # not all at once: that would take longer than the database is given for an answer
        return True

    async def _rename_bearers(self, key: str) -> bool:
        """Have some of those who bear an owned name be guests again; whether there may be more of them."""
        now = self._now()

        async def rename(connection: Connection) -> bool:
            bearers = [bearer for (bearer,) in await connection.fetch(_BEARERS, key, RENAMED_AT_ONCE)]
            called = [(bearer, guest_name(bearer)) for bearer in bearers]
            rows = [(bearer, name, name_key(name)) for bearer, name in called if name_key(name) != key]
            if rows:
                await connection.execute(_RENAME, *(list(column) for column in zip(*rows, strict=True)), now)
            return len(rows) == RENAMED_AT_ONCE

        return await self._pool.transact(rename)

    async def change_token(self, player: str, before: bytes | None, after: bytes) -> bool:
        return bool(await self._pool.fetch(_CHANGE_HASH, player, before, after, self._now()))

    async def mute(self, player: str, until: int) -> bool:
        return bool(await self._pool.fetch(_MUTE, player, until, self._now()))

    async def ban(self, player: str, until: int) -> bool:
        return bool(await self._pool.fetch(_BAN, player, until, self._now()))

    async def changed(self, since: int, among: Sequence[str]) -> list[StoredPlayer]:
        return [StoredPlayer(*row) for row in await self._pool.fetch(_CHANGED, since, among)]

    async def forget(self, before: int) -> None:
        """Drop who was greeted before that time, never took a seat, and has no seek."""
        await self._pool.fetch(_FORGET, before)

    async def _one(self, sql: str, value: object) -> StoredPlayer | None:
        rows = await self._pool.fetch(sql, value)
        return StoredPlayer(*rows[0]) if rows else None


def _lock_of(key: str) -> int:
    """The number of the lock on a name: two names may share one, which only makes them wait for each other."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], signed=True)
