"""Positions for the tests of Gomoku's engine, and simple reference functions for them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noughts.engine.weights import weights_of
from noughts.games.gomoku import GOMOKU
from noughts.games.mnk import LinePosition

SIZE = 15
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
CELLS = [(row, column) for row in range(SIZE) for column in range(SIZE)]

Cell = tuple[int, int]
Board = dict[Cell, str]
"""The stone on each taken cell: ``b`` or ``w``."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position that is won by fours, and where it was published. ``fours`` is the number of fours in the published
    solution, up to the one after which every reply loses. It is None if the solution uses moves that only renju
    forbids, or was not published.
    """

    source: str
    fours: int | None
    diagram: str

    @property
    def position(self) -> LinePosition:
        return parse("/".join("".join(line.split()) for line in self.diagram.strip().splitlines()))


def weights() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The package's weights, as the kernel takes them."""
    return weights_of("noughts.engine.gomoku"), weights_of("noughts.engine.gomoku", "cells")


def parse(text: str) -> LinePosition:
    position = GOMOKU.parse(text)
    assert isinstance(position, LinePosition)
    return position


def name_of(cell: Cell) -> str:
    return GOMOKU.layout[cell[0]][cell[1]]


def board_of(position: LinePosition) -> Board:
    return {cell: position.rows[cell[0]][cell[1]] for cell in CELLS if position.rows[cell[0]][cell[1]] != "."}


def side_to_move(position: LinePosition) -> str:
    return "bw"[position.ply % 2]


def makes_five(board: Board, cell: Cell, side: str) -> bool:
    """True if a stone of ``side`` on the empty ``cell`` makes five or more in a row."""
    for down, right in DIRECTIONS:
        run = 1
        for sign in (1, -1):
            row, column = cell
            while board.get((row := row + sign * down, column := column + sign * right)) == side:
                run += 1
        if run >= 5:
            return True
    return False


def fives(board: Board, side: str) -> list[Cell]:
    """The empty cells where ``side`` makes five, in board order. Each is next to one of its stones."""
    stones = [cell for cell, symbol in board.items() if symbol == side]
    beside = {(row + down, column + right) for row, column in stones for down in (-1, 0, 1) for right in (-1, 0, 1)}
    return [cell for cell in CELLS if cell in beside and cell not in board and makes_five(board, cell, side)]


def near_line(board: Board, cell: Cell, side: str) -> bool:
    """True if ``side`` has enough stones near ``cell`` to make a four there. This only saves time."""
    return any(
        sum(board.get((cell[0] + away * down, cell[1] + away * right)) == side for away in range(-4, 5)) >= 3
        for down, right in DIRECTIONS
    )


def win_by_fours(board: Board, side: str, lost: set[frozenset[tuple[Cell, str]]] | None = None) -> list[Cell] | None:
    """A win by fours with the replies, up to the five, found by trying every four. None if there is none."""
    lost = set() if lost is None else lost
    key = frozenset(board.items())
    if key in lost:
        return None
    other = "w" if side == "b" else "b"
    mine = fives(board, side)
    if mine:
        return mine[:1]
    theirs = fives(board, other)
    if len(theirs) <= 1:
        for cell in theirs or [cell for cell in CELLS if cell not in board and near_line(board, cell, side)]:
            board[cell] = side
            threats = fives(board, side)
            line = None
            if len(threats) > 1:
                line = [threats[0], threats[1]]
            elif threats:
                board[threats[0]] = other
                rest = win_by_fours(board, side, lost)
                del board[threats[0]]
                line = [threats[0], *rest] if rest else None
            del board[cell]
            if line:
                return [cell, *line]
    lost.add(key)
    return None


def played(rng: random.Random, plies: int) -> LinePosition:
    """A position after ``plies`` moves, mostly next to a stone; fewer if every other move would make five."""
    board: Board = {}
    position = GOMOKU.start
    for _ in range(plies):
        close = {(row + down, column + right) for row, column in board for down in (-1, 0, 1) for right in (-1, 0, 1)}
        free = [cell for cell in CELLS if cell not in board and (cell in close or not close or rng.random() < 0.02)]
        side = "bw"[position.ply % 2]
        quiet = [cell for cell in free if not makes_five(board, cell, side)]
        if not quiet:
            break
        cell = rng.choice(quiet)
        board[cell] = side
        position = position.play(name_of(cell))
    assert isinstance(position, LinePosition)
    return position


