import pytest

from noughts.games import GAMES, IllegalMove, InvalidPosition, Outcome, Position, Reason, Side

GAME = GAMES["connect4"]


def played(moves: str) -> Position:
    position = GAME.start
    for move in moves:
        position = position.play(move)
    return position


def test_discs_stack_until_the_column_is_full() -> None:
    position = played("444444")
    assert position.rows == ("...y...", "...r...", "...y...", "...r...", "...y...", "...r...")
    assert position.legal_moves == ("1", "2", "3", "5", "6", "7")
    with pytest.raises(IllegalMove, match="column 4 is full"):
        position.play("4")


@pytest.mark.parametrize(
    ("moves", "winner", "cells"),
    [
        ("1122334", Side.FIRST, "a6 b6 c6 d6"),
        ("71122334", Side.SECOND, "a6 b6 c6 d6"),
        ("1213141", Side.FIRST, "a3 a4 a5 a6"),
        ("12234334644", Side.FIRST, "d3 c4 b5 a6"),
        ("76654554244", Side.FIRST, "d3 e4 f5 g6"),
        ("1122335566774", Side.FIRST, "a6 b6 c6 d6 e6 f6 g6"),
    ],
)
def test_four_in_a_row_or_more_win(moves: str, winner: Side, cells: str) -> None:
    assert played(moves[:-1]).outcome is None
    assert played(moves).outcome == Outcome(winner, Reason.LINE, tuple(cells.split()))


def test_two_lines_at_once_are_both_reported() -> None:
    end = GAME.parse("......./......./......r/..y..ry/..r.ryy/rrrryyy")
    assert end.outcome == Outcome(Side.FIRST, Reason.LINE, ("g3", "f4", "e5", "a6", "b6", "c6", "d6"))


def test_a_line_does_not_wrap_to_the_next_column() -> None:
    assert GAME.parse("r....../r....../r....../y....../y..y.../rr.y.y.").outcome is None


def test_the_end_of_a_full_board() -> None:
    end = GAME.parse("yyyryyy/rrryrrr/yyyryyy/rrryrrr/yyyryyy/rrryrrr")
    assert end.outcome == Outcome(None, Reason.DRAW)
    assert end.ply == 42
    with pytest.raises(IllegalMove, match="over"):
        end.play("1")


EMPTY = "......."


@pytest.mark.parametrize(
    ("bottom_rows", "message"),
    [
        (["r......", EMPTY], "must lie on"),
        (["rr....."], "or one r more"),
        (["y......"], "or one r more"),
        (["rrrr...", "yyyy..."], "both"),
        (["rr.....", "rrrryyy", "yyyrryy"], "one more move"),
        (["r......", "y......"], "no order"),
        (["rrr....", "yyy...."], "no order"),
        (["rrrr...", "yyyryy.", "rrrryyy"], "no order"),  # the game had ended with the first of the lines
    ],
)
def test_unreachable_boards_are_refused(bottom_rows: list[str], message: str) -> None:
    rows = [EMPTY] * (6 - len(bottom_rows)) + bottom_rows
    with pytest.raises(InvalidPosition, match=message):
        GAME.parse("/".join(rows))
