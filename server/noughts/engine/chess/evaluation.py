"""The evaluation of chess in numba: pieces on squares, pawns, mobility and the kings' safety. Pure; does no I/O.

Every term has two weights, for the middle game and for the end, which are blended by what is left on the board. Both
are packed into one word, 2**32 times the one plus the other, so that a sum of words is a sum of both. All weights are
in the memory; their features are named in :data:`NAMES`.

``bench/chess/fit.py`` fits the weights. It began with the values of PeSTO for the pieces on their squares, which Ronald
Friederich tuned and published (chessprogramming.org/PeSTO's_Evaluation_Function). What pawns alone decide is
remembered, as in most programs (chessprogramming.org/Pawn_Hash_Table).
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
    LIGHT,
    PASSERS,
    PAWN,
    PAWN_BITS,
    PAWN_TABLE,
    PHASE,
    PHASES,
    PRESSED,
    QUEEN,
    REACHED,
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
from noughts.games import chess_worth
from noughts.games.chess_worth import FULL, LEFT

# The words of the terms, from WEIGHTS on.
MOBILITY = 0  # 28 for each kind from knight to queen: by the squares that it can go to
PASSED = MOBILITY + 4 * 28  # by the rows that a passed pawn has gone
FREE = PASSED + 8  # the same, if nothing is ahead of it
GUARDED = FREE + 8  # by the rows that a pawn has gone that another guards
BESIDE_OWN = GUARDED + 8  # the same, if another is beside it
OWN_KING = BESIDE_OWN + 8  # by the steps from a passed pawn to the king of its side
OTHER_KING = OWN_KING + 8
DANGER = OTHER_KING + 8  # by how much the squares around the other king are attacked, see `against`
SHIELD = DANGER + 64  # by the pawns before the king
STORM = SHIELD + 4  # by the other side's pawns before the king
OPEN_KING = STORM + 4  # by the columns at the king without an own pawn
ISOLATED = OPEN_KING + 4
DOUBLED = ISOLATED + 1
BACKWARD = DOUBLED + 1  # a pawn that none can guard, and that cannot go on
PAIR = BACKWARD + 1  # two bishops
SAME_COLOUR = PAIR + 1  # for each own pawn on the squares of a bishop
OPEN_ROOK = SAME_COLOUR + 1  # a rook in a column without pawns
HALF_OPEN_ROOK = OPEN_ROOK + 1  # without own pawns
THREATS = HALF_OPEN_ROOK + 1  # by the kind of the piece that a pawn attacks
MINOR_THREATS = THREATS + 6  # that a knight or bishop attacks and no pawn guards
ROOK_THREATS = MINOR_THREATS + 6
HANGING = ROOK_THREATS + 6  # a piece that is attacked and not guarded
OUTPOST = HANGING + 1  # a knight that a pawn guards and no pawn can chase away
TEMPO = OUTPOST + 1  # to move
TERMS = TEMPO + 1

MOST = 10_000
"""No estimate is greater."""

PRESSURE = np.array([0, 2, 2, 3, 5], np.int64)
"""The danger of an attack on a square around a king, by the kind of the piece that attacks."""

CHECKS = np.array([0, 4, 3, 5, 4], np.int64)
"""The danger of a check that the kind of piece can give on a square that the other side does not guard."""

NAMES = (
    *(f"{letter}{square}" for letter in LETTERS for square in range(64)),
    *(f"{letter} with {number} squares" for letter in "NBRQ" for number in range(28)),
    *(f"passed pawn, row {row}" for row in range(8)),
    *(f"passed pawn with nothing ahead, row {row}" for row in range(8)),
    *(f"guarded pawn, row {row}" for row in range(8)),
    *(f"pawn beside another, row {row}" for row in range(8)),
    *(f"own king {steps} from a passed pawn" for steps in range(8)),
    *(f"other king {steps} from a passed pawn" for steps in range(8)),
    *(f"danger {danger} of the other king" for danger in range(64)),
    *(f"{pawns} pawns before the king" for pawns in range(4)),
    *(f"{pawns} of the other side's pawns before the king" for pawns in range(4)),
    *(f"{columns} columns at the king without a pawn" for columns in range(4)),
    "isolated pawn",
    "doubled pawn",
    "backward pawn",
    "two bishops",
    "pawn on the colour of a bishop",
    "rook in an open column",
    "rook in a column without own pawns",
    *(f"pawn attacks {letter}" for letter in LETTERS),
    *(f"knight or bishop attacks {letter}" for letter in LETTERS),
    *(f"rook attacks {letter}" for letter in LETTERS),
    "attacked piece without a guard",
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
    """The packed sum of the terms that only the pawns decide, for the side ``me``. Adds its passed pawns to those in
    PASSERS.
    """
    mine, theirs = memory[BITS + 8 * me + PAWN], memory[BITS + 8 * (1 - me) + PAWN]
    guarded = struck_by_pawns(me, mine)
    struck = struck_by_pawns(1 - me, theirs)
    total = 0
    left = mine
    while left != 0:
        at = lowest(left)
        left &= left - 1
        row = at >> 3 if me else 7 - (at >> 3)
        front = memory[FRONT + 64 * me + at]
        beside = memory[BESIDE + at] & mine
        if beside == 0:
            total += memory[WEIGHTS + ISOLATED]
        elif beside & 255 << (at & 56):
            total += memory[WEIGHTS + BESIDE_OWN + row]
        elif beside & ~front == 0 and struck >> (at - 8 + 16 * me) & 1:
            total += memory[WEIGHTS + BACKWARD]
        if guarded >> at & 1:
            total += memory[WEIGHTS + GUARDED + row]
        if front & ~memory[BESIDE + at] & mine:
            total += memory[WEIGHTS + DOUBLED]
        elif front & theirs == 0:
            total += memory[WEIGHTS + PASSED + row]
            memory[PASSERS] |= 1 << at
    return total


@kernel("int64(CPointer(int64))", moves)
def pawn_entry(memory: Any) -> int:
    """Where PAWN_TABLE has its entry for the pawns on the board."""
    hashed = memory[BITS + PAWN] * 0x1F3D5B79A2C4E687 ^ memory[BITS + 8 + PAWN] * 0x2E8B1C6D4F7A9053
    return int(PAWN_TABLE + 4 * shifted(hashed, 64 - PAWN_BITS))


@kernel("int64(CPointer(int64))", moves)
def structure(memory: Any) -> int:
    """The sum of :func:`pawn_terms` for White minus that for Black. Finds the passed pawns of both: PASSERS.

    Remembered for these pawns, in four words of PAWN_TABLE.
    """
    white, black = memory[BITS + PAWN], memory[BITS + 8 + PAWN]
    at = pawn_entry(memory)
    if memory[at] != white or memory[at + 1] != black:
        memory[PASSERS] = 0
        memory[at + 2] = pawn_terms(memory, 0) - pawn_terms(memory, 1)
        memory[at] = white
        memory[at + 1] = black
        memory[at + 3] = memory[PASSERS]
    memory[PASSERS] = memory[at + 3]
    return int(memory[at + 2])


@kernel("int64(CPointer(int64), int64)", moves)
def runners(memory: Any, me: int) -> int:
    """The packed sum of the terms about the passed pawns of the side ``me`` that other pieces decide."""
    own, them = BITS + 8 * me, BITS + 8 * (1 - me)
    occupied = memory[BITS + ALL] | memory[BITS + 8 + ALL]
    total = 0
    left = memory[PASSERS] & memory[own + PAWN]
    while left != 0:
        at = lowest(left)
        left &= left - 1
        row = at >> 3 if me else 7 - (at >> 3)
        if memory[FRONT + 64 * me + at] & ~memory[BESIDE + at] & occupied == 0:
            total += memory[WEIGHTS + FREE + row]
        if row >= 3:
            total += memory[WEIGHTS + OWN_KING + steps_between(at, lowest(memory[own + KING]))]
            total += memory[WEIGHTS + OTHER_KING + steps_between(at, lowest(memory[them + KING]))]
    return total


@kernel("int64(CPointer(int64), int64)", moves)
def activity(memory: Any, me: int) -> int:
    """The packed sum of the terms about the pieces of the side ``me``. Finds what they attack: REACHED and PRESSED."""
    own, them = BITS + 8 * me, BITS + 8 * (1 - me)
    occupied = memory[BITS + ALL] | memory[BITS + 8 + ALL]
    mine, theirs = memory[own + PAWN], memory[them + PAWN]
    strikes = struck_by_pawns(me, mine)
    free = ~(memory[own + ALL] | struck_by_pawns(1 - me, theirs))
    king = memory[KING_REACH + lowest(memory[own + KING])]
    zone = memory[KING_REACH + lowest(memory[them + KING])] | memory[them + KING]
    reached = REACHED + 8 * me
    memory[reached + PAWN] = strikes
    memory[reached + KNIGHT] = memory[reached + BISHOP] = memory[reached + ROOK] = memory[reached + QUEEN] = 0
    every = strikes | king
    total = 0
    pressed = 0
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
            elif kind == BISHOP:
                colour = LIGHT if LIGHT >> at & 1 else ~LIGHT
                total += memory[WEIGHTS + SAME_COLOUR] * count(colour & mine)
        memory[reached + kind] |= reach
        every |= reach
        pressed += PRESSURE[kind] * count(reach & zone)
        total += memory[WEIGHTS + MOBILITY + 28 * (kind - 1) + count(reach & free)]
    memory[reached + KING] = king
    memory[reached + ALL] = every
    memory[PRESSED + me] = pressed
    bishops = memory[own + BISHOP]
    if bishops & (bishops - 1):
        total += memory[WEIGHTS + PAIR]
    return int(total)


@kernel("int64(CPointer(int64), int64)", moves)
def against(memory: Any, me: int) -> int:
    """The packed sum of the terms about what the side ``me`` attacks, and about its own king; after :func:`activity` of
    both sides.
    """
    own, them = BITS + 8 * me, BITS + 8 * (1 - me)
    occupied = memory[BITS + ALL] | memory[BITS + 8 + ALL]
    reached, guards = REACHED + 8 * me, REACHED + 8 * (1 - me)
    total = 0
    # Threats.
    targets = memory[them + ALL] & ~memory[them + KING]
    struck = memory[reached + PAWN] & targets
    minor = (memory[reached + KNIGHT] | memory[reached + BISHOP]) & targets & ~memory[guards + PAWN]
    rook = memory[reached + ROOK] & targets & ~memory[guards + PAWN]
    if struck | minor | rook:
        for kind in range(PAWN, KING):
            pieces = memory[them + kind]
            total += memory[WEIGHTS + THREATS + kind] * count(struck & pieces)
            total += memory[WEIGHTS + MINOR_THREATS + kind] * count(minor & pieces)
            total += memory[WEIGHTS + ROOK_THREATS + kind] * count(rook & pieces)
    total += memory[WEIGHTS + HANGING] * count(memory[reached + ALL] & targets & ~memory[guards + ALL])
    # The other king: attacks on the squares around it, and checks that cannot be answered by a capture.
    king = lowest(memory[them + KING])
    danger = memory[PRESSED + me]
    safe = ~memory[own + ALL] & ~memory[guards + ALL]
    if memory[KNIGHT_REACH + king] & memory[reached + KNIGHT] & safe:
        danger += CHECKS[KNIGHT]
    lines = straight(memory, king, occupied) & safe
    slants = slanting(memory, king, occupied) & safe
    if slants & memory[reached + BISHOP]:
        danger += CHECKS[BISHOP]
    if lines & memory[reached + ROOK]:
        danger += CHECKS[ROOK]
    if (lines | slants) & memory[reached + QUEEN]:
        danger += CHECKS[QUEEN]
    if memory[own + QUEEN] == 0:
        danger >>= 1
    total += memory[WEIGHTS + DANGER + min(danger, 63)]
    # The own king.
    mine = memory[own + PAWN]
    king = lowest(memory[own + KING])
    near = memory[KING_REACH + king]
    near |= shifted(near, 8) if me == 0 else near << 8
    before = near & memory[FRONT + 64 * me + king]
    total += memory[WEIGHTS + SHIELD + min(3, count(before & mine))]
    before |= shifted(before, 8) if me == 0 else before << 8
    total += memory[WEIGHTS + STORM + min(3, count(before & memory[them + PAWN]))]
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


@kernel("int64(CPointer(int64))", moves, chess_worth)
def evaluate(memory: Any) -> int:
    """An estimate for the side to move, in hundredths of a pawn, from -MOST to MOST."""
    me = memory[TURN]
    total = memory[SCORE] + structure(memory) + activity(memory, 0) - activity(memory, 1)
    total += runners(memory, 0) - runners(memory, 1) + against(memory, 0) - against(memory, 1)
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


@kernel("int64(int64[::1])", moves, chess_worth)
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
    memory[PAWN_TABLE : PAWN_TABLE + (4 << PAWN_BITS)] = 0
    for kind, letter in enumerate(LETTERS):
        memory[[PHASES + kind, PHASES + 8 + kind]] = LEFT[letter]
    for square in range(64):
        row, column = divmod(square, 8)
        beside = [near for near in (column - 1, column + 1) if 0 <= near < 8]
        memory[BESIDE + square] = moves.set_of(8 * each + near for each in range(8) for near in beside)
        for side, ahead in enumerate((range(row), range(row + 1, 8))):
            front = moves.set_of(8 * each + near for each in ahead for near in (*beside, column))
            memory[FRONT + 64 * side + square] = front
