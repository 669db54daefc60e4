"""Clocks: what the players are given, what they have left, and what a move costs. Pure; does no I/O.

A clock runs for the side to move once each side has made its first move. A move costs what its player has thought:
the time that was spent on it, less what is given back for the way there and back over the network.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from noughts.games import Side

LAG_MS = 1000
"""The most that is given back for one move, however slow the way."""

QUOTA_MS = 3000
"""The most that can be given back for several moves at once, and what each side begins with."""

REFILL_MS = 500
"""What each move of a side adds to what can be given back to it: so much delay is made good for ever."""

SLOW_MS = 180_000
"""A clock with as much for a side, or for each move, is a slow one."""


@dataclass(frozen=True, slots=True)
class Fischer:
    """Each side has ``initial_ms`` for the game, and each of its moves adds ``increment_ms``.

    The method of R. J. Fischer's US patent 4884255 of 1989. Without an increment it is sudden death.
    """

    initial_ms: int
    increment_ms: int

    @property
    def slow(self) -> bool:
        """Whether players have minutes rather than seconds."""
        return self.initial_ms >= SLOW_MS


@dataclass(frozen=True, slots=True)
class PerMove:
    """Each move has to be made within ``per_move_ms``."""

    per_move_ms: int

    @property
    def slow(self) -> bool:
        """Whether players have minutes rather than seconds."""
        return self.per_move_ms >= SLOW_MS


TimeControl = Fischer | PerMove

Pool = Literal["bullet", "blitz", "rapid", "classical"]
"""What games are rated together by how long they may take, the shortest first."""

EXPECTED_MOVES = 30
"""How many moves a side is taken to make, for the sake of the pools; what it makes depends on the game."""

_BELOW_MS: dict[Pool, int] = {"bullet": 180_000, "blitz": 480_000, "rapid": 1_500_000}


def pool_of(control: TimeControl) -> Pool:
    """The pool of games with this clock, by the time that a side has for :data:`EXPECTED_MOVES` moves."""
    if isinstance(control, Fischer):
        expected = control.initial_ms + EXPECTED_MOVES * control.increment_ms
    else:
        expected = EXPECTED_MOVES * control.per_move_ms
    return next((pool for pool, below in _BELOW_MS.items() if expected < below), "classical")


@dataclass(frozen=True, slots=True)
class Clocks:
    """What each side had left when the side to move came to move, and how much can be given back to it; in ms."""

    first_ms: int
    second_ms: int
    first_quota_ms: int = QUOTA_MS
    second_quota_ms: int = QUOTA_MS

    def left(self, side: Side) -> int:
        """What ``side`` had left, 0 or more."""
        return self.first_ms if side is Side.FIRST else self.second_ms

    def quota(self, side: Side) -> int:
        """How much can be given back to ``side`` now, 0 or more."""
        return self.first_quota_ms if side is Side.FIRST else self.second_quota_ms


def wound_up(control: TimeControl) -> Clocks:
    """The clocks before the first move."""
    given = control.initial_ms if isinstance(control, Fischer) else control.per_move_ms
    return Clocks(given, given)


def compensation(lag_ms: int, quota_ms: int, spent_ms: int) -> int:
    """How much of ``spent_ms`` is given back to a player whose messages take ``lag_ms`` there and back.

    Never more than :data:`LAG_MS`, than ``quota_ms`` or than was spent.
    """
    return max(0, min(lag_ms, LAG_MS, quota_ms, spent_ms))


def after_move(clocks: Clocks, control: TimeControl, side: Side, thought_ms: int, compensated_ms: int) -> Clocks:
    """The clocks after a move of ``side`` that cost it ``thought_ms``, after ``compensated_ms`` were given back."""
    if isinstance(control, Fischer):
        left = max(0, clocks.left(side) - thought_ms) + control.increment_ms
    else:
        left = control.per_move_ms
    quota = min(QUOTA_MS, max(0, clocks.quota(side) - compensated_ms) + REFILL_MS)
    if side is Side.FIRST:
        return replace(clocks, first_ms=left, first_quota_ms=quota)
    return replace(clocks, second_ms=left, second_quota_ms=quota)


def allotted_ms(clocks: Clocks, control: TimeControl, side: Side) -> int:
    """How long ``side`` does well to think about a move: some of what is left, for the game may last, never half of it.

    Most of the increment, and a thirtieth of the rest: engines for chess reckon with some 20 to 40 moves to come.
    """
    left = clocks.left(side)
    if isinstance(control, PerMove):
        return left // 2
    return min(left // 2, left // 30 + control.increment_ms * 4 // 5)


def stopped(clocks: Clocks, side: Side, elapsed_ms: int) -> Clocks:
    """The clocks when the game ends ``elapsed_ms`` after ``side`` came to move, with no move of it."""
    left = max(0, clocks.left(side) - elapsed_ms)
    return replace(clocks, first_ms=left) if side is Side.FIRST else replace(clocks, second_ms=left)
