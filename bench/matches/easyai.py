"""Connect Four for easyAI, whose Negamax is a reference player.

Importing this needs ``easyAI`` (``pip install easyAI``), which nothing else here does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from noughts.games import Position
from noughts.games.connect4 import BOTTOM, COLUMN, EVERYWHERE, MOVES, TOP, Connect4Position, has_line

easyai: Any = importlib.import_module("easyAI")

DEPTH = 6  # plies


class ConnectFour:
    """The game that easyAI's search requires, with the position as the side to move sees it.

    easyAI's ``TwoPlayerGame`` has the same methods, but its way of changing sides costs more than playing a move here.
    Moves are undone, not copied, and tried from the left, as in easyAI's own Connect Four.
    """

    def __init__(self, position: Connect4Position) -> None:
        discs = (position.first, position.second)
        self.own, self.opp = discs[::-1] if position.ply % 2 else discs
        self.lost = position.won
        self.cells: list[int] = []
        self.ai_move: str | None = None  # where easyAI's search leaves its move

    def possible_moves(self) -> list[str]:
        taken = self.own | self.opp
        return [move for move in MOVES if not taken & TOP[move]]

    def make_move(self, move: str) -> None:
        cell = (self.own | self.opp) + BOTTOM[move] & COLUMN[move]
        self.cells.append(cell)
        self.own |= cell
        self.lost = has_line(self.own)

    def unmake_move(self, _move: str) -> None:
        self.own ^= self.cells.pop()
        self.lost = False  # else the undone move could not have been played

    def switch_player(self) -> None:
        self.own, self.opp = self.opp, self.own

    def is_over(self) -> bool:
        return self.lost or self.own | self.opp == EVERYWHERE

    def scoring(self) -> int:
        """As in the example in easyAI's documentation: only whether the opponent has a line."""
        return -100 if self.lost else 0


def negamax() -> Callable[[Position, Sequence[str]], str]:
    """easyAI's Negamax, 6 plies deep. It always plays the same move, and ignores time."""
    search = easyai.Negamax(DEPTH)

    def move(position: Position, _played: Sequence[str]) -> str:
        assert isinstance(position, Connect4Position)
        return str(search(ConnectFour(position)))

    return move
