"""The chat of players in a journal, their mutes, and their reports to the operator."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal.database import Database
from noughts.journal.values import StoredPlayer, StoredReport

LINES, SIDE_BYTES = 50, 16_384
"""The number of lines kept of what the players of a room, and as many of what its spectators, have said last; and how
many bytes of them at most."""

MUTES = 200
"""The number of others a player may have muted at once."""

REPORTS = 1000
"""The number of reports kept, the latest."""

_ROOM = "(SELECT number FROM rooms WHERE room = $1)"
_PUT = "INSERT INTO chat (room, players, player, line) SELECT number, $2, $3, $4 FROM rooms WHERE room = $1"
_TRIM = f"""
DELETE FROM chat WHERE number IN (
    SELECT number FROM (
        SELECT number, row_number() OVER latest AS place, sum(length(line)) OVER latest AS bytes
        FROM chat WHERE room = {_ROOM} AND players = $2 WINDOW latest AS (ORDER BY number DESC)
    ) AS held WHERE place > $3 OR bytes > $4
)
"""
_LINES = f"""
SELECT line FROM chat WHERE room = {_ROOM} AND players = $2
    AND NOT EXISTS (SELECT 1 FROM mutes WHERE mutes.muted = chat.player AND mutes.player = $3)
ORDER BY number
"""
_MUTE = """
INSERT INTO mutes (muted, player) SELECT $2, $1 WHERE (SELECT count(*) FROM mutes WHERE player = $1) < $3
ON CONFLICT DO NOTHING
"""
_UNMUTE = "DELETE FROM mutes WHERE muted = $2 AND player = $1"
_MUTED = """
SELECT id, name, kind, registered FROM mutes JOIN players ON id = muted WHERE player = $1
"""
_WHO_MUTED = "SELECT player FROM mutes WHERE muted = $1 AND player = ANY($2)"
_REPORT = """
INSERT INTO reports (at, room, player, reporter, reason, lines) VALUES ($1, $2, $3, $4, $5, $6) RETURNING number
"""
_TRIM_REPORTS = "DELETE FROM reports WHERE number <= (SELECT max(number) FROM reports) - $1"
_REPORTS = """
SELECT number, at, room, player, reporter, reason, lines FROM reports WHERE number > 0 ORDER BY number DESC LIMIT $1
"""


class Talk:
    """Chat, mutes and reports. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A line is bytes here. Of each side of a room, its players and its spectators, the last :data:`LINES` are kept, and
    no more than :data:`SIDE_BYTES`.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def put(self, room: str, player: str, line: bytes, *, players: bool) -> None:
        """Store what ``player`` says to the players or the spectators of ``room``."""
        await self._database.transact(
            (_PUT, (room, players, player, line)), (_TRIM, (room, players, LINES, SIDE_BYTES))
        )

    async def lines(self, room: str, reader: str, *, players: bool) -> list[bytes]:
        """The last lines of a side of ``room``, the oldest first, without those of whom ``reader`` has muted."""
        return [line for (line,) in await self._database.fetch(_LINES, room, players, reader)]

    async def mute(self, player: str, other: str) -> bool:
        """``player`` does not want to hear ``other``. False if :data:`MUTES` others are muted already."""
        await self._database.execute(_MUTE, player, other, MUTES)
        return bool(await self.who_muted(other, [player]))

    async def unmute(self, player: str, other: str) -> None:
        """``player`` wants to hear ``other`` again."""
        await self._database.execute(_UNMUTE, player, other)

    async def muted(self, player: str) -> list[StoredPlayer]:
        """Those whom ``player`` has muted, by name."""
        rows = await self._database.fetch(_MUTED, player)
        found = [StoredPlayer(other, name, kind, b"", bool(registered)) for other, name, kind, registered in rows]
        return sorted(found, key=lambda one: (one.name, one.id))

    async def who_muted(self, player: str, among: Sequence[str]) -> set[str]:
        """Those of the players with the ids ``among`` who do not want to hear ``player``."""
        return {one for (one,) in await self._database.fetch(_WHO_MUTED, player, list(among))}

    async def said_by(self, player: str) -> list[bytes]:
        """The lines of ``player`` that are kept, the oldest first."""
        sql = "SELECT line FROM chat WHERE player = $1 ORDER BY number"
        return [line for (line,) in await self._database.fetch(sql, player)]

    async def report(self, room: str, player: str, reporter: str, reason: str, lines: bytes) -> int:
        """Store what ``reporter`` says of ``player``; ``lines`` is a JSON list of chat. The number of the report."""
        row = (self._now(), room, player, reporter, reason, lines)
        ((number,),), _ = await self._database.transact((_REPORT, row), (_TRIM_REPORTS, (REPORTS,)))
        return int(number)

    async def reports(self, limit: int) -> list[StoredReport]:
        """At most ``limit`` reports, the latest first."""
        return [StoredReport(*row) for row in await self._database.fetch(_REPORTS, limit)]
