"""Boards of other shapes than squares, boards that are turned, and what is counted beside them."""

from __future__ import annotations

from noughts_client.terminal.board import board
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import plain
from noughts_client.terminal.view import view
from support.viewed import FIRST, SECOND, room, seen


def lines(table: Table) -> list[str]:
    return plain(board(table)).split("\n")


def test_pits_show_their_counts_from_the_viewers_side() -> None:
    table = seen(FIRST.id, room(["c1", "a1"], game="kalah"))
    assert lines(table) == [
        "      a2  b2  c2  d2  e2  f2",
        "       4   4   4   4   4   4",
        "   0                           1",
        "       0   5   1   6   6   5",
        "      a1  b1  c1  d1  e1  f1",
    ]
    assert lines(seen(SECOND.id, room(["c1", "a1"], game="kalah")))[0] == "      f1  e1  d1  c1  b1  a1"
    assert plain(view(table, 80, 0)).split("\n")[1:3] == ["  s South 1  player-1 (you)", "> n North 0  player-2"]


def test_edges_are_drawn_between_dots() -> None:
    assert lines(seen(FIRST.id, room(["b1", "a2", "c2"], game="dots")))[:3] == [
        "  a   b   c   d   e   f   g",
        "1 +───────+       +       +",
        "2 │       │",
    ]


def test_men_stand_on_lines_and_those_to_place_are_counted() -> None:
    table = seen(FIRST.id, room(["a7", "d7"], game="morris"))
    assert lines(table)[1:3] == ["7 w───────────b───────────·", "  │           │           │"]
    assert "> w White, 8 to place  player-1 (you)" in plain(view(table, 80, 0))


def test_black_has_its_pieces_at_the_bottom() -> None:
    shown = lines(seen(SECOND.id, room(["e2e4"], game="chess")))
    assert shown[0] == "  h g f e d c b a"
    assert shown[-1] == "8 ♜ ♞ ♝ ♚ ♛ ♝ ♞ ♜"
    assert lines(seen("p-9", room(["e2e4"], game="chess")))[-1] == "1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖"
