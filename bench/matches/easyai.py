"""Connect Four for easyAI, whose Negamax is a player to compare with.

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
    """What its search asks of a game, the position being that of the side to move.

    That is what its ``TwoPlayerGame`` has, whose own way of changing sides costs more than to play a move here. Moves
    are taken back and not copied, and tried from the left, as in its own Connect Four.
    """

    def __init__(self, position: Connect4Position) -> None:
        discs = (position.first, position.second)
        self.own, self.opp = discs[::-1] if position.ply % 2 else discs
        self.lost = position.won
        self.cells: list[int] = []
        self.ai_move: str | None = None  # its answer

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
        self.lost = False  # or no move would have been made

    def switch_player(self) -> None:
        self.own, self.opp = self.opp, self.own

    def is_over(self) -> bool:
        return self.lost or self.own | self.opp == EVERYWHERE

    def scoring(self) -> int:
        """As in its documentation's example: whether the opponent has a line, and nothing else."""
        return -100 if self.lost else 0


def negamax() -> Callable[[Position, Sequence[str]], str]:
    """Its Negamax, 6 plies deep. It never varies, and takes as long as it takes."""
    search = easyai.Negamax(DEPTH)

    def move(position: Position, _played: Sequence[str]) -> str:
        assert isinstance(position, Connect4Position)
        return str(search(ConnectFour(position)))

    return move
