"""Webhooks in a journal: where players want to be told that it is their move, and whom to tell next."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal.database import Database
from noughts.journal.values import Notice, StoredWebhook

RETRY_MS, ATTEMPTS = 30_000, 7
"""A call that fails is made again after this time, and then after 4 times as long each time: 7 calls in 11 hours."""

_SET = """
INSERT INTO webhooks (player, url, secret) SELECT id, $2, $3 FROM players WHERE id = $1
ON CONFLICT (player) DO UPDATE SET url = excluded.url, secret = excluded.secret, tried_at = NULL, outcome = NULL
RETURNING player
"""
_TRY = """
INSERT INTO notices (player, room, version, due_at, attempts) SELECT player, '', 0, 0, 0 FROM webhooks WHERE player = $1
ON CONFLICT (player, room) DO UPDATE SET due_at = 0, attempts = 0
"""
_OF = "SELECT player, url, secret, tried_at, outcome FROM webhooks WHERE player = $1"
_REMOVE = "DELETE FROM webhooks WHERE player = $1"
_END = "DELETE FROM notices WHERE player = $1"

NOTE = """
INSERT INTO notices (player, room, version, due_at, attempts)
SELECT player, $2, $3, 0, 0 FROM webhooks WHERE player = $1
ON CONFLICT (player, room) DO UPDATE SET version = excluded.version, due_at = 0, attempts = 0
"""
"""Have a player told of a room's version, if it has a webhook. Part of the write of that version."""

# Whoever takes a notice puts off the next attempt in the same step: a node that dies loses none, and two nodes that
# look at the same time do not take the same.
_DUE = "SELECT 1 FROM notices WHERE due_at <= $1 LIMIT 1"
_TAKE = f"""
UPDATE notices SET attempts = attempts + 1,
    due_at = $1 + (CAST({RETRY_MS} AS bigint) << CAST(2 * attempts AS integer))
WHERE due_at <= $1 AND (player, room) IN (
    SELECT player, room FROM notices WHERE due_at <= $1 AND NOT (player = ANY($2)) ORDER BY due_at LIMIT $3
)
RETURNING player, room, version, attempts
"""
_HOOKS = "SELECT player, url, secret, tried_at, outcome FROM webhooks WHERE player = ANY($1)"
_DONE = "DELETE FROM notices WHERE player = $1 AND room = $2 AND version = $3"
_NOTE_OUTCOME = "UPDATE webhooks SET tried_at = $2, outcome = $3 WHERE player = $1"
_PUT_OFF = """
UPDATE notices SET due_at = $4, attempts = attempts - 1 WHERE player = $1 AND room = $2 AND version = $3
"""


class Webhooks:
    """The webhooks, at most one for each player. Every method may wait, none blocks the event loop; all raise
    :class:`JournalError`.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def set(self, player: str, url: str, secret: bytes) -> bool:
        """Have ``player`` told at ``url``, first of all that it is. Returns whether the player exists."""
        stored, _ = await self._database.transact((_SET, (player, url, secret)), (_TRY, (player,)))
        return bool(stored)

    async def of(self, player: str) -> StoredWebhook | None:
        """The webhook of ``player``, or None."""
        rows = await self._database.fetch(_OF, player)
        return StoredWebhook(*rows[0]) if rows else None

    async def remove(self, player: str) -> None:
        """Tell ``player`` nothing more."""
        await self._database.transact((_REMOVE, (player,)), (_END, (player,)))

    async def take(self, limit: int, busy: Sequence[str]) -> list[tuple[Notice, StoredWebhook]]:
        """At most ``limit`` notices that are due, of players not among ``busy``, each with its webhook.

        The caller makes the call, and then says :meth:`done`; otherwise the notice is due again later.
        """
        if not await self._database.fetch(_DUE, self._now()):  # it is asked often, and mostly in vain
            return []
        rows = await self._database.execute(_TAKE, self._now(), list(busy), limit)
        taken = [Notice(*row) for row in rows]
        if not taken:
            return []
        found = await self._database.fetch(_HOOKS, sorted({notice.player for notice in taken}))
        hooks = {row[0]: StoredWebhook(*row) for row in found}
        return [(notice, hooks[notice.player]) for notice in taken if notice.player in hooks]

    async def done(self, notice: Notice) -> None:
        """Make no further call for ``notice``. A later turn in its room stays."""
        await self._database.execute(_DONE, notice.player, notice.room, notice.version)

    async def called(self, notice: Notice, outcome: str, *, final: bool) -> None:
        """Note how a call went, in words; if it is ``final``, as :meth:`done`."""
        noted = (_NOTE_OUTCOME, (notice.player, self._now(), outcome))
        ended = (_DONE, (notice.player, notice.room, notice.version))
        await self._database.transact(noted, *([ended] if final else []))

    async def put_off(self, notice: Notice, until: int) -> None:
        """Make the call for ``notice`` at ``until``, ms since the epoch, as if it had not been tried now."""
        await self._database.execute(_PUT_OFF, notice.player, notice.room, notice.version, until)
