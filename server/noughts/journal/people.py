"""The players in a journal: who they are, which names they own, and what they may not do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from noughts.journal.database import Database
from noughts.journal.values import StoredPlayer
from noughts.players.looks import edition, stored_look
from noughts.players.names import DELETED_NAME, name_key

RENAMED_AT_ONCE = 1000
"""The number of players renamed in one transaction when somebody else registers their name."""

RENEWED_AT_ONCE = 200
"""Of how many players the looks of their names are stored in one transaction."""

_OTHER_LOOKS = """
SELECT id, name FROM players WHERE registered AND id > $1 AND (look IS NULL OR look NOT LIKE $2) ORDER BY id LIMIT $3
"""

_DELETE = """
UPDATE players
SET name = $2, name_key = $3, look = NULL, registered = FALSE, seated = TRUE, deleted = TRUE, changed = $4
WHERE id = $1 AND NOT deleted RETURNING id
"""
_OWN_ROWS = (
    *("tokens", "codes", "ratings", "rating_history", "seeks", "origins"),
    *("chat", "mutes", "webhooks", "notices", "puzzle_tries", "puzzle_sets", "puzzle_solvers"),
    *("class_members", "classes"),
)
"""The tables with what is a player's own, by the column ``player``."""

COLUMNS = """id, name, kind, registered, muted_until, banned_until, pass_hash IS NOT NULL,
EXISTS (SELECT 1 FROM class_members AS of_class WHERE of_class.player = players.id)"""
"""The columns of a :class:`StoredPlayer`, see :func:`player_of`; no other table has columns of these names."""


