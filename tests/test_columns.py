from __future__ import annotations

from noughts.columns import isolated, printable, table


def test_columns_begin_or_end_at_the_same_place() -> None:
    assert table([("player", "games"), ("ann", "7"), ("benjamin", "120")], right=[1]) == [
        "player    games",
        "ann           7",
        "benjamin    120",
    ]
    assert table([]) == []
    assert table([("a", "", ""), ("b", "", "")]) == ["a", "b"]


def test_a_wide_character_takes_two_columns_and_a_combining_one_none() -> None:
    assert table([("将棋", "1"), ("e\u0301te", "2"), ("shogi", "3")]) == ["将棋   1", "e\u0301te    2", "shogi  3"]


def test_text_from_right_to_left_does_not_move_what_follows() -> None:
    assert table([("שלום", "1"), ("peace", "2")]) == ["שלום\u200e   1", "peace  2"]
    assert isolated("peace") == "peace"


def test_cells_cannot_command_the_terminal() -> None:
    assert table([("a\x1b[2J\t1", "b")]) == ["a?[2J 1  b"]
    assert printable("a\tb\nc\u202e") == "a\tb?c?"


def test_a_row_can_be_printed_before_the_next_is_known() -> None:
    assert table([("a", "5", "x")], right=[1], least=(4, 3)) == ["a       5  x"]