def scattered(rng: random.Random, stones: int) -> LinePosition:
    """A position with this many stones anywhere in a block of the board, without a five."""
    while True:
        width = rng.choice([w for w in range(4, SIZE + 1) if w * w >= stones])
        top, left = rng.randrange(SIZE - width + 1), rng.randrange(SIZE - width + 1)
        block = [(top + row, left + column) for row in range(width) for column in range(width)]
        cells = rng.sample(block, stones)
        board = {cell: "bw"[number % 2] for number, cell in enumerate(cells)}
        found = dict(board)
        if not any(makes_five({c: s for c, s in found.items() if c != cell}, cell, found[cell]) for cell in cells):
            return parse("/".join("".join(board.get((r, c), ".") for c in range(SIZE)) for r in range(SIZE)))


PUZZLES = (
    Puzzle(
        "renjuportal.com, puzzle 3040; its solution is j4 g7 g10 g8 g4 f4 d4 f6 e6 f5 f2 c5",
        12,
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . w . . b . . .
        . . . . b . w b . . . . . . .
        . . . . . . . b . . w . . . .
        . . . . . . . w b . . w . . .
        . . . . . . b b w . b . . . .
        . . . . . w . w w b . w . . .
        . . . . . . . b b w . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Puzzle(
        "Tama Hoshizuki, Shadows and Fog, composed for renju, where it takes 78 fours",
        None,
        """
        . b w . w b . b w w w w b w w
        . . . b . . w b b w . . w b b
        w . b . . . . . . . . . b . b
        b . . . w w . . . . . . . w w
        . . b . . . . . . . . . . b w
        w b w w . . . . . . . . . b b
        w b . b . . w . . . . b . . .
        b w w w . . . b . w . . . . w
        w w . . . . . . . . . . . . w
        w . . . . . w b w . . . . . w
        b . . . b . . . . w . . . . b
        . b . b . . . w b . . . . . .
        . . . . . . w . b b . . . . .
        b . . . . . . . . b . . w b .
        . . . b . . b w . . b . . . b
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the third",
        None,
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . w . . . . . . .
        . . . . . . . . . b w . . . .
        . . . . . . . w b . b . . . .
        . . . . . . . b w . b . w . .
        . . . . . . w . . w . b . . .
        . . . . . . . . . b . w w b .
        . . . . . . . . b w . b b . .
        . . . . . . . w . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the fourth",
        None,
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . b . . . . . . . .
        . . . . . . . . . . b . . . .
        . . . . . . . w . . . . . . .
        . . . . w . . b . . w . . . .
        . . . . b w b b b . . . . . .
        . . . w . w w . . b . . . . .
        . . . . . . . . . . w . . . .
        . . . . . . . . . w b . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the sixth",
        None,
        """
        w w . . b . b . . w b w w b .
        w . b . . w . . . . b . . . b
        w . . . . . . . . . . . . . .
        w . . . . b . . . . . . . . b
        b . b . . . . . . . . . . . .
        w . . w . . b . . . . . . b .
        w . . . . . . . w . . . . w b
        . . . w . . w b . . . . b . .
        . b . . . . . . w . . . b . .
        . . . . w . . . w . b . . . w
        . . . b . . . . . . . . . . b
        b w . . . b . . b . . b . b w
        . b . . . . . . . . . . . . w
        . w . . . . . . . . w . . b w
        b w . w . w . b . b w w b w .
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the seventh",
        None,
        """
        w . . . b . . . . . . . b . b
        b . . . . w . . . w . . w . b
        . . . . . . . w . . . . . w .
        w . . . . . . . . . . b . . b
        b . . . . . . . . . . . w . .
        w . w . . . . . . . . . . . .
        w w b w . . . . b . . . w . .
        w . w w . . . b . w . . . . .
        . b . . . . . . . w . . b . .
        . . . . . . . . w . . . . . b
        b . . . . . . . . . . . b . b
        . . . . . . . . . . . . . b w
        b . . . . . . . . . . . . b .
        . . . . . . . b . . . . . . w
        b w w w . b . . b . b . . . .
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the first",
        None,
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . w . . . .
        . . . . . . . . . b . b . . .
        . . . . . . . . . w . . . . .
        . . . . . . . b . b b w . . .
        . . . . . . b . b w . . . . .
        . . . . . . . w w . . . . . .
        . . . . . . w . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the second",
        None,
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . w . . . . .
        . . . . . b . . . b . . . . .
        . . . . . w . w . . . w . . .
        . . w b b . . b . . b . . . .
        . . . . w . . . . b . . . . .
        . . . . . b w . . . . w . . .
        . . . . . . . . . . . . . . .
        . . . . . . . b . . . . . . .
        . . . . . . w . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Puzzle(
        "junghyun397/GomokuBot, VCFSolverTest.scala, the fifth",
        None,
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . w . . . w . . . . . .
        . . . . . . . b w w . . . . .
        . . . . w b . b . . . . . . .
        . . . . . b . . w b . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . b . . . b . . .
        . . . . . . w . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
)
