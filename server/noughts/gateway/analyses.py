"""What one player may have explained: one position at a time, and not too often."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from noughts.config import Settings
from noughts.engine import Analysis
from noughts.gateway.limits import TokenBucket
from noughts.protocol import ErrorCode, analysed
from noughts.rooms import Room, may_be_analysed

Analyse = Callable[[str, tuple[str, ...]], asyncio.Future[Analysis]]
"""What has a position analysed: a game's key and the moves from its start. Cancel the future to drop it."""

AT_ONCE = 10
"""How many a player may ask for one after the other without a pause."""

QUEUED_S = 10.0
"""How long a client waits for its turn, moves and others coming first."""


class Unexplained(Exception):
    """The client is not told; ``code`` and ``message`` say why, ``retry_after_s`` when to ask again."""

    def __init__(self, code: ErrorCode, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s


class _Allowance:
    """What one player may ask for, whichever connections they are asked for over."""

    def __init__(self, settings: Settings) -> None:
        self.busy = False
        self._bucket = TokenBucket(settings.analyses_per_s, AT_ONCE)
        self._longest_s = settings.analyse_s

    def begin(self, now: float) -> None:
        """The player asks for one, at ``now`` in seconds. Raises :class:`Unexplained`."""
        if self.busy:
            text = "One analysis at a time; wait for the answer."
            raise Unexplained("rate_limited", text, self._longest_s)
        wait = self._bucket.take(now)
        if wait:
            raise Unexplained("rate_limited", "Too many analyses; wait before the next.", round(wait, 3))
        self.busy = True

    def idle(self, now: float) -> bool:
        """Whether the player has asked for nothing that anybody need remember."""
        return not self.busy and self._bucket.full_at <= now


class Analyses:
    """What ``analyse`` makes for the players, and how much each may ask for."""

    def __init__(self, settings: Settings, analyse: Analyse) -> None:
        self._settings = settings
        self._analyse = analyse
        self._players: OrderedDict[str, _Allowance] = OrderedDict()

    def begin(self, player: str, now: float) -> Asked:
        """``player``, an id, asks for an analysis, at ``now`` in seconds. Raises :class:`Unexplained`.

        :meth:`Asked.end` must follow.
        """
        players = self._players
        asking = players.setdefault(player, _Allowance(self._settings))
        players.move_to_end(player)
        while (oldest := next(iter(players))) != player and players[oldest].idle(now):
            del players[oldest]
        asking.begin(now)
        return Asked(asking, self._analyse, self._settings.analyse_s)


class Asked:
    """One analysis that somebody has asked for."""

    def __init__(self, asking: _Allowance, analyse: Analyse, longest_s: float) -> None:
        self.dropped = False
        self._asking = asking
        self._analyse = analyse
        self._longest_s = longest_s
        self._under_way: asyncio.Future[Analysis] | None = None

    async def explain(self, room: Room, ply: int | None) -> dict[str, object]:
        """What the moves of ``room`` are worth at ``ply``, as the answer's fields. Raises :class:`Unexplained`."""
        if not may_be_analysed(room.status, rated=room.rated):
            raise Unexplained("not_allowed", "A rated game is not analysed before its end.")
        moves, to_move = room.moves, room.position.to_move
        present: dict[str, object] = {"turn": room.turn}
        if ply is not None and ply > len(moves):
            raise Unexplained("stale", f"That ply is still to come; {len(moves)} were played.")
        if ply is not None and ply < len(moves):
            # Who was to move is who moved; to play all of it again would take as long as the game likes.
            moves, to_move, present = moves[:ply], room.plies[ply].side, {}
        self._under_way = self._analyse(room.game.key, moves)
        await asyncio.wait({self._under_way}, timeout=QUEUED_S + self._longest_s)
        if not self._under_way.done():
            self._under_way.cancel()
            text = "The computer is busy; ask again later."
            raise Unexplained("rate_limited", text, self._longest_s)
        found = analysed(self._under_way.result())
        side = None if to_move is None else to_move.value
        return {"room": room.id, "game": room.game.key, "ply": len(moves), **present, "to_move": side, **found}

    def end(self) -> None:
        """It was answered, or nobody hears of it any more."""
        self._asking.busy = False

    def drop(self) -> None:
        """The client is gone, and its analysis with it, be it under way or still to begin."""
        self.dropped = True
        if self._under_way is not None:
            self._under_way.cancel()
