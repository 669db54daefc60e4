"""The kernel and its memory, callable from Python. Importing this raises ImportError without numba. Does no I/O."""

from __future__ import annotations

import numpy as np

from noughts.engine.analysis import Interrupt
from noughts.engine.connect4 import kernel
from noughts.games.connect4 import MOVES, Connect4Position

NO_BUDGET = 1 << 62
DECIDED = kernel.DECIDED
LARGEST = kernel.CELLS // 2
"""An upper bound of all scores, which no position reaches."""
WINDOW = -DECIDED * LARGEST, DECIDED * LARGEST
"""The range of estimates."""


def boards_of(position: Connect4Position) -> tuple[int, int]:
    """The discs of the side to move, and all discs, as the kernel has them."""
    mask = position.first | position.second
    return (position.second if position.ply % 2 else position.first), mask


def wins_at_once(own: int, mask: int) -> bool:
    """True if the side to move can complete a line."""
    playable = mask + int(kernel.BOTTOM) & int(kernel.BOARD)
    return bool(int(kernel.threats(np.uint64(own), np.uint64(mask))) & playable)


def next_beta(low: int, high: int) -> int:
    """The next bound to test between ``low`` and ``high``, which is greater."""
    return int(kernel.next_beta(np.int64(low), np.int64(high)))


class Solver:
    """Solves positions and keeps its transposition table for the next. For one thread at a time.

    ``entries`` is the size of the table, a power of two, at 8 bytes each. ``nodes`` counts all visited positions. A
    search stops when ``nodes`` reaches about ``budget``.
    """

    def __init__(self, entries: int) -> None:
        if entries < 2 or entries & (entries - 1):
            raise ValueError("entries must be a power of two, 2 or more")
        self._table = np.zeros(entries, np.uint64)
        self._stack = np.zeros(kernel.STACK, np.uint64)
        self._frames = np.zeros(kernel.FRAMES, np.int64)
        self._nodes = np.zeros(1, np.int64)

    @property
    def nodes(self) -> int:
        return int(self._nodes[0])

    def forget(self) -> None:
        """Empty the table."""
        self._table[:] = 0

    def solve(
        self,
        own: int,
        mask: int,
        within: tuple[int, int] = (-LARGEST, LARGEST),
        *,
        stop: Interrupt,
        budget: int = NO_BUDGET,
    ) -> tuple[int, int]:
        """A lower and an upper bound of the score, equal unless the search was stopped.

        The game must not be over. ``within`` is a range that is known to contain the score.
        """
        ply = mask.bit_count()
        soonest = (kernel.CELLS + 1 - ply) // 2
        if wins_at_once(own, mask):
            return soonest, soonest
        bounds = np.array([max(within[0], -((kernel.CELLS - ply) // 2)), min(within[1], soonest)], np.int64)
        kernel.solve(
            np.uint64(own),
            np.uint64(mask),
            bounds,
            np.int64(budget),
            self._table,
            self._stack,
            self._frames,
            self._nodes,
            np.frombuffer(stop.flag, np.uint8),
        )
        return int(bounds[0]), int(bounds[1])

    def bound(self, own: int, mask: int, beta: int, *, stop: Interrupt, budget: int = NO_BUDGET) -> int | None:
        """A bound of the score: a lower bound if it is at least ``beta``, otherwise an upper bound; None if stopped.

        The game must not be over.
        """
        if stop():
            return None
        ply = mask.bit_count()
        if wins_at_once(own, mask):
            return (kernel.CELLS + 1 - ply) // 2
        value = kernel.bound(
            np.uint64(own),
            np.uint64(mask),
            np.int64(beta),
            np.int64(budget),
            self._table,
            self._stack,
            self._frames,
            self._nodes,
            np.frombuffer(stop.flag, np.uint8),
        )
        return None if value == kernel.UNKNOWN else int(value)

    def estimate(self, own: int, mask: int, depth: int) -> int:
        """The estimate for the side to move after ``depth`` plies, in the units of the kernel's ``estimate``.

        The game must not be over. Six plies take well under a millisecond.
        """
        low, high = map(np.int64, WINDOW)
        return int(kernel.estimate(np.uint64(own), np.uint64(mask), np.int64(depth), low, high, self._nodes))

    def look_ahead(
        self,
        own: int,
        mask: int,
        depth: int,
        window: tuple[int, int] = WINDOW,
        *,
        stop: Interrupt,
        budget: int = NO_BUDGET,
    ) -> int | None:
        """The value for the side to move after ``depth`` plies, 0 or more: see the kernel's ``look_ahead``; None if
        stopped.

        The opponent must not have a line. A value outside ``window`` is clipped to it.
        """
        if stop():
            return None
        value = kernel.look_ahead(
            np.uint64(own),
            np.uint64(mask),
            np.int64(depth),
            np.int64(window[0]),
            np.int64(window[1]),
            np.int64(budget),
            self._nodes,
            np.frombuffer(stop.flag, np.uint8),
        )
        return None if value == kernel.HALTED else int(value)

    def proposed(self, own: int, mask: int) -> str | None:
        """The move that the table has for a position, None if it has none."""
        column = int(kernel.proposed_column(np.uint64(own), np.uint64(mask), self._table))
        return MOVES[column] if column >= 0 else None
