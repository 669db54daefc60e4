"""The search of Reversi in numba: alpha-beta with estimates, and exact values. Pure; does no I/O.

The methods are published: those of :mod:`noughts.engine.reversi.endgame`; cutoffs from the children's table entries
(Plaat's enhanced transposition cutoff, 1996); and Multi-ProbCut (Buro, 1997). For the evaluation see
:mod:`noughts.engine.reversi.features`.
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.engine.jit import kernel
from noughts.engine.reversi import board, endgame, features, table
from noughts.engine.reversi.board import (
    CORNERS,
    EIGHT,
    FULL,
    MASK8,
    ONE,
    QUADRANT,
    SEVEN,
    ZERO,
    Words,
    count,
    final,
    lowest,
    moves_of,
    odd_quadrants,
    stable,
    turned_by,
)
from noughts.engine.reversi.endgame import STABILITY_FROM, WORST, solve_1, solve_2, solve_some
from noughts.engine.reversi.features import POINTS, evaluate
from noughts.engine.reversi.table import (
    DEPTHS,
    DOUBT,
    DOUBTS,
    END_ERRORS,
    ERRORS,
    LISTS,
    MASK16,
    NO_CELL,
    NODES,
    SALT,
    STAGE,
    STOPPED,
    best_of,
    fetch,
    find,
    hash_of,
    keep,
    stopped,
)

PARTS = board, table, features, endgame

CUT_DEPTH = 4  # plies
LOOK_FROM = 12  # empty cells from which on moves are sorted by an estimate, and all children looked up in the table
LOOK_AHEAD_FROM = 12  # empty cells; with fewer of them the estimate looks no ply ahead
LOOK_STEP = 3  # additional empty cells for each further ply of that estimate
REPLY_WORTH = 256  # points that each reply takes off a move's score in that order
# A rough value of each cell, in sixteenths of a reply: a corner, its neighbours, the rest.
_EIGHTH = ((24, -4, 6, 4), (-4, -12, -2, 0), (6, -2, 4, 2), (4, 0, 2, 0))
CELL_WORTH = np.array([_EIGHTH[min(c // 8, 7 - c // 8)][min(c % 8, 7 - c % 8)] for c in range(64)], np.int64)
NOTHING = -32000  # less than any estimate


@kernel("int64(int64, int64)")
def shallower(depth: int, empties: int) -> int:
    """The depth of the search that decides whether to cut off one of ``depth`` plies, CUT_DEPTH or more: about half, of
    the same parity, because the last move counts for too much. Before a search to the end it is half of what is beyond
    8 empty cells, and even.
    """
    if depth >= empties:
        return max((empties - 8) // 4 * 2, 0)
    return depth // 4 * 2 + (depth & 1)


@kernel(
    "int64(CPointer(uint64), CPointer(uint8), uint64, uint64, int64, int64, int64)", board, table, features, endgame
)
def estimate(memory: Any, flag: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, depth: int) -> int:
    """The value in points, or a bound outside the window, by a search of ``depth`` plies. Meaningless once stopped.

    With at least as many plies as empty cells it is a search to the end of the game. If ``memory[DOUBT]`` is set, moves
    that seem worse or better by far are cut off by a search of fewer plies: see :func:`shallower`.
    """
    memory[NODES] += ONE
    if depth == 0:
        if not moves_of(own, opp) and not moves_of(opp, own):
            return POINTS * final(own, opp)
        return evaluate(memory, own, opp)
    if stopped(memory, flag):
        return 0
    empty = ~(own | opp)
    empties = count(empty)
    to_end = depth >= empties
    if to_end and 2 < empties < LOOK_FROM:
        # A value is a whole number of discs: what is at least beta in points is at least beta rounded up.
        return POINTS * solve_some(
            memory, flag, own, opp, alpha // POINTS, -(-beta // POINTS), odd_quadrants(empty), empties
        )
    moves = moves_of(own, opp)
    if not moves:
        if not moves_of(opp, own):
            return POINTS * final(own, opp)
        return -estimate(memory, flag, opp, own, -beta, -alpha, depth if to_end else depth - 1)
    hinted = NO_CELL
    key = ZERO
    if depth >= 2:
        key = hash_of(own, opp) ^ (SALT + memory[DOUBT])
        packed = find(memory, key)
        if packed:
            hinted = packed & MASK8
            if int(packed >> np.uint64(40) & MASK8) >= depth:
                lower = int(packed >> EIGHT & MASK16) - 32768
                upper = int(packed >> np.uint64(24) & MASK16) - 32768
                if lower >= beta or lower == upper:
                    return lower
                if upper <= alpha:
                    return upper
                alpha = max(alpha, lower)
                beta = min(beta, upper)
        if depth >= CUT_DEPTH and memory[DOUBT] and beta - alpha == 1:
            # Multi-ProbCut. Only the cut that the evaluation makes likely is tried.
            if to_end:
                within = memory[END_ERRORS + empties]
            else:
                within = memory[ERRORS + DEPTHS * (empties // STAGE) + min(depth, DEPTHS - 1)]
            margin = int(within * memory[DOUBT]) // DOUBTS
            now = evaluate(memory, own, opp)
            bound = beta + margin if now >= beta else alpha - margin
            if -63 * POINTS < bound < 63 * POINTS:
                floor = bound - 1 if now >= beta else bound
                value = estimate(memory, flag, own, opp, floor, floor + 1, shallower(depth, empties))
                if memory[STOPPED]:
                    return 0
                if now >= beta:
                    if value >= bound:
                        return beta
                elif value <= bound:
                    return alpha
    at = np.uint64(LISTS) + (np.uint64(empties) << SEVEN)
    listed = at
    low = alpha
    at_leaf = depth - depth  # not a literal 0: numba's cache then loads the recursive function wrongly
    while moves:
        cell = lowest(moves)
        moves &= moves - ONE
        turned = turned_by(cell, own, opp)
        then = own | turned | ONE << cell
        left = opp ^ turned
        if cell == hinted:
            score = 1 << 20
        elif depth >= 3:
            score = 32768 - estimate(memory, flag, left, then, low, low, at_leaf)
        else:
            replies = moves_of(left, then)
            score = 1024 - 16 * (count(replies) + count(replies & CORNERS)) + CELL_WORTH[cell]
        memory[listed] = np.uint64(score) << EIGHT | cell
        memory[listed + np.uint64(64)] = turned
        listed += ONE
    best = NOTHING
    best_cell = NO_CELL
    while listed > at:
        pick = best_of(memory, at, listed)
        cell = memory[pick] & MASK8
        turned = memory[pick + np.uint64(64)]
        listed -= ONE
        memory[pick] = memory[listed]
        memory[pick + np.uint64(64)] = memory[listed + np.uint64(64)]
        left = opp ^ turned
        then = own | turned | ONE << cell
        high = beta if best == NOTHING else low + 1
        while True:
            value = -estimate(memory, flag, left, then, -high, -low, depth - 1)
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
    if depth >= 2:
        keep(memory, key, depth, best if best > alpha else NOTHING, best if best < beta else -NOTHING, best_cell)
    return best


@kernel(
    "int64(CPointer(uint64), CPointer(uint8), uint64, uint64, int64, int64, uint64, int64)",
    board,
    table,
    features,
    endgame,
)
def solve_many(
    memory: Any, flag: Any, own: np.uint64, opp: np.uint64, alpha: int, beta: int, odd: np.uint64, empties: int
) -> int:
    """The exact value with any number of empty cells, 3 or more, or a bound outside the window. Meaningless once
    stopped.
    """
    if empties < LOOK_FROM:
        return solve_some(memory, flag, own, opp, alpha, beta, odd, empties)
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
        return -solve_many(memory, flag, opp, own, -beta, -alpha, odd, empties)
    key = hash_of(own, opp)
    packed = find(memory, key)
    if packed:
        lower = int(packed >> EIGHT & MASK16) - 32768
        upper = int(packed >> np.uint64(24) & MASK16) - 32768
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha = max(alpha, lower)
        beta = min(beta, upper)
    else:
        # The best move of an estimate is likely to be the best.
        packed = find(memory, key ^ (SALT + memory[DOUBT]))
    hinted = packed & MASK8 if packed else NO_CELL
    rest = moves
    while rest:
        cell = lowest(rest)
        rest &= rest - ONE
        turned = turned_by(cell, own, opp)
        fetch(memory, opp ^ turned, own | turned | ONE << cell)
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
        packed = find(memory, hash_of(left, then))
        if packed:
            lower = -(int(packed >> np.uint64(24) & MASK16) - 32768)
            if lower >= beta:
                return lower
        if cell == hinted:
            score = 1 << 20
        else:
            # The opponent's replies count in addition to the estimate, because they make the tree large.
            ahead = estimate(
                memory, flag, left, then, NOTHING, -NOTHING, max(empties - LOOK_AHEAD_FROM, 0) // LOOK_STEP
            )
            replies = moves_of(left, then)
            score = 32768 - ahead - REPLY_WORTH * count(replies)
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
        high = beta if best == WORST else low + 1
        while True:
            value = -solve_many(memory, flag, left, then, -high, -low, parity, empties - 1)
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
    keep(memory, key, empties, best if best > alpha else -FULL, best if best < beta else FULL, best_cell)
    return best


@kernel("int64(uint64[::1], uint8[::1], uint64, uint64, int64, int64)", *PARTS)
def solve(memory: Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, alpha: int, beta: int) -> int:
    """The exact value of a position, or a bound outside the window. Meaningless if ``memory[STOPPED]`` is set."""
    empty = ~(own | opp)
    empties = count(empty)
    if not moves_of(own, opp) and not moves_of(opp, own):
        return final(own, opp)
    if empties == 1:
        return solve_1(own, lowest(empty))
    if empties == 2:
        return solve_2(memory.ctypes, own, opp, alpha, beta, lowest(empty), lowest(empty & (empty - ONE)))
    return solve_many(memory.ctypes, flag.ctypes, own, opp, alpha, beta, odd_quadrants(empty), empties)


@kernel("int64(uint64[::1], uint8[::1], uint64, uint64, int64, int64, int64)", *PARTS)
def look_ahead(
    memory: Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, alpha: int, beta: int, depth: int
) -> int:
    """:func:`estimate` for Python."""
    return estimate(memory.ctypes, flag.ctypes, own, opp, alpha, beta, depth)


@kernel("uint64(uint64[::1], uint64, uint64)", board, table)
def remembered(memory: Words, own: np.uint64, opp: np.uint64) -> np.uint64:
    """The best move that the table has for the position, from an exact search if there is one, else from an estimate;
    NO_CELL if there is none.
    """
    packed = find(memory.ctypes, hash_of(own, opp))
    if not packed:
        packed = find(memory.ctypes, hash_of(own, opp) ^ (SALT + memory[DOUBT]))
    return np.uint64(packed & MASK8) if packed else NO_CELL
