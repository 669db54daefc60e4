from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import pytest
from prompt_toolkit.utils import get_cwidth

from noughts.protocol.study_messages import Analysed, MoveWorth
from noughts.rooms import Resign
from noughts_client.terminal.board import BEST, board
from noughts_client.terminal.table import Table
from noughts_client.terminal.text import plain
from noughts_client.terminal.values import in_columns, listed, narrow, shown_value, summary, wide
from noughts_client.terminal.view import view
from support.viewed import FIRST, SECOND, after, any_game, room, seen


def worth(value: int, *line: str, exact: bool = True, distance: int | None = None) -> MoveWorth:
    return {"value": value, "exact": exact, "distance": distance, "line": list(line)}


def explained(
    table: Table,
    moves: Mapping[str, MoveWorth],
    best: str,
    nodes: int = 1234,
    verdict: Literal["proved", "preferred", "unknown"] = "proved",
) -> Table:
    """``table`` with an analysis of its position."""
    first, *others = best.split()
    analysis: Analysed = {
        "type": "analysis",
        "room": table.room,
        "game": table.game["key"],
        "ply": table.state["ply"],
        "turn": table.state["turn"],
        "to_move": table.state["to_move"],
        "value": moves[first]["value"],
        "exact": moves[first]["exact"],
        "best": [first, *others],
        "verdict": verdict,
        "moves": dict(moves),
        "nodes": nodes,
        "depth": 7,
        "seconds": 0.25,
    }
    return replace(table, values=True, analysis=analysis)


def some(table: Table, value: int = 0, *, exact: bool = False) -> dict[str, MoveWorth]:
    """The legal moves, each worth less than the one before."""
    legal = table.state["legal_moves"]
    return {move: worth(value - i, move, exact=exact) for i, move in enumerate(legal)}


def tictactoe(**fields: bool) -> Table:
    table = seen(FIRST.id, room("51", second=SECOND), **fields)
    moves = {move: worth(0, move, distance=7) for move in "2346789"}
    moves |= {"3": worth(-8, "3", "7", distance=2), "9": worth(9, "9", "2", "7", distance=1)}
    return explained(table, moves, "9")


def lines(table: Table, width: int = 80) -> list[str]:
    return plain(view(table, width, 0)).split("\n")


def test_values_follow_the_moves_and_the_summary_is_beside_the_board() -> None:
    assert lines(tictactoe())[3:] == [
        "",
        "  [  o  ]| 2:  0 | 3: -8     Best for X: 9 (9), a win in 1 ply.",
        "  -------+-------+-------    Principal variation: 9 2 7",
        "   4:  0 |   x   | 6:  0     1,234 nodes, depth 7, 0.25 s.",
        "  -------+-------+-------",
        "   7:  0 | 8:  0 |(9:  9)",
        "",
        "Your turn.",
    ]


def test_numpad_applies_to_the_board_and_the_summary() -> None:
    shown = "\n".join(lines(tictactoe(numpad=True)))
    assert "[  o  ]| 8:  0 | 9: -8 " in shown
    assert "(3:  9)" in shown
    assert "Best for X: 3 (9)" in shown
    assert "variation: 3 8 1" in shown


def test_the_summary_is_below_the_board_in_a_narrow_window() -> None:
    shown = lines(tictactoe(), 40)
    assert shown[8:] == [
        "   7:  0 | 8:  0 |(9:  9)",
        "",
        "Best for X: 9 (9), a win in 1 ply.",
        "Principal variation: 9 2 7",
        "1,234 nodes, depth 7, 0.25 s.",
        "",
        "Your turn.",
    ]


def test_values_replace_the_moves_in_a_narrower_window() -> None:
    assert lines(tictactoe(), 20)[5:10:2] == ["  [ o ]|  0  |  -8", "    0  |  x  |  0", "    0  |  0  |( 9 )"]


def test_the_best_moves_are_green() -> None:
    row = board(tictactoe(), wide(tictactoe()))[-1]
    assert [text for style, text in row if style == BEST] == ["(", "  9)"]


@pytest.mark.parametrize("game", ["tictactoe", "connect4", "reversi", "ultimate", "gomoku"])
def test_the_board_has_the_same_size_before_the_values_are_known(game: str) -> None:
    table = seen(FIRST.id, room(game=game), values=True)
    known = explained(table, some(table, 9), table.state["legal_moves"][0])
    for inscribed in (wide, narrow):
        sizes = [[sum(len(text) for _, text in row) for row in board(t, inscribed(t))] for t in (table, known)]
        assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ("preferred", "For White the search prefers c3 (~4), an estimate."),
        ("unknown", "For White the search found no difference between the moves (~4), an estimate."),
    ],
)
def test_a_move_that_is_not_proved_is_not_called_best(known: Literal["preferred", "unknown"], sentence: str) -> None:
    table = seen(FIRST.id, room(["d3"], game="reversi"))
    moves = {move: worth(value, move, exact=False) for move, value in (("c3", 4), ("e3", -120), ("c5", 4))}
    found = explained(table, moves, "c3", verdict=known)
    assert summary(found)[0] == sentence
    assert "(~4)" not in "\n".join(lines(found, 60)[:12])
    assert BEST not in [style for row in board(found, wide(found)) for style, _ in row]


