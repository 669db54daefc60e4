"""The command ``noughts grade``, with students' files in processes of their own."""

from __future__ import annotations

import asyncio
import json
import math
import py_compile
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grading import students
from noughts.games import GAMES
from noughts.grading import cases, report
from noughts.grading.boards import Board
from noughts.grading.readings import NoReading, readings
from noughts.grading.student import NoReply, Reply, Student
from noughts_client.bots.process import ProcessLimits
from support.command import Result, noughts
from support.programs import program


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "student.py"


def graded(file: Path, source: str, *options: str) -> Result:
    file.write_text(source)
    return noughts("grade", str(file), "--uncontained", *options)


def results(file: Path, source: str, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit status, and what results.json says."""
    return results_and_words(file, source, *options)[:2]


def results_and_words(file: Path, source: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """The exit status, what results.json says, and what is printed."""
    target = file.with_name("results.json")
    result = graded(file, source, "--json", str(target), *options)
    assert result.err == ""
    return result.status, json.loads(target.read_text()), result.out.decode()


def scores(found: dict[str, Any]) -> dict[str, float]:
    return {test["name"]: test["score"] for test in found["tests"]}


SMALL = "kalah?pits=2&seeds=2"
"""A game of few positions."""

ALL = {"value": 30, "best moves": 20, "positions visited": 30, "never loses": 20}


def test_a_correct_alpha_beta_gets_all_points(file: Path) -> None:
    status, found, words = results_and_words(file, students.CORRECT)
    assert status == 0
    assert found["score"] == 100
    assert scores(found) == ALL
    assert {test["status"] for test in found["tests"]} == {"passed"}
    assert "right  value              627 of 627  (30 of 30 points)" in words
    assert "proved as X and proved as O" in words
    assert "WRONG" not in words


def test_a_wrong_sign_is_found_with_counterexamples(file: Path) -> None:
    status, found, words = results_and_words(file, students.WRONG_SIGN)
    assert status == 1
    assert all(scores(found)[name] < points for name, points in ALL.items())
    assert {test["status"] for test in found["tests"]} == {"failed"}
    assert (
        "The values have the wrong sign: a child's value is for the other side, so it must be negated (negamax)."
        in found["output"]
    )
    assert "For example in xox/oxo/ox., X to move:" in words
    assert "Expected value above 0 (a win); got -1." in words
    assert "By its values the best move would be 8; right is 9." in words
    assert "As X it loses after " in words


@pytest.mark.slow
def test_a_search_without_pruning_is_told_by_what_it_visits(file: Path) -> None:
    status, found = results(file, students.NO_PRUNING)
    assert status == 1
    assert scores(found) == ALL | {"positions visited": 0}
    assert found["output"] == "It visits exactly what minimax visits."
    visits = next(test["output"] for test in found["tests"] if test["name"] == "positions visited")
    assert "It should not have visited the position after " in visits
    assert results(file, students.NO_PRUNING.replace("alphabeta", "minimax"), "--function", "minimax")[0] == 0


def test_a_test_is_passed_and_gets_all_points_only_if_all_is_right() -> None:
    assert report.Test("value", 1, "", 30).passed
    assert report.Test("value", 1, "", 30).points == 30
    assert not report.Test("value", 626 / 627, "", 30).passed
    assert report.Test("value", 626 / 627, "", 30).points == 29.9


@pytest.mark.slow
@pytest.mark.smoke
def test_visits_that_cannot_be_counted_cost_no_points(file: Path) -> None:
    status, found, words = results_and_words(file, students.TABLE)
    assert status == 0
    assert scores(found) == {"value": 40, "best moves": 30, "never loses": 30}
    assert "Visits could not be counted: search with position.play." in found["output"]
    assert "Visits could not be counted: search with position.play." in words


@pytest.mark.slow
def test_courses_differ_on_when_to_cut(file: Path) -> None:
    assert results(file, students.STRICT, "--cut", ">")[0] == 0
    status, found = results(file, students.STRICT)
    assert status == 1
    assert found["output"] == "It visits exactly what alpha-beta that cuts at alpha > beta visits."


@pytest.mark.slow
def test_values_may_count_how_soon(file: Path) -> None:
    assert results(file, students.SOONER, "--values", "depth")[0] == 0
    status, found = results(file, students.SOONER)  # costs nothing, but is said
    assert status == 0
    assert found["output"] == "Its values prefer sooner wins, so it cuts less, which is right, too."
    assert scores(results(file, students.CORRECT, "--values", "depth")[1])["value"] < 30


@pytest.mark.slow
def test_values_may_be_for_the_first_side(file: Path) -> None:
    assert results(file, students.FOR_X, "--view", "first")[0] == 0
    status, found = results(file, students.FOR_X)
    assert status == 1
    assert "All its values are right if they are always for X: --view first." in found["output"]


@pytest.mark.slow
def test_a_search_may_name_its_moves(file: Path) -> None:
    named = students.CORRECT.replace("def alphabeta", "def search").replace("-alphabeta(", "-search(") + (
        "\ndef alphabeta(position):\n"
        "    values = {move: -search(position.play(move)) for move in position.legal_moves}\n"
        "    return max(values.values()), {}\n"
    )
    for moves, right in (
        ("[move for move, value in values.items() if value == max(values.values())]", True),
        ("max(values, key=values.get)", True),
        ("min(values, key=values.get)", False),
        ("list(values)", False),
    ):
        found = results(file, named.replace("{}\n", moves + "\n"))[1]
        assert scores(found)["value"] == 30
        assert (scores(found)["best moves"] == 20) is right
    # Each move is searched with the full window, so more is visited than for the value alone.
    assert scores(found)["positions visited"] < 30


@pytest.mark.slow
def test_prints_do_not_matter(file: Path) -> None:
    noisy = students.CORRECT.replace("    outcome =", "    print('{\"value\": 1}', position)\n    outcome =", 1)
    assert results(file, noisy)[0] == 0


def test_an_exception_shows_the_traceback(file: Path) -> None:
    crashing = students.CORRECT.replace("return value", "return value / position.legal_moves.index('z9')")
    status, found = results(file, crashing, "--game", SMALL)
    assert status == 1
    assert "It raised" in found["output"]
    assert "Traceback" in found["output"]
    assert "position.legal_moves.index('z9')" in found["output"]
    assert "noughts/" not in found["output"].partition("Traceback")[2]
    assert 'File "student.py", line ' in found["output"]


def test_a_search_that_fails_at_the_start_gets_no_points_and_its_error_is_told_once(file: Path) -> None:
    failing = students.CORRECT.replace("return 0 if outcome.winner is None else -1", "return -1 // 0")
    _, found, words = results_and_words(file, failing, "--game", SMALL)
    assert found["score"] == 0
    assert scores(found) == dict.fromkeys(ALL, 0)
    assert words.count("It raised ZeroDivisionError") == 1
    assert "got It raised" not in words
    assert "Positions visited:\n  Not compared in 5 positions: the function failed." in words


def test_what_a_file_says_cannot_command_the_terminal(file: Path) -> None:
    result = graded(file, "raise ValueError('\\x1b[2J')")
    assert b"raised ValueError: ?[2J" in result.out
    assert b"\x1b" not in result.out


FORGED = """
import gc, io

def minimax(position):
    for each in gc.get_objects():
        if isinstance(each, io.BufferedWriter) and each.name not in (0, 1, 2):
            each.write(b'{"readings":{"value":[VALUE,null]},"changed":false,"form":"","view":"any","counts":true,"told":[],'
                       b'"visited":VISITED,"digest":"","seconds":0}\\n')
            each.flush()
"""


@pytest.mark.parametrize(("value", "visited"), [("1", "1e999"), ("1" + "0" * 400, "1"), ("NaN", "1"), ("1e999", "1")])
def test_a_forged_answer_costs_its_position_alone(file: Path, value: str, visited: str) -> None:
    file.write_text(FORGED.replace("VALUE", value).replace("VISITED", visited))

    async def asked() -> Reply | NoReply:
        student = Student(file, "minimax", None, ProcessLimits(), patience_s=20)
        try:
            return await student.ask(GAMES["tictactoe"], GAMES["tictactoe"].start)
        finally:
            await student.close()

    reply = asyncio.run(asked())
    assert isinstance(reply, NoReply)
    assert "to the pipe of the answers" in reply.message


@pytest.mark.slow
def test_moves_are_not_compared_where_a_later_position_has_no_answer(file: Path) -> None:
    # It names no moves, so that its answers after each move are needed.
    failing = students.CORRECT.replace("    outcome =", "    assert position.text != 'xox/oxo/.x.'\n    outcome =", 1)
    _, found, words = results_and_words(file, failing)
    best = next(test["output"] for test in found["tests"] if test["name"] == "best moves")
    assert best.endswith(" positions: the function failed.")
    assert "no moves" not in words


@pytest.mark.slow
@pytest.mark.smoke
def test_a_search_that_looks_at_nothing_is_told_so(file: Path) -> None:
    words = graded(file, "def alphabeta(position):\n    return 0\n").out.decode()
    assert "Expected 6 positions; got 0.\n  It should have visited this position itself.\n" in words


@pytest.mark.slow
def test_a_search_that_hangs_is_given_up(file: Path) -> None:
    hanging = students.CORRECT.replace("return value", "__import__('time').sleep(600)")
    result = graded(file, hanging, "--patience", "0.5")
    assert result.status == 1
    words = result.out.decode()
    assert "No answer in 1 position, so it was not asked in 626 more." in words
    assert re.search(r"It gave no answer within 5\S* s, of which it used the processor for ", words)
    assert float(re.findall(r"^Time: (\S+) s", words, re.MULTILINE)[0]) >= 0.5


@pytest.mark.slow
def test_a_search_that_ends_its_process_is_started_again(file: Path) -> None:
    ending = "import os\n" + students.CORRECT.replace(
        "    outcome =", "    if position.text == 'xox/oox/...': os._exit(1)\n    outcome =", 1
    )
    status, found = results(file, ending)
    assert status == 1
    assert 15 < scores(found)["value"] < 30


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def unknown(position):\n    return 0\n", "student.py defines no function alphabeta."),
        ("1 / 0\n", "ZeroDivisionError"),
        (
            "def alphabeta(position, path):\n    return 0\n",
            "alphabeta needs path, and it is not known what that is. Known are",
        ),
        ("from noughts_client import run\nrun(str)\n", "student.py starts a game when it is loaded"),
        (
            "from noughts_client import *\nimport noughts.engine\n",
            "a graded file cannot import noughts.engine: it has the answers",
        ),
    ],
)
def test_a_file_that_cannot_be_graded(file: Path, source: str, message: str) -> None:
    status, found = results(file, source)
    assert status == 1
    assert found["score"] == 0
    assert scores(found) == dict.fromkeys(ALL, 0)
    assert message in found["output"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("draw", "It returned 'draw', but must return a number"),
        (None, "It returned None"),
        (True, "It returned True"),
        (math.nan, "It returned nan"),
        ((0, 5), "but no part of it is a move, such as '5'"),
        ((0, "1", "2"), "It returned (0, '1', '2')"),
    ],
)
def test_answers_that_are_none(answer: object, message: str) -> None:
    with pytest.raises(NoReading, match=re.escape(message)):
        readings(answer, name_of)


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        (3, {"value": (3.0, None)}),
        (Fraction(1, 2), {"value": (0.5, None)}),
        ("5", {"move": (None, "5")}),
        (["5", "6", "7", "8"], {"move": (None, ["5", "6", "7", "8"])}),
        ((-1, "5"), {"(value, move)": (-1.0, "5")}),
        ((-1, ("5", "6")), {"(value, move)": (-1.0, ["5", "6"])}),
        ((0, None), {"(value, move)": (0.0, None)}),
        (("5", 1), {"(move, value)": (1.0, "5")}),
        ({"score": -1, "index": "5"}, {"(value, move)": (-1.0, "5")}),
    ],
)
def test_answers(answer: object, means: object) -> None:
    assert readings(answer, name_of) == means


def name_of(said: object) -> str | None:
    return said if isinstance(said, str) and len(said) == 1 and said in "123456789" else None


def test_a_number_alone_and_a_list_of_three_are_read_in_all_ways_that_are_possible() -> None:
    board = Board(nested=False, marks=(1, -1), empty=0)
    game = GAMES["tictactoe"]
    assert readings(4, lambda said: board.move(game, said)) == {"move": (None, "5"), "value": (4.0, None)}
    rows = Board(nested=True, marks=(1, -1), empty=0)
    assert readings([2, 0, 1], lambda said: rows.move(game, said)) == {
        "(value, move)": (2.0, "2"),
        "(move, value)": (1.0, "7"),
    }


@pytest.mark.slow
def test_what_is_no_answer_gets_no_points(file: Path) -> None:
    found = results(file, "def alphabeta(position):\n    return None\n")[1]
    assert "It returned None, but must return a number, a move, or both, such as '9'" in found["output"]
    assert found["score"] == 0


@pytest.mark.slow
def test_a_larger_game_is_graded_in_a_sample(file: Path) -> None:
    options = ("--game", "connect4", "--positions", "10")
    status, found = results(file, students.CORRECT, *options)
    assert status == 0
    assert found["score"] == 80
    words = graded(file, students.NO_PRUNING, *options).out.decode()
    assert " positions (a sample)" in words
    assert "It visits exactly what minimax visits." in words
    assert graded(file, students.NO_PRUNING, *options, "--seed", "2").out != words.encode()


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("nowhere.py", "--uncontained"), 1, "There is no file nowhere.py."),
        (("student.py", "--uncontained", "--game", "shogi"), 2, "There is no game 'shogi'"),
        (("student.py", "--uncontained", "--game", "reversi", "--values", "depth"), 2, "is worth its margin"),
        (("student.py", "--uncontained", "--game", "chess"), 2, "earlier positions can decide Chess"),
    ],
)
def test_bad_requests(options: tuple[str, ...], status: int, message: str) -> None:
    result = noughts("grade", *options)
    assert result.status == status
    assert message in result.err + result.out.decode()


def test_a_side_that_moves_twice_is_no_fault_of_a_search(file: Path) -> None:
    words = graded(file, students.BY_SIDE, "--game", "kalah", "--positions", "10", "--view", "first").out.decode()
    assert "Points: 80 of 80" in words
    lost = ("--game", SMALL)  # for South
    assert results(file, students.BY_SIDE, *lost, "--view", "first")[1]["score"] == 100
    status, found = results(file, students.NO_PRUNING, *lost)
    assert (status, found["tests"][-1]["name"]) == (1, "never loses")
    assert found["output"].startswith("In Kalah a side may move again: is a child's value negated only if")
    board = "def minimax(board):\n    return 1 if board[0][0] == 'X' else 0\n"
    words = graded(file, board, "--game", "kalah", "--positions", "3").out.decode()
    assert "a board with marks of two sides cannot show Kalah: grade a search of positions" in words


def test_results_that_cannot_be_written(file: Path, tmp_path: Path) -> None:
    result = graded(file, "", "--json", str(tmp_path / "none" / "results.json"))
    assert result.status == 2
    assert "cannot write" in result.err


CHEAT = """
import sys
sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "_Guard"]

