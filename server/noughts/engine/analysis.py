"""The interface of a search: its limits and its results. Pure; does no I/O.

Values are for the side to move at the root. A win d plies from the root is worth ``Game.win - d`` and a loss
``-Game.win + d``, or their margin in a game with ``Game.margin``; a draw is worth 0. Positions that are not searched to
the end have estimates, in the units of the game's ``Heuristic``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from noughts.games import Game, Position


class Interrupt:
    """Stops a search from another thread. A search polls it every few thousand nodes, and answers with what it has.

    ``flag`` is one byte of memory that compiled code can read, 0 or 1.
    """

    __slots__ = ("flag",)

    def __init__(self) -> None:
        self.flag = bytearray(1)

    def set(self) -> None:
        """Stop the search that polls this; a search that starts later stops at once."""
        self.flag[0] = 1

    def __call__(self) -> bool:
        """Whether it is set."""
        return self.flag[0] != 0


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search may go; it ends at the first limit.

    ``depth`` is in plies from the root, 1 or more, None for the end of the game. ``nodes`` is the approximate number of
    positions to visit: the search polls it as it polls an :class:`Interrupt`. With ``every_move`` false only the best
    moves get exact values, which is much faster; the values of the others are upper bounds, and lines may end after
    the first move. Raises ValueError for a depth or a number of nodes below 1.
    """

    depth: int | None = None
    nodes: int | None = None
    every_move: bool = True

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise ValueError("depth must be at least 1")
        if self.nodes is not None and self.nodes < 1:
            raise ValueError("nodes must be at least 1")


class Bound(StrEnum):
    """Which side of a value is known: it is at most, or at least, so much."""

    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class MoveValue:
    """The value of a move.

    ``value`` is for the side that plays it. If it is not ``exact``, it is a proved ``bound`` or else an estimate, or an
    upper bound of an estimate (see :class:`Limits`).
    ``distance`` is the number of plies to the end of the game with best play, including this move, None if unknown.
    ``line`` is the principal variation as far as it is known; it begins with the move. ``depth`` is the number of plies
    searched for an estimate, including this move, 0 for bounds and if unknown. Compare only estimates of equal depth; a
    stopped search may have two depths.
    """

    value: int
    exact: bool
    distance: int | None
    line: tuple[str, ...]
    depth: int = field(default=0, compare=False, repr=False)
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of a search, for the side to move at the root.

    ``value`` is the root's value. ``moves`` has every legal move, in board order; it is empty when the game is over.
    ``best`` has the moves that no other is known to beat, in board order, at least one if there are moves. Exact wins
    come before estimates, so these do not always have the greatest ``value``. ``nodes`` counts the visited positions, 1
    when the game is over; ``depth`` is the number of plies searched completely. ``seconds`` is the duration, None until
    the caller, who has a clock, fills it in.
    """

    value: int
    exact: bool
    moves: dict[str, MoveValue]
    best: tuple[str, ...]
    nodes: int
    depth: int
    seconds: float | None = None


class Engine(Protocol):
    """A search for the positions of one game.

    It may keep results for the next search, so use one engine in one thread at a time.
    """

    @property
    def game(self) -> Game:
        """The game that it searches."""

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """Search ``position``. When ``stop`` is set, soon return the best result so far; never raise for that."""
