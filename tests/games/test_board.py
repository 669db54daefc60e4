from __future__ import annotations

import pytest

from noughts.games import GAMES, Game
from noughts.games.board import board, faces, glyphs


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


def test_a_position_prints_as_its_board_and_whose_move_it_is() -> None:
    position = GAMES["tictactoe"].parse("xo./.x./...")
    assert str(position) == "x o .    1 2 3\n. x .    4 5 6\n. . .    7 8 9\nO (o) to move"
    assert repr(position) == "<LinePosition xo./.x./...>"
    assert str(position.play("3").play("9")).splitlines()[-1] == "X won"
    assert str(GAMES["tictactoe"].parse("xox/xox/oxo")).splitlines()[-1] == "A draw"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_game_prints_its_positions(game: Game) -> None:
    assert str(game.start).splitlines() == [
        *board(game, faces(game, game.start)),
        f"{game.first.name} ({game.first.symbol}) to move",
    ]
    assert game.start.text in repr(game.start)


def test_kalah_shows_how_many_seeds_are_in_each_pit() -> None:
    position = GAMES["kalah"].parse("0,0,0,0,0,1,12/5,6,6,6,6,6,0 first")
    lines = str(position).splitlines()
    assert [line.split() for line in lines[1:4]] == [[*"666665"], ["0", "12"], [*"000001"]]
    assert ">12</text>" in position._repr_svg_()  # type: ignore[attr-defined]


def test_pieces_are_drawn_by_their_glyphs_and_no_cell_where_there_is_none() -> None:
    assert ">♚</text>" in GAMES["chess"].start._repr_svg_()  # type: ignore[attr-defined]
    assert GAMES["draughts"].start._repr_svg_().count("<rect") == 3 + 32  # type: ignore[attr-defined]


def test_points_are_drawn_on_their_lines() -> None:
    lines = str(GAMES["morris"].start.play("a7").play("d7")).splitlines()
    assert lines[:4] == [
        "  a   b   c   d   e   f   g",
        "7 w───────────b───────────·",
        "  │           │           │",
        "6 │   ·───────·───────·   │",
    ]
    assert lines[13] == "1 ·───────────·───────────·"


def test_edges_are_drawn_between_dots_and_boxes_have_their_owner() -> None:
    position = GAMES["dots"].start
    for move in ("b1", "a2", "c2", "f7", "b3"):
        position = position.play(move)
    assert str(position).splitlines()[1:4] == [
        "1 +-------+       +       +",
        "2 |   r   |",
        "3 +-------+       +       +",
    ]


def test_pieces_are_shown_by_their_glyphs_and_edges_are_not() -> None:
    chess, dots = GAMES["chess"], GAMES["dots"]
    assert board(chess, glyphs(chess, chess.start))[-1].split() == ["1", *"♖♘♗♕♔♗♘♖"]
    assert glyphs(dots, dots.start) == [list(row) for row in dots.start.rows]
