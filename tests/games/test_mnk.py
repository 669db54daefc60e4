import pickle

import pytest

from noughts.engine import alpha_beta
from noughts.games import GAMES, InvalidPosition, Outcome, Position, Reason, Side
from noughts.games.mnk import mnk

GOMOKU = GAMES["gomoku"]


def played(moves: str, position: Position = GOMOKU.start) -> Position:
    for move in moves.split():
        position = position.play(move)
    return position


@pytest.mark.parametrize(
    ("columns", "rows", "plies"),
    [(3, 3, None), (4, 4, 5), *(pytest.param(*size, 7, marks=pytest.mark.slow) for size in ((4, 3), (3, 4)))],
)
def test_three_in_a_row_is_a_draw_on_3x3_and_won_on_larger_boards(columns: int, rows: int, plies: int | None) -> None:
    game = mnk("three", "Three in a row", columns, rows, 3)
    assert alpha_beta(game.start, win=100, max_depth=plies).value == (100 - plies if plies else 0)


def test_a_board_has_at_most_26_columns() -> None:
    assert mnk("wide", "Wide", 26, 2, 5).start.legal_moves[-1] == "z2"
    with pytest.raises(ValueError, match="at most 26 columns"):
        mnk("wider", "Wider", 27, 2, 5)


def test_four_in_a_row_on_4x4_is_one_line_more() -> None:
    game = mnk("four", "Four in a row on 4x4", 4, 4, 4)
    end = played("a1 b1 a2 b2 a3 b3 a4", game.start)
    assert end.rows == ("xo..", "xo..", "xo..", "x...")
    assert end.outcome == Outcome(Side.FIRST, Reason.LINE, ("a1", "a2", "a3", "a4"))
    assert pickle.loads(pickle.dumps(end)) == end
    assert game.start != mnk("three", "Three", 4, 4, 3).start


@pytest.mark.parametrize(
    ("moves", "cells"),
    [
        ("a1 a2 b1 b2 c1 c2 d1 d2 e1", "a1 b1 c1 d1 e1"),
        ("o11 a1 o12 a2 o13 a3 o15 a5 o14", "o11 o12 o13 o14 o15"),
        ("a1 a2 b2 b3 c3 c4 d4 d5 e5", "a1 b2 c3 d4 e5"),
        ("o1 a2 n2 b3 m3 c4 l4 d5 k5", "o1 n2 m3 l4 k5"),
    ],
)
def test_five_in_a_row_win_in_every_direction(moves: str, cells: str) -> None:
    before, _, last = moves.rpartition(" ")
    assert played(before).outcome is None
    assert played(moves).outcome == Outcome(Side.FIRST, Reason.LINE, tuple(cells.split()))
    assert last in cells


def test_more_than_five_in_a_row_win_too() -> None:
    end = played("a1 a3 b1 b3 c1 c3 d1 d3 f1 e4 g1 f4 h1 g4 i1 h4 e1")
    assert end.outcome == Outcome(Side.FIRST, Reason.LINE, tuple(f"{column}1" for column in "abcdefghi"))


def test_two_lines_at_once_are_both_reported() -> None:
    end = played("b1 o1 c1 o2 d1 o3 e1 o4 a2 n1 a3 n2 a4 n3 a5 n4 a1")
    assert end.outcome
    assert end.outcome.cells == ("a1", "b1", "c1", "d1", "e1", "a2", "a3", "a4", "a5")
    assert GOMOKU.parse(end.text) == end


def test_a_line_does_not_go_on_in_the_next_row() -> None:
    for row in (
        "l1 m1 n1 o1 a2",
        "a15 b14 c13 d12 o11",
        "m1 n2 o3 a5 b6",
        "m1 n2 o3 a4 b5",
        "d1 c2 b3 a4 o5",
        "d1 c2 b3 a4 o4",
    ):
        blacks = row.split()
        whites = ["h8", "h10", "j8", "j10"]
        moves = " ".join(f"{black} {white}" for black, white in zip(blacks, whites, strict=False))
        assert played(f"{moves} {blacks[4]}").outcome is None


def test_a_full_board_without_a_line_is_a_draw() -> None:
    game = mnk("four", "Four in a row on 4x4", 4, 4, 4)
    end = game.parse("xxoo/ooxx/xxoo/ooxx")
    assert end.outcome == Outcome(None, Reason.DRAW)
    assert end.legal_moves == ()
    assert end.to_move is None


EMPTY = ["." * 15] * 15


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["bbbbb.........."], "or one b more"),
        (["bbbbb..........", "wwwww.........."], "both"),
        (["wwwww..........", "bbbb.bb........"], "one more move"),
        (["bbbbb..........", "wwww.www.......", "bbbbb..........", "ww............."], "no single move"),
        (["bbbbbbbbbb.....", "wwww.wwww.w...."], "no single move"),
    ],
)
def test_a_board_that_play_cannot_reach_is_refused(rows: list[str], message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        GOMOKU.parse("/".join([*rows, *EMPTY[len(rows) :]]))
