"""Gomoku, freestyle: five or more in a row on 15x15. Pure; does no I/O.

The cells, and so the moves, are ``a1`` to ``o15``, a1 at the top left.
"""

from noughts.games.base import Board, RecordFormat, Style
from noughts.games.grid import coordinates
from noughts.games.mnk import mnk
from noughts.games.threats import heuristic

GOMOKU = mnk(
    "gomoku",
    "Gomoku",
    15,
    15,
    5,
    first=Style("Black", "b"),
    second=Style("White", "w"),
    hint="Three in a row with both ends open, or four with one, must be answered at once.",
    ground=Board("points", "wood"),
    record=RecordFormat("sgf", "sgf", "4"),
    example="h8 h9 i9 j10 j8 i8 h10 g11 g9 g10",
    heuristic=heuristic(coordinates(15, 15), 5),
)
