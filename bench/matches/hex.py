"""Hex on 7x7, a game as of another package: without a heuristic. The first side wins if it joins top and bottom."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side, Style
from noughts.games.base import Board

SIZE = 7
CELLS = tuple(tuple(f"{column}{row + 1}" for column in "abcdefg") for row in range(SIZE))
NAMES = tuple(name for row in CELLS for name in row)
NUMBER = {name: number for number, name in enumerate(NAMES)}
BESIDE = tuple(
    tuple(
        (row + down) * SIZE + column + right
        for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
        if 0 <= row + down < SIZE and 0 <= column + right < SIZE
    )
    for row, column in product(range(SIZE), repeat=2)
)


@dataclass(frozen=True, slots=True)
class HexPosition:
    """``board`` has ``x``, ``o`` or ``.`` for each cell, row by row from the top. ``won`` by whoever moved last."""

    board: str = "." * SIZE * SIZE
    won: bool = False

    @property
    def ply(self) -> int:
        return len(self.board) - self.board.count(".")

    @property
    def to_move(self) -> Side | None:
        return None if self.won else (Side.FIRST, Side.SECOND)[self.ply % 2]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return () if self.won else tuple(name for name, stone in zip(NAMES, self.board, strict=True) if stone == ".")

    @property
    def outcome(self) -> Outcome | None:
        return Outcome((Side.SECOND, Side.FIRST)[self.ply % 2], Reason.LINE) if self.won else None

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(self.board[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE))

    @property
    def text(self) -> str:
        return "/".join(self.rows)

    def play(self, move: str) -> HexPosition:
        at = NUMBER.get(move)
        if at is None:
            raise MalformedMove("a move is a cell, a1 to g7")
        if self.won or self.board[at] != ".":
            raise IllegalMove(f"{move} is taken" if not self.won else "the game is over")
        stone = "xo"[self.ply % 2]
        board = f"{self.board[:at]}{stone}{self.board[at + 1 :]}"
        return HexPosition(board, _joins(board, at, stone))


def _joins(board: str, at: int, stone: str) -> bool:
    """True if the group of the stone at ``at`` touches both sides of its colour."""
    seen, left = {at}, [at]
    while left:
        for other in BESIDE[left.pop()]:
            if other not in seen and board[other] == stone:
                seen.add(other)
                left.append(other)
    lines = {cell // SIZE if stone == "x" else cell % SIZE for cell in seen}
    return {0, SIZE - 1} <= lines


def parse(text: str) -> HexPosition:
    """Read :attr:`HexPosition.text`."""
    board = text.replace("/", "")
    if len(board) != len(NAMES) or set(board) - set("xo.") or not 0 <= board.count("x") - board.count("o") <= 1:
        raise InvalidPosition("a position is 7 rows of 7, of x, o and '.'")
    last = "ox"[HexPosition(board).ply % 2]
    return HexPosition(board, any(_joins(board, at, last) for at, stone in enumerate(board) if stone == last))


HEX = Game(
    "hex",
    "Hex on 7x7",
    Style("Vertical", "x"),
    Style("Horizontal", "o"),
    CELLS,
    HexPosition(),
    parse,
    board=Board("hexagons"),
)
