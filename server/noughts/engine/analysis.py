"""What a search is asked, and what it answers. Pure; does no I/O.

Values are for the side to move at the root. Of a game that is decided by the board's end alone a win d plies from the
root is worth ``Game.win - d``, a loss ``-Game.win + d``; where it matters by how much one wins (``Game.margin``), that
margin; a draw 0. What is not searched to the end is estimated, in the units of the game's ``Heuristic``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from noughts.games import Game, Position


class Interrupt:
    """Ends a search from another thread. A search polls it every few thousand nodes, and then answers what it has.

    ``flag`` is one byte of memory that compiled code can look at, 0 or 1.
    """

    __slots__ = ("flag",)

    def __init__(self) -> None:
        self.flag = bytearray(1)

    def set(self) -> None:
        """End the search that polls this, or at once the one that will."""
        self.flag[0] = 1

    def __call__(self) -> bool:
        """Whether it has been set."""
        return self.flag[0] != 0


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search may go, the first bound that it meets.

    ``depth`` is in plies from the root, 1 or more, None for the end of the game. ``nodes`` is how many positions may
    be visited, about: the search polls it as it polls an :class:`Interrupt`. With ``every_move`` false only the best
    moves are told exactly, which is much faster, and the others' values are upper bounds; lines may then be no more
    than the move. Raises ValueError for a depth or a number of nodes below 1.
    """

    depth: int | None = None
    nodes: int | None = None
    every_move: bool = True

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise ValueError("depth is 1 or more")
        if self.nodes is not None and self.nodes < 1:
            raise ValueError("nodes is 1 or more")


class Bound(StrEnum):
    """Which side of a value is known: it is at most, or at least, so much."""

    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class MoveValue:
    """What a move is worth.

    ``value`` is for the side that plays it. If it is not ``exact``, it is a proved ``bound`` or else an estimate, or an
    upper bound of an estimate (see :class:`Limits`).
    ``distance`` is the number of plies to the end of the game, this move included, when both play their best, None
    where it is not known. ``line`` is the principal variation, as far as known; it begins with the move. ``depth`` is
    how many plies were looked ahead for an estimate, this move included: only estimates of one depth compare well, and
    where a search was stopped there are two. It is 0 for bounds and where nothing is said of it.
    """

    value: int
    exact: bool
    distance: int | None
    line: tuple[str, ...]
    depth: int = field(default=0, compare=False, repr=False)
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found, seen by the side to move at the root.

    ``value`` is the root's. ``moves`` has every legal move, in board order; it is empty when the game is over. ``best``
    are those that nothing found is better than, in board order, at least one when there is any: an exact win comes
    before any estimate, so this is not always those with the greatest ``value``. ``nodes`` counts the positions that
    were visited, 1 when the game is over; ``depth`` is the number of plies that were searched completely, 0 for none.
    ``seconds`` is how long it took, None before whoever has a clock has said it.
    """

    value: int
    exact: bool
    moves: dict[str, MoveValue]
    best: tuple[str, ...]
    nodes: int
    depth: int
    seconds: float | None = None


class Engine(Protocol):
    """A way of searching one game's positions.

    It may keep what it has found for the next search, so one engine is for one thread at a time.
    """

    @property
    def game(self) -> Game:
        """The game whose positions it searches."""

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """Search ``position``. When ``stop`` is set, soon answers with the best found so far; never raises for it."""
