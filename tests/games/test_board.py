from __future__ import annotations

from noughts.games import GAMES
from noughts.games.board import board


def drawn(key: str) -> list[str]:
    return board(GAMES[key], GAMES[key].start.rows)


def test_columns_are_labelled_if_moves_are_columns() -> None:
    assert drawn("connect4") == ["1 2 3 4 5 6 7", *[". . . . . . ."] * 6]


def test_columns_and_rows_are_labelled_if_moves_are_coordinates() -> None:
    assert drawn("reversi")[:2] == ["  a b c d e f g h", "1 . . . . . . . ."]
    assert drawn("reversi")[4] == "4 . . . w b . . ."
    assert drawn("gomoku")[0] == "   a b c d e f g h i j k l m n o"
    assert drawn("gomoku")[10] == "10 . . . . . . . . . . . . . . ."


def test_small_boards_are_separated() -> None:
    assert drawn("ultimate")[:5] == [
        "  a b c  d e f  g h i",
        *(f"{row} . . .  . . .  . . ." for row in (1, 2, 3)),
        "",
    ]


def test_other_cell_names_stand_beside_the_board() -> None:
    game = GAMES["tictactoe"]
    assert board(game, ("xo.", ".x.", "..o")) == ["x o .    1 2 3", ". x .    4 5 6", ". . o    7 8 9"]
