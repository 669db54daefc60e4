"""The command ``noughts compare``."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import pytest

from noughts.cli.main import main
from noughts.engine import Method, Tracing, minimax, trace_game
from noughts.explain import compare
from noughts.explain.compare import MOST_NODES, compared, row
from noughts.games import GAMES, Position
from support.command import errors_of, output_of

TICTACTOE = GAMES["tictactoe"]


def as_json(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    return json.loads(output_of(capsys, "compare", *options, "--json"))


def random_position(seed: int, plies: int) -> Position:
    rng = random.Random(seed)
    position = TICTACTOE.start
    while position.ply < plies and position.outcome is None:
        position = position.play(rng.choice(position.legal_moves))
    return position


@pytest.mark.parametrize("seed", range(12))
def test_every_search_to_the_end_finds_the_same_value(seed: int) -> None:
    position = random_position(seed, 3 + seed % 4)
    costs = [cost for cost in compared(TICTACTOE, position, None, 60) if cost.way.depth is None]
    assert len(costs) == 6
    assert {cost.value for cost in costs} == {minimax(position).value}
    assert not any(cost.estimated for cost in costs)


def test_the_nodes_are_those_of_the_lectures() -> None:
    position = random_position(1, 2)
    costs = {cost.way.method: cost.nodes for cost in compared(TICTACTOE, position, None, 60) if not cost.way.turns}
    for method in (Method.MINIMAX, Method.ORDERED, Method.TABLE):
        assert costs[method] == trace_game(TICTACTOE, position, Tracing(method)).visited
    # The last alpha-beta is the one of limited depth.
    shallow = trace_game(TICTACTOE, position, Tracing(depth=compare.SHALLOW)).visited
    assert costs[Method.ALPHA_BETA] == shallow


def test_a_table_that_knows_reflections_visits_fewer_positions(capsys: pytest.CaptureFixture[str]) -> None:
    methods = as_json(capsys, "tictactoe", "--moves", "5")["methods"]
    plain, symmetric = (method for method in methods if method["method"] == "table")
    assert (plain["symmetry"], symmetric["symmetry"]) == (False, True)
    assert symmetric["nodes"] < plain["nodes"] / 2


def test_with_a_depth_all_search_to_that_depth(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "connect4", "--depth", "3")
    assert found["position"] == GAMES["connect4"].start.text
    assert found["to_move"] == "first"
    assert [method["depth"] for method in found["methods"]] == [3] * 5
    assert all(method["estimated"] and method["stopped"] is None for method in found["methods"])
    assert found["methods"][0]["nodes"] == 1 + 7 + 49 + 343
    assert len({method["value"] for method in found["methods"]}) == 1


def test_a_search_that_runs_out_of_its_time_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    output = output_of(capsys, "compare", "connect4", "--seconds", "0.05")
    lines = [line for line in output.splitlines() if line.endswith("out of time")]
    assert len(lines) >= 6  # the shallow search is in time unless the machine is busy
    assert all(" ? " in line for line in lines if not line.startswith("Monte-Carlo"))
    assert " % " in next(line for line in lines if line.startswith("Monte-Carlo"))
    methods = as_json(capsys, "connect4", "--seconds", "0.05")["methods"]
    assert [method["stopped"] for method in methods[:5]] == ["time"] * 5
    assert (methods[0]["value"], methods[0]["move"]) == (None, None)
    assert methods[6]["value"] is None
    assert 0 < methods[6]["mean"] < 1
    assert methods[6]["playouts"] > 0
    assert methods[6]["move"] in GAMES["connect4"].start.legal_moves
    assert methods[0]["nodes"] % 16 == 0


def test_a_search_of_too_many_nodes_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MOST_NODES", 1000)
    costs = list(compared(TICTACTOE, TICTACTOE.start, None, 60))
    assert [cost.why for cost in costs] == ["nodes"] * 5 + [None, "nodes"]
    assert [cost.nodes for cost in costs[:5]] == [1000] * 5
    assert row(TICTACTOE, TICTACTOE.start, costs[0], 7).endswith(f"  stopped at {MOST_NODES:,} nodes")


class Interrupting(StringIO):
    """Output that sends Ctrl-C soon after the row of minimax, so during the search after it."""

    def write(self, text: str) -> int:
        if text.startswith("minimax"):
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return super().write(text)


def test_ctrl_c_ends_the_comparison_and_keeps_the_rows_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MOST_NODES", 100_000)  # each search takes a second
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
    try:
        with redirect_stdout(output := Interrupting()), pytest.raises(SystemExit):
            main(["compare", "gomoku"])
    finally:
        signal.signal(signal.SIGINT, before)
    table = output.getvalue().partition("\nmethod ")[2].splitlines()[1:]
    assert [row.split("  ")[0] for row in table] == ["minimax", "alpha-beta"]
    assert table[1].endswith("  stopped by Ctrl-C")


def test_a_terminal_shows_which_search_is_under_way() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    for terminal, first in ((Terminal(), "minimax ... (at most 60 s)"), (StringIO(), "")):
        with redirect_stdout(StringIO()), redirect_stderr(terminal), pytest.raises(SystemExit):
            main(["compare", "tictactoe", "--depth", "2"])
        shown = [line.strip() for line in terminal.getvalue().split("\r")]
        assert shown[1:2] == ([first] if first else [])
        assert shown[-1] == ""


def test_margins_are_counted_as_by_the_engines(capsys: pytest.CaptureFixture[str]) -> None:
    # The last seed goes into the store.
    position = ("kalah", "0,0,0,0,0,1,17/0,0,0,0,0,1,29", "first")
    found = as_json(capsys, *position)
    solved = json.loads(output_of(capsys, "solve", *position, "--json"))
    assert found["methods"][0]["value"] == solved["value"]
    assert found["methods"][0]["value"] != 0


def test_a_finished_game_is_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    output = output_of(capsys, "compare", "tictactoe", "xxx/oo./...")
    assert "The game is over." in output
    assert {method["nodes"] for method in as_json(capsys, "tictactoe", "xxx/oo./...")["methods"]} == {1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "name a game"),
        (("shogi",), "There is no game 'shogi'"),
        (("tictactoe", "xxx"), "A position is 3 rows"),
        (("tictactoe", "--depth", "0"), "must be a whole number"),
        (("tictactoe", "--seconds", "-1"), "must be a number greater than 0"),
    ],
)
def test_bad_requests(options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in errors_of(capsys, "compare", *options)