def test_an_older_server_does_not_say_whether_its_best_moves_are_proved() -> None:
    table = seen(FIRST.id, room(["d3"], game="reversi"))
    for exact, words in ((True, "Best for White: c3"), (False, "For White the search prefers c3")):
        moves = {move: worth(4, move, exact=exact) for move in ("c3", "e3", "c5")}
        found = explained(table, moves, "c3")
        assert found.analysis is not None
        del found.analysis["verdict"]
        assert summary(found)[0].startswith(words)


def test_values_are_above_the_columns() -> None:
    table = seen(FIRST.id, room("4444", game="connect4"))
    moves = {column: worth(-int(column), column) for column in "123567"} | {"4": worth(18, "4", distance=5)}
    shown = lines(explained(table, moves, "4"), 60)
    assert shown[4:7] == [
        "      -1    -2    -3  (+18)   -5    -6    -7",
        "       1     2     3     4     5     6     7",
        "       .     .     .     .     .     .     .",
    ]
    assert shown[8] == "       .     .     .    [y]    .     .     ."
    assert shown[13] == "Best for Red: 4 (18), a win in 5 plies."


def test_values_above_the_columns_of_a_narrow_window_do_not_look_like_the_columns() -> None:
    """A full column has no value. Where even narrow cells do not fit, there is a list instead."""
    table = seen(FIRST.id, room("444444", game="connect4"))
    moves = {column: worth(4 - int(column), column) for column in "123567"}
    shown = lines(explained(table, moves, "1"), 40)
    assert shown[4:6] == ["   (+3) +2  +1      -1  -2  -3", "     1   2   3   4   5   6   7"]
    shown = lines(explained(table, moves, "1"), 28)
    assert shown[4] == "   1 2 3 4 5 6 7"
    assert "(1) 1: 3" in "\n".join(shown)
    assert " 6  7: -3" in "\n".join(shown)


def test_values_are_in_the_cells_if_there_is_room() -> None:
    table = seen(FIRST.id, room(["d3"], game="reversi"))
    moves = {move: worth(value, move, exact=False) for move, value in (("c3", 4), ("e3", -120), ("c5", 0))}
    shown = lines(explained(table, moves, "c3"), 60)
    assert shown[4] == "        a     b     c     d     e     f     g     h"
    assert shown[7] == "  3     .     .   (~4)   [b]~-120     .     .     ."
    assert shown[9] == "  5     .     .    ~0     b     w     .     .     ."
    assert "+" not in "\n".join(shown)


def test_lines_separate_the_small_boards() -> None:
    table = seen(FIRST.id, room(["e5", "d4"], game="ultimate"))
    shown = lines(explained(table, some(table, 5), "a1"), 80)
    assert shown[5] == "  1   (~5)   ~4    ~3 |     .     .     . |     .     .     ."
    assert shown[8] == "   -------------------+-------------------+-------------------"
    assert shown[9] == "  4     .     .     . |    [o]    .     . |     .     .     ."


def test_a_large_board_has_ranks_and_a_list_beside_it() -> None:
    table = seen(FIRST.id, room(["h8", "h9"], game="gomoku"))
    shown = lines(explained(table, some(table, 5), "a1 b1"), 80)
    assert shown[5].startswith("   1(1(2)3 4 5 6 7 8 9 . ")
    text = "\n".join(shown)
    assert "(1) a1: ~5\n" in text
    assert "(2) b1: ~4\n" in text
    assert " 9  i1: ~-3" in text
    assert "214 more: ~-4 to ~-217" in text
    assert len(shown) == len(lines(table)), "the list needs no lines of its own"
    assert " ~-190 ~-191 " in "\n".join(lines(explained(table, some(table, 5), "a1 b1"), 100))


@pytest.mark.parametrize("width", [20, 28, 40, 60, 80, 120])
@pytest.mark.parametrize("game", ["tictactoe", "connect4", "reversi", "ultimate", "gomoku"])
def test_only_the_board_may_be_wider_than_the_window(game: str, width: int) -> None:
    table = seen(FIRST.id, room(game=game))
    board_alone = max(map(len, lines(table, width)))
    for value in (0, -500, -99_000) if width > 20 else (9, 0):
        shown = lines(explained(table, some(table, value, exact=width == 20), table.state["legal_moves"][0]), width)
        assert max(map(get_cwidth, shown)) <= max(width, board_alone)


def test_there_is_no_summary_before_and_after_the_game() -> None:
    for what in (after(room("5"), Resign(FIRST.id)), room(second=None)):
        shown = "\n".join(lines(seen(FIRST.id, what, values=True)))
        assert "Best" not in shown
        assert "searching" not in shown
        assert not seen(FIRST.id, what, values=True).needs_analysis


