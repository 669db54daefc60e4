"""The facts that decide if a game between two players is rated: where they play from, and what they have played."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal.database import Database

RENEWED_MS = 3_600_000
"""After this time an origin that has not changed is stored again, so that it is kept for longer."""

MOST = 1000
"""The greatest number of games of a pair that are counted."""

MOST_ORIGINS = 8
"""The number of origins a player has at most; the oldest give way."""

_NOTE = """
INSERT INTO origins (player, origin, noted) VALUES ($1, $2, $3)
ON CONFLICT (player, origin) DO UPDATE SET noted = excluded.noted WHERE origins.noted <= $4
"""
_TRIM = """
DELETE FROM origins WHERE player = $1 AND origin NOT IN (
    SELECT origin FROM origins WHERE player = $1 ORDER BY noted DESC, origin LIMIT $2
)
"""
_FORGET = """
DELETE FROM origins WHERE noted < $1 AND NOT EXISTS (
    SELECT 1 FROM rooms WHERE status <> 'over' AND status = 'waiting' AND (first = player OR second = player)
) AND NOT EXISTS (SELECT 1 FROM seeks WHERE seeks.player = origins.player AND room IS NULL)
"""
# Each side by its own index. The other side is empty where a computer sits.
_PLAYING = """
SELECT listing FROM rooms
WHERE first = $1 AND coalesce(second, '') = $2 AND status <> 'over' AND status = 'playing'
UNION ALL
SELECT listing FROM rooms
WHERE second = $1 AND coalesce(first, '') = $2 AND status <> 'over' AND status = 'playing'
LIMIT $3
"""
_RATED = """
SELECT room FROM results WHERE first = $1 AND second = $2 AND ended_at > $3 AND pool IS NOT NULL
UNION ALL
SELECT room FROM results WHERE second = $1 AND first = $2 AND ended_at > $3 AND pool IS NOT NULL
LIMIT $4
"""


class Pairs:
    """Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A player's origins stand for the public addresses from which the player has lately asked for rated games. Each is a
    keyed hash; no address is stored.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def note(self, player: str, origin: bytes) -> None:
        """Add an origin to those of the player with this id, of which the newest :data:`MOST_ORIGINS` are kept."""
        now = self._now()
        note = (_NOTE, (player, origin, now, now - RENEWED_MS))
        await self._database.transact(note, (_TRIM, (player, MOST_ORIGINS)))

    async def origins(self, players: Sequence[str]) -> dict[str, set[bytes]]:
        """The origins of those of the players with the ids ``players`` who have any."""
        rows = await self._database.fetch("SELECT player, origin FROM origins WHERE player = ANY($1)", list(players))
        found: dict[str, set[bytes]] = {}
        for player, origin in rows:
            found.setdefault(player, set()).add(bytes(origin))
        return found

    async def playing(self, player: str, other: str | None) -> list[bytes]:
        """The ``listing`` of each room in which ``player`` plays against ``other``, or with None against a computer.

        Both are ids of people or bots. At most ``MOST`` rooms.
        """
        rows = await self._database.fetch(_PLAYING, player, other or "", MOST)
        return [listing for (listing,) in rows]

    async def rated(self, player: str, other: str, since: int) -> list[str]:
        """The rooms of the rated games of these two that ended after ``since``, ms since the epoch; at most ``MOST``.

        ``player`` and ``other`` are ids, and ``other`` may be a computer's.
        """
        return [room for (room,) in await self._database.fetch(_RATED, player, other, since, MOST)]

    async def forget(self, before: int) -> None:
        """Drop the origins that were noted before that time, ms since the epoch, but of players who wait."""
        await self._database.execute(_FORGET, before)
