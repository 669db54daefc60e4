"""The forms in which students write a search: what is correct gets all points, and typical faults are named."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from grading import forms
from noughts.games import GAMES, Side
from noughts.grading.boards import representation
from noughts.grading.child import search_form, searcher
from noughts_client.bots.child import load
from support.command import noughts

SMOKE = (
    "alphabeta(position, alpha, beta) -> value, own board",
    "alpha_beta_search(state, game) -> move",
    "alphabeta(position, depth, alpha, beta, maximizingPlayer) -> value, for the second side",
    "alphabeta(position, alpha, beta) -> value, in another order",
    "alphabeta(position, alpha, beta, depth) -> value, with sooner wins",
    "a draw counts as a loss",
    "equal moves replace the best",
    "a later win is worth more",
)

DEFAULT = "a state changed while searching"

SMALL = "kalah?pits=2&seeds=2"
"""A game of few positions, in which a side may move again."""

BY_SIDE = """
def minimax(position):
    if position.outcome is not None:
        return {None: 0, "first": 1, "second": -1}[position.outcome.winner]
    choose = max if position.to_move == "first" else min
    return choose(minimax(position.play(move)) for move in position.legal_moves)
"""
"""Its values are for the first side, whoever moves again."""

LATE = "xx./oo./x.."
"""O wins at once, on the cell 6."""


def marked(names: dict[str, Any]) -> list[Any]:
    """Parameters, of which only ``DEFAULT`` is in the default tier; those of ``SMOKE`` are CI's, too."""
    slow = {True: [pytest.mark.slow, pytest.mark.smoke], False: [pytest.mark.slow]}
    return [pytest.param(name, marks=() if name == DEFAULT else slow[name in SMOKE]) for name in names]


def words_of(file: Path, source: str, *options: str) -> tuple[int, str]:
    file.write_text(source)
    function = "minimax" if "def minimax" in source else "alphabeta"
    result = noughts("grade", str(file), "--uncontained", "--function", function, *options)
    assert result.err == ""
    return result.status, result.out.decode()


@pytest.mark.parametrize("form", forms.CORRECT)
def test_a_correct_search_finds_a_win_in_every_form(form: str, tmp_path: Path) -> None:
    file = tmp_path / "student.py"
    file.write_text(forms.CORRECT[form])
    answer = searcher(search_form(load(str(file)), "alphabeta,minimax"))
    maximizer = "second" if "second side" in form else "first"
    said = answer({"game": "tictactoe", "position": LATE, "maximizer": maximizer})
    assert said["form"] == form.partition(" -> ")[0]
    assert not said["changed"]
    assert all(value or move == "6" for value, move in said["readings"].values())


@pytest.mark.timeout(900)
@pytest.mark.parametrize("form", marked(forms.CORRECT))
def test_a_correct_search_gets_all_points_in_every_form(form: str, tmp_path: Path) -> None:
    status, words = words_of(tmp_path / "student.py", forms.CORRECT[form])
    assert "Points: 100 of 100" in words
    assert status == 0
    assert f"Graded as {form.rpartition(',')[0] if '->' in form.rpartition(',')[0] else form}" in words


@pytest.mark.timeout(900)
@pytest.mark.parametrize("fault", marked(forms.FAULTS))
def test_a_typical_fault_is_named(fault: str, tmp_path: Path) -> None:
    source, told, *options = forms.FAULTS[fault]
    status, words = words_of(tmp_path / "student.py", source, *options)
    assert status == 1
    assert told in words


