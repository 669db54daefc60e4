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
from noughts.engine.reversi import kernel
from noughts.engine.reversi.evaluation import memory_of
from noughts.games.base import Side
from noughts.games.reversi import BITS, REVERSI, ReversiPosition, margin, moves_of, turned_by
from support import no_cache

pytestmark = pytest.mark.slow

# A fresh process that runs perft, looks ahead from the start, and solves FFO 22.
FRESH = """
import numpy as np
from noughts.engine.reversi import kernel
from noughts.engine.reversi.evaluation import memory_of
black, white = np.uint64(0x810000000), np.uint64(0x1008000000)
memory, flag = memory_of(12), np.zeros(1, np.uint8)
print(kernel.__file__)
print(kernel.perft(black, white, 6))
print(kernel.look_ahead(memory, flag, black, white, -5000, 5000, 7) == {ahead})
print(kernel.solve(memory, flag, np.uint64({own}), np.uint64({opp}), -64, 64))
"""
ANSWERS = "8200\nTrue\n2\n"
PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
RUNNING = np.zeros(1, np.uint8)


@pytest.fixture(scope="module")
def memory() -> kernel.Words:
    return memory_of(14)


def words(position: ReversiPosition) -> tuple[np.uint64, np.uint64]:
    own, opp = discs(position)
    return np.uint64(own), np.uint64(opp)


def restart(memory: kernel.Words) -> None:
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
    memory[kernel.TABLE :] = 0


@pytest.mark.parametrize(("depth", "lines"), list(enumerate(PERFT, start=1)))
def test_perft_matches_the_published_numbers(depth: int, lines: int) -> None:
    own, opp = words(REVERSI.start)  # type: ignore[arg-type]
    assert kernel.perft(own, opp, depth) == lines


def test_moves_and_flips_match_the_rules() -> None:
    rng = random.Random(1)
    checked = 0
    for _ in range(60):
        for position in played(rng):
            own, opp = discs(position)
            assert int(kernel.moves_of(np.uint64(own), np.uint64(opp))) == moves_of(own, opp)
            for cell, bit in enumerate(BITS):
                if not (own | opp) & bit:
                    turned = turned_by(bit, own, opp)
                    assert int(kernel.turned_by(np.uint64(cell), np.uint64(own), np.uint64(opp))) == turned
                    checked += turned != 0
    assert checked > 10_000


def test_the_last_move_flips_the_same_discs_as_any_move() -> None:
    rng = random.Random(2)
    for _ in range(2_000):
        cell = rng.randrange(64)
        own = rng.getrandbits(64) & rng.getrandbits(64) & ~BITS[cell]
        opp = ~own & ~BITS[cell] & (1 << 64) - 1
        turned = turned_by(BITS[cell], own, opp).bit_count()
        assert kernel.turned_by_last(np.uint64(cell), np.uint64(own)) == turned


def test_stable_discs_are_never_flipped() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(200):
        game = played(rng)
        last = game[-1]
        for position in game:
            first, second = np.uint64(position.first), np.uint64(position.second)
            for own, other, kept in ((first, second, last.first), (second, first, last.second)):
                discs_kept = int(kernel.stable(own, other))
                assert discs_kept & ~int(own) == 0
                assert discs_kept & ~kept == 0
                found += discs_kept.bit_count()
    assert found > 20_000


def test_full_boards_and_discs_connected_to_a_corner_are_stable() -> None:
    every = (1 << 64) - 1
    half = 0x5555_5555_5555_5555
    assert int(kernel.stable(np.uint64(half), np.uint64(every ^ half))) == half
    assert int(kernel.stable(np.uint64(0b111), np.uint64(0b1000))) == 0b111
    assert int(kernel.stable(np.uint64(0b110), np.uint64(0b1000))) == 0
    assert int(kernel.stable(np.uint64(0x0303_07), np.uint64(0))) == 0x0103_07  # b3 is not connected to the corner


@cache
def value_of(position: ReversiPosition) -> int:
    """The final difference for the side to move, by plain negamax."""
    if position.to_move is None:
        return margin(position) * (1 if position.side is Side.FIRST else -1)
    return max(-value_of(position.play(move)) for move in position.legal_moves)


@pytest.mark.parametrize("left", range(9))
def test_solved_values_match_a_plain_search(memory: kernel.Words, left: int) -> None:
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


def test_a_side_without_discs_loses_every_cell(memory: kernel.Words) -> None:
    for position in wiped_out():
        restart(memory)
        assert kernel.solve(memory, RUNNING, *words(position), -64, 64) == 64


@pytest.mark.parametrize("solved", published()[:10], ids=lambda solved: str(solved.number))
def test_the_published_positions_are_solved(memory: kernel.Words, solved: Solved) -> None:
    restart(memory)
    assert kernel.solve(memory, RUNNING, *words(solved.position), -64, 64) == max(solved.values.values())


def test_a_set_flag_stops_the_search(memory: kernel.Words) -> None:
    restart(memory)
    kernel.solve(memory, np.ones(1, np.uint8), *words(played(random.Random(1), 30)[-1]), -64, 64)
    assert memory[kernel.STOPPED]
    assert memory[kernel.NODES] < 3 * kernel.NODES_PER_POLL


def test_a_node_limit_stops_the_search(memory: kernel.Words) -> None:
    restart(memory)
    position = played(random.Random(1), 30)[-1]
    assert empties(position) == 30
    memory[kernel.NODE_LIMIT] = 50_000
    kernel.solve(memory, RUNNING, *words(position), -64, 64)
    memory[kernel.NODE_LIMIT] = kernel.TOP
    assert memory[kernel.STOPPED]
    assert 50_000 <= memory[kernel.NODES] < 60_000


def run_fresh(memory: kernel.Words, environment: dict[str, str]) -> tuple[Path, str]:
    """Run FRESH in a new process with ``environment`` added to ours. Returns the file of its kernel and its answers."""
    restart(memory)
    ahead = kernel.look_ahead(memory, RUNNING, *words(REVERSI.start), -5000, 5000, 7)  # type: ignore[arg-type]
    own, opp = discs(published()[2].position)
    command = [sys.executable, "-c", FRESH.format(ahead=ahead, own=own, opp=opp)]
    run = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    file, answers = run.stdout.split("\n", 1)
    return Path(file), answers


@pytest.mark.timeout(900)  # compiling takes 12 s of CPU time, and the machine may be busy
def test_results_are_right_when_loaded_from_the_cache(memory: kernel.Words, tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_fresh(memory, environment)[1] == ANSWERS
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 5
    assert run_fresh(memory, environment)[1] == ANSWERS
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


@pytest.mark.timeout(900)
def test_results_are_right_without_a_cache(memory: kernel.Words, tmp_path: Path) -> None:
    environment = no_cache.without_a_cache(tmp_path)
    assert run_fresh(memory, environment) == (tmp_path / "noughts/engine/reversi/kernel.py", ANSWERS)
    assert not no_cache.kept(tmp_path)
