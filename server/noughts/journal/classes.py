"""Classes in a journal: a teacher's list of names, and the players who have taken one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from noughts.journal.database import Database
from noughts.journal.people import COLUMNS, player_of
from noughts.journal.values import ClassMember, StoredClass

_CLASS = "class, version, player, title, entries, puzzle_set, tournament, made_at"
_MAKE = """
INSERT INTO classes (class, version, player, title, entries, made_at) SELECT $1, 1, $2, $3, $4, $5
WHERE (SELECT count(*) FROM classes WHERE player = $2) < $6
ON CONFLICT (class) DO NOTHING RETURNING class
"""
_CHANGE = """
UPDATE classes SET version = version + 1, title = $3, entries = $4, puzzle_set = $5, tournament = $6
WHERE class = $1 AND version = $2 RETURNING class
"""
_TAKE_BACK = """
DELETE FROM class_members WHERE class = $1 AND entry = ANY($3)
AND EXISTS (SELECT 1 FROM classes WHERE class = $1 AND version = $2)
"""
# With the row of the class locked, nobody changes the names meanwhile.
_LOCK = "UPDATE classes SET version = version WHERE class = $1"
_JOIN = """
INSERT INTO class_members (class, entry, bot, player, joined_at) SELECT class, $3, $4, $5, $6 FROM classes
WHERE class = $1 AND version = $2 AND NOT EXISTS (
    SELECT 1 FROM class_members AS m
    WHERE m.class = $1 AND m.left_at IS NULL AND (m.player = $5 OR (m.entry = $3 AND m.bot = $4))
)
ON CONFLICT (class, player) DO UPDATE SET entry = excluded.entry, bot = excluded.bot, left_at = NULL,
    joined_at = CASE class_members.entry WHEN excluded.entry THEN class_members.joined_at ELSE excluded.joined_at END
RETURNING class
"""
_KEEP = """
UPDATE players SET seated = TRUE, changed = $2
WHERE id = $1 AND EXISTS (SELECT 1 FROM class_members WHERE player = $1)
"""
_FREE = """
UPDATE class_members SET left_at = $4 WHERE class = $1 AND entry = $2 AND bot = $3 AND left_at IS NULL RETURNING player
"""
_DROP_MEMBERS = """
DELETE FROM class_members WHERE class = $1 AND NOT EXISTS (SELECT 1 FROM classes WHERE class = $1)
"""
_MEMBERS = f"""
SELECT entry, bot, joined_at, left_at, {COLUMNS} FROM class_members JOIN players ON players.id = class_members.player
WHERE class = $1 AND NOT deleted ORDER BY joined_at, players.id
"""  # noqa: S608
_OF = f"""
SELECT {_CLASS} FROM classes
WHERE player = $1 OR class IN (SELECT m.class FROM class_members AS m WHERE m.player = $1 AND m.left_at IS NULL)
ORDER BY made_at DESC, class
"""  # noqa: S608


class Classes:
    """The classes. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A name of a class is taken by at most one person and one bot, and nobody has two names in it.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def make(self, name: str, player: str, title: str, entries: Sequence[str], most: int) -> bool:
        """Store a class with the id ``name`` of the organiser ``player``, whose students have the names ``entries``.

        Returns False and stores nothing if ``player`` has ``most`` classes already, or there is one with this id.
        """
        values = (name, player, title, "\n".join(entries), self._now(), most)
        return bool(await self._database.execute(_MAKE, *values))

    async def find(self, name: str) -> StoredClass | None:
        """The class with the id ``name``, or None."""
        rows = await self._database.fetch(f"SELECT {_CLASS} FROM classes WHERE class = $1", name)  # noqa: S608
        return _class(rows[0]) if rows else None

    async def of(self, player: str) -> list[StoredClass]:
        """The classes that ``player`` organises or has joined, the newest first."""
        return [_class(row) for row in await self._database.fetch(_OF, player)]

    async def change(self, before: StoredClass, after: StoredClass) -> bool:
        """Store ``after`` in place of ``before``. Whoever has a name that is not in it any more loses it.

        Returns False and changes nothing unless ``before`` is what is stored.
        """
        gone = [entry for entry in before.entries if entry not in after.entries]
        values = (before.id, before.version, after.title, "\n".join(after.entries), after.puzzle_set, after.tournament)
        changed, _ = await self._database.transact(
            (_CHANGE, values), (_TAKE_BACK, (before.id, before.version + 1, gone))
        )
        return bool(changed)

    async def drop(self, name: str, player: str) -> bool:
        """Delete a class of ``player``, with all names. Returns whether there was one."""
        sql = "DELETE FROM classes WHERE class = $1 AND player = $2 RETURNING class"
        dropped, _ = await self._database.transact((sql, (name, player)), (_DROP_MEMBERS, (name,)))
        return bool(dropped)

    async def join(self, of: StoredClass, entry: str, player: str, *, bot: bool) -> bool:
        """Give ``player`` the name ``entry`` of a class, as the student or as the student's ``bot``.

        Whoever has a name is never forgotten. Returns False and changes nothing if somebody has taken it, the player
        has another name there, or the class is not ``of`` any more.
        """
        now = self._now()
        _, joined, _ = await self._database.transact(
            (_LOCK, (of.id,)), (_JOIN, (of.id, of.version, entry, bot, player, now)), (_KEEP, (player, now))
        )
        return bool(joined)

    async def free(self, name: str, entry: str, *, bot: bool) -> str | None:
        """Take the name ``entry`` of a class from whoever has it; the id of that player, None for nobody.

        The player stays among its former members, so that what was done under the name is still found.
        """
        rows = await self._database.execute(_FREE, name, entry, bot, self._now())
        return str(rows[0][0]) if rows else None

    async def members(self, name: str) -> list[ClassMember]:
        """All who have or had a name in a class, in the order in which they came."""
        rows = map(tuple, await self._database.fetch(_MEMBERS, name))
        return [ClassMember(entry, bool(bot), joined, left, player_of(row)) for entry, bot, joined, left, *row in rows]


def _class(row: Sequence[Any]) -> StoredClass:
    name, version, player, title, entries, *rest = row
    return StoredClass(name, version, player, title, tuple(entries.split("\n")), *rest)