from noughts.engine.minimax import alpha_beta

def alphabeta(position):
    value = alpha_beta(position).value
    return (value > 0) - (value < 0)
"""


@pytest.mark.slow
def test_the_guard_alone_stops_nobody_who_means_it(file: Path) -> None:
    # As docs/grading.md says. The control of the test below.
    assert results(file, CHEAT)[1]["score"] > 0


@pytest.mark.services
def test_the_sandbox_hides_the_engine(file: Path) -> None:
    program("bwrap")
    file.write_text(CHEAT)
    file.chmod(0o644)
    result = noughts("grade", str(file))
    assert result.status == 1
    assert "No module named 'noughts.engine.minimax'" in result.out.decode()
    file.write_text(students.CORRECT)
    assert noughts("grade", str(file)).status == 0


THIEF = """
import marshal, os, pathlib, sys
import noughts.games
PACKAGE = pathlib.Path(noughts.games.__file__).parent.parent
CLASS = pathlib.Path({folder!r})

def readable(paths):
    for path in paths:
        try:
            path.read_bytes()
            yield path
        except OSError:
            pass

def imported():
    try:
        import prey_ada
    except ImportError:
        return False
    return True

def answers():
    sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "_Guard"]
    try:
        from noughts.grading.cases import visited
    except ImportError:
        return False
    return True

