"""Tokens and codes in a journal: the devices on which a player is signed in, and how another one gets in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from noughts.journal.database import Database
from noughts.journal.people import COLUMNS, player_of
from noughts.journal.values import StoredPlayer, StoredToken

Purpose = Literal["join", "recovery"]

JOIN_MS = 300_000
"""The time a code for another device is valid."""

USED_MS = 3_600_000
"""The greatest age of ``used``: noting each use would be a write for each hello."""

# With the row of the player locked, nobody else changes that player's tokens and codes.
_LOCK = "UPDATE players SET changed = $2 WHERE id = $1 RETURNING id"
_LOCK_UNCHANGED = "UPDATE players SET changed = changed WHERE id = $1"
_LOCK_OWNER = "UPDATE players SET changed = $2 WHERE id = (SELECT player FROM codes WHERE hash = $1)"
_IDLE = "SELECT hash FROM tokens WHERE player = ANY($1) AND used <= $2 ORDER BY hash"
_USE = "UPDATE tokens SET used = $2 WHERE hash = $1"
_RENEW = "UPDATE tokens SET hash = $3 WHERE player = $1 AND hash = $2 RETURNING hash"
# Whoever asks must still hold a token: it may have been taken a moment ago, on another node.
_HELD = "EXISTS (SELECT 1 FROM tokens AS t WHERE t.hash = $2 AND t.player = $1)"
_END_JOIN = f"DELETE FROM codes WHERE player = $1 AND purpose = 'join' AND {_HELD}"  # noqa: S608
_END = f"DELETE FROM tokens WHERE player = $1 AND hash = $3 AND {_HELD}"  # noqa: S608
_END_ALL = f"DELETE FROM tokens WHERE player = $1 AND hash <> $3 AND {_HELD}"  # noqa: S608
_TAKE_TOKENS = "DELETE FROM tokens WHERE player = $1"
_TAKE_CODES = "DELETE FROM codes WHERE player = $1"
_GIVE = "INSERT INTO tokens (hash, player, label, added, used) SELECT $2, id, $3, $4, $4 FROM players WHERE id = $1"
_PUT_CODE = f"""
INSERT INTO codes (player, purpose, hash, made) SELECT id, $3, $4, $5 FROM players WHERE id = $1 AND {_HELD}
ON CONFLICT (player, purpose) DO UPDATE SET hash = excluded.hash, made = excluded.made
RETURNING player
"""  # noqa: S608
_RECOVERY = "SELECT made FROM codes WHERE player = $1 AND purpose = 'recovery'"
_OWNER = f"""
SELECT {COLUMNS} FROM players JOIN codes ON codes.player = players.id
WHERE codes.hash = $1 AND (purpose = 'recovery' OR made > $2)
"""  # noqa: S608
# Whoever has lost all devices must get in, however many there were.
_MAKE_ROOM = """
DELETE FROM tokens WHERE hash IN (
    SELECT t.hash FROM tokens AS t JOIN codes AS c ON c.player = t.player
    WHERE c.hash = $1 AND purpose = 'recovery' ORDER BY used DESC, t.hash LIMIT 1000 OFFSET $2
)
"""
_REDEEM = """
INSERT INTO tokens (hash, player, label, added, used) SELECT $3, player, $4, $5, $5 FROM codes
WHERE hash = $1 AND (purpose = 'recovery' OR made > $2)
    AND (SELECT count(*) FROM tokens AS t WHERE t.player = codes.player) < $6
    AND NOT EXISTS (SELECT 1 FROM tokens AS t WHERE t.hash = $3)
