from noughts_client.terminal.board import FAINT, STYLES, board
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import plain
from support.viewed import FIRST, any_game, room, seen

CONNECT4 = [[str(column) for column in range(1, 8)] for _ in range(6)]
GOMOKU = [[f"{column}{row}" for column in "abcdefghijklmno"] for row in range(1, 16)]


def drawn(table: Table) -> list[str]:
    return plain(board(table)).split("\n")


def test_empty_cells_show_their_moves() -> None:
    assert drawn(seen(FIRST.id, room())) == [" 1 | 2 | 3", "---+---+---", " 4 | 5 | 6", "---+---+---", " 7 | 8 | 9"]
    assert drawn(seen(FIRST.id, room("51")))[::2] == ["[o]| 2 | 3", " 4 | x | 6", " 7 | 8 | 9"]


def test_numpad_has_seven_in_the_top_row() -> None:
    assert drawn(seen(FIRST.id, room("1"), numpad=True))[::2] == ["[x]| 8 | 9", " 4 | 5 | 6", " 1 | 2 | 3"]


def test_a_winning_line_is_marked_instead_of_the_last_move() -> None:
    assert drawn(seen(FIRST.id, room("14253")))[::2] == ["*x*|*x*|*x*", " o | o | 6", " 7 | 8 | 9"]


def test_sides_have_colours_and_the_winning_line_is_reversed() -> None:
    first_row = board(seen(FIRST.id, room("14253")))[0]
    assert [style for style, text in first_row if text != "|"] == [f"{STYLES['first']} reverse"] * 3
    third_row = board(seen(FIRST.id, room("14253")))[2]
    assert [style for style, text in third_row if text != "|"] == [STYLES["second"], STYLES["second"], FAINT]


def test_column_moves_are_above_the_columns_and_the_topmost_piece_is_the_last_move() -> None:
    rows = [".......", ".......", ".......", "...x...", "...o...", "..xo..."]
    assert drawn(any_game(CONNECT4, rows, ["3", "4", "4", "4"])) == [
        " 1 2 3 4 5 6 7",
        " . . . . . . .",
        " . . . . . . .",
        " . . . . . . .",
        " . . .[x]. . .",
        " . . . o . . .",
        " . . x o . . .",
    ]


def test_coordinates_are_at_the_edges() -> None:
    rows = ["x.............."] + ["." * 15] * 13 + ["oo............."]
    lines = drawn(any_game(GOMOKU, rows, ["a15", "a1", "b15"]))
    assert lines[0] == "   a b c d e f g h i j k l m n o"
    assert lines[1] == " 1 x . . . . . . . . . . . . . ."
    assert lines[15] == "15 o[o]. . . . . . . . . . . . ."
    assert max(map(len, lines)) < 40


def test_neighbouring_marks_share_a_column() -> None:
    outcome = {"winner": "first", "reason": "line", "cells": ["b1", "c1", "d1", "e1", "f1"]}
    rows = [".xxxxx........."] + ["." * 15] * 14
    assert drawn(any_game(GOMOKU, rows, ["f1"], outcome=outcome))[1] == " 1 .*x*x*x*x*x*. . . . . . . . ."


def test_a_move_without_a_cell_marks_nothing() -> None:
    rows = ["xo" + "." * 13] + ["." * 15] * 14
    assert drawn(any_game(GOMOKU, rows, ["a1", "b1", "pass"]))[1].startswith(" 1 x o . .")


def test_a_line_of_discs_marks_cells_and_not_columns() -> None:
    assert drawn(seen(FIRST.id, room("1213141", game="connect4"))) == [
        " 1 2 3 4 5 6 7",
        " . . . . . . .",
        " . . . . . . .",
        "*r*. . . . . .",
        "*r*. . . . . .",
        "*r*. . . . . .",
        "*r*y y y . . .",
    ]


def test_sides_named_after_a_colour_have_that_colour() -> None:
    bottom = board(seen(FIRST.id, room("12", game="connect4")))[-1]
    styles = {text: style for style, text in bottom}
    assert "red" in styles["r"]
    assert "yellow" in styles["y"]


def test_legal_cells_are_marked_if_not_all_empty_ones_are_legal() -> None:
    assert drawn(seen(FIRST.id, room(["d3"], game="reversi"))) == [
        "  a b c d e f g h",
        "1 . . . . . . . .",
        "2 . . . . . . . .",
        "3 . . +[b]+ . . .",
        "4 . . . b b . . .",
        "5 . . + b w . . .",
        "6 . . . . . . . .",
        "7 . . . . . . . .",
        "8 . . . . . . . .",
    ]
    assert "+" not in "".join(drawn(seen(FIRST.id, room(["a1"], game="gomoku"))))


def test_lines_separate_the_small_boards() -> None:
    assert drawn(seen(FIRST.id, room(["e5", "d4"], game="ultimate"))) == [
        "  a b c   d e f   g h i",
        "1 + + + | . . . | . . .",
        "2 + + + | . . . | . . .",
        "3 + + + | . . . | . . .",
        " -------+-------+-------",
        "4 . . . |[o]. . | . . .",
        "5 . . . | . x . | . . .",
        "6 . . . | . . . | . . .",
        " -------+-------+-------",
        "7 . . . | . . . | . . .",
        "8 . . . | . . . | . . .",
        "9 . . . | . . . | . . .",
    ]


def test_a_high_board_has_column_names_below_too() -> None:
    lines = drawn(seen(FIRST.id, room(["o15"], game="gomoku")))
    assert lines[0] == lines[16] == "   a b c d e f g h i j k l m n o"
    assert lines[15] == "15 . . . . . . . . . . . . . .[b]"
    assert len(lines) == 17


def test_squares_keep_their_numbers_under_the_pieces() -> None:
    assert drawn(seen(FIRST.id, room(["11-15"], game="draughts")))[-3:] == [
        " 12⛂    [11 ]    10⛂     9 ⛂",
        "     8 ⛂     7 ⛂     6 ⛂     5 ⛂",
        " 4 ⛂     3 ⛂     2 ⛂     1 ⛂",
    ]
