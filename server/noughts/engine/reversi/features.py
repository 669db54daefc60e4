"""Reversi's evaluation in numba: features and patterns, weighed. Pure; does no I/O.

See :mod:`noughts.engine.reversi.evaluation`, which has the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from noughts.engine.jit import kernel
from noughts.engine.reversi import board, table
from noughts.engine.reversi.board import (
    COLUMN,
    CORNERS,
    EIGHT,
    FALLING,
    FULL,
    MASK8,
    ONE,
    QUADRANT,
    SEVEN,
    THREE,
    TWO,
    around,
    count,
    moves_of,
    rotated,
)
from noughts.engine.reversi.table import (
    BLOCKS_AT,
    CORNERS_AT,
    FEATURES,
    PATTERNS,
    ROW,
    ROWS,
    ROWS_AT,
    STAGE,
    WEIGHTS,
    WORDS_PER_STAGE,
)

FIVE = np.uint64(31)
NEXT_FIVE = np.uint64(31 << 5)
POINTS = 64  # estimates are in points, this many to a disc
SCALE = 4  # fraction bits of a weight
# Bits as digits to base 3, the lowest first; and for corners on the right and at the bottom, where digits begin with
# the corner, each five bits in reverse, and nine bits in reverse.
DIGITS = np.array([sum(3**at for at in range(10) if bits >> at & 1) for bits in range(1024)], np.uint16)
FIVES = np.array(
    [sum(3 ** (at + 4 - 2 * (at % 5)) for at in range(10) if bits >> at & 1) for bits in range(1024)], np.uint16
)
NINES = np.array([sum(3 ** (8 - at) for at in range(9) if bits >> at & 1) for bits in range(512)], np.uint16)
LOGARITHM = np.array([round(16 * math.log2(1 + n)) for n in range(65)], np.int64)


def _shorts() -> Any:
    """A function for an int16 of a search's memory, as an int64."""

    def typed(_context: Any, memory: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            pointer = context.get_value_type(types.int16).as_pointer()
            place = builder.gep(builder.bitcast(arguments[0], pointer), [arguments[1]])
            return builder.sext(builder.load(place), context.get_value_type(types.int64))

        return types.int64(memory, index), generate

    return intrinsic(typed)


weight: Callable[[Any, np.uint64], int] = _shorts()  # the int16 at an index, not of the words but of all int16


@kernel("UniTuple(int64, 6)(uint64, uint64)", board)
def features(own: np.uint64, opp: np.uint64) -> tuple[int, ...]:
    """The features of the evaluation. All but the first, a constant 1, and the last are differences: the side to move
    minus the opponent.

    Moves; their logarithm; cells that may become moves; corners that can be taken at once; and the number of quadrants
    with an odd number of empty cells.
    """
    empty = ~(own | opp)
    mine = moves_of(own, opp)
    theirs = moves_of(opp, own)
    odd = (
        (count(empty & QUADRANT[0]) & 1)
        + (count(empty & QUADRANT[7]) & 1)
        + (count(empty & QUADRANT[56]) & 1)
        + (count(empty & QUADRANT[63]) & 1)
    )
    return (
        1,
        count(mine) - count(theirs),
        LOGARITHM[count(mine)] - LOGARITHM[count(theirs)],
        count(around(opp) & empty) - count(around(own) & empty),
        count(mine & CORNERS) - count(theirs & CORNERS),
        odd,
    )


@kernel("uint64(uint64, uint64)", board)
def shape(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The number of a shape of up to ten cells, the lowest bit first, from both sides' discs on them."""
    return np.uint64(DIGITS[mine]) + TWO * np.uint64(DIGITS[theirs])


@kernel("uint64(uint64, uint64)", board)
def shape_of_fives(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The same with each five cells in reverse."""
    return np.uint64(FIVES[mine]) + TWO * np.uint64(FIVES[theirs])


@kernel("int64(CPointer(uint64), uint64, uint64, uint64)", board, table)
def patterns(memory: Any, at: np.uint64, own: np.uint64, opp: np.uint64) -> int:
    """The weights, in points, of all patterns of a stage, whose weights begin at the int16 ``at``.

    A pattern is some cells of the board; what is on them is its shape, a number in base 3. See
    :mod:`noughts.engine.reversi.evaluation`. These are the edges with the diagonal cells beside their corners, the two
    blocks of 2x5 and the one of 3x3 cells at each corner, the rows and columns, and the diagonals of four cells or
    more.
    """
    total = 0
    last = np.uint64(56)
    for _ in range(2):
        # Edges.
        total += weight(
            memory,
            at
            + shape(
                own & MASK8 | own >> ONE & np.uint64(0x100) | own >> np.uint64(5) & np.uint64(0x200),
                opp & MASK8 | opp >> ONE & np.uint64(0x100) | opp >> np.uint64(5) & np.uint64(0x200),
            ),
        )
        total += weight(
            memory,
            at
            + shape(
                own >> last | own >> np.uint64(41) & np.uint64(0x100) | own >> np.uint64(45) & np.uint64(0x200),
                opp >> last | opp >> np.uint64(41) & np.uint64(0x100) | opp >> np.uint64(45) & np.uint64(0x200),
            ),
        )
        # Blocks of 2x5.
        block = at + np.uint64(BLOCKS_AT)
        total += weight(
            memory, block + shape(own & FIVE | own >> THREE & NEXT_FIVE, opp & FIVE | opp >> THREE & NEXT_FIVE)
        )
        total += weight(
            memory,
            block
            + shape(
                own >> last & FIVE | own >> np.uint64(43) & NEXT_FIVE,
                opp >> last & FIVE | opp >> np.uint64(43) & NEXT_FIVE,
            ),
        )
        total += weight(
            memory,
            block
            + shape_of_fives(
                own >> THREE & FIVE | own >> np.uint64(6) & NEXT_FIVE,
                opp >> THREE & FIVE | opp >> np.uint64(6) & NEXT_FIVE,
            ),
        )
        total += weight(
            memory,
            block
            + shape_of_fives(
                own >> np.uint64(59) | own >> np.uint64(46) & NEXT_FIVE,
                opp >> np.uint64(59) | opp >> np.uint64(46) & NEXT_FIVE,
            ),
        )
        # Blocks of 3x3.
        corner = at + np.uint64(CORNERS_AT)
        total += weight(
            memory,
            corner
            + shape(
                own & SEVEN | own >> np.uint64(5) & np.uint64(0o70) | own >> np.uint64(10) & np.uint64(0o700),
                opp & SEVEN | opp >> np.uint64(5) & np.uint64(0o70) | opp >> np.uint64(10) & np.uint64(0o700),
            ),
        )
        mine = own >> np.uint64(45)
        theirs = opp >> np.uint64(45)
        mine = mine & SEVEN | mine >> np.uint64(5) & np.uint64(0o70) | mine >> np.uint64(10) & np.uint64(0o700)
        theirs = theirs & SEVEN | theirs >> np.uint64(5) & np.uint64(0o70) | theirs >> np.uint64(10) & np.uint64(0o700)
        total += weight(memory, corner + np.uint64(NINES[mine]) + TWO * np.uint64(NINES[theirs]))
        # Rows: the second, third and fourth from either edge.
        line = at + np.uint64(ROWS_AT)
        near = EIGHT
        far = np.uint64(48)
        for _ in range(ROWS):
            total += weight(memory, line + shape(own >> near & MASK8, opp >> near & MASK8))
            total += weight(memory, line + shape(own >> far & MASK8, opp >> far & MASK8))
            near += EIGHT
            far -= EIGHT
            line += np.uint64(3**ROW)
        # Diagonals, from the longest on.
        total += weight(
            memory, line + shape(((own & FALLING[0]) * COLUMN) >> last, ((opp & FALLING[0]) * COLUMN) >> last)
        )
        line += np.uint64(3**8)
        size = np.uint64(3**7)
        for shift in range(1, 5):
            upper = FALLING[shift]
            lower = FALLING[8 * shift]
            total += weight(
                memory,
                line
                + shape(
                    ((own & upper) * COLUMN) >> last + np.uint64(shift),
                    ((opp & upper) * COLUMN) >> last + np.uint64(shift),
                ),
            )
            total += weight(memory, line + shape(((own & lower) * COLUMN) >> last, ((opp & lower) * COLUMN) >> last))
            line += size
            size //= THREE
        own = rotated(own)
        opp = rotated(opp)
    return total


@kernel("int64(CPointer(uint64), uint64, uint64)", board, table)
def evaluate(memory: Any, own: np.uint64, opp: np.uint64) -> int:
    """An estimate of the final difference in points. It is always less than a win of all 64 cells."""
    found = features(own, opp)
    stage = (FULL - count(own | opp)) // STAGE
    at = np.uint64(WEIGHTS + FEATURES * stage)
    total = 0
    for feature in range(FEATURES):
        total += found[feature] * int(np.int64(memory[at]))
        at += ONE
    total = (total >> SCALE) + patterns(memory, np.uint64(4 * (PATTERNS + WORDS_PER_STAGE * stage)), own, opp)
    return max(min(total, 63 * POINTS), -63 * POINTS)
