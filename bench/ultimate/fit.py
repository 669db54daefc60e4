"""Fits the weights of ultimate tic-tac-toe's evaluation to the results of games that the kernel plays against itself.

``python -m bench.ultimate.fit`` produced the current weights, but does not use them: it starts from simple weights set
by hand. In each round it plays the same number of games, each from a random opening, a few plies deep with the weights
of the round before. Then it fits new weights by logistic regression to the results of all positions after the openings.
A tenth of the games is held out to measure the error. The same command always finds the same weights.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from noughts.engine.ultimate import kernel, lookup
from noughts.engine.ultimate.engine import WINDOW, board_of
from noughts.games import GAMES, Side
from noughts.games.ultimate import PLACES, UNIT, UltimatePosition

START = UltimatePosition()
SCALE = UNIT * kernel.POINTS / np.log(10)  # points per unit of log odds
DEPTH = 6
OPENING = (1, 24)  # fewest and most random plies
AT_RANDOM = 0.03  # share of random moves after them
RIDGE = 4.0
NAMES = {9 * cell.board + cell.place: name for name, cell in PLACES.items()}
RUNNING = np.zeros(1, np.uint8)


class Row(NamedTuple):
    """A position as its side to move sees it: the state of the large board; that state for the opponent; the states of
    the nine small boards, -1 if finished; the board to play in, 9 for any; and the result, 0 to 1.
    """

    own: int
    other: int
    boards: tuple[int, ...]
    sent: int
    result: float


def simple() -> lookup.Ints:
    """The weights for the first round."""
    worth = {"edge won": 160, "corner won": 200, "centre won": 280, "large lines with one": 60}
    worth |= {"large lines with two": 280, "free": 80}
    each = {"one threat": 60, "threats": 90, "lines with one": 16}
    return np.array([worth.get(name, each.get(name.partition(": ")[2], 0)) for name in lookup.FEATURES], np.int64)


def states_of(position: UltimatePosition) -> tuple[int, int, tuple[int, ...], int]:
    """The fields of :class:`Row` except the result."""
    board = board_of(position)
    shift, large = int(board.shift), int(board.large)

    def state(own: int, other: int) -> int:
        return int(kernel.THREES[own] + 2 * kernel.THREES[other])

    won = large >> shift & 511, large >> 9 - shift & 511
    own, other = (state(each, large >> 18 & ~each) for each in won)
    small = tuple(
        -1 if large >> 18 + number & 1 else state(int(word) >> shift & 511, int(word) >> 9 - shift & 511)
        for number, word in enumerate(board.boards)
    )
    return own, other, small, int(board.sent)


def game(rng: random.Random, memory: kernel.Words, weighed: npt.NDArray[np.int16]) -> list[Row]:
    """The positions of one game."""
    position, opening = START, rng.randint(*OPENING)
    seen: list[tuple[Side, tuple[int, int, tuple[int, ...], int]]] = []
    winner: Side | None = None
    while True:
        side = position.to_move
        if side is None:
            assert position.outcome is not None
            winner = position.outcome.winner
            break
        if position.ply < opening:
            position = position.play(rng.choice(position.legal_moves))
            continue
        seen.append((side, states_of(position)))
        board = board_of(position)
        memory[int(kernel.BOARDS) : int(kernel.BOARDS) + 9] = board.boards
        memory[kernel.NODES] = memory[kernel.NEXT_POLL] = 0
        memory[kernel.AGE] = memory[kernel.AGE] % 255 + 1
        found = kernel.look_ahead(
            memory, RUNNING, weighed, board.shift, board.sent, board.large, -WINDOW, WINDOW, DEPTH
        )
        if abs(found >> 1) > kernel.DECIDED:
            winner = side if found > 0 else side.other
            break
        cell, _, _ = kernel.unpacked(kernel.remembered(memory, board.shift, board.sent), 1)
        likely = rng.random() >= AT_RANDOM
        position = position.play(NAMES[cell] if likely else rng.choice(position.legal_moves))
    return [Row(*states, 0.5 if winner is None else float(winner is side)) for side, states in seen]


def matrix(rows: list[Row]) -> npt.NDArray[np.float64]:
    """The features of each position, in the order of FEATURES."""
    x = np.zeros((len(rows), len(lookup.FEATURES)))
    every = np.arange(len(rows))
    own, other, boards, sent, _ = (np.array(column) for column in zip(*rows, strict=True))
    x[:, : lookup.FREE] = lookup.LARGE_OF[own] - lookup.LARGE_OF[other]
    x[:, lookup.FREE] = sent == 9
    blocks = (
        (lookup.WITHIN_AT, lookup.WITHIN_OF, True, True),
        (lookup.SENT_AT, lookup.SENT_OF, True, False),
        (lookup.SENT_OTHER_AT, lookup.SENT_OTHER_OF, False, True),
    )
    for number in range(9):
        for at, table, for_own, for_other in blocks:
            here = boards[:, number] >= 0
            if at != lookup.WITHIN_AT:
                here &= sent == number
            state = boards[here, number]
            width = table.shape[1]
            for what in range(width):
                if for_own:
                    ranks = lookup.RANKS_OF[own[here], number]
                    x[every[here], at + ranks * width + what] += table[state, what]
                if for_other:
                    ranks = lookup.RANKS_OF[other[here], number]
                    sign = -1 if for_own else 1
                    x[every[here], at + ranks * width + what] += sign * table[lookup.EXCHANGED[state], what]
    return x


def fitted(rows: list[Row]) -> lookup.Ints:
    """The weights, in points, fitted to the results of ``rows``."""
    y = np.array([row.result for row in rows])
    return np.asarray(np.rint(fitting.logistic(matrix(rows), y, RIDGE) * SCALE), np.int64)


def log_loss(rows: list[Row], weights: lookup.Ints) -> float:
    return round(fitting.log_loss(matrix(rows), np.array([row.result for row in rows]), weights / SCALE), 4)


def options(argv: Sequence[str] | None = None) -> fitting.Asked:
    """The command line's options. The defaults are those that produced the current weights."""
    return fitting.asked("ultimate", __doc__, argv, games=10_000, rounds=3, each=" in each round")


def main(argv: Sequence[str] | None = None) -> int:
    heuristic = GAMES["ultimate"].heuristic
    assert heuristic is not None
    assert heuristic.unit == UNIT
    asked = options(argv)
    assert asked.rounds is not None
    memory = kernel.memory_of(12, lookup.PACKED_RANKS)
    weights = simple()
    for number in range(asked.rounds):
        rng = random.Random(f"{asked.seed} {number}")
        games = [game(rng, memory, lookup.tables_of(weights)) for _ in range(asked.games)]
        count = -(-asked.games // 10)
        held = [row for each in games[:count] for row in each]
        rows = [row for each in games[count:] for row in each]
        played_by, weights = weights, fitted(rows)
        losses = log_loss(held, played_by), log_loss(held, weights)
        print(f"round {number + 1}: {asked.games} games, {len(rows)} positions; log loss {losses[0]}, then {losses[1]}")
    replaced = fitting.rows_of(asked.replaced, lookup.FEATURES)
    before = None if replaced is None else log_loss(held, replaced[0])
    provenance = {
        "games": asked.games,
        "positions": len(rows),
        "log loss on games held back, with the weights that played them": losses[0],
        "log loss on games held back": losses[1],
    }
    compared = {"log loss": (before, losses[1])}
    row = [int(weight) for weight in weights]
    return fitting.keep(asked, compared, provenance, unit=UNIT, features=lookup.FEATURES, weights=[row])


if __name__ == "__main__":
    sys.exit(main())
