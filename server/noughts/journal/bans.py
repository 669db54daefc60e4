"""Bans of addresses and networks in a journal; those of players are in :mod:`noughts.journal.people`."""

from __future__ import annotations

from collections.abc import Callable

from noughts.journal.database import Database
from noughts.journal.values import StoredBan

_PUT = """
INSERT INTO bans (network, until) VALUES ($1, $2) ON CONFLICT (network) DO UPDATE SET until = excluded.until
"""


class Bans:
    """The networks that are banned. Every method may wait, none blocks the loop; all raise :class:`JournalError`."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def put(self, network: str, until: int) -> None:
        """Ban ``network``, such as ``203.0.113.0/24``, before ``until``, ms since the epoch."""
        await self._database.execute(_PUT, network, until)

    async def lift(self, network: str) -> bool:
        """Lift the ban of exactly ``network``. Returns whether it was banned."""
        rows = await self._database.execute("DELETE FROM bans WHERE network = $1 RETURNING until", network)
        return any(until > self._now() for (until,) in rows)

    async def in_force(self) -> list[StoredBan]:
        """All bans that have not ended, by network."""
        rows = await self._database.fetch("SELECT network, until FROM bans WHERE until > $1", self._now())
        return sorted(StoredBan(network, until) for network, until in rows)
