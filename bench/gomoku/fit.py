"""Fits the weights of Gomoku's evaluation to the results of games that the engine plays against itself.

``python -m bench.gomoku.fit`` produced the current weights, and takes some five minutes. The games of the first round
are played with the weights in ``BEGIN``, those of the second round with the weights fitted to the first, and the final
weights are fitted to both. A game starts with some random moves near the middle, and now and then has another random
move, for variety. All other moves are the engine's, with a few thousand positions each. The fit is to the result for
the side to move. There are two sets of weights. One is for searches that look for a win by fours before they evaluate,
fitted without the positions in which the engine sees a forced win. The other, for plain searches, is fitted to all
positions. Every tenth game is held out to measure the log loss.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from noughts.engine import Interrupt, Limits
from noughts.engine.gomoku import kernel
from noughts.engine.gomoku.engine import GomokuEngine, stones_of
from noughts.games import Side
from noughts.games.gomoku import GOMOKU
from noughts.games.mnk import LinePosition

NODES = 2_000  # per move
RANDOM = 0.05  # share of random moves after the opening
RIDGE = 20.0
SCALE = 16 * kernel.UNIT / np.log(10)  # from log odds to sixteenths of an estimate's unit

OWN = (
    "one",
    "two",
    "open two",
    "three",
    "open three",
    "four",
    "any four and open three",
    "any two open threes",
    "any four",
    "any open three",
)
NAMES = ["1", *OWN, *(f"other's {name}" for name in OWN), "other's five", "other's open four"]

ONE_SIDE = (1, 2, 30, 20, 120, 60, 5000, 3000, 400, 1000)
OTHER_SIDE = (-1, -2, -25, -15, -90, -40, -1500, -1000, -200, -300)
BEGIN = np.array([(300, *ONE_SIDE, *OTHER_SIDE, -2000, -2500)] * 2 * kernel.STAGES, np.int64)
"""Set by hand, for the first round."""


@dataclass(frozen=True, slots=True)
class Row:
    """A position. ``result`` is its game's result for the side to move. ``quiet`` means that the engine saw no forced
    win.
    """

    stage: int
    features: list[int]
    quiet: bool
    held: bool
    result: float


def game(
    number: int, seed: int, engine: GomokuEngine, board: kernel.Words, empty: tuple[kernel.Words, ...]
) -> list[Row]:
    """The positions of one game, which depends only on ``number``, ``seed`` and the engine's weights."""
    rng = random.Random(f"{seed} {number}")
    engine.forget()
    position = GOMOKU.start
    opening = rng.randrange(2, 9)
    seen: list[tuple[int, list[int], bool, Side]] = []
    while (side := position.to_move) is not None:
        assert isinstance(position, LinePosition)
        if position.ply < opening:
            cells = [name for row in GOMOKU.layout[4:11] for name in row[4:11] if name in position.legal_moves]
            position = position.play(rng.choice(cells))
            continue
        found = engine.analyse(position, Limits(nodes=NODES, every_move=False), Interrupt())
        kernel.set_up(board, empty, *stones_of(position))
        if 5 - kernel.TOP < kernel.estimate(board) < kernel.TOP - 10:  # otherwise the weights do not matter
            row = board[kernel.FEATURE : kernel.FEATURE + kernel.FEATURES].tolist()
            stage = min(position.ply // kernel.STAGE, kernel.STAGES - 1)
            seen.append((stage, row, abs(found.value) < kernel.TOP, side))
        position = position.play(rng.choice(found.choices if rng.random() > RANDOM else near(position)))
    outcome = position.outcome
    assert outcome is not None
    return [
        Row(stage, row, quiet, number % 10 == 0, 0.5 if outcome.winner is None else float(outcome.winner is side))
        for stage, row, quiet, side in seen
    ]


def near(position: LinePosition) -> tuple[str, ...]:
    """The moves near a stone."""
    heuristic = GOMOKU.heuristic
    assert heuristic is not None
    assert heuristic.candidates is not None
    return heuristic.candidates(position)


def fitted(rows: list[Row]) -> npt.NDArray[np.int64]:
    """The weights for each stage, fitted to its positions and a quarter of those of the neighbouring stages."""
    stages = np.array([row.stage for row in rows])
    x = np.array([row.features for row in rows], np.float64)
    y = np.array([row.result for row in rows])
    weights = []
    for stage in range(kernel.STAGES):
        beside = np.flatnonzero(np.abs(stages - stage) == 1)[::4]
        here = np.concatenate([np.flatnonzero(stages == stage), beside])
        weights.append(np.rint(SCALE * fitting.logistic(x[here], y[here], RIDGE)).astype(np.int64))
    return np.array(weights)


def loss(rows: list[Row], weights: npt.NDArray[np.int64]) -> float:
    """The log loss of ``weights``. Each position uses the weights of its stage."""
    total = 0.0
    for stage in range(kernel.STAGES):
        here = [row for row in rows if row.stage == stage]
        if here:
            x, y = np.array([row.features for row in here], np.float64), np.array([row.result for row in here])
            total += len(here) * fitting.log_loss(x, y, weights[stage] / SCALE)
    return total / len(rows)


def losses(rows: list[Row], weights: npt.NDArray[np.int64] | None) -> tuple[float, float] | None:
    """The log loss of both sets of weights on the held-out ``rows``, or None without weights."""
    if weights is None:
        return None
    held = [row for row in rows if row.held]
    quiet = loss([row for row in held if row.quiet], weights[: kernel.STAGES])
    return round(quiet, 4), round(loss(held, weights[kernel.STAGES :]), 4)


def options(argv: Sequence[str] | None = None) -> fitting.Asked:
    """The command line's options. The defaults are those that produced the current weights."""
    return fitting.asked("gomoku", __doc__, argv, games=1000, each=" in each of two rounds")


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(argv)
    rows: list[Row] = []
    weights = BEGIN
    board = kernel.memory_of(0, BEGIN)
    empty = kernel.empty_board(board)
    for played in (0, asked.games):
        engine = GomokuEngine(10, weights)
        for number in range(played, played + asked.games):
            rows += game(number, asked.seed, engine, board, empty)
        taught = [row for row in rows if not row.held]
        weights = np.concatenate([fitted([row for row in taught if row.quiet]), fitted(taught)])
        print(f"{played + asked.games} games, {len(rows)} positions", flush=True)
    by_hand, now = losses(rows, BEGIN), losses(rows, weights)
    before = losses(rows, fitting.rows_of(asked.replaced, NAMES)) or (None, None)
    assert by_hand is not None
    assert now is not None
    provenance = {
        "of": "games of the engine against itself, in two rounds",
        "games": 2 * asked.games,
        "positions": len(rows),
        "log loss on games held back": {
            "by hand": by_hand[0],
            "fitted": now[0],
            "plain by hand": by_hand[1],
            "plain fitted": now[1],
        },
    }
    compared = {"log loss": (before[0], now[0]), "log loss of the plain weights": (before[1], now[1])}
    return fitting.keep(asked, compared, provenance, unit=kernel.UNIT, features=NAMES, weights=weights.tolist())


if __name__ == "__main__":
    sys.exit(main())
