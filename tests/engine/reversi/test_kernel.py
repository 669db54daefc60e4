"""The compiled kernel for Reversi, checked against published numbers, the game's rules, and a plain search."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.reversi.positions import Solved, discs, empties, played, published
from noughts.engine.reversi import board, kernel, table
from noughts.engine.reversi.evaluation import memory_of
from noughts.games.base import Side
from noughts.games.reversi import BITS, REVERSI, ReversiPosition, margin, moves_of, turned_by
from support import no_cache

pytestmark = pytest.mark.slow

# A fresh process that runs perft, looks ahead from the start, and solves FFO 22.
FRESH = """
import numpy as np
from noughts.engine.reversi import board, kernel
from noughts.engine.reversi.evaluation import memory_of
black, white = np.uint64(0x810000000), np.uint64(0x1008000000)
memory, flag = memory_of(12), np.zeros(1, np.uint8)
print(kernel.__file__)
print(board.perft(black, white, 6))
print(kernel.look_ahead(memory, flag, black, white, -5000, 5000, 7) == {ahead})
print(kernel.solve(memory, flag, np.uint64({own}), np.uint64({opp}), -64, 64))
"""
ANSWERS = "8200\nTrue\n2\n"
RUNNING = np.zeros(1, np.uint8)


@pytest.fixture(scope="module")
def memory() -> board.Words:
    return memory_of(14)


def words(position: ReversiPosition) -> tuple[np.uint64, np.uint64]:
    own, opp = discs(position)
    return np.uint64(own), np.uint64(opp)


def restart(memory: board.Words) -> None:
    memory[table.NODES] = memory[table.NEXT_POLL] = memory[table.STOPPED] = 0
    memory[table.TABLE :] = 0


@cache
def value_of(position: ReversiPosition) -> int:
    """The final difference for the side to move, by plain negamax."""
    if position.to_move is None:
        return margin(position) * (1 if position.side is Side.FIRST else -1)
    return max(-value_of(position.play(move)) for move in position.legal_moves)


@pytest.mark.parametrize("left", range(9))
def test_solved_values_match_a_plain_search(memory: board.Words, left: int) -> None:
    rng = random.Random(left)
    for _ in range(60 if left < 7 else 12):
        position = played(rng, left)[-1]
        value_of.cache_clear()
        value = value_of(position)
        restart(memory)
        assert kernel.solve(memory, RUNNING, *words(position), -64, 64) == value
        for alpha in (value - 2, value - 1, value, value + 1):
            bound = kernel.solve(memory, RUNNING, *words(position), alpha, alpha + 1)
            assert bound <= value if bound <= alpha else alpha < bound <= value or bound == value


def wiped_out() -> list[ReversiPosition]:
    """Positions in which the side to move can flip the opponent's last discs."""
    rng = random.Random(5)
    found: list[tuple[int, int]] = []
    while len(found) < 3:
        # With few discs on the board, a side often loses its last ones.
        first, second = 0, 0
        for cell in rng.sample(range(64), 7):
            if rng.random() < 0.6:
                first |= BITS[cell]
            else:
                second |= BITS[cell]
        moves = moves_of(first, second)
        for bit in BITS:
            if moves & bit and turned_by(bit, first, second) == second:
                found.append((first, second))
                break
    return [ReversiPosition(first, second, Side.FIRST, 0, moves_of(first, second), False) for first, second in found]


def test_a_side_without_discs_loses_every_cell(memory: board.Words) -> None:
    for position in wiped_out():
        restart(memory)
        assert kernel.solve(memory, RUNNING, *words(position), -64, 64) == 64


@pytest.mark.parametrize("solved", published()[:10], ids=lambda solved: str(solved.number))
def test_the_published_positions_are_solved(memory: board.Words, solved: Solved) -> None:
    restart(memory)
    assert kernel.solve(memory, RUNNING, *words(solved.position), -64, 64) == max(solved.values.values())


def test_a_set_flag_stops_the_search(memory: board.Words) -> None:
    restart(memory)
    kernel.solve(memory, np.ones(1, np.uint8), *words(played(random.Random(1), 30)[-1]), -64, 64)
    assert memory[table.STOPPED]
    assert memory[table.NODES] < 3 * table.NODES_PER_POLL


def test_a_node_limit_stops_the_search(memory: board.Words) -> None:
    restart(memory)
    position = played(random.Random(1), 30)[-1]
    assert empties(position) == 30
    memory[table.NODE_LIMIT] = 50_000
    kernel.solve(memory, RUNNING, *words(position), -64, 64)
    memory[table.NODE_LIMIT] = table.TOP
    assert memory[table.STOPPED]
    assert 50_000 <= memory[table.NODES] < 60_000


def run_fresh(memory: board.Words, environment: dict[str, str]) -> tuple[Path, str]:
    """Run FRESH in a new process with ``environment`` added to ours. Returns the file of its kernel and its answers."""
    restart(memory)
    ahead = kernel.look_ahead(memory, RUNNING, *words(REVERSI.start), -5000, 5000, 7)  # type: ignore[arg-type]
    own, opp = discs(published()[2].position)
    command = [sys.executable, "-c", FRESH.format(ahead=ahead, own=own, opp=opp)]
    run = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    file, answers = run.stdout.split("\n", 1)
    return Path(file), answers


@pytest.mark.timeout(900)  # compiling takes 12 s of CPU time, and the machine may be busy
def test_results_are_right_when_loaded_from_the_cache(memory: board.Words, tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_fresh(memory, environment)[1] == ANSWERS
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 5
    assert run_fresh(memory, environment)[1] == ANSWERS
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


@pytest.mark.timeout(900)
def test_results_are_right_without_a_cache(memory: board.Words, tmp_path: Path) -> None:
    environment = no_cache.without_a_cache(tmp_path)
    assert run_fresh(memory, environment) == (tmp_path / "noughts/engine/reversi/kernel.py", ANSWERS)
    assert not no_cache.kept(tmp_path)
