"""Breakthrough, by Dan Troyka (2000): the first piece on the far row wins. Pure; does no I/O.

A move is two squares, ``a2a3``; a1 is at the bottom left, and White, the first side, moves up the board.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
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
from noughts.games.grid import LETTERS
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SIZES = (5, 6, 7, 8)
SIZE = 8
WHITE, BLACK = Style("White", "w"), Style("Black", "b")
PIECES = (Piece("w", Side.FIRST, "white pawn", "♙"), Piece("b", Side.SECOND, "black pawn", "♟"))
SYMBOL = {Side.FIRST: "w", Side.SECOND: "b"}
ENDINGS = (("goal", "by reaching the far row"), ("captured_all", "by capturing every piece"))

CELLS = {
    size: tuple(tuple(f"{letter}{row}" for letter in LETTERS[:size]) for row in range(size, 0, -1)) for size in SIZES
}
NAMES = {size: tuple(name for row in cells for name in row) for size, cells in CELLS.items()}


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
        return picture(self, CELLS[self.size], (WHITE, BLACK))

    def play(self, move: str) -> BreakthroughPosition:
        if move not in self.legal_moves:
            raise _refusal(self, move)
        names, board = NAMES[self.size], self.board
        start, to = names.index(move[:2]), names.index(move[2:])
        cells = list(board)
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
    names = NAMES[position.size]
    if not isinstance(move, str) or move[:2] not in names or move[2:] not in names:
        return refused(
            MalformedMove(f"a move is two squares, such as a2a3; the last is {names[position.size - 1]}"),
            move,
            position,
        )
    return refused(IllegalMove(_why_illegal(position, move[:2], move[2:])), move, position)


def _why_illegal(position: BreakthroughPosition, start: str, to: str) -> str:
    if position.outcome is not None:
        return "the game is over"
    names = NAMES[position.size]
    piece, there = position.board[names.index(start)], position.board[names.index(to)]
    if piece != SYMBOL[position.side]:
        return f"there is no piece on {start}" if piece == "." else f"the piece on {start} is not yours"
    if names.index(to) not in AHEAD[position.size, position.side][names.index(start)]:
        return f"a piece goes one row forward, straight or diagonally, and {start}{to} does not"
    return f"your own piece is on {to}" if there == piece else f"{to} is taken, and a piece captures only diagonally"


def parse(text: str) -> BreakthroughPosition:
    """Read the rows from the top joined by ``/``, then the side to move. Raises :class:`InvalidPosition`."""
    match = re.fullmatch(r"([wb./]+) (first|second)", text)
    rows = match[1].split("/") if match else []
    size = len(rows)
    if match is None or size not in SIZES or any(len(row) != size for row in rows):
        raise InvalidPosition(
            "a position is 5 to 8 rows of as many cells, w, b or '.', joined by '/', and first or second"
        )
    board, side = "".join(rows), Side(match[2])
    position = BreakthroughPosition(board, side, size, 0)
    most = 2 * size
    if max(board.count("w"), board.count("b")) > most:
        raise InvalidPosition(f"a side has at most {most} pieces")
    if "w" not in board and "b" not in board:
        raise InvalidPosition("somebody has pieces left")
    if SYMBOL[side.other] not in board or SYMBOL[side] in _far_row(board, size, side):
        raise InvalidPosition(f"{side} would have won already, and yet is to move")
    if board.count(SYMBOL[side.other]) and _far_row(board, size, side.other).count(SYMBOL[side.other]) > 1:
        raise InvalidPosition("the first piece on the far row ends the game")
    return position


def _far_row(board: str, size: int, side: Side) -> str:
    return board[slice(*FAR[size, side])]


def _start(size: int) -> BreakthroughPosition:
    return BreakthroughPosition("b" * 2 * size + "." * (size - 4) * size + "w" * 2 * size, Side.FIRST, size, 0)


def variant(options: Mapping[str, Any]) -> Game:
    """Breakthrough on a board of another size."""
    size = int(options["size"])
    return replace(BREAKTHROUGH, layout=CELLS[size], start=_start(size))


UNIT = 60


def evaluate(position: BreakthroughPosition) -> int:
    """How much better the side to move stands: pieces, the more the farther they are, and whose lead is safe."""
    board, size = position.board, position.size
    lead = 0
    for square, piece in enumerate(board):
        if piece == "w":
            lead += ADVANCE[size - 1 - square // size]
        elif piece == "b":
            lead -= ADVANCE[square // size]
    return (lead if position.side is Side.FIRST else -lead) + 5


ADVANCE = (22, 20, 22, 26, 32, 42, 58, 90)
"""What a piece is worth by how many rows it has gone. On the first row it guards."""


def noisy(position: BreakthroughPosition) -> tuple[str, ...]:
    """Captures, those nearest to the own side first, and steps to the row before the last."""
    board, names, size = position.board, NAMES[position.size], position.size
    rows = range(size) if position.side is Side.SECOND else range(size - 1, -1, -1)
    rank = {row: far for far, row in enumerate(rows)}
    moves = [(rank[names.index(move[2:]) // size], move) for move in position.legal_moves]
    hot = [(far, move) for far, move in moves if far >= size - 2 or board[names.index(move[2:])] != "."]
    return tuple([move for _, move in sorted(hot, key=lambda one: (one[0] < size - 1, one[0]))])


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
        "It captures diagonally forward, by going to the square of a piece of the other side. Nobody has to capture.",
        "Who first reaches the far row wins, or who captures every piece of the other side. There is no draw.",
    ),
    seam=SEAM,
    board=Board(look="checkered", bottom=Side.FIRST),
    pieces=PIECES,
    endings=ENDINGS,
    options=(Option("size", "Size of the board", SIZE, SIZES),),
    variant=variant,
    heuristic=Heuristic(evaluate, UNIT, opening=4, spread=3, noisy=noisy),
)
