"""The interface of a search: its limits and its results. Pure; does no I/O.

Values are for the side to move at the root. A win d plies from the root is worth ``Game.win - d`` and a loss
``-Game.win + d``, or their margin in a game with ``Game.margin``; a draw is worth 0. Positions that are not searched to
the end have estimates, in the units of the game's ``Heuristic``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from noughts.games import Game, Position
from noughts.games.notation import names_of


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
        """True if it is set."""
        return self.flag[0] != 0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search; it ends at the first limit.

    ``depth`` is in plies from the root, 1 or more, None for the end of the game. ``nodes`` is the approximate number of
    positions to visit: the search polls it as it polls an :class:`Interrupt`. With ``every_move`` false only the best
    moves get exact values, which is much faster; the values of the others are upper bounds, and lines may end after
    the first move. An engine that searches by playouts plays ``playouts``, if they are not None, and heeds no ``depth``
    then. Raises ValueError for a depth or a number of nodes below 1.
    """

    depth: int | None = None
    nodes: int | None = None
    every_move: bool = True
    playouts: int | None = None

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise ValueError("depth must be at least 1")
        if self.nodes is not None and self.nodes < 1:
            raise ValueError("nodes must be at least 1")


class Bound(StrEnum):
    """The side on which a value is known: it is at most, or at least, so much."""

    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class MoveValue:
    """The value of a move.

    ``value`` is for the side that plays it. If it is not ``exact``, it is a proved ``bound`` or else an estimate, or an
    upper bound of an estimate (see :class:`Limits`).
    ``distance`` is the number of plies to the end of the game with best play, including this move, None if unknown.
    ``line`` is the principal variation as far as it is known; it begins with the move. ``names`` are the same as people
    write them, once somebody has :func:`named` them. ``depth`` is the number of plies
    searched for an estimate, including this move, 0 for bounds and if unknown. Compare only estimates of equal depth; a
    stopped search may have two depths. A search by playouts tells how many ``playouts`` began with the move; then an
    estimate rests on their ``mean``, from 0 if all were lost to 1 if all were won, None for any other value; it is
    at most the estimate of the move that the search prefers, which has more playouts.
    """

    value: int
    exact: bool
    distance: int | None
    line: tuple[str, ...]
    depth: int = field(default=0, compare=False, repr=False)
    bound: Bound | None = None
    names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    playouts: int = field(default=0, repr=False)
    mean: float | None = field(default=None, repr=False)


class Verdict(StrEnum):
    """The verdict on the moves that are named as best: see :func:`verdict_of`."""

    PROVED = "proved"
    PREFERRED = "preferred"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of a search, for the side to move at the root.

    ``value`` is the root's value; ``exact`` says that it is proved, which may be known before any move that has it.
    ``moves`` has every legal move, in board order; it is empty when the game is over. ``choices`` are the moves that
    the search would play, any of them, in board order, at least one if there are moves; :attr:`best` says what is known
    of them. Exact wins come before estimates, so these do not always have the greatest ``value``. ``nodes`` counts the
    visited positions, 1 when the game is over; ``depth`` is the number of plies searched completely. ``seconds`` is the
    duration, None until the caller, who has a clock, fills it in. ``claim``: the side to move may claim a draw instead
    of moving, so ``value`` is not below 0 even if every move loses.
    """

    value: int
    exact: bool
    moves: dict[str, MoveValue]
    choices: tuple[str, ...]
    nodes: int
    depth: int
    seconds: float | None = None
    claim: bool = False

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that :func:`verdict_of` names."""
        return verdict_of(self)[1]


def verdict_of(analysis: Analysis) -> tuple[Verdict, tuple[str, ...]]:
    """The moves that may be called best, and why.

    - PROVED: moves whose proved value is the proved value of the position, in board order; one that is not solved yet
      may be as good. Also an only move, and no move if the game is over.
    - PREFERRED: the one move that the search prefers. It is not proved to be best.
    - UNKNOWN: one of the moves that are not decided, all of which seem equally good. The search has found no difference
      between them.
    """
    moves = analysis.moves
    if len(moves) < 2:
        return Verdict.PROVED, tuple(moves)
    if analysis.exact:
        proved = tuple(name for name, move in moves.items() if move.exact and move.value == analysis.value)
        if proved:
            return Verdict.PROVED, proved
    first = analysis.choices[0]
    undecided = {(move.value, move.bound) for move in moves.values() if not move.exact}
    differ = len(analysis.choices) == 1 or undecided != {(moves[first].value, None)}
    return Verdict.PREFERRED if differ else Verdict.UNKNOWN, (first,)


def named(game: Game, position: Position, analysis: Analysis) -> Analysis:
    """``analysis`` of ``position`` with the names of its lines, in a game that has a notation. It replays them all."""
    if game.notation is None:
        return analysis
    moves = {name: replace(move, names=names_of(game, position, move.line)) for name, move in analysis.moves.items()}
    return replace(analysis, moves=moves)


class Engine(Protocol):
    """A search for the positions of one game.

    It may keep results for the next search, so use one engine in one thread at a time.
    """

    @property
    def game(self) -> Game:
        """The game that it searches."""

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """Search ``position``. When ``stop`` is set, soon return the best result so far; never raise for that."""
