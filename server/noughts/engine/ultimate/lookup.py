"""The evaluation features of ultimate tic-tac-toe, and the kernel's lookup tables. Pure; does no I/O.

The state of a small board, or of the large one, is a number below 3 ** 9: each place, from the top left, is a digit to
base 3, 1 for a side's own and 2 for the opponent's. On the large board these mean: won, and no longer of use for a
line.

The value of a small board depends on its state and on its importance to a side, its *rank*: how many lines of small
boards through it that side can still make, and how much of them it has won. Each side has its own rank for a board.
Some features count again in the board where the side to move has to play, and a free choice of board has a value too.

It is hard to tell who will move next in a small board. So one feature is a side's *chance* to win the board if a coin
toss before each move decides who makes it, and both sides play their best (Y. Peres, O. Schramm, S. Sheffield and D.
Wilson, *Random-Turn Hex and Other Selection Games*, 2007).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STATES = 3**9
PLACES = np.arange(STATES)[:, None] // 3 ** np.arange(9) % 3
"""The nine places of each state: 0 empty, 1 own, 2 the opponent's."""
LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])
OWN_IN, OTHER_IN = ((PLACES[:, LINES] == who).sum(2) for who in (1, 2))
"""By state, the number of places that each side has in each of the eight lines."""
EXCHANGED = (PLACES * 2 % 3 * 3 ** np.arange(9)).sum(1)
"""Each state as the other side sees it."""

RANKS = (
    "no line",
    *(f"{number} open line{'s' * (number > 1)}" for number in (1, 2, 3, 4)),
    *(f"{number} line{'s' * (number > 1)} with one" for number in (1, 2, 3)),
    *(f"{number} line{'s' * (number > 1)} with two" for number in (1, 2)),
)
WITHIN = ("can be won", "one threat", "threats", "lines with one", "centre", "corners", "chance")
SENT = ("move", "one threat", "threats", "chance by a move")
SENT_OTHER = ("other's one threat", "other's threats", "other's chance taken by a move")
LARGE = ("edge won", "corner won", "centre won", "large lines with one", "large lines with two")
FEATURES = (
    *LARGE,
    "free",
    *(f"{rank}: {what}" for rank in RANKS for what in WITHIN),
    *(f"{rank}, sent to: {what}" for rank in RANKS for what in SENT),
    *(f"{rank}, sent to: {what}" for rank in RANKS for what in SENT_OTHER),
)
"""The names of the features, in the order of the weights."""


def _threats() -> Ints:
    """By state, the number of empty places that would complete a line."""
    count = np.zeros(STATES, np.int64)
    for place in range(9):
        completes = np.any(np.equal(LINES, place).any(1) & (OWN_IN == 2) & (OTHER_IN == 0), axis=1)
        count += completes & (PLACES[:, place] == 0)
    return count


def _chances() -> tuple[Floats, Floats, Floats]:
    """By state: the side's chance to win the board, how much a move of its own adds to that, and how much such a move
    takes from the opponent's chance. Moves are compared by the difference of the two chances, and equally good moves
    are equally likely.
    """
    chance, gain, taken = np.zeros((2, STATES)), np.zeros(STATES), np.zeros(STATES)
    for who, having in enumerate((OWN_IN, OTHER_IN)):
        chance[who] = (having == 3).any(1)
    undecided = ~(OWN_IN == 3).any(1) & ~(OTHER_IN == 3).any(1)
    for stones in range(8, -1, -1):
        states = np.flatnonzero(undecided & ((PLACES > 0).sum(1) == stones))
        empty = PLACES[states] == 0
        after = []
        for who, sign in ((1, 1), (2, -1)):
            then = np.where(empty, states[:, None] + who * 3 ** np.arange(9), 0)
            value = np.where(empty, sign * (chance[0][then] - chance[1][then]), -2)
            share = np.isclose(value, value.max(1, keepdims=True)) / 1.0
            share /= share.sum(1, keepdims=True)
            after.append([(share * each[then]).sum(1) for each in chance])
        chance[:, states] = np.mean(after, axis=0)
        gain[states] = after[0][0] - chance[0, states]
        taken[states] = chance[1, states] - after[0][1]
    return chance[0], gain, taken


def _within() -> Floats:
    """The features of a small board for one side: a row of WITHIN for each state."""
    threats = _threats()
    return np.stack(
        [
            (OTHER_IN == 0).any(1),
            threats == 1,
            threats > 1,
            ((OWN_IN == 1) & (OTHER_IN == 0)).sum(1),
            PLACES[:, 4] == 1,
            (PLACES[:, [0, 2, 6, 8]] == 1).sum(1),
            CHANCE,
        ],
        axis=1,
    )


def _large() -> Ints:
    """The features of the large board for one side: a row of LARGE for each state."""
    own = PLACES == 1
    open_lines = OTHER_IN == 0
    return np.stack(
        [
            own[:, [1, 3, 5, 7]].sum(1),
            own[:, [0, 2, 6, 8]].sum(1),
            own[:, 4],
            (open_lines & (OWN_IN == 1)).sum(1),
            (open_lines & (OWN_IN == 2)).sum(1),
        ],
        axis=1,
    ).astype(np.int64)


def _ranks() -> Ints:
    """By state of the large board, the rank of each of its nine places, an index into RANKS; 0 if it is taken."""
    ranks = np.zeros((STATES, 9), np.int64)
    for place in range(9):
        through = np.equal(LINES, place).any(1)
        empty = PLACES[:, place] == 0
        number = [(through & (OTHER_IN == 0) & np.equal(OWN_IN, owned)).sum(1) for owned in range(3)]
        found = np.select(
            [number[2] > 0, number[1] > 0], [7 + np.minimum(number[2], 2), 4 + np.minimum(number[1], 3)], number[0]
        )
        ranks[:, place] = np.where(empty, found, 0)
    return ranks


CHANCE, GAIN, TAKEN = _chances()
WITHIN_OF, LARGE_OF, RANKS_OF = _within(), _large(), _ranks()
PACKED_RANKS = (RANKS_OF.astype(np.uint64) << (4 * np.arange(9, dtype=np.uint64))).sum(1).astype(np.uint64)
"""By state of the large board, the rank of each place in four bits."""
SENT_OF = np.stack([np.ones(STATES), *WITHIN_OF[:, 1:3].T, GAIN], axis=1)
SENT_OTHER_OF = np.stack([*WITHIN_OF[:, 1:3].T, TAKEN[EXCHANGED]], axis=1)

FREE = len(LARGE)
WITHIN_AT = FREE + 1
SENT_AT = WITHIN_AT + len(RANKS) * len(WITHIN)
SENT_OTHER_AT = SENT_AT + len(RANKS) * len(SENT)


def tables_of(weights: Ints) -> npt.NDArray[np.int16]:
    """The kernel's tables for ``weights``, one for each of FEATURES, concatenated in the order that the kernel expects:
    the value of the large board by state; the value of a small board by rank and state; what is added when a side is
    sent there, by its own stones and by the opponent's; and the value of a free choice.
    """
    within, sent, sent_other = (
        (weights[start:end].reshape(len(RANKS), -1) @ table.T).ravel()
        for start, end, table in (
            (WITHIN_AT, SENT_AT, WITHIN_OF),
            (SENT_AT, SENT_OTHER_AT, SENT_OF),
            (SENT_OTHER_AT, len(FEATURES), SENT_OTHER_OF),
        )
    )
    large = LARGE_OF @ weights[: len(LARGE)]
    every = np.concatenate([large, within, sent, sent_other, weights[FREE : FREE + 1]])
    return np.asarray(np.rint(every), np.int16)
