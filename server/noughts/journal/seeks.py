"""The seeks in a journal: which players want an opponent, and who was paired with whom."""

# ruff: noqa: S608  # the queries are put together from constants
from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal.database import Database
from noughts.journal.people import COLUMNS, player_of
from noughts.journal.values import Append, Seek

PAIRED_MS = 3_600_000
"""The time a paired seek is kept, at least."""

_SEEK = f"""
SELECT key, game, terms, rating, deviation, since, {COLUMNS}
FROM seeks JOIN players ON players.id = seeks.player
"""
_WAITING = f"""
{_SEEK} WHERE room IS NULL AND game = $1 AND terms = $2 AND until > $3 AND banned_until <= $3
ORDER BY since, player LIMIT $4
"""
_OPEN = f"""
{_SEEK} WHERE room IS NULL AND until > $1 AND banned_until <= $1 ORDER BY since DESC, player DESC LIMIT $2
"""
_CHANGED = """
SELECT player, key, game, terms, FALSE FROM seeks WHERE room IS NULL AND since >= $1
UNION ALL SELECT player, key, game, terms, TRUE FROM seeks WHERE room IS NOT NULL AND paired_at >= $1
"""
_OF_PLAYER = f"{_SEEK} WHERE player = $1 AND room IS NULL AND until > $2 AND banned_until <= $2"


class Seeks:
    """The seeks. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A seek waits until it is paired, withdrawn, or expires. A paired seek names its room for an hour, so that a player
    who missed the news can ask again.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def put(self, seek: Seek, until: int) -> str | None:
        """Store a seek that expires at ``until``, ms since the epoch. It replaces a seek with another key.

        If the player's seek with this key is there already, it is renewed; returns its room if it has been paired.
        Raises :class:`UnknownPlayer`, with nothing changed, if the player is not stored.
        """
        return await self._database.put_seek(seek, until)

    async def withdraw(self, player: str) -> bool:
        """Drop the player's seek. Returns False if none is waiting: it may have been paired."""
        sql = "DELETE FROM seeks WHERE player = $1 AND room IS NULL RETURNING player"
        return bool(await self._database.execute(sql, player))

    async def renew(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        """Let these seeks, given by player and key, expire at ``until``. A time in the past ends them now.

        A seek that has expired waits again. Returns, by player, the room of each that was paired, None for one that
        waits, and nothing for one that is not there.
        """
        return await self._database.renew_seeks(seeks, until)

    async def waiting(self, game: str, terms: str, now: int, limit: int) -> list[Seek]:
        """At most ``limit`` seeks for that game and terms that wait at ``now``, the longest waiting first.

        The players are as they are stored now; banned players are left out.
        """
        rows = map(tuple, await self._database.fetch(_WAITING, game, terms, now, limit))
        return [Seek(player_of(row[6:]), *row[:6]) for row in rows]

    async def changed(self, since: int) -> list[tuple[str, str, str, str, bool]]:
        """The seeks that came or were paired at ``since``, ms since the epoch, or later, in any order.

        Each is given by player, key, game, terms and whether it was paired. A seek that was withdrawn is not there.
        """
        rows = map(tuple, await self._database.fetch(_CHANGED, since))
        return [(player, key, game, terms, bool(paired)) for player, key, game, terms, paired in rows]

    async def open(self, now: int, limit: int) -> list[Seek]:
        """At most ``limit`` seeks for any game and terms that wait at ``now``, the last to come first.

        The players are as they are stored now; banned players are left out.
        """
        rows = map(tuple, await self._database.fetch(_OPEN, now, limit))
        return [Seek(player_of(row[6:]), *row[:6]) for row in rows]

    async def find(self, player: str, now: int) -> Seek | None:
        """The player's seek if it waits at ``now``. A banned player has none."""
        rows = await self._database.fetch(_OF_PLAYER, player, now)
        return Seek(player_of(tuple(rows[0])[6:]), *tuple(rows[0])[:6]) if rows else None

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        """Open the room of ``write`` for these two, whose seeks then wait no longer, in one transaction.

        Returns False and changes nothing unless both seeks wait and the room is new: nobody is paired twice, on
        however many servers. Raises :class:`JournalError` when the outcome is unknown.
        """
        if write.version != 1 or one.player.id == other.player.id:
            return False
        return await self._database.pair(one, other, write, self._now())

    async def forget(self, before: int) -> None:
        """Drop the seeks that expired before that time, ms since the epoch, and those paired long ago."""
        await self._database.execute("DELETE FROM seeks WHERE room IS NULL AND until < $1", before)
        paired = "DELETE FROM seeks WHERE room IS NOT NULL AND paired_at < $1"
        await self._database.execute(paired, self._now() - PAIRED_MS)
