"""``noughts grade --function mcts``: searches by playouts, right and wrong, judged by their statistics."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grading import samplers
from noughts.games import GAMES
from noughts.grading.playouts import (
    BOUNDS,
    FEWEST_MOVES,
    POINTS,
    SEEDS,
    SampledAssignment,
    SampledGrade,
    report,
    settings_of,
)
from noughts.grading.report import points_of
from noughts.grading.result import Tally
from noughts.grading.sampler import sampler
from noughts_client.bots.child import NoFunction
from support.command import noughts

TICTACTOE = GAMES["tictactoe"]


def module_of(source: str) -> ModuleType:
    module = ModuleType("student")
    exec(source, vars(module))
    return module


def answer(source: str, **question: Any) -> dict[str, Any]:
    about = {"game": "tictactoe", "position": "xx./oo./...", "iterations": 50, "seed": 1}
    return sampler(module_of(source))(about | question)


@pytest.mark.parametrize(
    ("returned", "move", "visits"),
    [
        ("('3', {'3': 40, '6': 10})", "3", {"3": 40, "6": 10}),
        ("({'3': 40, '6': 10}, '6')", "6", {"3": 40, "6": 10}),
        ("{'3': 40, '6': 10}", "3", {"3": 40, "6": 10}),
    ],
)
def test_what_a_search_returns_is_read(returned: str, move: str, visits: dict[str, int]) -> None:
    found = answer(f"def uct(position, n): return {returned}")
    assert (found["move"], found["visits"]) == (move, visits)


@pytest.mark.parametrize("returned", ["'3'", "None", "{}", "('3', {'3': 0.5})", "('3', {'3': True})", "1 / 0"])
def test_what_is_no_answer_is_told(returned: str) -> None:
    assert answer(f"def mcts(position, iterations): return {returned}")["error"]


def test_a_search_is_called_with_a_seed() -> None:
    drawn = random.Random(7).randrange(1000)
    for parameters, source in (
        ("position, n", "random.randrange(1000)"),
        ("position, n, seed", "random.Random(seed).randrange(1000)"),
        ("position, n, rng", "rng.randrange(1000)"),
        ("position, n, exploration=1.4", "random.randrange(1000)"),
    ):
        found = answer(f"import random\ndef mcts({parameters}): return {{'3': {source}, '6': n}}", seed=7)
        assert found["visits"] == {"3": drawn, "6": 50}, parameters
    for parameters in ("position", "position, n, exploration", "position, n, seed, depth"):
        with pytest.raises(NoFunction):
            sampler(module_of(f"def mcts({parameters}): pass"))
    with pytest.raises(NoFunction, match=r"It has no function mcts\(position, iterations\)\."):
        sampler(module_of("def alphabeta(position): pass"))


def test_a_right_search_fits_its_visits() -> None:
    found = answer(samplers.SEARCH, iterations=300)
    assert found["move"] == "3"
    assert sum(found["visits"].values()) == 300


def test_the_positions_are_proved_and_of_two_kinds() -> None:
    found = settings_of(SampledAssignment(TICTACTOE))
    kinds = [setting.kind for setting in found]
    assert (kinds.count("best moves"), kinds.count("needs a tree")) == (8, 8)
    for setting in found:
        moves = setting.position.legal_moves
        assert len(moves) >= FEWEST_MOVES
        assert 0 < len(setting.best) < len(moves)
        if setting.kind == "needs a tree":
            assert set(setting.liked) - set(setting.best), "random play likes another move"
    assert found == settings_of(SampledAssignment(TICTACTOE))


def graded(visits: int, easy: int, trap: int, *, starved: int = 0, liked: int = 0) -> SampledGrade:
    """The grade of a search with so many of 100 runs right."""
    tallies = dict(zip(BOUNDS, (Tally(visits, 100), Tally(easy, 100), Tally(trap, 100)), strict=True))
    return SampledGrade(SampledAssignment(TICTACTOE), tallies, starved, liked)


def test_points_are_for_reaching_the_bounds() -> None:
    for grade, points, hint in (
        (graded(100, 95, 85), 100, ""),
        (graded(99, 100, 100), 99.8, "visits: 99 of 100, at least 100% wanted"),
        (graded(100, 10, 20), 33.6, samplers.HINTS["sign"]),
        (graded(100, 80, 40, starved=60), 72.5, samplers.HINTS["no_exploration"]),
        (graded(100, 100, 34, liked=60), 76, samplers.HINTS["no_expansion"]),
        (graded(100, 80, 34, liked=60), 69.7, samplers.HINTS["one_side"]),
    ):
        about = report("ann", grade)
        assert (points_of(about.tests), about.reason) == (points, hint)
        assert about.results["score"] == points
        assert f"Points: {points:g} of 100" in about.told


@pytest.mark.slow
@pytest.mark.parametrize("name", [*samplers.RIGHT, *samplers.WRONG])
def test_right_searches_get_all_points_and_wrong_ones_are_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "student.py").write_text({**samplers.RIGHT, **samplers.WRONG}[name])
    table = tmp_path / "grades.csv"
    result = noughts("grade", str(tmp_path), "--function", "mcts", "--uncontained", "--csv", str(table))
    (row,) = csv.DictReader(table.read_text(encoding="utf-8-sig").splitlines())
    if name in samplers.RIGHT:
        assert (result.status, row["points"], row["first_reason"]) == (0, "100", "")
    else:
        assert result.status == 1
        assert float(row["points"]) < 100
        assert float(row["needs_a_tree"]) < POINTS["needs a tree"]
        assert row["first_reason"] == samplers.HINTS[name]


@pytest.mark.slow
def test_a_search_that_fails_or_miscounts_is_told(tmp_path: Path) -> None:
    file = tmp_path / "student.py"
    for source, said in (
        ("def mcts(position, iterations): return {}['5']", "It raised KeyError: '5'"),
        (samplers.changed(("c.visits for c", "c.visits + 1 for c")), "Expected visits that sum to 1,000; got 1,00"),
        (samplers.changed(("    best =", "    root.children[0].move = 'z9'\n    best =")), "which is not a move"),
        ("x = 1", "It has no function mcts(position, iterations)."),
    ):
        file.write_text(source)
        result = noughts("grade", str(file), "--function", "mcts", "--uncontained")
        assert result.status == 1
        assert said in result.out.decode(), result.out.decode()
        assert f" {SEEDS} seeds" in result.out.decode() or "no function" in said
