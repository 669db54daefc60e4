import pytest

from noughts.games import GAMES, IllegalMove, InvalidPosition, Outcome, Position, Reason, Side

GAME = GAMES["reversi"]
EMPTY = "." * 8


def played(moves: str) -> Position:
    position = GAME.start
    for move in moves.split():
        position = position.play(move)
    return position


def test_the_start() -> None:
    assert GAME.start.rows == (EMPTY,) * 3 + ("...wb...", "...bw...") + (EMPTY,) * 3
    assert GAME.start.legal_moves == ("d3", "c4", "f5", "e6")
    assert GAME.start.to_move is Side.FIRST


def test_discs_are_turned_in_all_eight_directions() -> None:
    before = GAME.parse(f"b.b.b.../.www..../bw.wb.../.wwwb.../b.bbb.../{EMPTY}/{EMPTY}/{EMPTY} first")
    after = before.play("c3")
    assert after.rows[:5] == ("b.b.b...", ".bbb....", "bbbbb...", ".bbbb...", "b.bbb...")


@pytest.mark.parametrize(("row", "move"), [("bwwwwww.", "h4"), (".wwwwwwb", "a4")])
def test_six_discs_are_turned_from_edge_to_edge(row: str, move: str) -> None:
    across = GAME.parse("/".join([EMPTY] * 3 + [row, "...bb..."] + [EMPTY] * 3) + " first")
    assert across.play(move).rows[3] == "b" * 8
    down = GAME.parse("/".join(f"...{row[r]}{'b' if r in {3, 4} else '.'}..." for r in range(8)) + " first")
    turned = down.play("d8" if move == "h4" else "d1")
    assert [line[3] for line in turned.rows] == ["b"] * 8


def test_a_move_turns_something() -> None:
    reason = "turns no disc: it must enclose discs of White between itself and another of Black, in a straight line"
    with pytest.raises(IllegalMove) as refused:
        GAME.start.play("a1")
    assert str(refused.value) == f"a disc on a1 {reason}"
    for move, message in (("d4", "taken"), ("a1", "turns no disc"), ("e3", "turns no disc"), ("pass", "cannot pass")):
        with pytest.raises(IllegalMove, match=message):
            GAME.start.play(move)
    assert played("d3").rows[2:5] == ("...b....", "...bb...", "...bw...")


def test_a_run_does_not_wrap_to_the_next_row() -> None:
    # Black has g4 and White h4: the next in the bits is a5. Black has b5 and White a5: the one before is h4.
    to_the_right = GAME.parse(f"{EMPTY}/{EMPTY}/{EMPTY}/...bbbbw/...bb.../{EMPTY}/{EMPTY}/{EMPTY} first")
    assert to_the_right.legal_moves == ("pass",)
    to_the_left = GAME.parse(f"{EMPTY}/{EMPTY}/{EMPTY}/...bb.../wbbbb.../{EMPTY}/{EMPTY}/{EMPTY} first")
    assert to_the_left.legal_moves == ("pass",)


def test_a_side_without_a_move_passes() -> None:
    position = played("d3 c3 b3 b2 f5 a3 a1 c1")
    assert position.text == "b.w...../.w....../wwbb..../...bb.../...bbb../......../......../........ first"
    assert position.legal_moves == ("pass",)
    with pytest.raises(IllegalMove, match="turns no disc"):
        position.play("b1")
    passed = position.play("pass")
    assert passed.rows == position.rows
    assert passed.to_move is Side.SECOND
    assert passed.ply == 9
    assert "pass" not in passed.legal_moves


def test_a_game_can_end_after_nine_moves() -> None:
    """Black takes the last white disc: neither side can move, and the board is far from full."""
    end = played("d3 c3 b3 d2 e1 d6 d7 e3 f4")
    assert end.outcome == Outcome(Side.FIRST, Reason.COUNT)
    assert end.ply == 9
    assert "w" not in "".join(end.rows)
    assert end.legal_moves == ()
    for move in ("pass", "a1"):
        with pytest.raises(IllegalMove, match="over"):
            end.play(move)
    assert GAME.parse(end.text) == end


def test_equal_counts_are_a_draw_by_count() -> None:
    end = GAME.parse("/".join(["bbbbbbbb", "wwwwwwww"] * 4) + " first")
    assert end.outcome == Outcome(None, Reason.COUNT)
    more = GAME.parse("/".join(["bbbbbbbb"] * 3 + ["wwwwwwww"] * 5) + " second")
    assert more.outcome == Outcome(Side.SECOND, Reason.COUNT)


def test_positions_with_equal_board_and_side_are_equal() -> None:
    assert played("d3 c5") == GAME.parse(played("d3 c5").text)
    board = "/".join(GAME.start.rows)
    assert GAME.parse(f"{board} first") == GAME.start
    assert GAME.parse(f"{board} second") != GAME.start
    assert GAME.parse(f"{board} second").ply == 1, "a side must have passed"


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        (GAME.start.rows, "", "who moves"),
        (GAME.start.rows, " ", "who moves"),
        (GAME.start.rows, " black", "who moves"),
        ((EMPTY,) * 8, " first", "centre"),
        (("b.......", *GAME.start.rows[1:]), " first", "beside"),
        ((*GAME.start.rows[:3], "...wb..b", "b..bw...", *GAME.start.rows[5:]), " first", "beside"),
        (("x.......", *GAME.start.rows[1:]), " first", "not 'x'"),
    ],
)
def test_unreachable_boards_are_refused(rows: tuple[str, ...], more: str, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        GAME.parse("/".join(rows) + more)
