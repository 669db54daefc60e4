"""Bans of addresses and networks in a journal; those of players are in :mod:`noughts.journal.people`."""

from __future__ import annotations

from collections.abc import Callable

from noughts.journal.database import Database
from noughts.journal.values import StoredBan

_NEXT = "UPDATE last_ban SET revision = revision + 1 WHERE one = 1"
_PUT = """
INSERT INTO bans (network, until, revision) VALUES ($1, $2, (SELECT revision FROM last_ban WHERE one = 1))
ON CONFLICT (network) DO UPDATE SET until = excluded.until, revision = excluded.revision
"""
_LIFT = """
UPDATE bans SET until = 0, revision = (SELECT revision FROM last_ban WHERE one = 1)
WHERE network = $1 AND until > $2 RETURNING network
"""


class Bans:
    """The networks that are banned. Every method may wait, none blocks the loop; all raise :class:`JournalError`.

    Each change has a revision of its own, 1 or more. Whoever sees one has seen or can see all that are smaller.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def put(self, network: str, until: int) -> None:
        """Ban ``network``, such as ``203.0.113.0/24``, before ``until``, ms since the epoch."""
        await self._database.transact((_NEXT, ()), (_PUT, (network, until)))

    async def lift(self, network: str) -> bool:
        """Lift the ban of exactly ``network``. Returns whether it was banned."""
        _, lifted = await self._database.transact((_NEXT, ()), (_LIFT, (network, self._now())))
        return bool(lifted)

    async def changed(self, since: int, limit: int) -> list[tuple[int, StoredBan]]:
        """At most ``limit`` of the bans that changed after the revision ``since``, with their revisions, in that order.

        Bans that have ended are among them; a lifted one ends at 0.
        """
        sql = "SELECT revision, network, until FROM bans WHERE revision > $1 ORDER BY revision LIMIT $2"
        rows = await self._database.fetch(sql, since, limit)
        return [(revision, StoredBan(network, until)) for revision, network, until in rows]

    async def in_force(self) -> list[StoredBan]:
        """All bans that have not ended, by network."""
        rows = await self._database.fetch("SELECT network, until FROM bans WHERE until > $1", self._now())
        return sorted(StoredBan(network, until) for network, until in rows)
