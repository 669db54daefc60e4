"""The compiled kernel for Gomoku: its incremental state, plain searches, loading, and stopping."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.gomoku.positions import (
    CELLS,
    DIRECTIONS,
    SIZE,
    Board,
    Cell,
    board_of,
    fives,
    name_of,
    parse,
    played,
    scattered,
    side_to_move,
    weights,
)
from noughts.engine.gomoku import kernel, patterns
from noughts.engine.gomoku.engine import stones_of
from noughts.games.gomoku import GOMOKU
from noughts.games.mnk import LinePosition
from support import no_cache

pytestmark = pytest.mark.slow

FRESH = """
import numpy as np
from noughts.engine.gomoku import kernel
from noughts.engine.weights import weights_of
print(kernel.__file__)
package = "noughts.engine.gomoku"
memory, flag = kernel.memory_of(12, weights_of(package), weights_of(package, "cells")), np.zeros(1, np.uint8)
kernel.set_up(memory, kernel.empty_board(memory), {first}, {second})
print(kernel.win_by_threats(memory, flag, 20, 0, 100_000))
print(kernel.look_ahead(memory, flag, 4, -kernel.INFINITY, kernel.INFINITY, 0))
memory[kernel.PLAIN] = 1
print(kernel.look_ahead(memory, flag, 3, -kernel.INFINITY, kernel.INFINITY, 0))
"""
RUNNING = np.zeros(1, np.uint8)
WINDOW = (-kernel.INFINITY, kernel.INFINITY)


@pytest.fixture(scope="module")
def memory() -> kernel.Words:
    return kernel.memory_of(12, *weights())


@pytest.fixture(scope="module")
def empty(memory: kernel.Words) -> tuple[kernel.Words, ...]:
    return kernel.empty_board(memory)


def number(cell: Cell) -> int:
    return kernel.cell_of(SIZE * cell[0] + cell[1])


def restart(memory: kernel.Words, *, plain: bool = False) -> None:
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = memory[kernel.WHOLE] = 0
    memory[kernel.PLAIN] = plain
    memory[kernel.TABLE :] = 0


def state(memory: kernel.Words) -> list[bytes]:
    return [memory[part].tobytes() for part in kernel.BOARD]


def without_taken_cells(memory: kernel.Words) -> list[bytes]:
    """:func:`state` without the patterns of taken cells, which are only kept for undoing moves."""
    board = memory.copy()
    taken = board[kernel.WHO : kernel.WHO + kernel.AREA] != kernel.EMPTY
    board[kernel.MAKES : kernel.MAKES + 2 * kernel.AREA][np.concatenate([taken, taken])] = 0
    return state(board)


def members(memory: kernel.Words, side: int, which: int) -> set[int]:
    at = kernel.SETS + 15 * side + which
    return {
        kernel.FIRST_CELL + 64 * word + bit
        for word in range(5)
        for bit in range(64)
        if int(memory[at + word]) >> bit & 1
    }


def test_undoing_moves_restores_everything(memory: kernel.Words, empty: tuple[kernel.Words, ...]) -> None:
    rng = random.Random(1)
    for _ in range(30):
        kernel.set_up(memory, empty, [], [])
        states, cells = [state(memory)], []
        for cell in rng.sample(CELLS, rng.choice((20, 60, 225))):
            kernel.put(memory, number(cell))
            cells.append(number(cell))
            states.append(state(memory))
        while cells:
            assert state(memory) == states.pop()
            kernel.take(memory, cells.pop())
        assert state(memory) == states[0]
        assert len({bytes(part[2]) for part in states}) == len(states)


def test_the_state_does_not_depend_on_the_order_of_moves(memory: kernel.Words, empty: tuple[kernel.Words, ...]) -> None:
    rng = random.Random(2)
    for _ in range(10):
        first, second = stones_of(scattered(rng, rng.randrange(80)))
        kernel.set_up(memory, empty, first, second)
        there = without_taken_cells(memory)
        rng.shuffle(first)
        rng.shuffle(second)
        kernel.set_up(memory, empty, first, second)
        assert without_taken_cells(memory) == there


def test_cells_are_weighed_by_their_classes(memory: kernel.Words, empty: tuple[kernel.Words, ...]) -> None:
    rng = random.Random(5)
    _, cells = weights()
    classes = patterns.classes()
    for _ in range(20):
        position = played(rng, rng.randrange(0, 60))
        kernel.set_up(memory, empty, *stones_of(position))
        free = memory[kernel.WHO : kernel.WHO + kernel.AREA] == kernel.EMPTY
        for side in range(2):
            made = memory[kernel.MAKES + side * kernel.AREA : kernel.MAKES + (side + 1) * kernel.AREA][free]
            to_move, waiting = cells[classes[made]].sum(axis=0).tolist()
            assert memory[kernel.SUMS + side] == to_move + (waiting << 32)


def test_the_sets_hold_the_cells_that_make_a_five_or_a_four(
    memory: kernel.Words, empty: tuple[kernel.Words, ...]
) -> None:
    rng = random.Random(3)
    cases = 0
    for _ in range(20):
        position = scattered(rng, rng.randrange(10, 90))
        kernel.set_up(memory, empty, *stones_of(position))
        board = board_of(position)
        for side, symbol in enumerate("bw"):
            five = fives(board, symbol)
            assert members(memory, side, kernel.FIVES) == {number(cell) for cell in five}
            four = {number(cell) for cell in CELLS if cell not in board and makes_four(board, cell, symbol)}
            assert members(memory, side, kernel.FOURS) == four - {number(cell) for cell in five}
            cases += len(five) + len(four)
    assert cases > 100


def makes_four(board: Board, cell: Cell, side: str) -> bool:
    """True if a stone there leaves five cells in a row that include it, four with stones of ``side`` and one empty."""
    for down, right in DIRECTIONS:
        for start in range(-4, 1):
            row = [(cell[0] + step * down, cell[1] + step * right) for step in range(start, start + 5)]
            others = [board.get(other, ".") for other in row if other != cell]
            if all(0 <= r < SIZE and 0 <= c < SIZE for r, c in row) and sorted(others) == sorted("." + 3 * side):
                return True
    return False


def turned(position: LinePosition, times: int, *, mirrored: bool) -> LinePosition:
    rows = ["".join(row) for row in position.rows]
    for _ in range(times):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
    return parse("/".join(row[::-1] if mirrored else row for row in rows))


@pytest.mark.parametrize("plain", [False, True])
def test_estimates_are_the_same_for_symmetric_boards(
    memory: kernel.Words, empty: tuple[kernel.Words, ...], plain: bool
) -> None:
    rng = random.Random(4)
    restart(memory, plain=plain)
    values = set()
    for _ in range(12):
        position = scattered(rng, rng.randrange(4, 60))
        found = set()
        for times in range(4):
            for mirrored in (False, True):
                kernel.set_up(memory, empty, *stones_of(turned(position, times, mirrored=mirrored)))
                found.add(int(kernel.estimate(memory)))
        assert len(found) == 1
        values |= found
    assert len(values) > 5
    assert max(map(abs, values)) <= kernel.TOP


def plain_candidates(board: Board, side: str, reach: int = 2) -> list[Cell]:
    """The moves that the kernel should search, computed independently, at most ``reach`` steps from a stone."""
    other = "w" if side == "b" else "b"
    if fives(board, side) or fives(board, other):
        return fives(board, side) or fives(board, other)
    free = [cell for cell in CELLS if cell not in board]
    mine, theirs = (
        {cell: len(fives(board | {cell: who}, who)) for cell in free if makes_four(board, cell, who)}
        for who in (side, other)
    )
    if max(theirs.values(), default=0) > 1 and max(mine.values(), default=0) < 2:
        return list(mine | theirs)
    steps = range(-reach, reach + 1)
    lines = [(down, right) for down in steps for right in steps]
    lines = [(down, right) for down, right in lines if abs(down) == abs(right) or not down or not right]
    close = [cell for cell in free if any((cell[0] + down, cell[1] + right) in board for down, right in lines)]
    return close or [(7, 7)]


@pytest.mark.parametrize(("plain", "reach"), [(True, 2), (False, 3)])
def test_moves_near_stones_are_searched(
    memory: kernel.Words, empty: tuple[kernel.Words, ...], plain: bool, reach: int
) -> None:
    rng = random.Random(6)
    for _ in range(20):
        position = scattered(rng, rng.randrange(60))
        restart(memory, plain=plain)
        kernel.set_up(memory, empty, *stones_of(position))
        listed = memory[kernel.LISTS :][: kernel.list_candidates(memory)] & 511
        expected = plain_candidates(board_of(position), side_to_move(position), reach)
        assert set(listed.tolist()) == {number(cell) for cell in expected}, position.text


def plain_value(memory: kernel.Words, board: Board, side: str, left: int, ply: int) -> int:
    """The value that a plain search should find, from the kernel's estimates. The memory has the same board."""
    if len(board) == SIZE * SIZE:
        return 0
    if left == 0:
        return int(kernel.estimate(memory))
    if fives(board, side):
        return kernel.WIN - ply - 1
    best = -kernel.INFINITY
    for cell in plain_candidates(board, side):
        board[cell] = side
        kernel.put(memory, number(cell))
        best = max(best, -plain_value(memory, board, "w" if side == "b" else "b", left - 1, ply + 1))
        kernel.take(memory, number(cell))
        del board[cell]
    return best


