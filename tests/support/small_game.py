"""A small game that keeps to its contract, to be broken: take turns to take a stone from either end of a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

from noughts.games import Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side, Style

CELLS = ("a1", "b1", "c1", "d1", "e1", "f1")
WORTH = (3, 1, 4, 1, 5, 9)
SYMBOLS = "xo"


@dataclass(frozen=True)
class Stones:
    """``row`` has for each stone the symbol of the side that took it, or ``.``."""

    row: str = "." * len(CELLS)

    @property
    def ply(self) -> int:
        return len(CELLS) - self.row.count(".")

    @property
    def to_move(self) -> Side | None:
        return None if "." not in self.row else (Side.FIRST, Side.SECOND)[self.ply % 2]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        left = [cell for cell, taken in zip(CELLS, self.row, strict=True) if taken == "."]
        return tuple(dict.fromkeys(left[:1] + left[-1:]))

    @property
    def outcome(self) -> Outcome | None:
        if "." in self.row:
            return None
        first, second = worths(self)
        return Outcome(None if first == second else Side.FIRST if first > second else Side.SECOND, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        return (self.row,)

    @property
    def text(self) -> str:
        return self.row

    def play(self, move: str) -> Self:
        if move not in CELLS:
            raise MalformedMove(f"a move is a stone, {CELLS[0]} to {CELLS[-1]}")
        if move not in self.legal_moves:
            raise IllegalMove(f"{move} is not at an end of the row")
        at = CELLS.index(move)
        return replace(self, row=self.row[:at] + SYMBOLS[self.ply % 2] + self.row[at + 1 :])


def worths(position: Any) -> tuple[int, int]:
    """The worth of each side's stones."""
    first, second = (
        sum(worth for worth, taken in zip(WORTH, position.row, strict=True) if taken == symbol) for symbol in SYMBOLS
    )
    return first, second


def margin(position: Any) -> int:
    """By how much ``first`` leads."""
    first, second = worths(position)
    return first - second


def estimate(position: Any) -> int:
    """By how much the side to move leads."""
    return margin(position) if position.to_move is Side.FIRST else -margin(position)


def reader(kind: Callable[[str], Any] = Stones) -> Callable[[str], Any]:
    """Reads positions of a ``kind``."""

    def parse(text: str) -> Any:
        left = text.strip("xo")
        if len(text) != len(CELLS) or set(text) - set(".xo") or set(left) - {"."}:
            raise InvalidPosition("a position is 6 stones, x, o or '.', taken from the ends")
        return kind(text)

    return parse


def small_game(kind: Callable[..., Any] = Stones, **changes: Any) -> Game:
    """The game with positions of a ``kind``, and with ``changes``."""
    game = Game(
        key="stones",
        title="Stones",
        first=Style("X", "x"),
        second=Style("O", "o"),
        layout=(CELLS,),
        start=kind(),
        parse=reader(kind),
        rules=("Take turns to take a stone from either end of the row.",),
    )
    return replace(game, **changes)


@dataclass(frozen=True, eq=False)
class Hashed(Stones):
    """Positions that store their hash, which is another in every process."""

    stored: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashed) and self.row == other.row

    def __hash__(self) -> int:
        if not self.stored:
            object.__setattr__(self, "stored", hash(self.row))
        return self.stored

    def play(self, move: str) -> Self:
        return replace(super().play(move), stored=0)
