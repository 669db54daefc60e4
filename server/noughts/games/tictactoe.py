"""Tic-tac-toe: three in a row on 3x3. Pure; does no I/O.

The cells, and so the moves, are ``1`` to ``9``, row by row from the top left.
"""

from noughts.games.base import Board
from noughts.games.mnk import mnk

TICTACTOE = mnk(
    "tictactoe",
    "Tic-tac-toe",
    3,
    3,
    3,
    layout=(("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9")),
    hint="With best play on both sides it is always a draw; the computer at its highest level never loses.",
    ground=Board(look="paper"),
    example="1 3 5 6",
    win=10,
    solved=True,
)