class People:
    """The players. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A registered name, compared by :func:`name_key`, belongs to at most one player, however many servers write at
    once. Nobody else can take a name that looks like it; whoever had such a name before keeps it.
    """

    def __init__(self, database: Database, now: Callable[[], int], renamed_at_once: int = RENAMED_AT_ONCE) -> None:
        self._database = database
        self._now = now
        self._renamed_at_once = renamed_at_once

    async def add_guest(self, player: StoredPlayer, label: str = "") -> bool:
        """Store a new player until guests are forgotten. Adding a stored player again changes nothing.

        ``label`` goes with the token. Returns False and stores nothing if somebody else has registered the name
        or one that looks like it.
        """
        return await self._database.add_guest(player, label, self._now())

    async def find_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        """The player with this token, or None."""
        found = await self._one("id = (SELECT player FROM tokens WHERE hash = $1)", token_hash)
        return None if found is None else replace(found, token_hash=token_hash)

    async def find(self, who: str) -> StoredPlayer | None:
        """The player with this id, or else with this registered name, or None. A deleted player is not found."""
        found = await self._one("id = $1 AND NOT deleted", who)
        return found or await self._one("name_key = $1 AND registered", name_key(who))

    async def rename(self, player: str, name: str) -> bool:
        """As :meth:`register`, also for a player who has registered another name, which is free from then on."""
        return await self._register(player, name, anew=True)

    async def delete(self, player: str) -> bool:
        """Take from a player the name and all that is in :data:`_OWN_ROWS`, such as tokens, ratings, seeks and chat.

        Whoever reads the journal after :meth:`look_for_deleted` finds ``DELETED_NAME`` in place of the name in all that
        is stored. Returns False and changes nothing if there is no such player.
        """
        found, *_ = await self._database.transact(
            (_DELETE, (player, DELETED_NAME, name_key(DELETED_NAME), self._now())),
            ("DELETE FROM class_members WHERE class IN (SELECT class FROM classes WHERE player = $1)", (player,)),
            *((f"DELETE FROM {table} WHERE player = $1", (player,)) for table in _OWN_ROWS),  # noqa: S608
            ("DELETE FROM mutes WHERE muted = $1", (player,)),
            ("UPDATE acts SET detail = '' WHERE subject = $1", (player,)),  # which may have the name
        )
        await self.look_for_deleted()
        return bool(found)

    async def look_for_deleted(self) -> frozenset[str]:
        """Learn which players are deleted; the ids of those that were not known to be."""
        rows = await self._database.fetch("SELECT id FROM players WHERE deleted")
        deleted = frozenset(player for (player,) in rows)
        new, self._database.deleted = deleted - self._database.deleted, deleted
        return new

    async def registered(self, limit: int) -> list[StoredPlayer]:
        """At most ``limit`` players with a registered name, by name."""
        return await self._some("registered ORDER BY name_key LIMIT $1", limit)

    async def restricted(self, limit: int) -> list[StoredPlayer]:
        """At most ``limit`` players who are banned or muted now, by name."""
        condition = "banned_until > $2 OR muted_until > $2 ORDER BY name_key, id LIMIT $1"
        return await self._some(condition, limit, self._now())

    async def register(self, player: str, name: str) -> bool:
        """Give ``name`` to the player with this id, who is never forgotten from then on.

        Returns False and changes nothing if the name, or one that looks like it, belongs to somebody else, if the
        player has registered another name, or if there is no such player.

        Others who use the name or one that looks like it without owning it are renamed to :func:`guest_name`
        afterwards, in several transactions. If that fails, the name is registered nevertheless; registering it again
        renames the rest.
        """
        return await self._register(player, name, anew=False)

    async def _register(self, player: str, name: str, *, anew: bool) -> bool:
        now = self._now()
        if not await self._database.own_name(player, name, now, anew=anew):
            return False
        renamed = True
        while renamed:
            renamed = await self._database.rename_guests(name, self._renamed_at_once, now)
            await asyncio.sleep(0)  # a journal in memory never waits, and other tasks need their turn
        return True

    async def renew_looks(self) -> None:
        """Store what registered names look like by this server's data, where another version or none has done so.

        In several transactions. Until then names that look like those can be taken.
        """
        update, last = "UPDATE players SET look = $2 WHERE id = $1 AND name = $3", ""
        while rows := await self._database.fetch(_OTHER_LOOKS, last, f"{edition()} %", RENEWED_AT_ONCE):
            await self._database.transact(*((update, (player, stored_look(name), name)) for player, name in rows))
            last = rows[-1][0]

    async def mute(self, player: str, until: int) -> bool:
        """Forbid a player to chat before ``until``, ms since the epoch. Returns whether the player exists."""
        sql = "UPDATE players SET muted_until = $2, changed = $3 WHERE id = $1 RETURNING id"
        return bool(await self._database.execute(sql, player, until, self._now()))

    async def ban(self, player: str, until: int) -> bool:
        """Ban a player before ``until``, ms since the epoch. Returns whether the player exists."""
        sql = "UPDATE players SET banned_until = $2, changed = $3 WHERE id = $1 RETURNING id"
        return bool(await self._database.execute(sql, player, until, self._now()))

    async def changed(self, since: int, among: Sequence[str]) -> list[StoredPlayer]:
        """Those of the players with the ids ``among`` whose name, tokens or restrictions changed at ``since`` or later.

        ``since`` is in ms since the epoch. In PostgreSQL a change may become visible some seconds after its time:
        ask from a little before the last time you asked.
        """
        sql = f"SELECT {COLUMNS} FROM players WHERE id = ANY($1) AND changed + 0 >= $2"  # noqa: S608  # finds them by id
        return [player_of(row) for row in await self._database.fetch(sql, list(among), since)]

    async def forget(self, before: int) -> None:
        """Drop the players who were added before that time, never took a seat, registered or solved a puzzle, and have
        no seek.

        Their mutes, webhooks and hints, and who has muted them, are dropped too.
        """
        sql = """
            DELETE FROM players WHERE NOT seated AND greeted < $1
            AND NOT EXISTS (SELECT 1 FROM seeks WHERE player = players.id) RETURNING id
        """
        if gone := [player for (player,) in await self._database.execute(sql, before)]:
            tables = ("mutes", "webhooks", "notices", "puzzle_tries")
            await self._database.transact(
                *((f"DELETE FROM {table} WHERE player = ANY($1)", (gone,)) for table in tables),  # noqa: S608
                ("DELETE FROM mutes WHERE muted = ANY($1)", (gone,)),
            )

    async def _one(self, condition: str, value: object) -> StoredPlayer | None:
        found = await self._some(condition, value)
        return found[0] if found else None

    async def _some(self, condition: str, *values: object) -> list[StoredPlayer]:
        rows = await self._database.fetch(f"SELECT {COLUMNS} FROM players WHERE {condition}", *values)  # noqa: S608
        return [player_of(row) for row in rows]


def player_of(row: Sequence[Any]) -> StoredPlayer:
    """The player in a row of :data:`COLUMNS`."""
    player_id, name, kind, registered, muted_until, banned_until, invited, student = row
    rights = (muted_until, banned_until, bool(invited), bool(student))
    return StoredPlayer(player_id, name, kind, b"", bool(registered), *rights)
