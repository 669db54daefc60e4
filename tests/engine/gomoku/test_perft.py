"""Moves, wins and perft, also late in the game, checked against OpenSpiel."""

from __future__ import annotations

import importlib
import os
import random
from typing import Any

import numpy as np
import pytest

from engine.gomoku.positions import board_of, played, scattered, weights
from noughts.engine.gomoku import kernel
from noughts.engine.gomoku.engine import NAMES, stones_of
from noughts.games.mnk import LinePosition

pytestmark = pytest.mark.slow

# It is not available for every platform, but CI must have it.
pyspiel: Any = importlib.import_module("pyspiel") if "CI" in os.environ else pytest.importorskip("pyspiel")


def theirs(position: LinePosition) -> Any:
    """OpenSpiel's state of the same position, from some order of its moves. No stone before the last may make five."""
    state = pyspiel.load_game("gomoku").new_initial_state()
    board = board_of(position)
    stones = {side: [15 * row + column for (row, column), symbol in board.items() if symbol == side] for side in "bw"}
    for ply in range(position.ply):
        state.apply_action(stones["bw"[ply % 2]][ply // 2])
    return state


def lines(state: Any, depth: int) -> int:
    if depth == 0 or state.is_terminal():
        return depth == 0
    return sum(lines(state.child(action), depth - 1) for action in state.legal_actions())


def our_lines(position: LinePosition, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(our_lines(position.play(move), depth - 1) for move in position.legal_moves)


def kernel_lines(memory: kernel.Words, depth: int) -> int:
    """The number of lines by the kernel's own state: a move that makes five ends the game."""
    if depth == 0:
        return 1
    total = 0
    side = int(memory[kernel.TURN])
    empty = np.flatnonzero(memory[kernel.WHO : kernel.WHO + kernel.AREA] == kernel.EMPTY).tolist()
    for cell in empty:
        ends = memory[kernel.KIND + memory[kernel.MAKES + side * kernel.AREA + cell]] & 15 == kernel.FIVE_NOW
        if ends:
            total += depth == 1
            continue
        kernel.put(memory, cell)
        total += kernel_lines(memory, depth - 1)
        kernel.take(memory, cell)
    return total


def test_perft_matches_openspiel() -> None:
    rng = random.Random(1)
    memory = kernel.memory_of(0, *weights())
    empty = kernel.empty_board(memory)
    ended = 0
    for plies, depth in ((0, 1), (8, 2), (60, 2), (150, 2), (190, 2), (205, 3), (215, 3)):
        position = played(rng, plies)
        kernel.set_up(memory, empty, *stones_of(position))
        expected = lines(theirs(position), depth)
        assert our_lines(position, depth) == kernel_lines(memory, depth) == expected
        free = 225 - position.ply
        ended += expected < free * (free - 1) * (free - 2 if depth == 3 else 1)
    assert ended > 2


def test_winning_moves_match_openspiel() -> None:
    rng = random.Random(2)
    memory = kernel.memory_of(0, *weights())
    empty = kernel.empty_board(memory)
    won = 0
    for number in range(60):
        position = scattered(rng, rng.randrange(9, 60)) if number % 2 else played(rng, rng.randrange(20, 220))
        state = theirs(position)
        assert [NAMES[action] for action in state.legal_actions()] == list(position.legal_moves)
        kernel.set_up(memory, empty, *stones_of(position))
        side = int(memory[kernel.TURN])
        for action in state.legal_actions():
            then = state.child(action)
            wins = then.is_terminal() and then.returns()[side] == 1
            made = memory[kernel.MAKES + side * kernel.AREA + kernel.cell_of(action)]
            assert wins == (memory[kernel.KIND + made] & 15 == kernel.FIVE_NOW)
            assert wins == position.play(NAMES[action]).won
            won += wins
    assert won > 30
