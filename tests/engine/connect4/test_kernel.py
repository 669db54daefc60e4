from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from engine.connect4.published import played, published
from noughts.engine import Interrupt, alpha_beta
from noughts.engine.connect4 import kernel
from noughts.engine.connect4.solver import Solver, boards_of
from noughts.games.connect4 import Connect4Position, evaluate
from support.no_cache import kept, without_a_cache

# A fresh process that solves the second position of L2_R1, and one that takes a long search.
FRESH = """
from noughts.engine import Interrupt
from noughts.engine.connect4 import kernel
from noughts.engine.connect4.solver import Solver, boards_of
from noughts.games.connect4 import Connect4Position

print(kernel.__file__)
for columns in ("52753311433677442422121", "2416615552"):
    position = Connect4Position()
    for column in columns:
        position = position.play(column)
    print(Solver(1 << 18).solve(*boards_of(position), stop=Interrupt()))
    print(Solver(2).look_ahead(*boards_of(position), 5, stop=Interrupt()))
"""
ANSWERS = "(8, 8)\n8000\n(4, 4)\n20\n"


def run_fresh(environment: dict[str, str]) -> tuple[Path, str]:
    """Run FRESH in a new process with ``environment`` added to ours. Returns the file of its kernel and its answers."""
    command = [sys.executable, "-c", FRESH]
    run = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    file, answers = run.stdout.split("\n", 1)
    return Path(file), answers


def random_position(rng: random.Random, ply: int) -> Connect4Position:
    """An unfinished position after ``ply`` random moves."""
    while True:
        position = Connect4Position()
        while position.to_move is not None and position.ply < ply:
            position = position.play(rng.choice(position.legal_moves))
        if position.to_move is not None:
            return position


@pytest.mark.parametrize(
    ("name", "nodes"),
    [("L3_R1", 51), ("L2_R1", 450), ("L1_R1", 3_298), pytest.param("L2_R2", 39_900, marks=pytest.mark.slow)],
)
def test_published_positions(name: str, nodes: int) -> None:
    # The mean nodes per position are the published ones of the strong solver.
    solver, positions = Solver(1 << 19), published(name)
    for position, score in positions:
        solver.forget()
        assert solver.solve(*boards_of(position), stop=Interrupt()) == (score, score), position.text
    assert len(positions) == 250
    assert solver.nodes / len(positions) <= 1.2 * nodes


def plain_score(position: Connect4Position) -> int:
    """The score by a plain search. A quicker win has a higher score."""
    value = alpha_beta(position, win=100).value
    if value == 0:
        return 0
    end = position.ply + 100 - abs(value)
    score = 22 - (end + 1) // 2
    return score if value > 0 else -score


def test_late_positions_match_a_plain_search() -> None:
    rng = random.Random(4)
    solver = Solver(1 << 10)  # so small that entries are overwritten all the time
    scores = set()
    for _ in range(40):
        position = random_position(rng, rng.randrange(33, 42))
        score = plain_score(position)
        assert solver.solve(*boards_of(position), stop=Interrupt()) == (score, score), position.text
        scores.add(score)
    assert min(scores) < 0 < max(scores)
    assert 0 in scores


def test_bounds_hold_at_every_score() -> None:
    solver = Solver(1 << 16)
    for position, score in published("L2_R1")[:60]:
        for beta in range(-18, 19):
            bound = solver.bound(*boards_of(position), beta, stop=Interrupt())
            assert bound is not None
            assert beta <= bound <= score if score >= beta else score <= bound < beta


def test_estimates_of_quiet_positions_match_the_heuristic() -> None:
    rng = random.Random(7)
    quiet = 0
    for _ in range(300):
        position = random_position(rng, rng.randrange(0, 38))
        own, mask = (np.uint64(board) for board in boards_of(position))
        lines = (kernel.threats(own, mask) | kernel.threats(own ^ mask, mask)) & (mask + kernel.BOTTOM)
        if not lines and kernel.safe_moves(own, mask):
            quiet += 1
            assert Solver(2).estimate(int(own), int(mask), 0) == evaluate(position)
    assert quiet > 100


def test_looking_no_plies_ahead_is_the_heuristic() -> None:
    rng = random.Random(8)
    values = set()
    for _ in range(100):
        position = random_position(rng, rng.randrange(0, 42))
        value = Solver(2).look_ahead(*boards_of(position), 0, stop=Interrupt())
        assert value == evaluate(position)
        values.add(value)
    assert {kernel.AT_ONCE, -kernel.TWO_TO_STOP} < values


def test_looking_ahead_can_be_stopped() -> None:
    own, mask = boards_of(played("44"))
    solver = Solver(2)
    assert solver.look_ahead(own, mask, 30, stop=Interrupt(), budget=20_000) is None
    assert 20_000 <= solver.nodes <= 20_000 + kernel.NODES_PER_POLL
    stop = Interrupt()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    assert solver.look_ahead(own, mask, 30, stop=stop) is None
    timer.join()
    assert stop()
    nodes = solver.nodes
    assert solver.look_ahead(own, mask, 30, stop=stop) is None
    assert solver.nodes == nodes


def test_a_decided_estimate_is_the_score() -> None:
    rng = random.Random(11)
    solver = Solver(1 << 16)
    decided = 0
    for _ in range(200):
        position = random_position(rng, rng.randrange(8, 36))
        estimate = solver.estimate(*boards_of(position), 6)
        if abs(estimate) >= kernel.DECIDED:
            decided += 1
            score = solver.solve(*boards_of(position), stop=Interrupt())[0]
            assert estimate == kernel.DECIDED * score
    assert decided > 50


def test_immediate_wins_and_losses() -> None:
    assert Solver(2).solve(*boards_of(played("121212")), stop=Interrupt()) == (18, 18)
    assert Solver(2).solve(*boards_of(played("44335")), stop=Interrupt()) == (-18, -18)  # 2 and 6 make the row


def test_a_stop_or_a_budget_leaves_bounds() -> None:
    own, mask = boards_of(played("44"))
    solver = Solver(1 << 18)
    low, high = solver.solve(own, mask, stop=Interrupt(), budget=20_000)
    assert low < high
    assert low <= 1 <= high  # 44 is best play by both sides, and the empty board's score is 1
    assert 20_000 <= solver.nodes <= 20_000 + kernel.NODES_PER_POLL
    stop = Interrupt()
    stop.set()
    nodes = solver.nodes
    assert solver.solve(own, mask, stop=stop)[0] < solver.solve(own, mask, stop=stop)[1]
    assert solver.nodes <= nodes + 2 * kernel.NODES_PER_POLL


@pytest.mark.parametrize("entries", [0, 1, 3, 1000])
def test_the_size_of_the_table_is_a_power_of_two(entries: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        Solver(entries)


@pytest.mark.timeout(900)  # compiling takes seconds of CPU time, and the machine may be busy
@pytest.mark.slow
def test_results_are_right_when_loaded_from_the_cache(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_fresh(environment)[1] == ANSWERS
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 5
    assert run_fresh(environment)[1] == ANSWERS
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_results_are_right_without_a_cache(tmp_path: Path) -> None:
    environment = without_a_cache(tmp_path)
    assert run_fresh(environment) == (tmp_path / "noughts/engine/connect4/kernel.py", ANSWERS)
    assert not kept(tmp_path)
