"""Tournaments in a journal: numbered records, as of rooms, and a row by which each is found without reading them."""

from __future__ import annotations

from collections.abc import Callable

from noughts.journal.database import Database
from noughts.journal.values import TournamentRow

# One of several who write the same version advances the row; the others then find it advanced.
_OPEN = """
INSERT INTO tournaments (tournament, version, by, status, public, listing, changed) VALUES ($1, 1, $2, $3, $4, $5, $6)
ON CONFLICT (tournament) DO NOTHING RETURNING tournament
"""
_ADVANCE = """
UPDATE tournaments SET version = $2, status = $3, listing = $4, changed = $5
WHERE tournament = $1 AND version = $2 - 1 RETURNING tournament
"""
_RECORD = """
INSERT INTO tournament_records (tournament, version, record)
SELECT tournament, version, $3 FROM tournaments WHERE tournament = $1 AND version = $2
ON CONFLICT DO NOTHING
"""
_READ = "SELECT record FROM tournament_records WHERE tournament = $1 AND version > $2 ORDER BY version"
_FORGET = "DELETE FROM tournament_records WHERE tournament = $1 AND version < $2"
_UNFINISHED = "SELECT tournament, version FROM tournaments WHERE status <> 'finished' ORDER BY tournament"
_LISTED = """
SELECT listing FROM tournaments WHERE public
ORDER BY CASE status WHEN 'running' THEN 0 WHEN 'open' THEN 1 ELSE 2 END, changed DESC, tournament LIMIT $1
"""
_OPENED_BY = "SELECT count(*) FROM tournaments WHERE by = $1 AND status <> 'finished'"


class Tournaments:
    """The tournaments. Every method may wait, none blocks the event loop; all raise :class:`JournalError`."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def append(self, row: TournamentRow, version: int, record: bytes) -> bool:
        """Store ``record`` as ``version``, 1 or more, and ``row`` in place of the one before, in one transaction.

        Returns False and stores nothing unless ``version`` is the tournament's last plus one: of all who write it
        exactly one succeeds. Who opened a tournament, and whether it is public, never changes.
        """
        if version == 1:
            first = (row.tournament, row.by, row.status, row.public, row.listing, self._now())
            stored, _ = await self._database.transact((_OPEN, first), (_RECORD, (row.tournament, version, record)))
        else:
            advance = (row.tournament, version, row.status, row.listing, self._now())
            stored, _ = await self._database.transact((_ADVANCE, advance), (_RECORD, (row.tournament, version, record)))
        return bool(stored)

    async def read(self, tournament: str, since: int = 0) -> list[bytes]:
        """The records with a version greater than ``since``, in order; [] for an unknown tournament.

        Those that were forgotten are missing.
        """
        return [record for (record,) in await self._database.fetch(_READ, tournament, since)]

    async def forget(self, tournament: str, before: int) -> None:
        """Delete the records with a version less than ``before``, which one that is stored stands for."""
        await self._database.execute(_FORGET, tournament, before)

    async def unfinished(self) -> dict[str, int]:
        """The last version of each tournament that is not finished."""
        return dict(map(tuple, await self._database.fetch(_UNFINISHED)))

    async def listed(self, limit: int) -> list[bytes]:
        """The listings of at most ``limit`` public tournaments: those under way, then those that are open for entries,
        then those that have ended, of each the last to change first."""
        return [listing for (listing,) in await self._database.fetch(_LISTED, limit)]

    async def opened_by(self, player: str) -> int:
        """The number of tournaments of the player with this id that are not finished."""
        ((count,),) = await self._database.fetch(_OPENED_BY, player)
        return int(count)
