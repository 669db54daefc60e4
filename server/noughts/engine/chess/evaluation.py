"""The evaluation of chess in numba: pieces on squares, pawns, mobility and the kings' safety. Pure; does no I/O.

Every term has two weights, for the middle game and for the end, which are blended by what is left on the board. Both
are packed into one word, 2**32 times the one plus the other, so that a sum of words is a sum of both. All weights are
in the memory; their features are named in :data:`NAMES`.

The pieces on their squares have the values of PeSTO, which Ronald Friederich tuned and published
(chessprogramming.org/PeSTO's_Evaluation_Function).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.engine.chess import moves
from noughts.engine.chess.moves import (
    ALL,
    BESIDE,
    BISHOP,
    BITS,
    COLUMN_A,
    COLUMN_H,
    FRONT,
    KING,
    KING_REACH,
    KNIGHT,
    KNIGHT_REACH,
    LETTERS,
    PAWN,
    PHASE,
    PHASES,
    QUEEN,
    ROOK,
    SCORE,
    TURN,
    WEIGHTS,
    WHO,
    WORTH,
    Words,
    count,
    lowest,
    shifted,
    slanting,
    straight,
)
from noughts.engine.jit import kernel
from noughts.games.chess_worth import FULL, LEFT

# The words of the terms, from WEIGHTS on.
MOBILITY = 0  # 28 for each kind from knight to queen: by the squares that it can go to
PASSED = MOBILITY + 4 * 28  # by the rows that a passed pawn has gone
FREE = PASSED + 8  # the same, if nothing is ahead of it
GUARDED = FREE + 8  # by the rows that a pawn has gone that another guards
OWN_KING = GUARDED + 8  # by the steps from a passed pawn to the king of its side
OTHER_KING = OWN_KING + 8
DANGER = OTHER_KING + 8  # by how much the squares around the other king are attacked, see `terms`
SHIELD = DANGER + 32  # by the pawns before the king
OPEN_KING = SHIELD + 4  # by the columns at the king without an own pawn
ISOLATED = OPEN_KING + 4
DOUBLED = ISOLATED + 1
PAIR = DOUBLED + 1  # two bishops
OPEN_ROOK = PAIR + 1  # a rook in a column without pawns
HALF_OPEN_ROOK = OPEN_ROOK + 1  # without own pawns
THREATS = HALF_OPEN_ROOK + 1  # by the kind of the piece that a pawn attacks
OUTPOST = THREATS + 6  # a knight that a pawn guards and no pawn can chase away
TEMPO = OUTPOST + 1  # to move
TERMS = TEMPO + 1

MOST = 10_000
"""No estimate is greater."""

PRESSURE = np.array([0, 2, 2, 3, 5], np.int64)
"""The danger of an attack on a square around a king, by the kind of the piece that attacks."""

NAMES = (
    *(f"{letter}{square}" for letter in LETTERS for square in range(64)),
    *(f"{letter} with {number} squares" for letter in "NBRQ" for number in range(28)),
    *(f"passed pawn, row {row}" for row in range(8)),
    *(f"passed pawn with nothing ahead, row {row}" for row in range(8)),
    *(f"guarded pawn, row {row}" for row in range(8)),
    *(f"own king {steps} from a passed pawn" for steps in range(8)),
    *(f"other king {steps} from a passed pawn" for steps in range(8)),
    *(f"danger {danger} of the other king" for danger in range(32)),
    *(f"{pawns} pawns before the king" for pawns in range(4)),
    *(f"{columns} columns at the king without a pawn" for columns in range(4)),
    "isolated pawn",
    "doubled pawn",
    "two bishops",
    "rook in an open column",
    "rook in a column without own pawns",
    *(f"pawn attacks {letter}" for letter in LETTERS),
    "guarded knight that no pawn can chase away",
    "to move",
)
"""The features of a row of weights: the pieces by squares, for White, then the terms."""


@kernel("int64(int64, int64)", moves)
def struck_by_pawns(side: int, pawns: int) -> int:
    """The squares that ``pawns`` of ``side`` attack."""
    if side == 0:
        return int(shifted(pawns & ~COLUMN_A, 9) | shifted(pawns & ~COLUMN_H, 7))
    return int((pawns & ~COLUMN_H) << 9 | (pawns & ~COLUMN_A) << 7)


@kernel("int64(int64, int64)", moves)
def steps_between(here: int, there: int) -> int:
    """The steps of a king from one square to another."""
    return max(abs((here >> 3) - (there >> 3)), abs((here & 7) - (there & 7)))


@kernel("int64(CPointer(int64), int64)", moves)
def pawn_terms(memory: Any, me: int) -> int:
    """The packed sum of the terms about the pawns of the side ``me``."""
    own, them = BITS + 8 * me, BITS + 8 * (1 - me)
    mine, theirs = memory[own + PAWN], memory[them + PAWN]
    guarded = struck_by_pawns(me, mine)
    occupied = memory[BITS + ALL] | memory[BITS + 8 + ALL]
    total = 0
    left = mine
    while left != 0:
        at = lowest(left)
        left &= left - 1
        row = at >> 3 if me else 7 - (at >> 3)
        front = memory[FRONT + 64 * me + at]
        column = front & ~memory[BESIDE + at]
        if memory[BESIDE + at] & mine == 0:
            total += memory[WEIGHTS + ISOLATED]
        if guarded >> at & 1:
            total += memory[WEIGHTS + GUARDED + row]
        if column & mine:
            total += memory[WEIGHTS + DOUBLED]
        elif front & theirs == 0:
            total += memory[WEIGHTS + PASSED + row]
            if column & occupied == 0:
                total += memory[WEIGHTS + FREE + row]
            if row >= 3:
                total += memory[WEIGHTS + OWN_KING + steps_between(at, lowest(memory[own + KING]))]
                total += memory[WEIGHTS + OTHER_KING + steps_between(at, lowest(memory[them + KING]))]
    return total


@kernel("int64(CPointer(int64), int64)", moves)
def terms(memory: Any, me: int) -> int:
    """The packed sum of the terms of the side ``me``."""
    own, them = BITS + 8 * me, BITS + 8 * (1 - me)
    occupied = memory[BITS + ALL] | memory[BITS + 8 + ALL]
    mine, theirs = memory[own + PAWN], memory[them + PAWN]
    struck = struck_by_pawns(1 - me, theirs)
    strikes = struck_by_pawns(me, mine)
    free = ~(memory[own + ALL] | struck)
    zone = memory[KING_REACH + lowest(memory[them + KING])] | memory[them + KING]
    total = pawn_terms(memory, me)
    danger = 0
    pieces = memory[own + ALL] & ~mine & ~memory[own + KING]
    while pieces != 0:
        at = lowest(pieces)
        pieces &= pieces - 1
        kind = memory[WHO + at] & 7
        if kind == KNIGHT:
            reach = memory[KNIGHT_REACH + at]
            if strikes >> at & 1 and memory[FRONT + 64 * me + at] & memory[BESIDE + at] & theirs == 0:
                total += memory[WEIGHTS + OUTPOST]
        else:
            reach = 0
            if kind != BISHOP:
                # Rooks and queens attack through each other.
                reach = straight(memory, at, occupied ^ (memory[own + ROOK] | memory[own + QUEEN]))
            if kind != ROOK:
                reach |= slanting(memory, at, occupied ^ memory[own + QUEEN])
            if kind == ROOK:
                column = COLUMN_A << (at & 7)
                if column & mine == 0:
                    total += memory[WEIGHTS + (HALF_OPEN_ROOK if column & theirs else OPEN_ROOK)]
        danger += PRESSURE[kind] * count(reach & zone)
        total += memory[WEIGHTS + MOBILITY + 28 * (kind - 1) + count(reach & free)]
    if memory[own + QUEEN] == 0:
        danger >>= 1
    total += memory[WEIGHTS + DANGER + min(danger, 31)]
    bishops = memory[own + BISHOP]
    if bishops & (bishops - 1):
        total += memory[WEIGHTS + PAIR]
    attacked = strikes & memory[them + ALL]
    for kind in range(PAWN, KING):
        total += memory[WEIGHTS + THREATS + kind] * count(attacked & memory[them + kind])
    king = lowest(memory[own + KING])
    near = memory[KING_REACH + king]
    near |= shifted(near, 8) if me == 0 else near << 8
    before = near & memory[FRONT + 64 * me + king] & mine
    total += memory[WEIGHTS + SHIELD + min(3, count(before))]
    bare = 0
    for column in range(max(0, (king & 7) - 1), min(7, (king & 7) + 1) + 1):
        if (COLUMN_A << column) & mine == 0:
            bare += 1
    return int(total + memory[WEIGHTS + OPEN_KING + bare])


@kernel("int64(CPointer(int64), int64)", moves)
def pieces_of(memory: Any, side: int) -> int:
    """The sum of the phases of the pieces of ``side``: 0 if it has only pawns."""
    own = BITS + 8 * side
    minor = count(memory[own + KNIGHT] | memory[own + BISHOP])
    return int(minor + 2 * count(memory[own + ROOK]) + 4 * count(memory[own + QUEEN]))


@kernel("int64(CPointer(int64))", moves)
def evaluate(memory: Any) -> int:
    """An estimate for the side to move, in hundredths of a pawn, from -MOST to MOST."""
    me = memory[TURN]
    total = memory[SCORE]
    for side in range(2):
        total += terms(memory, side) if side == 0 else -terms(memory, side)
    if me == 1:
        total = -total
    total += memory[WEIGHTS + TEMPO]
    late = (total & 0xFFFFFFFF ^ 0x80000000) - 0x80000000
    middle = total - late >> 32
    phase = min(memory[PHASE], FULL)
    found = (middle * phase + late * (FULL - phase)) // FULL
    # Without a pawn, a piece more rarely wins.
    winner = me if found > 0 else 1 - me
    if memory[BITS + 8 * winner + PAWN] == 0 and pieces_of(memory, winner) - pieces_of(memory, 1 - winner) < 2:
        found //= 8
    return int(max(-MOST, min(found, MOST)))


@kernel("int64(int64[::1])", moves)
def estimate(memory: Words) -> int:
    """:func:`evaluate` for Python."""
    return evaluate(memory.ctypes)


def weigh(memory: Words, weights: npt.NDArray[np.int64]) -> None:
    """Write ``weights`` to the memory, and which squares and pieces they are about.

    The weights are two rows, for the middle game and for the end, with the features in the order of :data:`NAMES`.
    """
    packed = (weights[0] << 32) + weights[1]
    worth = packed[: 6 * 64].reshape(6, 64)
    memory[WORTH : WORTH + 6 * 64] = worth.ravel()
    memory[WORTH + 8 * 64 : WORTH + 14 * 64] = -worth[:, np.arange(64) ^ 56].ravel()
    memory[WEIGHTS : WEIGHTS + TERMS] = packed[6 * 64 :]
    for kind, letter in enumerate(LETTERS):
        memory[[PHASES + kind, PHASES + 8 + kind]] = LEFT[letter]
    for square in range(64):
        row, column = divmod(square, 8)
        beside = [near for near in (column - 1, column + 1) if 0 <= near < 8]
        memory[BESIDE + square] = moves.set_of(8 * each + near for each in range(8) for near in beside)
        for side, ahead in enumerate((range(row), range(row + 1, 8))):
            front = moves.set_of(8 * each + near for each in ahead for near in (*beside, column))
            memory[FRONT + 64 * side + square] = front