@pytest.mark.parametrize(("left", "positions"), [(1, 12), (2, 4), (3, 1)])
def test_a_plain_search_matches_the_reference(
    memory: kernel.Words, empty: tuple[kernel.Words, ...], left: int, positions: int
) -> None:
    rng = random.Random(left)
    for index in range(positions):
        # Three plies take long in Python, except where threats leave few moves.
        position = played(rng, rng.randrange(2, 40)) if left < 3 else threatened(rng)
        restart(memory, plain=True)
        kernel.set_up(memory, empty, *stones_of(position))
        expected = plain_value(memory, board_of(position), side_to_move(position), left, 0)
        assert kernel.look_ahead(memory, RUNNING, left, *WINDOW, 0) == expected, (index, position.text)
        for alpha in (expected - 2, expected - 1, expected, expected + 1):
            restart(memory, plain=True)
            bound = kernel.look_ahead(memory, RUNNING, left, alpha, alpha + 1, 0)
            assert (bound <= alpha) == (expected <= alpha)


def threatened(rng: random.Random) -> LinePosition:
    """A position in which the opponent could make an open four."""
    while True:
        position = played(rng, rng.randrange(8, 24))
        if 2 < len(plain_candidates(board_of(position), side_to_move(position))) < 6:
            return position


def test_a_set_flag_stops_the_search(memory: kernel.Words, empty: tuple[kernel.Words, ...]) -> None:
    for plain in (False, True):
        restart(memory, plain=plain)
        kernel.set_up(memory, empty, *stones_of(played(random.Random(1), 20)))
        before = state(memory)
        kernel.look_ahead(memory, np.ones(1, np.uint8), 20, *WINDOW, 0)
        assert memory[kernel.STOPPED]
        assert memory[kernel.NODES] < 3 * kernel.NODES_PER_POLL
        assert state(memory) == before


