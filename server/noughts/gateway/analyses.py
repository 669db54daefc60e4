"""What one client may have explained: one position at a time, and not too often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from noughts.config import Settings
from noughts.engine import Analysis
from noughts.gateway.limits import TokenBucket
from noughts.protocol import ErrorCode, analysed
from noughts.rooms import Room, may_be_analysed

Analyse = Callable[[str, tuple[str, ...]], asyncio.Future[Analysis]]
"""What has a position analysed: a game's key and the moves from its start. Cancel the future to drop it."""

AT_ONCE = 10
"""How many a client may ask for one after the other without a pause."""

QUEUED_S = 10.0
"""How long a client waits for its turn, moves and others coming first."""


class Unexplained(Exception):
    """The client is not told; ``code`` and ``message`` say why, ``retry_after_s`` when to ask again."""

    def __init__(self, code: ErrorCode, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s


class Analyses:
    """Those of one client, made by ``analyse``."""

    def __init__(self, settings: Settings, analyse: Analyse) -> None:
        self._longest_s = settings.analyse_s
        self._analyse = analyse
        self._bucket = TokenBucket(settings.analyses_per_s, AT_ONCE)
        self._busy = False
        self._under_way: asyncio.Future[Analysis] | None = None

    def begin(self, now: float) -> None:
        """The client asks for one, at ``now`` in seconds. :meth:`end` must follow. Raises :class:`Unexplained`."""
        if self._busy:
            text = "One analysis at a time; wait for the answer."
            raise Unexplained("rate_limited", text, self._longest_s)
        wait = self._bucket.take(now)
        if wait:
            raise Unexplained("rate_limited", "Too many analyses; wait before the next.", round(wait, 3))
        self._busy = True

    async def explain(self, room: Room, ply: int | None) -> dict[str, object]:
        """What the moves of ``room`` are worth at ``ply``, as the answer's fields. Raises :class:`Unexplained`."""
        if not may_be_analysed(room.status, rated=room.rated):
            raise Unexplained("not_allowed", "A rated game is not analysed before its end.")
        position, moves = room.position, room.moves
        if ply is not None and ply > len(moves):
            raise Unexplained("stale", f"That ply is still to come; {len(moves)} were played.")
        if ply is not None and ply < len(moves):
            position, moves = room.game.start, moves[:ply]
            for move in moves:
                position = position.play(move)
        self._under_way = self._analyse(room.game.key, moves)
        await asyncio.wait({self._under_way}, timeout=QUEUED_S + self._longest_s)
        if not self._under_way.done():
            self._under_way.cancel()
            text = "The computer is busy; ask again later."
            raise Unexplained("rate_limited", text, self._longest_s)
        found = analysed(self._under_way.result())
        to_move = None if position.to_move is None else position.to_move.value
        return {"room": room.id, "game": room.game.key, "ply": len(moves), "to_move": to_move, **found}

    def end(self) -> None:
        """The client has its answer."""
        self._busy = False

    def drop(self) -> None:
        """The client is gone, and its analysis with it."""
        if self._under_way is not None:
            self._under_way.cancel()
