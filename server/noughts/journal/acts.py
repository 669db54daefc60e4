"""The acts of the operator in a journal: for the servers, which carry on from there, and for those who ask later."""

from __future__ import annotations

from collections.abc import Callable

from noughts.journal.database import Database
from noughts.journal.values import Act

_NEXT = "UPDATE last_act SET revision = revision + 1 WHERE one = 1"
_PUT = """
INSERT INTO acts (revision, at, who, kind, subject, detail)
VALUES ((SELECT revision FROM last_act WHERE one = 1), $1, $2, $3, $4, $5)
"""
_COLUMNS = "revision, at, who, kind, subject, detail"


class Acts:
    """Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    Each act has a revision of its own, 1 or more. Whoever sees one has seen or can see all that are smaller.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def put(self, who: str, kind: str, subject: str = "", detail: str = "") -> None:
        """Note that ``who`` has done something of this ``kind`` to ``subject``."""
        await self._database.transact((_NEXT, ()), (_PUT, (self._now(), who, kind, subject, detail)))

    async def since(self, revision: int, limit: int) -> list[Act]:
        """At most ``limit`` acts after this revision, in their order."""
        sql = f"SELECT {_COLUMNS} FROM acts WHERE revision > $1 ORDER BY revision LIMIT $2"  # noqa: S608
        return [Act(*row) for row in await self._database.fetch(sql, revision, limit)]

    async def last(self, limit: int, kind: str | None = None) -> list[Act]:
        """The last ``limit`` acts, or those of one ``kind``, the newest first."""
        sql = f"SELECT {_COLUMNS} FROM acts WHERE CAST($2 AS text) IS NULL OR kind = $2 ORDER BY revision DESC LIMIT $1"  # noqa: S608
        return [Act(*row) for row in await self._database.fetch(sql, limit, kind)]

    async def about(self, subject: str) -> list[Act]:
        """The acts that concern ``subject``, in order."""
        sql = f"SELECT {_COLUMNS} FROM acts WHERE subject = $1 ORDER BY revision"  # noqa: S608
        return [Act(*row) for row in await self._database.fetch(sql, subject)]

    async def revision(self) -> int:
        """The revision of the last act, 0 before the first."""
        ((revision,),) = await self._database.fetch("SELECT revision FROM last_act")
        return int(revision)