def test_a_node_limit_stops_the_search(memory: kernel.Words, empty: tuple[kernel.Words, ...]) -> None:
    for plain in (False, True):
        restart(memory, plain=plain)
        kernel.set_up(memory, empty, *stones_of(parse("/".join(["." * 15] * 7 + ["......wbb......"] + ["." * 15] * 7))))
        before = state(memory)
        memory[kernel.NODE_LIMIT] = 20_000
        kernel.look_ahead(memory, RUNNING, 20, *WINDOW, 0)
        memory[kernel.NODE_LIMIT] = kernel.NO_LIMIT
        assert memory[kernel.STOPPED]
        assert 20_000 <= memory[kernel.NODES] < 21_000
        assert state(memory) == before


def test_cells_have_the_game_s_names() -> None:
    names = [name for row in GOMOKU.layout for name in row]
    cells = [kernel.cell_of(place) for place in range(SIZE * SIZE)]
    assert len(set(cells)) == len(cells)
    assert [name_of(divmod(place, SIZE)) for place in range(SIZE * SIZE)] == names


def run_fresh(memory: kernel.Words, environment: dict[str, str]) -> tuple[Path, str]:
    """Run FRESH in a new process with ``environment`` added to ours. Returns the file of its kernel and its answers."""
    first, second = stones_of(played(random.Random(7), 16))
    command = [sys.executable, "-c", FRESH.format(first=first, second=second)]
    run = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    file, answers = run.stdout.split("\n", 1)
    return Path(file), answers


def answers(memory: kernel.Words, empty: tuple[kernel.Words, ...]) -> str:
    """The right answers of FRESH."""
    restart(memory)
    memory[kernel.AGE] = 0
    memory[kernel.HISTORY : kernel.KEYS] = 0
    kernel.set_up(memory, empty, *stones_of(played(random.Random(7), 16)))
    output = [kernel.win_by_threats(memory, RUNNING, 20, 0, 100_000), kernel.look_ahead(memory, RUNNING, 4, *WINDOW, 0)]
    memory[kernel.PLAIN] = 1
    output.append(kernel.look_ahead(memory, RUNNING, 3, *WINDOW, 0))
    return "".join(f"{value}\n" for value in output)


@pytest.mark.timeout(900)  # compiling takes 10 s of CPU time, and the machine may be busy
def test_results_are_right_when_loaded_from_the_cache(
    memory: kernel.Words, empty: tuple[kernel.Words, ...], tmp_path: Path
) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_fresh(memory, environment)[1] == answers(memory, empty)
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 5
    assert run_fresh(memory, environment)[1] == answers(memory, empty)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


@pytest.mark.timeout(900)
def test_results_are_right_without_a_cache(
    memory: kernel.Words, empty: tuple[kernel.Words, ...], tmp_path: Path
) -> None:
    environment = no_cache.without_a_cache(tmp_path)
    output = run_fresh(memory, environment)
    assert output == (tmp_path / "noughts/engine/gomoku/kernel.py", answers(memory, empty))
    assert not no_cache.kept(tmp_path)
