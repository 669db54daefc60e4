"""The compiled kernel for small m,n,k boards: against published values, the rules, and a plain search."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.mnk.positions import PUBLISHED, WIN, played, start_of, stones, value_of
from noughts.engine.mnk import kernel
from noughts.games.mnk import LinePosition
from support import no_cache

pytestmark = pytest.mark.slow

RUNNING = np.zeros(1, np.uint8)
FOREVER = 65

# A fresh process that proves that 5x5 is a draw and that 6x5 is won in 11 plies.
FRESH = """
import numpy as np
from noughts.engine.mnk import kernel
zero, flag = np.uint64(0), np.zeros(1, np.uint8)
print(kernel.__file__)
memory = kernel.memory_of(5, 5, 4, 14)
print(kernel.prove(memory, flag, zero, zero, True, 65), kernel.prove(memory, flag, zero, zero, False, 64))
print(kernel.prove(kernel.memory_of(6, 5, 4, 14), flag, zero, zero, True, 11))
"""
ANSWERS = "-200 -200\n11\n"


def memory_for(position: LinePosition, bits: int = 10) -> kernel.Words:
    on = position.on
    return kernel.memory_of(on.columns, len(on.layout), on.length, bits)


def prove(memory: kernel.Words, attacker: int, defender: int, *, turn: bool, left: int) -> int:
    return int(kernel.prove(memory, RUNNING, np.uint64(attacker), np.uint64(defender), turn, left))


def within(memory: kernel.Words, position: LinePosition, *, mover: bool) -> int:
    """In how many plies the mover, or the opponent, wins, or -NEVER, raising the limit step by step."""
    own, other = stones(position)
    answer = left = 0
    while answer <= 0 and answer != -kernel.NEVER:
        left += 1
        if left % 2 == mover:
            answer = prove(memory, own if mover else other, other if mover else own, turn=mover, left=left)
            assert answer in {left, -kernel.NEVER} or answer <= -left
    return answer


@pytest.mark.parametrize(("board", "value"), PUBLISHED.items(), ids=str)
def test_the_published_values_are_proved(board: tuple[int, int, int], value: str) -> None:
    columns, rows, length = board
    for start in (start_of(columns, rows, length), start_of(rows, columns, length)):
        memory = memory_for(start, 16)
        assert (within(memory, start, mover=True) > 0) == (value == "win")
        assert value == "win" or within(memory, start, mover=False) == -kernel.NEVER


@pytest.mark.parametrize(("board", "plies"), [((4, 3, 3), 7), ((4, 4, 3), 5), ((6, 5, 4), 11)], ids=str)
def test_a_win_is_the_shortest(board: tuple[int, int, int], plies: int) -> None:
    assert within(memory_for(start_of(*board)), start_of(*board), mover=True) == plies


SMALL = [(3, 3, 3), (4, 3, 3), (3, 5, 3), (4, 4, 4), (5, 4, 4), (6, 5, 4), (5, 2, 3), (9, 1, 3), (3, 3, 2), (4, 4, 1)]
LARGE = [(7, 7, 4), (7, 7, 5), (8, 7, 5), (7, 8, 3), (15, 3, 14), (3, 2, 4)]


@pytest.mark.parametrize("board", SMALL + LARGE, ids=str)
def test_answers_match_a_plain_search(board: tuple[int, int, int]) -> None:
    rng = random.Random(str(board))
    start = start_of(*board)
    memory = memory_for(start, 6)  # so small that many entries are replaced
    left = min(8 if board in SMALL else 6, len(start.legal_moves))
    for _ in range(100):
        position = played(rng, start, rng.randrange(1, left + 1))
        if position.to_move is None:
            continue
        value = value_of(position)
        assert within(memory, position, mover=True) == (WIN - value if value > 0 else -kernel.NEVER)
        assert within(memory, position, mover=False) == (WIN + value if value < 0 else -kernel.NEVER)
        # A search to the end of the game gives the same answer, though not the shortest win.
        own, other = stones(position)
        assert (prove(memory, own, other, turn=True, left=FOREVER) > 0) == (value > 0)
        assert (prove(memory, other, own, turn=False, left=FOREVER - 1) > 0) == (value < 0)
    value_of.cache_clear()


@pytest.mark.parametrize("board", [(5, 5, 4), (6, 5, 4), (7, 6, 4), (6, 6, 3)], ids=str)
def test_no_answer_for_few_plies_rules_out_a_win_in_more(board: tuple[int, int, int]) -> None:
    rng = random.Random(str(board))
    start = start_of(*board)
    memory = memory_for(start, 8)
    won = 0
    for _ in range(150):
        position = played(rng, start, rng.randrange(10, len(start.legal_moves) - 1))
        if position.to_move is None:
            continue
        own, other = stones(position)
        for attacker, defender, turn in ((own, other, True), (other, own, False)):
            answers = []
            for left in range(1 if turn else 2, 10, 2):
                memory[kernel.TABLE :] = 0
                answers.append(prove(memory, attacker, defender, turn=turn, left=left))
            win = next((answer for answer in answers if answer > 0), None)
            won += win is not None and win > 2
            assert win is None or all(win > -answer for answer in answers if answer < 0)
            assert win is None or all(answer >= win for answer in answers[answers.index(win) :])
    assert won > 10


def test_a_win_in_6_5_4_checked_by_the_rules_alone() -> None:
    """Whatever the second side replies, the move that the kernel proves wins as quickly as it says."""
    on = start_of(6, 5, 4).on
    memory = memory_for(start_of(6, 5, 4), 16)
    checked: dict[tuple[int, int], int] = {}

    def lines(own: int, other: int) -> list[int]:
        return [bit for bit in on.ordered_bits if not (own | other) & bit and on.has_line(own | bit)]

    def wins(own: int, other: int, left: int) -> None:
        if checked.get((own, other), 0) >= left or lines(own, other):
            return
        checked[own, other] = left
        assert left > 2
        free = [bit for bit in on.ordered_bits if not (own | other) & bit]
        likely = 1 << int(kernel.remembered(memory, np.uint64(own), np.uint64(other), True)) & on.everywhere
        move = next(
            bit
            for bit in [likely] * bool(likely) + free
            if prove(memory, own | bit, other, turn=False, left=left - 1) > 0
        )
        own |= move
        assert not lines(other, own)
        # A reply that does not stop a threatened line loses to it.
        threats = lines(own, other)
        for reply in threats or free:
            if reply != move:
                wins(own, other | reply, left - 2)

    assert prove(memory, 0, 0, turn=True, left=11) == 11
    wins(0, 0, 11)
    assert len(checked) > 1000


def test_the_cells_that_make_a_line_match_the_rules() -> None:
    rng = random.Random(1)
    found = 0
    for board in ((3, 3, 3), (4, 4, 3), (6, 5, 4), (5, 6, 5), (8, 7, 5), (7, 8, 6), (15, 3, 3), (20, 3, 5)):
        on = start_of(*board).on
        memory = memory_for(start_of(*board), 1)
        for _ in range(300):
            cells = [rng.choice("xxo.") for _ in on.ordered_bits]
            own, other = (
                sum(bit for bit, cell in zip(on.ordered_bits, cells, strict=True) if cell == symbol) for symbol in "xo"
            )
            if on.has_line(own):
                continue
            expected = sum(bit for bit in on.ordered_bits if not (own | other) & bit and on.has_line(own | bit))
            assert int(kernel.wins_at_once(memory, np.uint64(own), np.uint64(other))) == expected
            found += expected.bit_count()
    assert found > 1000


def test_a_potential_is_counted_line_by_line() -> None:
    start = start_of(4, 4, 4)
    one = 1 << kernel.CERTAIN
    assert kernel.potential(memory_for(start), np.uint64(0), np.uint64(0)) == 10 * one // 16
    # A corner is in three lines; the opponent's stone next to it, on an edge, blocks two lines, one of them shared.
    position = start.play("a1").play("b1")
    own, other = stones(position)
    assert kernel.potential(memory_for(start), np.uint64(own), np.uint64(other)) == (2 * one // 8 + 6 * one // 16)
    assert kernel.potential(memory_for(start), np.uint64(other), np.uint64(own)) == (one // 8 + 6 * one // 16)


@pytest.mark.parametrize("board", [(5, 5, 4), (6, 5, 4)], ids=str)
def test_symmetric_positions_have_the_same_key(board: tuple[int, int, int]) -> None:
    start = start_of(*board)
    memory = memory_for(start, 14)
    layout = start.on.layout
    last = (len(layout[0]) - 1, len(layout) - 1)
    square = last[0] == last[1]
    images = [(turned, mirror, flip) for turned in (False, True)[: 1 + square] for mirror in (0, 1) for flip in (0, 1)]

    def image_of(x: int, y: int, image: tuple[bool, int, int]) -> tuple[int, int]:
        turned, mirror, flip = image
        x, y = (y, x) if turned else (x, y)
        return abs(mirror * last[0] - x), abs(flip * last[1] - y)

    moves = [(1, 0), (2, 2), (1, 3)]
    for image in images:
        position = start
        for x, y in moves:
            column, row = image_of(x, y, image)
            position = position.play(layout[row][column])
        own, other = stones(position)
        memory[kernel.NODES] = 0
        found = prove(memory, other, own, turn=False, left=12)
        if image == images[0]:
            expected, searched = found, int(memory[kernel.NODES])
            best = int(kernel.remembered(memory, np.uint64(other), np.uint64(own), False))
            cell = list(start.on.bits.values()).index(1 << best)
            assert searched > 100
        else:
            assert found == expected
            assert memory[kernel.NODES] == 1
            x, y = image_of(cell % (last[0] + 1), cell // (last[0] + 1), image)
            best = int(kernel.remembered(memory, np.uint64(other), np.uint64(own), False))
            assert 1 << best == start.on.bits[layout[y][x]]


def test_positions_of_a_small_board_have_different_keys() -> None:
    """The keys of 31 cells for both sides and of the side to move are independent: none is a sum of others."""
    memory = kernel.memory_of(31, 1, 5, 1)
    keys = [int(memory[kernel.TURN_KEY])]
    keys += [int(memory[kernel.KEYS + 512 * side + 8 * cell]) for side in range(2) for cell in range(31)]
    rows: list[int] = []
    for key in keys:
        rest = key
        for row in rows:
            rest = min(rest, rest ^ row)
        assert rest
        rows.append(rest)


def test_a_set_flag_stops_the_search() -> None:
    memory = kernel.memory_of(7, 7, 5, 10)
    kernel.prove(memory, np.ones(1, np.uint8), np.uint64(0), np.uint64(0), True, FOREVER)
    assert memory[kernel.STOPPED]
    assert memory[kernel.NODES] < 3 * kernel.NODES_PER_POLL


def test_a_node_limit_stops_the_search_and_a_new_one_continues() -> None:
    memory = kernel.memory_of(5, 5, 4, 14)
    memory[kernel.NODE_LIMIT] = 20_000
    prove(memory, 0, 0, turn=True, left=FOREVER)
    assert memory[kernel.STOPPED]
    assert 20_000 <= memory[kernel.NODES] < 25_000
    memory[kernel.STOPPED] = 0
    memory[kernel.NODE_LIMIT] = kernel.TOP
    assert prove(memory, 0, 0, turn=True, left=FOREVER) == -kernel.NEVER


def run_fresh(environment: dict[str, str]) -> tuple[Path, str]:
    """Run FRESH in a new process with ``environment`` added to ours. Returns the file of its kernel and its answers."""
    command = [sys.executable, "-c", FRESH]
    run = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    file, answers = run.stdout.split("\n", 1)
    return Path(file), answers


@pytest.mark.timeout(900)  # compiling takes 5 s of CPU time, and the machine may be busy
def test_results_are_right_when_loaded_from_the_cache(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_fresh(environment)[1] == ANSWERS
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 5
    assert run_fresh(environment)[1] == ANSWERS
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


@pytest.mark.timeout(900)
def test_results_are_right_without_a_cache(tmp_path: Path) -> None:
    environment = no_cache.without_a_cache(tmp_path)
    assert run_fresh(environment) == (tmp_path / "noughts/engine/mnk/kernel.py", ANSWERS)
    assert not no_cache.kept(tmp_path)
