"""The command ``noughts solve``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from noughts.cli.main import main
from noughts.engine import Analysis, Bound, Interrupt, Limits, MoveValue, Verdict, has_kernel, verdict_of
from noughts.engine.connect4 import layers, openings
from noughts.explain import solve
from noughts.explain.solve import Solution, as_object, in_words, solution, within
from noughts.games import GAMES, Position
from noughts.games.connect4 import Connect4Position
from support.command import errors_of, output_of
from walks import exact_best, exact_value, move_value, reachable

GUESS = MoveValue(0, False, None, ("4",))
AT_MOST_2 = MoveValue(2, False, None, ("2",), bound=Bound.UPPER)


def solved(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    return output_of(capsys, "solve", *options)


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    return errors_of(capsys, "solve", *options)


def as_json(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    return json.loads(solved(capsys, *options, "--json"))


def test_the_lecture_board_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    result = as_json(capsys, "tictactoe", "xox/oox/...")
    assert result.pop("seconds") > 0
    assert result == {
        "game": "tictactoe",
        "position": "xox/oox/...",
        "to_move": "first",
        "value": 9,
        "exact": True,
        "best": ["9"],
        "verdict": "proved",
        "moves": {
            "7": {"value": -8, "distance": 2, "line": ["7", "8"], "exact": True},
            "8": {"value": 0, "distance": 3, "line": ["8", "9", "7"], "exact": True},
            "9": {"value": 9, "distance": 1, "line": ["9"], "exact": True},
        },
        "nodes": {"minimax": 11, "alphabeta": 11},
    }


@pytest.mark.slow
def test_both_methods_of_the_lecture_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    output = solved(capsys, "tictactoe", "--seconds", "60")
    assert "\nNodes: minimax 549,946, alpha-beta 34,203\n" in output
    assert "Best: 1, 2, 3, 4, 5, 6, 7, 8, 9\n" in output


def test_tic_tac_toe_is_right_move_by_move() -> None:
    game = GAMES["tictactoe"]
    for position in sorted((p for p in reachable("tictactoe") if p.ply >= 5), key=lambda p: (p.ply, p.text))[::15]:
        analysis = solution(game, position, 60).analysis
        assert analysis.value == exact_value(position)
        assert set(analysis.best) == exact_best(position)
        assert list(analysis.moves) == list(position.legal_moves)
        for name, move in analysis.moves.items():
            assert move.exact
            assert move.value == move_value(position, name)
            assert move.line[0] == name
            assert move.distance == len(move.line)
            end = position
            for step in move.line:
                if step != name or end is not position:
                    assert step in exact_best(end)
                end = end.play(step)
            assert end.outcome is not None
            if move.value:
                assert move.distance == 10 - abs(move.value)
                assert (end.outcome.winner is position.to_move) == (move.value > 0)
            else:
                assert end.outcome.winner is None


def test_without_depth_all_wins_are_equal(capsys: pytest.CaptureFixture[str]) -> None:
    result = as_json(capsys, "tictactoe", "xox/oox/...", "--no-depth")
    assert {name: move["value"] for name, move in result["moves"].items()} == {"7": -10, "8": 0, "9": 10}
    assert (result["value"], result["best"]) == (10, ["9"])
    # All moves lose, one of them later than the others: then that no longer matters.
    options = ("tictactoe", ".../..o/xxo")
    deep, flat = as_json(capsys, *options), as_json(capsys, *options, "--no-depth")
    assert {name: move["value"] for name, move in deep["moves"].items()} == {
        "1": -8,
        "2": -8,
        "3": -6,
        "4": -8,
        "5": -8,
    }
    assert {move["value"] for move in flat["moves"].values()} == {flat["value"]} == {-10}
    assert (deep["best"], flat["best"]) == (["3"], ["1", "2", "3", "4", "5"])


def test_without_depth_estimates_do_not_change() -> None:
    moves = {
        "1": MoveValue(18, True, 5, ("1",)),
        "2": MoveValue(3, True, None, ("2",)),
        "3": MoveValue(40, False, None, ("3",)),
        "4": MoveValue(10, False, None, ("4",)),
    }
    known = solve.without_depth(Analysis(18, True, moves, ("1",), 9, 4))
    assert {name: move.value for name, move in known.moves.items()} == {"1": 10, "2": 10, "3": 40, "4": 10}
    assert (known.value, known.best) == (10, ("1", "2"))
    guessed = solve.without_depth(Analysis(40, False, {name: moves[name] for name in "34"}, ("3",), 9, 4))
    assert (guessed.value, guessed.best, guessed.exact) == (40, ("3",), False)


def test_without_depth_a_proved_win_is_the_value() -> None:
    moves = {"1": MoveValue(1, False, None, ("1",), bound=Bound.LOWER), "2": MoveValue(40, False, None, ("2",))}
    won = solve.without_depth(Analysis(1, False, moves, ("1",), 9, 4))
    assert (won.value, won.exact, verdict_of(won)) == (10, True, (Verdict.PROVED, ("1",)))


@pytest.mark.parametrize(
    ("analysis", "words", "marked"),
    [
        (
            Analysis(3, True, {"1": MoveValue(3, True, 5, ("1",)), "2": AT_MOST_2}, ("1",), 9, 4),
            "Best: 1",
            "1",
        ),
        (
            Analysis(2, True, {"1": MoveValue(2, True, 5, ("1",)), "2": AT_MOST_2}, ("1",), 9, 4),
            "Best: 1 (others may be as good)",
            "1",
        ),
        # A value that is proved, without any move that is proved to have it: as in the table of openings.
        (
            Analysis(2, True, {"1": AT_MOST_2, "2": AT_MOST_2}, ("2",), 9, 4),
            "The position's value is proved, by the opening table; which move keeps it is not proved. "
            "The search's guess is 2.",
            "",
        ),
        (
            Analysis(0, False, {"1": GUESS}, ("1",), 9, 4),
            "Only move: 1",
            "1",
        ),
        (
            Analysis(7, False, {"1": MoveValue(7, False, None, ("1",)), "2": GUESS}, ("1",), 9, 4),
            "No move is proved best. The search prefers 1.",
            "",
        ),
        (
            Analysis(0, False, {"1": GUESS, "2": GUESS}, ("1", "2"), 9, 4),
            "No move is proved best. The search found no difference between the moves.",
            "",
        ),
        (
            Analysis(0, False, {"1": GUESS, "2": GUESS, "3": MoveValue(-998, True, 2, ("3",))}, ("1", "2"), 9, 4),
            "No move is proved best. The search found no difference between the moves whose values are not proved.",
            "",
        ),
    ],
)
def test_best_is_said_of_what_is_proved(analysis: Analysis, words: str, marked: str) -> None:
    game = GAMES["connect4"]
    found = Solution(game, game.start, analysis, {"alphabeta": 9}, 1, False)
    output = in_words(found, 200)
    assert f"\n{words}\n" in output
    assert "".join(re.findall(r"^\*  (\d)", output, re.MULTILINE)) == marked
    assert as_object(found)["verdict"] == verdict_of(analysis)[0]
    assert as_object(found)["best"] == list(analysis.best)


def test_no_move_is_called_best_where_the_search_cannot_tell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The score of this position is known, as if those after its moves were not.
    monkeypatch.setattr(layers, "DISCS", 6)
    monkeypatch.setattr(openings, "table", dict)
    found = as_json(capsys, "connect4", "--moves", "444444", "--seconds", "0.05")
    assert found["verdict"] != "proved"
    assert len(found["best"]) == 1


@pytest.mark.parametrize(
    ("options", "output"),
    [
        (["tictactoe", "xxx/oo./..."], "The game is over: X has won with 1, 2, 3."),
        (["tictactoe", "--moves", "512378469"], "The game is over: a draw."),
        (["connect4", "--moves", "1213141"], "The game is over: Red (r) has won with a3, a4, a5, a6."),
    ],
)
def test_a_finished_game_shows_its_outcome(options: list[str], output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert solved(capsys, *options).endswith(f"\n\n{output}\n")


def test_a_finished_game_has_no_moves_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    result = as_json(capsys, "tictactoe", "xxx/oo./...")
    assert (result["to_move"], result["value"], result["best"], result["moves"]) == (None, -10, [], {})
    assert result["nodes"] == {"minimax": 1, "alphabeta": 1}


@pytest.mark.parametrize(
    ("options", "output"),
    [
        (["shogi"], "noughts solve: There is no game 'shogi'. The games are tictactoe, connect4, reversi, "),
        (["tictactoe", "xxx/ooo/..."], "noughts solve: Both x and o have a line."),
        (["tictactoe", "--moves", "55"], "noughts solve: Move 2, 5: cell 5 is taken."),
        (["reversi", "--moves", "z9"], "noughts solve: Move 1, z9: a move is a cell, a1 to h8, or pass."),
    ],
)
def test_bad_requests_are_explained_in_one_line(
    options: list[str], output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = refused(capsys, *options)
    assert result.startswith(output)
    assert result.count("\n") == 1


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x"])
def test_seconds_must_be_positive(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = refused(capsys, "tictactoe", f"--seconds={seconds}")
    assert result.endswith(f"argument --seconds: must be a number greater than 0, not {seconds!r}\n")


def test_options_can_stand_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (
        ["--json", "tictactoe", "xox/oox/...", "--moves", "7"],
        ["tictactoe", "--json", "xox/oox/...", "--moves", "7"],
        ["tictactoe", "--moves", "7", "xox/oox/...", "--json"],
        ["tictactoe", "xox/oox/...", "first", "--json", "--moves=7"],
    ):
        assert json.loads(solved(capsys, *options))["position"] == "xox/oox/x.."
    assert refused(capsys) == "noughts solve: name a game, for example tictactoe\n"


def test_connect_four_near_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    # From the published test sets, docs/solving.md says how it is scored.
    result = as_json(capsys, "connect4", "--moves", "2252576253462244111563365343671351441", "--seconds", "60")
    assert result["value"] == -1
    assert all(move["exact"] for move in result["moves"].values())
    assert result["best"] == [name for name, move in result["moves"].items() if move["value"] == -1]
    assert list(result["nodes"]) == ["kernel" if has_kernel(GAMES["connect4"]) else "alphabeta"]


class Guesses:
    """An engine with the exact value of one move and a long line for another."""

    def analyse(self, position: Position, _: Limits, stop: Interrupt) -> Analysis:
        while not stop():
            time.sleep(0.001)
        moves = {
            name: MoveValue(12, False, None, tuple(f"{name}{row}" for row in range(60)))
            for name in position.legal_moves
        }
        moves["c4"] = MoveValue(-4, True, 3, ("c4", "c3", "d3"))
        return Analysis(12, False, moves, ("d3",), 1234, 7)


def test_values_that_are_not_exact_are_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(solve, "usable_engine_of", lambda _: (Guesses(), None))
    monkeypatch.setenv("COLUMNS", "60")
    output = solved(capsys, "reversi", "--seconds", "0.05")
    assert "Black (b) to move, value ~12\n" in output
    assert re.search(r"^   d3 +~12 +d30 d31 d32", output, re.MULTILINE)
    assert re.search(r"^   c4 +-4  loss +3  c4 c3 d3$", output, re.MULTILINE)
    result = " ".join(output.split())
    assert "The search was stopped after 7 plies. ~ marks an estimate. With an estimate of 27, expect" in result
    assert re.search(r"^Nodes: (compiled search|alpha-beta) 1,234$", output, re.MULTILINE)
    assert max(map(len, output.splitlines())) <= 60
    assert "d359" in output
    found = as_json(capsys, "reversi", "--seconds", "0.05")
    assert found["moves"]["d3"] == {
        "value": 12,
        "distance": None,
        "line": [f"d3{row}" for row in range(60)],
        "exact": False,
    }


def many(known: dict[str, MoveValue]) -> Solution:
    """A position of gomoku: ``known`` moves, and others that are worth less from one to the next."""
    game = GAMES["gomoku"]
    guesses = {name: MoveValue(50 - index, False, None, (name,)) for index, name in enumerate(game.start.legal_moves)}
    moves = {name: known.get(name, guess) for name, guess in guesses.items()}
    return Solution(game, game.start, Analysis(50, False, moves, ("g9",), 9, 4), {"alphabeta": 9}, 1, False)


def test_only_the_best_of_many_moves_are_shown() -> None:
    found = many(
        {
            "g9": MoveValue(20, False, None, ("g9",)),
            "o15": MoveValue(5, True, 3, ("o15", "a1", "a2")),
            "a1": MoveValue(60, True, 3, ("a1",)),
            "b1": MoveValue(-500, True, 2, ("b1",)),
        }
    )
    output = in_words(found, 100)
    rows = re.findall(r"^[* ]  ([a-o]\d+) ", output, re.MULTILINE)
    # What is best, then the sure wins, then the estimates; the sure loss is the last of those that are left out.
    assert rows == ["g9", "a1", "o15", *found.position.legal_moves[2:19]]
    assert "\nand 205 more, from ~31 to -500 (--all shows them)\n" in output
    every = in_words(found, 100, every_move=True)
    # Sorted too, with the sure loss at the end.
    listed = re.findall(r"^[* ]  ([a-o]\d+) ", every, re.MULTILINE)
    assert (listed[:20], listed[-1], set(listed)) == (rows, "b1", set(found.position.legal_moves))
    assert " more, " not in every
    assert list(as_object(found)["moves"]) == list(found.position.legal_moves)


def test_a_table_begins_with_the_best_move_and_has_no_empty_columns() -> None:
    game = GAMES["connect4"]
    moves = {"1": MoveValue(-3, False, None, ("1", "4")), "2": MoveValue(12, False, None, ("2", "3"))}
    found = Solution(game, game.start, Analysis(12, False, moves, ("2",), 9, 2), {"alphabeta": 9}, 1, False)
    assert in_words(found, 80).splitlines()[12:15] == [
        "   move  value  line",
        "   2       ~12  2 3",
        "   1       ~-3  1 4",
    ]


@pytest.mark.slow
def test_all_shows_every_move(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("ultimate", "--seconds", "0.1")
    assert len(re.findall(r"^[* ]  [a-i]\d ", solved(capsys, *options), re.MULTILINE)) == 20
    assert len(re.findall(r"^[* ]  [a-i]\d ", solved(capsys, *options, "--all"), re.MULTILINE)) == 81
    assert len(as_json(capsys, *options)["moves"]) == 81


def test_estimates_are_explained_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_words(many({}), 200).count("With an estimate of 300, expect to win ten games out of eleven.") == 1
    assert "estimate" not in solved(capsys, "tictactoe", "xox/oox/...")


def test_long_lines_are_wrapped_evenly() -> None:
    line = tuple("1234567"[index % 7] for index in range(46))
    game = GAMES["connect4"]
    analysis = Analysis(1, True, {"1": MoveValue(1, True, 46, line)}, ("1",), 9, 46)
    output = in_words(Solution(game, game.start, analysis, {"alphabeta": 9}, 1, False), 100)
    first, second = re.findall(r"^.*?((?: \d){23})$", output, re.MULTILINE)
    assert (first + second).split() == list(line)


def test_an_answer_from_the_opening_table_needs_no_search() -> None:
    position = GAMES["connect4"].start
    known = Analysis(1, True, {"4": MoveValue(1, True, 41, ("4",))}, ("4",), 0, 42)
    found = Solution(GAMES["connect4"], position, known, {"kernel": 0}, 0.001, False)
    assert "\nNodes: none, the opening table has the answer\n" in in_words(found, 100)
    assert as_object(found)["nodes"] == {"kernel": 0}


@pytest.mark.slow
def test_the_search_stops_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    result = as_json(capsys, "gomoku", "--moves", "h8", "--seconds", "0.3")
    assert 0.3 <= result["seconds"] < 5
    assert result["best"]
    assert set(result["moves"]) == set(GAMES["gomoku"].start.legal_moves) - {"h8"}


def test_a_finished_search_returns_at_once() -> None:
    assert within(60, lambda stop: stop())[0::2] == (False, False)


def test_ctrl_c_stops_the_search_and_keeps_the_result() -> None:
    begun = threading.Event()

    def search(stop: Interrupt) -> str:
        begun.set()
        while not stop():
            time.sleep(0.001)
        return "found"

    def interrupt() -> None:
        begun.wait()
        time.sleep(0.1)  # until it is waited for
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    found, seconds, stopped = within(60, search)
    thread.join()
    assert (found, stopped) == ("found", True)
    assert seconds < 30


def test_errors_of_the_search_are_raised() -> None:
    def search(stop: Interrupt) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        within(60, search)


@pytest.mark.slow
def test_minimax_may_be_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    result = as_json(capsys, "tictactoe", "--seconds", "0.001")
    assert result["nodes"] == {"minimax": None, "alphabeta": 34203}
    assert len(result["moves"]) == 9
    assert "Nodes: minimax stopped, alpha-beta 34,203\n" in solved(capsys, "tictactoe", "--seconds", "0.001")


def test_a_missing_numba_is_reported_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("noughts.engine.engines.find_spec", lambda _: None)
    late = ["connect4", "yry.ryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr"]
    table = ["connect4", "--moves", "4"]
    for options, result in ((late, 1), (table, 0), (["gomoku"], 1), (["tictactoe", "xox/oox/..."], 0)):
        with pytest.raises(SystemExit) as ended:
            main(["solve", *options, "--seconds=0.1", "--json"])
        output = capsys.readouterr()
        assert ended.value.code == 0
        assert output.err.count("\n") == result
        assert ("(numba is not installed: pip install numba)" in output.err) == bool(result)
        assert "kernel" not in json.loads(output.out)["nodes"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("breakage", "output"),
    [
        ("raise ImportError('Numba needs NumPy 1.26\\nor less')", "ImportError: Numba needs NumPy 1.26"),
        ("raise OSError('no shared object')", "OSError: no shared object"),
        ("", "AttributeError: module 'numba' has no attribute 'njit'"),
    ],
)
def test_a_broken_numba_is_reported_and_not_used(breakage: str, output: str, tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text(breakage)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "noughts",
            "solve",
            "connect4",
            "yry.ryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr",
            "--json",
        ],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout)["nodes"] == {"alphabeta": 2}
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("noughts solve: without numba the search is much slower")
    assert f"(numba does not work, {output})" in run.stderr


def test_visited_positions_count_as_searched(capsys: pytest.CaptureFixture[str]) -> None:
    output = solved(capsys, "connect4", "yry.ryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr")
    assert re.search(r"^Nodes: (compiled search|alpha-beta) 2$", output, re.MULTILINE)


@pytest.fixture
def only_best_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """After 231 only the score and the best move, 3, are known."""
    position = Connect4Position().play("2").play("3").play("1")
    monkeypatch.setattr(layers, "DISCS", -1)
    monkeypatch.setattr(openings, "table", lambda: {openings.key_of(position): (3, "3")})


@pytest.mark.usefixtures("only_best_known")
def test_a_bound_is_shown_as_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    output = solved(capsys, "connect4", "--moves", "231", "--seconds", "0.2")
    assert "to move, value 3\n" in output
    assert re.search(r"^\*  3 +3  win +35  3$", output, re.MULTILINE)
    assert len(re.findall(r"^   [1-7] +<=[23] +[1-7]$", output, re.MULTILINE)) == 6
    assert "Best: 3 (others may be as good)\n" in output
    assert "<= and >= mark bounds." in output
    assert "~" not in output


@pytest.mark.usefixtures("only_best_known")
def test_a_bound_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    moves = as_json(capsys, "connect4", "--moves", "231", "--seconds", "0.2")["moves"]
    assert moves["1"] | {"value": 3} == {"value": 3, "distance": None, "line": ["1"], "exact": False, "bound": "upper"}
    assert "bound" not in moves["3"]


def test_without_depth_bounds_are_of_the_result() -> None:
    moves = {
        "1": MoveValue(3, True, 5, ("1",)),
        "2": MoveValue(2, False, None, ("2",), bound=Bound.UPPER),
        "3": MoveValue(-2, False, None, ("3",), bound=Bound.UPPER),
        "4": MoveValue(1, False, None, ("4",), bound=Bound.LOWER),
    }
    flat = solve.without_depth(Analysis(3, True, moves, ("1",), 1, 1))
    assert [(move.value, move.exact, move.bound) for move in flat.moves.values()] == [
        (10, True, None),
        (10, False, Bound.UPPER),
        (-10, True, None),
        (10, True, None),
    ]
    assert flat.best == ("1", "4")


def test_chess_is_shown_in_its_notation_and_numbered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("noughts.engine.engines.KERNELS", {})  # compiling chess takes seconds
    printed = solved(capsys, "chess", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 20", "--seconds", "1")
    assert re.search(r"^\* +Ra8# +19999  win +1  20\. Ra8#$", printed, re.MULTILINE)
    assert "Best: Ra8#" in printed


def test_playouts_are_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    output = output_of(capsys, "solve", "connect4", "--moves", "44", "--search", "mcts", "--seconds", "0.1")
    assert re.search(r"^   4 +~\d+ % +\d+  4 ", output, re.MULTILINE)
    assert "% is the share of the points in the playouts that began with a move" in " ".join(output.split())
    found = json.loads(output_of(capsys, "solve", "tictactoe", "xox/oox/...", "--search", "mcts", "--json"))
    assert (found["exact"], found["best"], list(found["nodes"])) == (True, ["9"], ["mcts"])
    assert found["moves"]["7"]["playouts"] > 0
    assert "mean" not in found["moves"]["7"]