def test_the_summary_shows_that_the_search_is_running() -> None:
    table = seen(FIRST.id, room("5"), values=True)
    assert table.needs_analysis
    assert summary(table)[0] == "Best for O: searching ..."
    assert not replace(table, connected=False).needs_analysis
    assert not replace(table, values=False).needs_analysis


def test_values_belong_to_their_position() -> None:
    table = tictactoe()
    away = table.updated(4, table.state)
    assert (away.analysis, away.version) == (table.analysis, 4)
    assert table.updated(4, {**table.state, "turn": table.state["turn"] + 2}).analysis is None, "after a takeback"
    assert table.updated(4, {**table.state, "to_move": None}).analysis is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (worth(9, "1", distance=1), "1 (9), a win in 1 ply."),
        (worth(-8, "1", distance=2), "1 (-8), a loss in 2 plies."),
        (worth(0, "1", distance=9), "1 (0), a draw in 9 plies."),
        (worth(12, "1"), "1 (12), a win."),
        (worth(12, "1", exact=False), "1 (~12), an estimate."),
        ({**worth(4, "1", exact=False), "bound": "upper"}, "1 (<=4), an upper bound."),
        ({**worth(-4, "1", exact=False), "bound": "lower"}, "1 (>=-4), a lower bound."),
    ],
)
def test_values_are_put_into_words(value: MoveWorth, words: str) -> None:
    assert summary(explained(seen(FIRST.id, room()), {"1": value}, "1"))[0] == f"Best for X: {words}"


def test_long_lists_are_shortened() -> None:
    table = seen(FIRST.id, room())
    moves = {move: worth(0, *"123456789123", "4", distance=9) for move in "123456789"}
    lines = summary(explained(table, moves, "1 2 3 4 5 6 7 8", nodes=1))
    assert lines[0] == "Best for X: 1 2 3 4 5 and 3 more (0), a draw in 9 plies."
    assert summary(explained(table, moves, "1 2 3 4 5 6"))[0].startswith("Best for X: 1 2 3 4 5 6 (0), ")
    assert summary(explained(table, moves, "1 2 3 4 5 6 7 8 9"))[0].startswith("Best for X: any move (0), ")
    assert lines[1] == "Principal variation: 1 2 3 4 5 6 7 8 9 1 2 3 ..."
    assert lines[2].startswith("1 node, ")


def test_an_answer_from_the_opening_table_reports_no_search() -> None:
    table = seen(FIRST.id, room(game="connect4"))
    known = {"4": worth(1, "4", distance=41)}
    assert summary(explained(table, known, "4", nodes=0))[2] == "Known from the opening table."
    nothing = {"4": worth(0, "4", exact=False)}
    assert summary(explained(table, nothing, "4", nodes=0))[2] == "0 nodes, depth 7, 0.25 s."


def test_a_certain_win_ranks_before_a_greater_estimate() -> None:
    table = seen(FIRST.id, room(["h8", "h9"], game="gomoku"))
    moves = some(table) | {"a1": worth(50, "a1", exact=False), "c3": worth(20, "c3")}
    shown = "\n".join(lines(explained(table, moves, "c3")))
    assert "(1) c3: 20" in shown
    assert " 2  a1: ~50" in shown


def test_a_value_is_at_most_five_columns_wide() -> None:
    assert shown_value(worth(-1234)) == "-1234"
    assert shown_value(worth(-1234, exact=False)) == "~-1k"
    assert shown_value(worth(98765, exact=False)) == "~99k"


def test_a_move_that_is_not_on_the_board_is_listed() -> None:
    layout = [[f"{column}{row}" for column in "abcd"] for row in range(1, 5)]
    table = any_game(layout, ["x..."] + ["...."] * 3, [])
    moves = {"b1": worth(1, "b1"), "pass": worth(-3, "pass")}
    for width in (20, 80):
        assert "pass: -3" in "\n".join(lines(explained(table, moves, "b1"), width))


def test_entries_are_arranged_in_columns() -> None:
    assert in_columns(["a: 1", "b: -10", "c: 2"], 14) == ["a: 1    b: -10", "c: 2"]
    assert in_columns(["a: 1", "b: 2"], 3) == ["a: 1", "b: 2"]
    assert in_columns([], 14) == []


def test_a_line_of_chess_is_in_its_notation_and_numbered() -> None:
    table = seen(FIRST.id, room(second=SECOND, game="chess"))
    moves = {move: worth(0, move, exact=False) for move in table.state["legal_moves"]}
    moves["g1f3"] = {**worth(20, "g1f3", "d7d5", "c2c4", exact=False), "names": ["Nf3", "d5", "c4"]}
    shown = explained(table, moves, "g1f3", verdict="preferred")
    assert shown.analysis is not None
    said = summary(replace(shown, analysis={**shown.analysis, "number": 1}))
    assert said[0] == "For White the search prefers Nf3 (~20), an estimate."
    assert said[1] == "Principal variation: 1. Nf3 d5 2. c4"
    assert listed(shown)[0] == " 1  Nf3: ~20"
