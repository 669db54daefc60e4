"""What a game is: two sides, positions, moves by name, outcomes. Pure; does no I/O.

A game is one module of this package, listed in :data:`noughts.games.GAMES`, or of any other package: see
docs/games.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

Grid = tuple[tuple[str, ...], ...]
"""Names as they lie on the board, row by row from the top."""


class Side(StrEnum):
    """One of the two players of a game, by who begins."""

    FIRST = "first"
    SECOND = "second"

    __hash__ = str.__hash__  # that of Enum is a call of Python at every look into a set or dictionary

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.SECOND if self is Side.FIRST else Side.FIRST


class Reason(StrEnum):
    """Why a game ended. The first three are the board's own, the others are decided at the table."""

    LINE = "line"
    COUNT = "count"
    DRAW = "draw"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    TIME = "time"
    ABANDONMENT = "abandonment"
    FORFEIT = "forfeit"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    ``winner`` is None for a draw and for a game that nobody won (aborted, abandoned by both).
    ``cells`` are the names of the cells that make the winning line, in board order; empty when there is none.
    """

    winner: Side | None
    reason: Reason
    cells: tuple[str, ...] = ()


class MalformedMove(ValueError):
    """The game has no move of that name, in any position."""


class IllegalMove(ValueError):
    """The game knows the move, but it cannot be played in this position."""


class InvalidPosition(ValueError):
    """A text that is no position of the game, or one that play cannot reach."""


class Position(Protocol):
    """A position: an immutable, hashable value. Playing a move gives a new one."""

    @property
    def to_move(self) -> Side | None:
        """Who moves, or None when the game is over."""

    @property
    def ply(self) -> int:
        """Number of moves played from the start of the game, 0 or more."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The names of the moves that can be played, in board order; empty when the game is over.

        Who has no move on the board but must pass has the one move ``pass``.
        """

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The board from the top, one character a cell: each side's symbol, ``.`` for empty."""

    @property
    def text(self) -> str:
        """The position as :attr:`Game.parse` reads it back: an equal one."""

    def play(self, move: str) -> Position:
        """The position after ``move``.

        Raises :class:`MalformedMove` for a name that the game does not have,
        and :class:`IllegalMove` for a move that cannot be played here.
        """

    def __hash__(self) -> int:
        """The same for equal positions."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a game calls a side, and the one character that stands for it in ``rows``."""

    name: str
    symbol: str


@dataclass(frozen=True, slots=True)
class Heuristic:
    """What a search goes by where it does not get to the end.

    ``evaluate`` estimates a position in which the game goes on: how much better the side to move stands, 0 when even,
    in units of the game's own. At ``unit`` of them that side may be expected to win ten games of eleven.
    ``candidates`` are the legal moves that are worth a look, the most promising first, at least one of them; None for
    all, as they come. Those that it leaves out must not be better, nor win sooner, than the best of these.
    So that not all games begin alike, the computer's levels take in the first ``opening`` plies of a game any move that
    is estimated to be worth at most ``spread`` less than the best, in the same units; 0 and 0 for the best alone.
    """

    evaluate: Callable[[Any], int]
    unit: int
    candidates: Callable[[Any], tuple[str, ...]] | None = None
    opening: int = 0
    spread: int = 0


@dataclass(frozen=True, slots=True)
class Game:
    """A game and all that a client needs to draw it.

    ``layout`` is the grid of move names as drawn, row by row from the top. ``cells``, as large, has the names of
    the cells, as in :attr:`Outcome.cells`; None where a cell is called by its move. ``block`` is the number of rows
    and columns after which clients draw a line, 0 for none.
    ``parse`` reads a position from its text: the rows from the top joined by ``/``, then, where the
    counts do not tell who moves, a space and ``first`` or ``second``, then what else the game needs to
    be told; it raises :class:`InvalidPosition`.

    The rest is for the computer. ``win`` is what a win at once would be worth to a search, more than the plies that a
    game can last. ``margin``, where it matters by how much one wins, says of a finished position by how much
    ``first`` has won, negative for ``second``, 0 for a draw; ``sooner`` says that of one side's wins the one that comes
    sooner always has the greater margin. ``heuristic`` is for positions that cannot be searched
    to the end; without one they all look even. ``solved`` says that the computer's strongest level plays perfectly.
    """

    key: str
    title: str
    first: Style
    second: Style
    layout: Grid
    start: Position
    parse: Callable[[str], Position]
    cells: Grid | None = None
    block: int = 0
    win: int = 1000
    margin: Callable[[Any], int] | None = None
    sooner: bool = False
    heuristic: Heuristic | None = None
    solved: bool = False

    def style(self, side: Side) -> Style:
        """The name and symbol of ``side``."""
        return self.first if side is Side.FIRST else self.second
