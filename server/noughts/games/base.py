"""The interface of a game: two sides, positions, moves by name, outcomes. Pure; does no I/O.

A game is a module of this package, listed in :data:`noughts.games.GAMES`, or part of another package: see
docs/games.md.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Protocol

from noughts.value import value

Grid = tuple[tuple[str, ...], ...]
"""Names in the order of the board, row by row from the top."""


class Side(StrEnum):
    """One of the two sides of a game; ``FIRST`` begins."""

    FIRST = "first"
    SECOND = "second"

    __hash__ = str.__hash__  # Enum's is written in Python, and slows every lookup in a set or dictionary

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.SECOND if self is Side.FIRST else Side.FIRST


class Reason(StrEnum):
    """Why a game ended. The first three come from the board, the others from players or the clock. After a fault, of
    the game or the server, the computer could not move.
    """

    LINE = "line"
    COUNT = "count"
    DRAW = "draw"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    TIME = "time"
    ABANDONMENT = "abandonment"
    FORFEIT = "forfeit"
    ABORTED = "aborted"
    FAULT = "fault"


@value
class Outcome:
    """How a game ended.

    ``winner`` is None for a draw and for a game without a winner (aborted, abandoned by both, or ended by a fault).
    ``cells`` are the names of the cells of the winning line, in board order; empty if there is no line.
    """

    winner: Side | None
    reason: Reason
    cells: tuple[str, ...] = ()


class MalformedMove(ValueError):
    """The game has no move of that name in any position."""


class IllegalMove(ValueError):
    """The game has the move, but it cannot be played in this position. The text says why, to the player."""


class InvalidPosition(ValueError):
    """The text is not a position of the game, or play cannot reach it."""


class Position(Protocol):
    """A position: an immutable, hashable value. Playing a move returns a new one.

    The sides need not alternate: ``to_move`` decides.
    """

    @property
    def to_move(self) -> Side | None:
        """The side to move, or None when the game is over."""

    @property
    def ply(self) -> int:
        """The number of moves played from the start of the game, 0 or more."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The names of the moves that can be played, in board order; empty when the game is over.

        A side that must pass has the single move ``pass``.
        """

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it is not over."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The board from the top, one character for each cell: a side's symbol, or ``.`` if it is empty."""

    @property
    def text(self) -> str:
        """The position as text. :attr:`Game.parse` reads it back as an equal position."""

    def play(self, move: str) -> Position:
        """The position after ``move``.

        Raises :class:`MalformedMove` for a name that is not a move of the game, and :class:`IllegalMove` for a move
        that cannot be played in this position.
        """

    def __hash__(self) -> int:
        """The same for equal positions."""


@value
class Style:
    """A game's name for a side, and the character that represents it in ``rows``."""

    name: str
    symbol: str


@value
class Heuristic:
    """How a search values positions that it cannot search to the end.

    ``evaluate`` estimates an unfinished position: how much better the side to move stands, 0 when even, in the game's
    own units. With an estimate of ``unit`` that side can expect to win ten games out of eleven.
    ``candidates`` returns the legal moves that are worth searching, the most promising first and at least one; None
    stands for all legal moves. The moves it omits must not be better, or win sooner, than the best candidate.
    In the first ``opening`` plies of a game the computer's levels also play moves estimated at most ``spread`` lower
    than the best, so that games begin differently; with 0 and 0 they play only the best.
    """

    evaluate: Callable[[Any], int]
    unit: int
    candidates: Callable[[Any], tuple[str, ...]] | None = None
    opening: int = 0
    spread: int = 0


@value
class Game:
    """A game, and what a client needs to draw it.

    ``layout`` is the grid of move names as drawn, row by row from the top. ``cells``, of the same size, has the names
    of the cells in :attr:`Outcome.cells`; None if a cell has the name of its move. Clients draw a line after every
    ``block`` rows and columns, none if it is 0.
    ``parse`` reads a position from its text: the rows from the top joined by ``/``, then, if the counts do not show
    who moves, a space and ``first`` or ``second``, then anything else the game needs; it raises
    :class:`InvalidPosition`.
    ``rules`` explains the game to players, a paragraph each, as plain text. ``why_illegal`` may say more about an
    illegal move than :class:`IllegalMove` does: it is called with the position, the move, and the move that led to the
    position, None at the start; None stands for the exception's own text.

    The rest is for the computer. ``win`` is the base value of a win for a search, more than the plies that a game can
    last. ``margin`` is for games in which the size of a win matters: it returns by how much ``first`` has won a
    finished position, negative for ``second``, 0 for a draw. ``sooner`` says that a side's sooner win always has the
    greater margin. ``heuristic`` is for positions that cannot be searched to the end; without one they count as even.
    ``solved`` says that the computer's strongest level plays perfectly.
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
    rules: tuple[str, ...] = ()
    why_illegal: Callable[[Any, str, str | None], str | None] | None = None
    win: int = 1000
    margin: Callable[[Any], int] | None = None
    sooner: bool = False
    heuristic: Heuristic | None = None
    solved: bool = False

    def style(self, side: Side) -> Style:
        """The name and the symbol of ``side``."""
        return self.first if side is Side.FIRST else self.second
