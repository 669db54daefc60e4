"""Clocks: what the players are given, what they have left, and what a move costs. Pure; does no I/O.

The clock of the side to move runs once each side has made its first move. A move costs its thinking time: the time
since the side came to move, minus compensation for network lag.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from noughts.games import Side
from noughts.value import value

LAG_MS = 1000
"""The most lag that is compensated for one move, with any clock; see :func:`most_lag_ms`."""

QUOTA = 3
"""The most compensation that a side can save up, and what each side starts with, in lags of one move."""

REFILLS = 2
"""A lag of one move is refilled by so many moves: half of it, if constant, is always compensated."""

LAG_SHARE = 10
"""The most lag that is compensated is this part of the time that a clock gives for a move."""

SLOW_MS = 180_000
"""A clock with at least this much for a side, or for each move, is slow."""

DAY_MS = 86_400_000
"""A clock with at least this much for each move is one of days: its players come back now and then."""


@value
class Fischer:
    """Each side has ``initial_ms`` for the game, and each of its moves adds ``increment_ms``.

    The method of R. J. Fischer's US patent 4884255 of 1989. Without an increment it is sudden death.
    """

    initial_ms: int
    increment_ms: int

    @property
    def slow(self) -> bool:
        """True if players have minutes rather than seconds."""
        return self.initial_ms >= SLOW_MS


@value
class PerMove:
    """Each move must be made within ``per_move_ms``."""

    per_move_ms: int

    @property
    def slow(self) -> bool:
        """True if players have minutes rather than seconds."""
        return self.per_move_ms >= SLOW_MS

    @property
    def in_words(self) -> str:
        """``10 s a move``, ``3 days a move``."""
        days = self.per_move_ms // DAY_MS
        return f"{days} day{'s'[: days > 1]} a move" if days else f"{self.per_move_ms / 1000:g} s a move"


TimeControl = Fischer | PerMove

Pool = Literal["bullet", "blitz", "rapid", "classical"]
"""Games of one pool are rated together. The pools go by the expected length of a game, shortest first."""

EXPECTED_MOVES = 30
"""The number of moves a side is expected to make, for the choice of the pool; the real number depends on the game."""

_BELOW_MS: dict[Pool, int] = {"bullet": 180_000, "blitz": 480_000, "rapid": 1_500_000}


def pool_of(control: TimeControl) -> Pool:
    """The pool of games with this clock, by the time that a side has for :data:`EXPECTED_MOVES` moves."""
    expected = _expected_ms(control)
    return next((pool for pool, below in _BELOW_MS.items() if expected < below), "classical")


def days_ms(control: TimeControl | None) -> int:
    """The time that a side has for each move in a game of days, in ms; 0 with any other clock, and without one."""
    return control.per_move_ms if isinstance(control, PerMove) and control.per_move_ms >= DAY_MS else 0


def most_lag_ms(control: TimeControl | None) -> int:
    """The most lag that is compensated for one move with this clock: less in a fast game.

    A client can delay its answers to pings, and so gain half of this with each move.
    """
    return LAG_MS if control is None else min(LAG_MS, _expected_ms(control) // (EXPECTED_MOVES * LAG_SHARE))


def _expected_ms(control: TimeControl) -> int:
    """The time that a side has for :data:`EXPECTED_MOVES` moves."""
    if isinstance(control, Fischer):
        return control.initial_ms + EXPECTED_MOVES * control.increment_ms
    return EXPECTED_MOVES * control.per_move_ms


@value
class Clocks:
    """The time that each side had left when the side to move came to move, and its compensation quota; in ms."""

    first_ms: int
    second_ms: int
    first_quota_ms: int = QUOTA * LAG_MS
    second_quota_ms: int = QUOTA * LAG_MS

    def left(self, side: Side) -> int:
        """The time that ``side`` had left, 0 or more."""
        return self.first_ms if side is Side.FIRST else self.second_ms

    def quota(self, side: Side) -> int:
        """The compensation that ``side`` can have now, 0 or more."""
        return self.first_quota_ms if side is Side.FIRST else self.second_quota_ms


def initial_clocks(control: TimeControl, most_ms: int = LAG_MS) -> Clocks:
    """The clocks before the first move, where ``most_ms`` of lag are compensated for one move."""
    given = control.initial_ms if isinstance(control, Fischer) else control.per_move_ms
    return Clocks(given, given, QUOTA * most_ms, QUOTA * most_ms)


def compensation(lag_ms: int, most_ms: int, quota_ms: int, spent_ms: int) -> int:
    """The part of ``spent_ms`` that a player is compensated whose messages take ``lag_ms`` there and back.

    Never more than ``most_ms``, than ``quota_ms`` or than was spent.
    """
    return max(0, min(lag_ms, most_ms, quota_ms, spent_ms))


def after_move(
    clocks: Clocks, control: TimeControl, side: Side, thought_ms: int, compensated_ms: int, *, most_ms: int = LAG_MS
) -> Clocks:
    """The clocks after a move of ``side`` that took ``thought_ms``, not counting ``compensated_ms``.

    ``most_ms`` of lag are compensated for one move.
    """
    first = side is Side.FIRST
    left, quota = (clocks.first_ms, clocks.first_quota_ms) if first else (clocks.second_ms, clocks.second_quota_ms)
    left = max(0, left - thought_ms) + control.increment_ms if isinstance(control, Fischer) else control.per_move_ms
    quota = min(QUOTA * most_ms, max(0, quota - compensated_ms) + most_ms // REFILLS)
    if first:
        return Clocks(left, clocks.second_ms, quota, clocks.second_quota_ms)
    return Clocks(clocks.first_ms, left, clocks.first_quota_ms, quota)


def allotted_ms(clocks: Clocks, control: TimeControl, side: Side) -> int:
    """The time ``side`` should think about a move: part of what is left, and never more than half of it.

    Most of the increment, and a thirtieth of the rest: chess engines expect some 20 to 40 more moves.
    """
    left = clocks.left(side)
    if isinstance(control, PerMove):
        return left // 2
    return min(left // 2, left // 30 + control.increment_ms * 4 // 5)


def stopped(clocks: Clocks, side: Side, elapsed_ms: int) -> Clocks:
    """The clocks when the game ends ``elapsed_ms`` after ``side`` came to move, and it has not moved."""
    left = max(0, clocks.left(side) - elapsed_ms)
    return replace(clocks, first_ms=left) if side is Side.FIRST else replace(clocks, second_ms=left)