"""
_SPEND = "DELETE FROM codes WHERE hash = $1 AND purpose = 'join' AND EXISTS (SELECT 1 FROM tokens WHERE hash = $2)"
_HOLDER = "SELECT player FROM tokens WHERE hash = $1"


class Tokens:
    """The players' tokens. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A token belongs to at most one player, and so does a code. A player has at most one code for each purpose.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def of(self, player: str) -> list[StoredToken]:
        """The tokens of a player, the last used first."""
        sql = "SELECT hash, label, added, used FROM tokens WHERE player = $1 ORDER BY used DESC, added DESC, hash"
        return [StoredToken(*row) for row in await self._database.fetch(sql, player)]

    async def held(self, players: Sequence[str]) -> dict[str, set[bytes]]:
        """The hashes of all tokens of each of these players."""
        held: dict[str, set[bytes]] = {player: set() for player in players}
        for player, hashed in await self._database.fetch(
            "SELECT player, hash FROM tokens WHERE player = ANY($1)", list(players)
        ):
            held[player].add(hashed)
        return held

    async def note_use(self, players: Sequence[str], hashes: Sequence[bytes]) -> None:
        """Note that these tokens of these players are in use, where that was last noted more than an hour ago."""
        now, wanted = self._now(), set(hashes)
        idle = [hashed for (hashed,) in await self._database.fetch(_IDLE, list(players), now - USED_MS)]
        if used := [hashed for hashed in idle if hashed in wanted]:
            await self._database.transact(*((_USE, (hashed, now)) for hashed in used))

    async def renew(self, player: str, before: bytes, after: bytes) -> bool:
        """Replace a token by another. Returns False and changes nothing if the player does not hold ``before``."""
        _, renewed = await self._database.transact((_LOCK, (player, self._now())), (_RENEW, (player, before, after)))
        return bool(renewed)

    async def end(self, player: str, by: bytes, hashed: bytes) -> None:
        """Take the token with the hash ``hashed`` from a player, and the code for another device.

        Nothing changes if the player does not hold the token ``by``, which may be the same.
        """
        lock = (_LOCK, (player, self._now()))
        await self._database.transact(lock, (_END_JOIN, (player, by)), (_END, (player, by, hashed)))

    async def end_all(self, player: str, by: bytes, but: bytes = b"") -> None:
        """As :meth:`end`, for all tokens but one. The recovery code remains."""
        lock = (_LOCK, (player, self._now()))
        await self._database.transact(lock, (_END_JOIN, (player, by)), (_END_ALL, (player, by, but)))

    async def reset(self, player: str, hashed: bytes | None = None, label: str = "") -> bool:
        """Take all tokens and codes from a player, and give the token with this hash, if any, in their place.

        Returns whether the player exists.
        """
        now = self._now()
        given = [] if hashed is None else [(_GIVE, (player, hashed, label, now))]
        lock = (_LOCK, (player, now))
        found, *_ = await self._database.transact(lock, (_TAKE_TOKENS, (player,)), (_TAKE_CODES, (player,)), *given)
        return bool(found)

    async def put_code(self, player: str, by: bytes, purpose: Purpose, hashed: bytes) -> bool:
        """Store a code in place of the player's last for that purpose.

        Returns False and changes nothing if the player does not hold the token ``by``.
        """
        now = self._now()
        _, put = await self._database.transact(
            (_LOCK_UNCHANGED, (player,)), (_PUT_CODE, (player, by, purpose, hashed, now))
        )
        return bool(put)

    async def recovery_made(self, player: str) -> int | None:
        """The time at which the player's recovery code was made, ms since the epoch; None if there is none."""
        rows = await self._database.fetch(_RECOVERY, player)
        return int(rows[0][0]) if rows else None

    async def find_by_code(self, hashed: bytes) -> StoredPlayer | None:
        """The player who has this valid code, or None."""
        rows = await self._database.fetch(_OWNER, hashed, self._oldest())
        return player_of(rows[0]) if rows else None

    async def redeem(self, code: bytes, hashed: bytes, label: str, limit: int) -> bool:
        """Give the owner of a valid code the token with the hash ``hashed``. Returns False if the code is not valid.

        It also returns False if the player has ``limit`` tokens already; but with the recovery code, which remains
        valid, the token that was not used for the longest time makes room. With the same hash it may be repeated.
        """
        *_, holder = await self._database.transact(
            (_LOCK_OWNER, (code, self._now())),
            (_MAKE_ROOM, (code, limit - 1)),
            (_REDEEM, (code, self._oldest(), hashed, label, self._now(), limit)),
            (_SPEND, (code, hashed)),
            (_HOLDER, (hashed,)),
        )
        return bool(holder)

    def _oldest(self) -> int:
        return self._now() - JOIN_MS