def test_a_file_of_another_form_needs_no_option(tmp_path: Path) -> None:
    """Where the method cannot be told, or alpha and beta tell it, the function may have another name."""
    file = tmp_path / "student.py"
    for number, (source, name) in enumerate(
        (
            (forms.COURSE_PRUNED, "minimax(board)"),
            (forms.AGENT, "agent(observation, configuration)"),
            (forms.PRUNED_MAXIMIZING.replace("alphabeta", "minimax"), "minimax(position, depth, alpha, beta, "),
        )
    ):
        file = tmp_path / f"student{number}.py"
        file.write_text(source)
        assert search_form(load(str(file)), "alphabeta").said.startswith(name)
    file.write_text(BY_SIDE)
    result = noughts("grade", str(file), "--uncontained", "--game", SMALL, "--view", "first")
    assert result.status == 0
    assert "student2.py: minimax at Kalah" in result.out.decode()
    assert "It has no alphabeta, so its minimax is graded." in result.out.decode()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("class Solver:\n    def minimax(self, position):\n        return 0", "Its class Solver has a method minimax:"),
        ("def minimax(position, tiefe):\n    return 0", "rename it, a count of plies to depth"),
        ("input()", "It asks for input when it is loaded"),
    ],
)
def test_a_file_that_cannot_be_graded_is_told_what_to_change(source: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "student.py").write_text(source)
    result = noughts("grade", str(tmp_path / "student.py"), "--uncontained")
    assert result.status == 1
    assert said in result.out.decode()


@pytest.mark.parametrize(
    ("source", "board"),
    [
        (forms.SEVEN, [["X", None, None], [None, "O", None], [None, None, None]]),
        (forms.FLAT, ["x", "_", "_", "_", "o", "_", "_", "_", "_"]),
        (forms.NUMBERS, [[1, 0, 0], [0, -1, 0], [0, 0, 0]]),
        (forms.UNNAMED, ["X", 1, 2, 3, "O", 5, 6, 7, 8]),
        ("origBoard = [0, 1, 2, 3, 4, 5, 6, 7, 8]", ["X", 1, 2, 3, "O", 5, 6, 7, 8]),
        ("WINS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]\nmine = [' '] * 9", ["X", " ", " ", " ", "O", " ", " ", " ", " "]),
        ("def undo(board, cell):\n    board[cell - 1] = cell", ["X", 2, 3, 4, "O", 6, 7, 8, 9]),
        (forms.NUMBERED, ["X", 1, 2, 3, "O", 5, 6, 7, 8]),
        ("board = '-' * 9", "X---O----"),
        ("def best(cells):\n    return cells[0] == ' '", ["X", " ", " ", " ", "O", " ", " ", " ", " "]),
        ("board = [str(n) for n in range(1, 10)]", ["X", "2", "3", "4", "O", "6", "7", "8", "9"]),
        ("EMPTY = 0\nPLAYER, AI = 1, 2\nboard = [0] * 9", [1, 0, 0, 0, 2, 0, 0, 0, 0]),
    ],
)
def test_a_board_is_as_the_file_has_it(source: str, board: object) -> None:
    names: dict[str, Any] = {}
    exec(source, names)
    known = representation(names, list(ast.walk(ast.parse(source))))
    game = GAMES["tictactoe"]
    assert known.of(game, game.parse("x../.o./...")) == board


def test_a_board_that_is_indexed_by_pairs_is_an_array() -> None:
    pytest.importorskip("numpy")  # the file would have imported it
    source = "def minimax(board):\n    return board[0, 1] == 0"
    known = representation({}, list(ast.walk(ast.parse(source))))
    game = GAMES["tictactoe"]
    assert known.of(game, game.parse("x../.o./...")).tolist() == [[1, 0, 0], [0, -1, 0], [0, 0, 0]]


def test_a_maximizer_is_who_moves_where_the_search_maximizes(tmp_path: Path) -> None:
    file = tmp_path / "student.py"
    file.write_text(forms.FLAT)
    form = search_form(load(str(file)), "minimax")
    assert form.maximizer is Side.SECOND
    assert form.counts_up
    game = GAMES["tictactoe"]
    assert form.call(game, game.parse("xx./oo./x.."), None) == (9, False)  # the second side wins at once
