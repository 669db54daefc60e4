"""Invitations to a server that is not open to everybody, in a journal. Only the hashes of their codes are stored."""

from __future__ import annotations

from collections.abc import Callable

from noughts.journal.database import Database
from noughts.journal.values import StoredPass

_PUT = "INSERT INTO passes (hash, label, made, until, uses) VALUES ($1, $2, $3, $4, $5)"
_USED = "(SELECT count(*) FROM players WHERE pass_hash = passes.hash)"
_VALID = f"SELECT hash, label, made, until, uses, {_USED} FROM passes WHERE until > $1 AND uses > {_USED}"  # noqa: S608
# With the row of the invitation locked, nobody else uses it.
_LOCK = "UPDATE passes SET uses = uses WHERE hash = $1"
_USE = f"""
UPDATE players SET pass_hash = $1, seated = TRUE, changed = $3
WHERE id = $2 AND pass_hash IS NULL AND NOT deleted
    AND EXISTS (SELECT 1 FROM passes WHERE hash = $1 AND until > $3 AND uses > {_USED})
RETURNING id
"""  # noqa: S608


class Passes:
    """The invitations. Every method may wait, none blocks the event loop; all raise :class:`JournalError`."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def put(self, hashed: bytes, label: str, until: int, uses: int) -> None:
        """Store an invitation for ``uses`` players, valid before ``until``, ms since the epoch."""
        await self._database.execute(_PUT, hashed, label, self._now(), until, uses)

    async def use(self, hashed: bytes, player: str) -> bool:
        """Invite the player with this id by the invitation with this hash. Players who are invited are never forgotten.

        Returns False and changes nothing if the invitation is not valid, or used up, or the player is invited already.
        """
        _, used = await self._database.transact((_LOCK, (hashed,)), (_USE, (hashed, player, self._now())))
        return bool(used)

    async def valid(self) -> list[StoredPass]:
        """Those that can still be used, the newest first."""
        rows = await self._database.fetch(f"{_VALID} ORDER BY made DESC, hash", self._now())
        return [StoredPass(*row) for row in rows]

    async def end(self, hashed: bytes) -> bool:
        """Let nobody else come by this invitation. Returns whether there is such a one."""
        sql = "UPDATE passes SET until = 0 WHERE hash = $1 AND until > $2 RETURNING hash"
        return bool(await self._database.execute(sql, hashed, self._now()))
