"""Tables of the patterns that a stone makes in a line. Pure; does no I/O.

A line is nine cells, a middle cell with four on each side: every five through the middle lies within it. A pattern says
what a side's stone in the middle makes, by the usual names of Gomoku. A *five* wins. A *four* is one stone short of a
five, and is *open* if two cells would complete it. A *three* is one stone short of a four, and is open if it is one
stone short of an open four. A *two* and a *one* are defined in the same way.

A line's code has two bits for each of the eight cells beside the middle, the lowest for the cell farthest up or left: 0
for empty, 1 and 2 for a stone of the first and of the second side, 3 for beyond the border.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

NONE, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(9)
"""The shapes that a stone makes in one direction; higher is better. A one always counts as open."""

# Kinds: what a stone makes in all four directions together. Two fours, or an open four, make a five two moves later.
NOTHING, SOME, TWOS, THREE_OR_TWO, TWO_OF_THEM, ALIVE, ALIVE_AND, TWO_ALIVE, CUT, CUT_AND, FOUR_THREE, WON, FIVE_NOW = (
    range(13)
)
KINDS = 13

MIDDLE = 4
CELLS = 9


def _of_lines() -> npt.NDArray[np.uint8]:
    """The pattern of each line, coded as 9 digits to base 3: 0 empty, 1 own, 2 blocked. It is 0 unless the middle,
    digit 4, is an own stone.

    Works from the fullest lines to the emptiest, because each follows from the lines with one stone more.
    """
    power = 3 ** np.arange(CELLS)
    lines = np.arange(3**CELLS)
    digits = lines[:, None] // power % 3
    own = (digits == 1).sum(axis=1)
    made = np.zeros(3**CELLS, np.uint8)
    for start in range(MIDDLE + 1):
        made[(digits[:, start : start + 5] == 1).all(axis=1)] = FIVE
    for stones in range(CELLS, 0, -1):
        these = lines[(own == stones) & (digits[:, MIDDLE] == 1) & (made != FIVE)]
        then = np.where(digits[these] == 0, made[np.minimum(these[:, None] + power, 3**CELLS - 1)], NONE)
        fives = (then == FIVE).sum(axis=1)
        most = then.max(axis=1)
        step = np.array([NONE, NONE, ONE, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE], np.uint8)
        made[these] = np.where(fives > 1, OPEN_FOUR, np.where(fives == 1, FOUR, step[np.minimum(most, OPEN_FOUR)]))
    return made


def pattern_table() -> npt.NDArray[np.uint8]:
    """The patterns that a stone in the middle makes, for each of the 65,536 codes: the first side's in the lower four
    bits, the second side's in the upper.
    """
    made = _of_lines()
    codes = np.arange(1 << 16)
    cells = codes[:, None] >> 2 * np.arange(8) & 3
    power = 3 ** np.array([0, 1, 2, 3, 5, 6, 7, 8])
    found = [
        made[(np.select([cells == 0, cells == side], [0, 1], 2) * power).sum(axis=1) + 3**MIDDLE] for side in (1, 2)
    ]
    return np.asarray(found[0] | found[1] << 4, np.uint8)


WORTH = (0, 1, 3, 8, 9, 24, 26, 120, 400)
"""A pattern's weight in move ordering."""


def kind_table() -> npt.NDArray[np.int64]:
    """For each combination of four patterns, coded as digits to base 9: the cell's kind in bits 0 to 3, and above these
    its score for move ordering, 0 to 2000.
    """
    digits = np.arange(9**4)[:, None] // 9 ** np.arange(4) % 9
    worth = np.array(WORTH, np.int64)[digits].sum(axis=1)

    def times(*patterns: int) -> npt.NDArray[np.int64]:
        return np.asarray(np.isin(digits, patterns).sum(axis=1), np.int64)

    fours, threes = times(FOUR), times(OPEN_THREE)
    less = times(THREE, OPEN_TWO)
    kind = np.select(
        [
            times(FIVE) > 0,
            (times(OPEN_FOUR) > 0) | (fours > 1),
            (fours > 0) & (threes > 0),
            (fours > 0) & (less > 0),
            fours > 0,
            threes > 1,
            (threes > 0) & (less > 0),
            threes > 0,
            less > 1,
            less > 0,
            times(TWO) > 0,
            times(ONE) > 0,
        ],
        [FIVE_NOW, WON, FOUR_THREE, CUT_AND, CUT, TWO_ALIVE, ALIVE_AND, ALIVE, TWO_OF_THEM, THREE_OR_TWO, TWOS, SOME],
        NOTHING,
    )
    return np.asarray(kind | worth << 4, np.int64)


CLASSES = 330
"""The number of combinations of four patterns below a five, in any order."""


def classes() -> npt.NDArray[np.int64]:
    """For each combination of four patterns, coded as digits to base 9, the number of its class: that of all its
    orders, in the order of the sorted patterns. Those with a five are in the last class, CLASSES.
    """
    digits = np.sort(np.arange(9**4)[:, None] // 9 ** np.arange(4) % 9, axis=1)
    keys = digits @ 9 ** np.arange(3, -1, -1)
    kinds = np.unique(keys[digits[:, 3] < FIVE])
    return np.where(digits[:, 3] < FIVE, np.searchsorted(kinds, keys), CLASSES)
