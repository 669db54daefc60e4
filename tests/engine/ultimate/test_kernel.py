"""The compiled kernel for ultimate tic-tac-toe, checked against published numbers, OpenSpiel, and the game's rules."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.ultimate.positions import START, near_the_end, played
from noughts.engine.ultimate import kernel, lookup
from noughts.engine.ultimate.engine import board_of, fitted
from noughts.games.ultimate import PLACES, UltimatePosition
from support import no_cache

pytestmark = pytest.mark.slow

# It is not available for every platform, but CI must have it.
pyspiel: Any = importlib.import_module("pyspiel") if "CI" in os.environ else pytest.importorskip("pyspiel")

# A fresh process that runs perft and looks ahead from the start.
FRESH = """
import numpy as np
from noughts.engine.ultimate import kernel
from noughts.engine.ultimate.engine import board_of, fitted
from noughts.engine.ultimate.lookup import PACKED_RANKS
from noughts.games import GAMES
memory, flag = kernel.memory_of(12, PACKED_RANKS), np.zeros(1, np.uint8)
board = board_of(GAMES["ultimate"].start)
print(kernel.__file__)
print(kernel.perft(memory, board.shift, board.sent, board.large, 5))
print(kernel.look_ahead(memory, flag, fitted(), board.shift, board.sent, board.large, -32000, 32000, 7))
"""
PUBLISHED = (81, 720, 6336, 55080)
RUNNING = np.zeros(1, np.uint8)


@pytest.fixture(scope="module")
def memory() -> kernel.Words:
    return kernel.memory_of(12, lookup.PACKED_RANKS)


def place(memory: kernel.Words, position: UltimatePosition) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Put the small boards of ``position`` into the memory. Returns the position's other words."""
    board = board_of(position)
    memory[int(kernel.BOARDS) : int(kernel.BOARDS) + 9] = board.boards
    return board.shift, board.sent, board.large


def lines_of(position: UltimatePosition, depth: int) -> int:
    """The number of lines of ``depth`` plies by the rules of the game."""
    if depth == 1:
        return len(position.legal_moves)
    return sum(lines_of(position.play(move), depth - 1) for move in position.legal_moves)


def their_lines(state: Any, depth: int) -> int:
    """The number of lines of ``depth`` plies in OpenSpiel, where choosing a board takes an action of its own."""
    if state.is_terminal():
        return 0
    legal = state.legal_actions()
    if "Choose" in state.action_to_string(legal[0]):
        return sum(their_lines(state.child(board), depth) for board in legal)
    if depth == 1:
        return len(legal)
    return sum(their_lines(state.child(action), depth - 1) for action in legal)


@pytest.mark.parametrize(("depth", "lines"), list(enumerate(PUBLISHED, start=1)))
def test_perft_matches_the_published_numbers(memory: kernel.Words, depth: int, lines: int) -> None:
    assert kernel.perft(memory, *place(memory, START), depth) == lines
    assert lines_of(START, depth) == lines


def test_perft_matches_openspiel(memory: kernel.Words) -> None:
    state = pyspiel.load_game("ultimate_tic_tac_toe").new_initial_state()
    for depth in range(1, 7):
        assert kernel.perft(memory, *place(memory, START), depth) == their_lines(state, depth)


def test_perft_5_matches_the_rules(memory: kernel.Words) -> None:
    assert kernel.perft(memory, *place(memory, START), 5) == lines_of(START, 5) == 473_256


@pytest.mark.parametrize(("left", "depth"), [(12, 5), (20, 4), (40, 3)])
def test_perft_late_in_a_game(memory: kernel.Words, left: int, depth: int) -> None:
    rng = random.Random(left)
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    counted = set()
    for position in near_the_end(rng, left, 30):
        words = place(memory, position)
        for plies in range(1, depth + 1):
            lines = kernel.perft(memory, *words, plies)
            assert lines == lines_of(position, plies)
            counted.add(lines)
    assert len(counted) > 30
    # OpenSpiel can only play from the start.
    for _ in range(15):
        state, position = game.new_initial_state(), START
        for _ in range(rng.randrange(20, 50)):
            move = rng.choice(position.legal_moves)
            cell = PLACES[move]
            free = "Choose" in state.action_to_string(state.legal_actions()[0])
            for action in (cell.board, cell.place) if free else (cell.place,):
                state.apply_action(action)
            position = position.play(move)
            if position.to_move is None:
                break
        else:
            assert kernel.perft(memory, *place(memory, position), 3) == their_lines(state, 3)


def test_a_won_board_is_closed_and_gives_a_free_choice(memory: kernel.Words) -> None:
    freed = 0
    for seed in range(100):
        for position in played(random.Random(seed)):
            if position.to_move is not None:
                assert kernel.perft(memory, *place(memory, position), 1) == len(position.legal_moves)
                freed += position.sent_to == -1
    assert freed > 300


def test_a_set_flag_stops_the_search(memory: kernel.Words) -> None:
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
    kernel.look_ahead(memory, np.ones(1, np.uint8), fitted(), *place(memory, START), -32000, 32000, 30)
    assert memory[kernel.STOPPED]
    assert memory[kernel.NODES] < 2 * kernel.NODES_PER_POLL


def test_a_node_limit_stops_the_search(memory: kernel.Words) -> None:
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
    memory[kernel.NODE_LIMIT] = 50_000
    kernel.look_ahead(memory, RUNNING, fitted(), *place(memory, START), -32000, 32000, 30)
    memory[kernel.NODE_LIMIT] = kernel.TOP
    assert memory[kernel.STOPPED]
    assert 50_000 <= memory[kernel.NODES] < 50_200


def run_fresh(environment: dict[str, str]) -> tuple[Path, str]:
    """Run FRESH in a new process with ``environment`` added to ours. Returns the file of its kernel and its answers."""
    command = [sys.executable, "-c", FRESH]
    run = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    file, answers = run.stdout.split("\n", 1)
    return Path(file), answers


def answers() -> str:
    """The right answers of FRESH."""
    memory = kernel.memory_of(12, lookup.PACKED_RANKS)
    value = kernel.look_ahead(memory, RUNNING, fitted(), *place(memory, START), -32000, 32000, 7)
    assert value
    return f"473256\n{value}\n"


@pytest.mark.timeout(900)  # compiling takes seconds of CPU time, and the machine may be busy
def test_results_are_right_when_loaded_from_the_cache(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_fresh(environment)[1] == answers()
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 5
    assert run_fresh(environment)[1] == answers()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


@pytest.mark.timeout(900)
def test_results_are_right_without_a_cache(tmp_path: Path) -> None:
    environment = no_cache.without_a_cache(tmp_path)
    assert run_fresh(environment) == (tmp_path / "noughts/engine/ultimate/kernel.py", answers())
    assert not no_cache.kept(tmp_path)
