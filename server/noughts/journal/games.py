"""A player's games in a journal: those that are not over, and those that are. Each page is read by an index."""

# ruff: noqa: S608  # the queries are put together from constants
from __future__ import annotations

from collections.abc import Sequence

from noughts.journal.database import Database
from noughts.journal.results import RESULT, listing_of, result_of
from noughts.journal.values import GameUnderWay, PastGame

# A game is found on either side by that side's own index, no more of them than needed, and never twice. A page begins
# after the room that ended the one before.
_EARLIER = f"number < coalesce((SELECT number FROM rooms WHERE room = $2), {2**63 - 1})"
_UNFINISHED = f"""
SELECT * FROM (
    SELECT number, room, listing FROM rooms WHERE first = $1 AND status <> 'over' AND {_EARLIER}
    ORDER BY number DESC LIMIT $3
) AS one UNION ALL SELECT * FROM (
    SELECT number, room, listing FROM rooms
    WHERE second = $1 AND coalesce(first, '') <> $1 AND status <> 'over' AND {_EARLIER}
    ORDER BY number DESC LIMIT $3
) AS other ORDER BY number DESC LIMIT $3
"""
_UNDER_WAY = """
SELECT room, game, status, first, second, listing FROM rooms
WHERE first IS NOT NULL AND status <> 'over' AND first = ANY($1)
UNION ALL SELECT room, game, status, first, second, listing FROM rooms
WHERE second IS NOT NULL AND status <> 'over' AND second = ANY($1)
LIMIT $2
"""
_ENDED_BEFORE = f"""
(ended_at, room) < (
    coalesce((SELECT ended_at FROM results WHERE room = $2), {2**63 - 1}), coalesce(CAST($2 AS text), '')
)
"""
_HISTORY = """
(SELECT h.rating FROM rating_history AS h
 WHERE h.player = $1 AND h.game = page.game AND h.pool = page.pool AND h.position {} page.position
 ORDER BY h.position DESC LIMIT 1)
"""
_FINISHED = f"""
SELECT {RESULT}, {listing_of("page")}, {_HISTORY.format("=")}, {_HISTORY.format("<")} FROM (
    SELECT * FROM (
        SELECT * FROM results WHERE first = $1 AND {_ENDED_BEFORE} ORDER BY ended_at DESC, room DESC LIMIT $3
    ) AS one UNION ALL SELECT * FROM (
        SELECT * FROM results WHERE second = $1 AND first <> $1 AND {_ENDED_BEFORE}
        ORDER BY ended_at DESC, room DESC LIMIT $3
    ) AS other ORDER BY ended_at DESC, room DESC LIMIT $3
) AS page ORDER BY ended_at DESC, room DESC
"""


class Games:
    """The games of each player. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A page has at most ``limit`` games, private ones too. The next page is asked for with ``after``, the last room of
    the one before; a room that is not there begins at the first.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unfinished(self, player: str, after: str | None, limit: int) -> list[tuple[str, bytes]]:
        """The rooms that are not over in which ``player`` sits, the last opened first, each with its ``listing``."""
        rows = await self._database.fetch(_UNFINISHED, player, after, limit)
        return [(room, listing) for _, room, listing in rows]

    async def under_way(self, players: Sequence[str], limit: int) -> list[GameUnderWay]:
        """At most ``limit`` games that are not over in which one of ``players`` sits. One with two of them is there
        twice."""
        return [GameUnderWay(*row) for row in await self._database.fetch(_UNDER_WAY, list(players), limit)]

    async def finished(self, player: str, after: str | None, limit: int) -> list[PastGame]:
        """The games with a result that ``player`` has played, the last first."""
        rows = map(tuple, await self._database.fetch(_FINISHED, player, after, limit))
        return [PastGame(result_of(row), listing, rating, before) for *row, listing, rating, before in rows]
