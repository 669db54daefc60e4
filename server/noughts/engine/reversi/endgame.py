"""The end of Reversi in numba: exact values with few empty cells. Pure; does no I/O.

The methods are published: principal variation search (Marsland and Campbell, 1982), fastest-first move ordering (fewest
replies), parity of the quadrants and stability, as described by Buro and Andersson for Logistello and Zebra; and
functions of their own for the last three empty cells, as in Zebra and Edax.
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

from typing import Any

import numpy as np

from noughts.engine.jit import kernel
from noughts.engine.reversi import board, table
from noughts.engine.reversi.board import (
    CORNERS,
    EIGHT,
    FULL,
    MASK8,
    ONE,
    QUADRANT,
    SEVEN,
    ZERO,
    count,
    final,
    lowest,
    moves_of,
    stable,
    turned_by,
    turned_by_last,
)
from noughts.engine.reversi.table import (
    LISTS,
    MASK16,
    NO_CELL,
    NODES,
    STOPPED,
    best_of,
    fetch,
    find,
    hash_of,
    keep,
    stopped,
)

KEEP_FROM = 8  # empty cells; with fewer the table costs more than it saves
QUADRANT_BITS = np.uint64(0o44)  # of a cell's number: whether it is on the right, and in the lower half
# By number of empty cells, the alpha from which on stable discs are counted. Below it they hardly ever suffice.
STABILITY_FROM = np.array([99] * 4 + [-2 + 2 * empties for empties in range(4, 33)] + [99] * 32, np.int64)
WORST = -100  # less than any difference in discs


@kernel("int64(uint64, uint64)", board)
def solve_1(own: np.uint64, cell: np.uint64) -> int:
    """The exact value with one empty cell, ``cell``."""
    discs = count(own)
    turned = turned_by_last(cell, own)
    if turned:
        return 2 * (discs + turned) - 62
    turned = turned_by_last(cell, ~own & ~(ONE << cell))
    if turned:
        return 2 * (discs - turned) - 64
    return 2 * discs - 62 if discs > 31 else 2 * discs - 64


@kernel("int64(CPointer(uint64), uint64, uint64, int64, int64, uint64, uint64)", board, table)
def solve_2(
    memory: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, first: np.uint64, second: np.uint64
) -> int:
    """The exact value with two empty cells, ``first`` and ``second``, or a bound outside the window."""
    memory[NODES] += ONE
    best = WORST
    turned = turned_by(first, own, opp)
    if turned:
        memory[NODES] += ONE
        best = -solve_1(opp ^ turned, second)
        if best >= beta:
            return best
    turned = turned_by(second, own, opp)
    if turned:
        memory[NODES] += ONE
        return max(best, -solve_1(opp ^ turned, first))
    if best > WORST:
        return best
    # A pass: the opponent moves, and its best is our worst.
    best = -WORST
    turned = turned_by(first, opp, own)
    if turned:
        memory[NODES] += ONE
        best = solve_1(own ^ turned, second)
        if best <= alpha:
            return best
    turned = turned_by(second, opp, own)
    if turned:
        memory[NODES] += ONE
        best = min(best, solve_1(own ^ turned, first))
    return best if best < -WORST else final(own, opp)


@kernel("int64(CPointer(uint64), uint64, uint64, int64, int64)", board, table)
def solve_3(memory: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int) -> int:
    """The exact value with three empty cells, or a bound outside the window. A cell alone in its quadrant comes first:
    see :func:`solve_4`.
    """
    memory[NODES] += ONE
    empty = ~(own | opp)
    first = lowest(empty)
    empty &= empty - ONE
    second = lowest(empty)
    third = lowest(empty & (empty - ONE))
    if (first ^ second) & QUADRANT_BITS == ZERO:
        first, third = third, first
    elif (first ^ third) & QUADRANT_BITS == ZERO:
        first, second = second, first
    best = WORST
    for _ in range(3):
        turned = turned_by(first, own, opp)
        if turned:
            value = -solve_2(memory, opp ^ turned, own | turned | ONE << first, -beta, -alpha, second, third)
            if value > best:
                if value >= beta:
                    return value
                best = value
                alpha = max(alpha, value)
        first, second, third = second, third, first
    if best > WORST:
        return best
    if not moves_of(opp, own):
        return final(own, opp)
    return -solve_3(memory, opp, own, -beta, -alpha)


@kernel("int64(CPointer(uint64), uint64, uint64, int64, int64, uint64)", board, table)
def solve_4(memory: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, odd: np.uint64) -> int:
    """The exact value with four empty cells, or a bound outside the window.

    ``odd`` are the quadrants with an odd number of empty cells. They come first, because the side that moves there is
    likely to have the last move there too.
    """
    memory[NODES] += ONE
    empty = ~(own | opp)
    rest = empty & odd
    later = empty & ~odd
    best = WORST
    while rest | later:
        if not rest:
            rest = later
            later = ZERO
        cell = lowest(rest)
        rest &= rest - ONE
        turned = turned_by(cell, own, opp)
        if turned:
            value = -solve_3(memory, opp ^ turned, own | turned | ONE << cell, -beta, -alpha)
            if value > best:
                if value >= beta:
                    return value
                best = value
                alpha = max(alpha, value)
    if best > WORST:
        return best
    if not moves_of(opp, own):
        return final(own, opp)
    return -solve_4(memory, opp, own, -beta, -alpha, odd)


@kernel("int64(CPointer(uint64), CPointer(uint8), uint64, uint64, int64, int64, uint64, int64)", board, table)
def solve_some(
    memory: Any, flag: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, odd: np.uint64, empties: int
) -> int:
    """The exact value with 3 to LOOK_FROM - 1 empty cells, or a bound outside the window. Meaningless once stopped."""
    if empties == 3:
        return solve_3(memory, own, opp, alpha, beta)
    if empties == 4:
        return solve_4(memory, own, opp, alpha, beta, odd)
    memory[NODES] += ONE
    if stopped(memory, flag):
        return 0
    if alpha >= STABILITY_FROM[empties]:
        most = FULL - 2 * count(stable(opp, own))
        if most <= alpha:
            return most
    moves = moves_of(own, opp)
    if not moves:
        if not moves_of(opp, own):
            return final(own, opp)
        return -solve_some(memory, flag, opp, own, -beta, -alpha, odd, empties)
    hinted = NO_CELL
    key = ZERO
    if empties >= KEEP_FROM:
        key = hash_of(own, opp)
        packed = find(memory, key)
        if packed:
            lower = int(packed >> EIGHT & MASK16) - 32768
            upper = int(packed >> np.uint64(24) & MASK16) - 32768
            if lower >= beta or lower == upper:
                return lower
            if upper <= alpha:
                return upper
            hinted = packed & MASK8
            alpha = max(alpha, lower)
            beta = min(beta, upper)
    # Score the moves. Those with the highest scores are searched first.
    at = np.uint64(LISTS) + (np.uint64(empties) << SEVEN)
    listed = at
    while moves:
        cell = lowest(moves)
        moves &= moves - ONE
        turned = turned_by(cell, own, opp)
        then = own | turned | ONE << cell
        left = opp ^ turned
        if not left:
            return FULL
        if empties > KEEP_FROM:
            fetch(memory, left, then)
        if cell == hinted:
            score = 1 << 20
        else:
            replies = moves_of(left, then)
            score = 1024 - 2 * (count(replies) + count(replies & CORNERS))
            if odd & ONE << cell:
                score += 1
        memory[listed] = np.uint64(score) << EIGHT | cell
        memory[listed + np.uint64(64)] = turned
        listed += ONE
    best = WORST
    best_cell = NO_CELL
    low = alpha
    while listed > at:
        pick = best_of(memory, at, listed)
        cell = memory[pick] & MASK8
        turned = memory[pick + np.uint64(64)]
        listed -= ONE
        memory[pick] = memory[listed]
        memory[pick + np.uint64(64)] = memory[listed + np.uint64(64)]
        left = opp ^ turned
        then = own | turned | ONE << cell
        parity = odd ^ QUADRANT[cell]
        # Principal variation search: a null window for all moves but the first, and a second search for those that turn
        # out better. One call in a loop, because each call makes compiling slower.
        high = beta if best == WORST else low + 1
        while True:
            value = -solve_some(memory, flag, left, then, -high, -low, parity, empties - 1)
            if value < high or high == beta:
                break
            high = beta
        if memory[STOPPED]:
            return 0
        if value > best:
            best = value
            best_cell = cell
            if value >= beta:
                break
            low = max(low, value)
    if empties >= KEEP_FROM:
        keep(memory, key, empties, best if best > alpha else -FULL, best if best < beta else FULL, best_cell)
    return best