def in_folder(folder):
    return any(path.name != "thief.py" for path in folder.rglob("*.py"))

ATTACKS = {{
    "import": imported,
    "own": lambda: in_folder(pathlib.Path(__file__).parent),
    "current": lambda: in_folder(pathlib.Path.cwd()),
    "argument": lambda: in_folder(pathlib.Path(sys.argv[0]).parent),
    "class": lambda: any(readable([CLASS / "prey_ada.py", *CLASS.glob("__pycache__/*")])),
    "anywhere": lambda: any("prey_ada.py" in files for _, _, files in os.walk(CLASS if CLASS.exists() else "/")),
    "cases": lambda: any(readable(PACKAGE.glob("grading/cases.py"))),
    "compiled": lambda: any(marshal.loads(path.read_bytes()[16:]) for path in
                            readable(PACKAGE.glob("grading/__pycache__/cases.*.pyc"))),
    "engine": lambda: any(readable(PACKAGE.glob("engine/**/*.py*"))),
    "loaded": lambda: any(name.startswith(("noughts.engine", "noughts.grading.cases")) for name in sys.modules),
    "answers": answers,
}}

STOLEN = [name for name, attack in ATTACKS.items() if attack()]

def alphabeta(position):
    raise RuntimeError(f"stolen: {{STOLEN}}")
"""


@pytest.mark.services
@pytest.mark.parametrize("by", ["file", "folder"])
def test_a_student_sees_neither_the_others_nor_the_answers(tmp_path: Path, by: str) -> None:
    program("bwrap")
    py_compile.compile(str(cases.__file__))
    folder = tmp_path / "class"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__/prey_ada.cpython-311.pyc").write_bytes(b"")
    (folder / "prey_ada.py").write_text("raise RuntimeError('ada')\n")
    (folder / "thief.py").write_text(THIEF.format(folder=str(folder)))
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    graded_now = str(folder / "thief.py") if by == "file" else str(folder)
    contained = noughts("grade", graded_now).out.decode()
    assert "It raised RuntimeError: stolen: []\n" in contained
    control = noughts("grade", graded_now, "--uncontained").out.decode()
    assert (
        "It raised RuntimeError: stolen: ['class', 'anywhere', 'cases', 'compiled', 'engine', 'answers']\n" in control
    )
