"""The order in which a search of chess tries moves, and what an exchange gains, in numba. Pure; does no I/O."""

from __future__ import annotations

from typing import Any

import numpy as np

from noughts.engine.chess import moves
from noughts.engine.chess.moves import (
    ALL,
    BEHIND,
    BISHOP,
    BITS,
    COUNTERS,
    EMPTY,
    HISTORY,
    KILLERS,
    KING,
    PAWN,
    QUEEN,
    ROOK,
    STACK,
    TOP,
    TURN,
    WHO,
    attackers,
    slanting,
    straight,
)
from noughts.engine.jit import kernel

# Scores by which moves are ordered; what a move is stays in the low 15 bits.
FIRST = 1 << 40
GOOD_CAPTURE = 1 << 30
KILLER = 1 << 29
BAD_CAPTURE = -(1 << 30)
MOST_HISTORY = 1 << 14

VALUES = np.array([100, 320, 330, 500, 900, 20_000, 0, 0], np.int64)
"""The worth of the kinds of pieces in exchanges."""


@kernel("boolean(CPointer(int64), int64, int64)", moves)
def gains(memory: Any, move: int, least: int) -> bool:
    """True if the exchange that ``move`` begins on its square gains at least ``least``, hundredths of a pawn.

    Both sides capture with their cheapest piece, and stop when they like. Pins do not count.
    """
    start, to = move & 63, move >> 6 & 63
    kind = memory[WHO + start] & 7
    swap = VALUES[memory[WHO + to] & 7] - least
    if kind == PAWN and to == memory[BEHIND]:
        swap += VALUES[PAWN]
    if move >> 12 & 7:
        swap += VALUES[QUEEN] - VALUES[PAWN]
        kind = QUEEN
    if swap < 0:
        return False
    swap = VALUES[kind] - swap
    if swap <= 0:
        return True
    side = memory[TURN]
    straights = memory[BITS + ROOK] | memory[BITS + 8 + ROOK] | memory[BITS + QUEEN] | memory[BITS + 8 + QUEEN]
    slants = memory[BITS + BISHOP] | memory[BITS + 8 + BISHOP] | memory[BITS + QUEEN] | memory[BITS + 8 + QUEEN]
    occupied = (memory[BITS + ALL] | memory[BITS + 8 + ALL]) & ~(1 << start) | 1 << to
    found = attackers(memory, to, occupied)
    result = 1
    while True:
        side = 1 - side
        found &= occupied
        mine = found & memory[BITS + 8 * side + ALL]
        if mine == 0:
            break
        result ^= 1
        kind = PAWN
        while mine & memory[BITS + 8 * side + kind] == 0:
            kind += 1
        if kind == KING:
            # It may not capture what is still guarded.
            if found & memory[BITS + 8 * (1 - side) + ALL]:
                result ^= 1
            break
        swap = VALUES[kind] - swap
        if swap < result:
            break
        cheapest = mine & memory[BITS + 8 * side + kind]
        occupied ^= cheapest & -cheapest
        if kind != ROOK:
            found |= slanting(memory, to, occupied) & slants
        if kind >= ROOK:
            found |= straight(memory, to, occupied) & straights
    return result != 0


@kernel("int64(CPointer(int64), int64, int64)", moves)
def take_best(memory: Any, start: int, end: int) -> int:
    """Swap the largest of the words from ``start`` to before ``end`` to ``start``, and return it."""
    pick = start
    for look in range(start + 1, end):
        if memory[look] > memory[pick]:
            pick = look
    best = memory[pick]
    memory[pick] = memory[start]
    memory[start] = best
    return int(best)


@kernel("void(CPointer(int64), int64, int64, int64, int64)", moves)
def rate(memory: Any, at: int, end: int, hint: int, ply: int) -> None:
    """Add to the moves of a list the scores by which they are ordered: the ``hint`` first, then captures that lose
    nothing, killer moves, the move that last refuted the one just played, quiet moves by their history, and captures
    that lose something.
    """
    killers = KILLERS + 2 * ply
    last = memory[STACK + 8 * memory[TOP] - 1] if memory[TOP] else 0
    counter = 0
    if last:
        counter = memory[COUNTERS + 64 * memory[WHO + (last >> 6 & 63)] + (last >> 6 & 63)]
    history = HISTORY + 4096 * memory[TURN]
    for look in range(at, end):
        move = memory[look]
        taken = memory[WHO + (move >> 6 & 63)]
        becomes = move >> 12 & 7
        if move == hint:
            score = FIRST
        elif taken != EMPTY or becomes == QUEEN:
            worth = VALUES[taken & 7] + (VALUES[QUEEN] if becomes == QUEEN else 0)
            price = VALUES[memory[WHO + (move & 63)] & 7]
            score = 16 * worth - (price >> 6)
            score += GOOD_CAPTURE if worth >= price or gains(memory, move, 0) else BAD_CAPTURE
        elif move == memory[killers]:
            score = KILLER + 2
        elif move == memory[killers + 1]:
            score = KILLER + 1
        elif move == counter:
            score = KILLER
        else:
            score = memory[history + (move & 4095)]
        memory[look] = move | score << 15


@kernel("void(CPointer(int64), int64, int64)", moves)
def learn(memory: Any, move: int, bonus: int) -> None:
    """Add ``bonus`` to the history of a move of the side to move, the less the more it has already."""
    at = HISTORY + 4096 * memory[TURN] + (move & 4095)
    memory[at] += bonus - memory[at] * abs(bonus) // MOST_HISTORY
