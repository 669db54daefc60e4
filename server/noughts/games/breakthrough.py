"""Breakthrough, by Dan Troyka (2000): the first piece on the far row wins. Pure; does no I/O.

A move is two squares, ``a2a3``; a1 is at the bottom left, and White, the first side, moves up the board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial
from typing import Any

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Option,
    Outcome,
    Piece,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import LETTERS, read_board
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SIZES = (5, 6, 7, 8)
SIZE = 8
WHITE, BLACK = Style("White", "w"), Style("Black", "b")
GROUND = Board(look="checkered", bottom=Side.FIRST)
PIECES = (Piece("w", Side.FIRST, "white pawn", "♙"), Piece("b", Side.SECOND, "black pawn", "♟"))
SYMBOL = {Side.FIRST: "w", Side.SECOND: "b"}
ENDINGS = (("goal", "by a piece on the far row"), ("captured_all", "by the capture of every piece"))

CELLS = {
    size: tuple(tuple(f"{letter}{row}" for letter in LETTERS[:size]) for row in range(size, 0, -1)) for size in SIZES
}
NAMES = {size: tuple(name for row in cells for name in row) for size, cells in CELLS.items()}
SQUARES = {size: {name: square for square, name in enumerate(names)} for size, names in NAMES.items()}


def _ahead(size: int, side: Side) -> tuple[tuple[int, ...], ...]:
    """For each square, the two or three squares in front of it from the left; the middle one has the same column."""
    way = -1 if side is Side.FIRST else 1
    places = [(square // size + way, square % size) for square in range(size * size)]
    return tuple(
        tuple(row * size + at for at in (column - 1, column, column + 1) if 0 <= row < size and 0 <= at < size)
        for row, column in places
    )


AHEAD = {(size, side): _ahead(size, side) for size in SIZES for side in Side}
FAR = {
    (size, side): (0, size) if side is Side.FIRST else (size * size - size, size * size)
    for size in SIZES
    for side in Side
}


@value
class BreakthroughPosition:
    """A position of Breakthrough. Get it from :data:`BREAKTHROUGH`; the constructor checks nothing.

    ``board`` has a character for each square, row by row from the top. ``side`` moves next, or would.
    """

    board: str
    side: Side
    size: int
    ply: int = field(compare=False)
    _moves: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome is not None else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """By the square that a piece leaves, from the top left row by row, then by the one that it goes to."""
        if self._moves is None:
            self._moves = () if self.outcome is not None else self._all_moves()  # type: ignore[misc]
        return self._moves

    @property
    def outcome(self) -> Outcome | None:
        side, names = self.side.other, NAMES[self.size]  # only who has just moved can have won
        start, stop = FAR[self.size, side]
        at = self.board.find(SYMBOL[side], start, stop)
        if at >= 0:
            return Outcome(side, "goal", (names[at],))
        return None if SYMBOL[self.side] in self.board else Outcome(side, "captured_all")

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple([self.board[start : start + self.size] for start in range(0, len(self.board), self.size)])

    @property
    def text(self) -> str:
        return f"{'/'.join(self.rows)} {self.side}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, CELLS[self.size], (WHITE, BLACK))

    def _repr_svg_(self) -> str:
        return picture(self, CELLS[self.size], (WHITE, BLACK), ground=GROUND)

    def play(self, move: str) -> BreakthroughPosition:
        if move not in self.legal_moves:
            raise _refusal(self, move)
        squares, cells = SQUARES[self.size], list(self.board)
        start, to = squares[move[:2]], squares[move[2:]]
        cells[start], cells[to] = ".", cells[start]
        return BreakthroughPosition("".join(cells), self.side.other, self.size, self.ply + 1)

    def _all_moves(self) -> tuple[str, ...]:
        board, names, own = self.board, NAMES[self.size], SYMBOL[self.side]
        ahead, size = AHEAD[self.size, self.side], self.size
        moves = []
        start = board.find(own)
        while start >= 0:
            for to in ahead[start]:
                there = board[to]
                if there == "." or (there != own and (to - start) % size):
                    moves.append(names[start] + names[to])
            start = board.find(own, start + 1)
        return tuple(moves)


def _refusal(position: BreakthroughPosition, move: str) -> MalformedMove | IllegalMove:
    squares = SQUARES[position.size]
    start, to = (squares.get(name, -1) for name in (move[:2], move[2:])) if isinstance(move, str) else (-1, -1)
    if start < 0 or not any(to in AHEAD[position.size, side][start] for side in Side):
        form = "a move is a square and one of the next row, straight ahead or diagonally, such as a2a3"
        return refused(MalformedMove(form), move, position)
    return refused(IllegalMove(_why_illegal(position, start, to)), move, position)


def _why_illegal(position: BreakthroughPosition, start: int, to: int) -> str:
    if position.outcome is not None:
        return "the game is over"
    names, board = NAMES[position.size], position.board
    if board[start] != SYMBOL[position.side]:
        return f"you have no piece on {names[start]}"
    if to not in AHEAD[position.size, position.side][start]:
        return "a piece never goes backward"
    if board[to] == board[start]:
        return f"you have a piece on {names[to]} already"
    return f"cell {names[to]} is taken, and a piece captures only diagonally"


def parse(text: str, size: int = SIZE) -> BreakthroughPosition:
    """Read the rows from the top joined by ``/``, then the side to move.

    The text does not show how many moves were played, so ``ply`` is 0. Raises :class:`InvalidPosition`.
    """
    board, named = read_board(text, size, size, "wb")
    if named not in tuple(Side):
        raise InvalidPosition("the pieces do not show who moves: write a space and first or second after the board")
    side = Side(named)
    if max(board.count("w"), board.count("b")) > 2 * size:
        raise InvalidPosition(f"a side has at most {2 * size} pieces")
    if SYMBOL[side.other] not in board:
        raise InvalidPosition("the side that has just moved has a piece")
    if SYMBOL[side] in _far_row(board, size, side):
        raise InvalidPosition(f"{side} has won already and cannot be to move")
    if _far_row(board, size, side.other).count(SYMBOL[side.other]) > 1:
        raise InvalidPosition("the first piece on the far row ends the game")
    return BreakthroughPosition(board, side, size, 0)


def _far_row(board: str, size: int, side: Side) -> str:
    return board[slice(*FAR[size, side])]


def _start(size: int) -> BreakthroughPosition:
    return BreakthroughPosition("b" * 2 * size + "." * (size - 4) * size + "w" * 2 * size, Side.FIRST, size, 0)


def variant(options: Mapping[str, Any]) -> Game:
    """Breakthrough on a board of another size."""
    size = int(options["size"])
    return replace(BREAKTHROUGH, layout=CELLS[size], start=_start(size), parse=partial(parse, size=size))


UNIT = 133
"""Measured by ``python -m bench.units``, as docs/engine.md says."""
HOME, TO_GO, TEMPO = 22, (90, 58, 42, 32, 26, 22, 20), 5
"""The value of a piece on its first row, which it guards, and elsewhere by the rows it has to go; and the move."""


def _worth(size: int) -> dict[str, tuple[int, ...]]:
    """By symbol, the worth of a piece on each square; negative for Black's."""
    rows = (*TO_GO[: size - 1], HOME)
    return {
        "w": tuple(rows[square // size] for square in range(size * size)),
        "b": tuple(-rows[size - 1 - square // size] for square in range(size * size)),
        ".": (0,) * (size * size),
    }


WORTH = {size: _worth(size) for size in SIZES}


def evaluate(position: BreakthroughPosition) -> int:
    """The advantage of the side to move: pieces, the more the farther they are, and the move."""
    worth = WORTH[position.size]
    lead = sum([worth[piece][square] for square, piece in enumerate(position.board)])
    return (lead if position.side is Side.FIRST else -lead) + TEMPO


def noisy(position: BreakthroughPosition) -> tuple[str, ...]:
    """Wins, then captures of the pieces that have come farthest, then steps to the last row but one."""
    board, squares, size = position.board, SQUARES[position.size], position.size
    hot = []
    for move in position.legal_moves:
        to = squares[move[2:]]
        row = to // size
        gone = row if position.side is Side.SECOND else size - 1 - row
        if gone >= size - 2 or board[to] != ".":
            hot.append((gone < size - 1, board[to] == ".", gone, move))
    return tuple([move for *_, move in sorted(hot)])


BREAKTHROUGH = Game(
    key="breakthrough",
    title="Breakthrough",
    first=WHITE,
    second=BLACK,
    layout=CELLS[SIZE],
    start=_start(SIZE),
    parse=parse,
    rules=(
        "White begins, from the bottom. A piece goes one square forward, straight or diagonally, to an empty square.",
        "It captures by going diagonally forward to the square of a piece of the other side. A piece straight ahead "
        "blocks it. Nobody has to capture.",
        "The side whose piece first reaches the far row wins, or the side that captures every piece of the other. "
        "There is no draw.",
        "The computer's strongest level, best, is not perfect.",
    ),
    seam=SEAM,
    board=GROUND,
    example="e2e3 e7f6 e3e4 c7b6 f2g3 g7h6 c2c3 h6h5 g1f2 a7a6",
    pieces=PIECES,
    endings=ENDINGS,
    draws=False,
    options=(Option("size", "Size of the board", SIZE, SIZES),),
    variant=variant,
    heuristic=Heuristic(evaluate, UNIT, opening=4, spread=3, noisy=noisy, slip=20),
)
