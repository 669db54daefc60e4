"""Fits the weights of Gomoku's plain searches, those of a limited depth, to the results of games of the engine against
itself.

``python -m bench.gomoku.fit`` takes some five minutes. A game starts with some random moves near the middle, and now
and then has another random move, for variety. All other moves are the engine's, with a few thousand positions each. The
fit is to the result for the side to move. Every tenth game is held out to measure the log loss. The weights of other
searches, see ``bench.gomoku.cells``, remain as they are. An earlier version of this program, which fitted both in two
rounds, produced the current weights.
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
BY_HAND = np.array([(300, *ONE_SIDE, *OTHER_SIDE, -2000, -2500)] * kernel.STAGES, np.int64)
"""For comparison."""


@dataclass(frozen=True, slots=True)
class Row:
    """A position. ``result`` is its game's result for the side to move."""

    stage: int
    features: list[int]
    held: bool
    result: float


def game(
    number: int, seed: int, engine: GomokuEngine, board: kernel.Words, empty: tuple[kernel.Words, ...]
) -> list[Row]:
    """The positions of one game, which depends only on ``number``, ``seed`` and the engine."""
    rng = random.Random(f"{seed} {number}")
    engine.forget()
    position = GOMOKU.start
    opening = rng.randrange(2, 9)
    seen: list[tuple[int, list[int], Side]] = []
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
            seen.append((stage, row, side))
        position = position.play(rng.choice(found.choices if rng.random() > RANDOM else near(position)))
    outcome = position.outcome
    assert outcome is not None
    return [
        Row(stage, row, number % 10 == 0, 0.5 if outcome.winner is None else float(outcome.winner is side))
        for stage, row, side in seen
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


def options(argv: Sequence[str] | None = None) -> fitting.Asked:
    """The command line's options."""
    return fitting.asked("gomoku", __doc__, argv, games=1000)


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(argv)
    stored = fitting.stored(asked.replaced)
    cells, before = np.array(stored["cells"], np.int64), np.array(stored["weights"], np.int64)
    board = kernel.memory_of(0, before, cells)
    empty, engine = kernel.empty_board(board), GomokuEngine(10)
    rows: list[Row] = []
    for number in range(asked.games):
        rows += game(number, asked.seed, engine, board, empty)
    weights = fitted([row for row in rows if not row.held])
    held = [row for row in rows if row.held]
    losses = [round(loss(held, each), 4) for each in (BY_HAND, before[kernel.STAGES :], weights)]
    provenance = {
        "of": "games of the engine against itself",
        "games": asked.games,
        "positions": len(rows),
        "log loss on games held back": {"plain by hand": losses[0], "plain fitted": losses[2]},
        "cells": stored["provenance"]["cells"],
    }
    return fitting.keep(
        asked,
        {"log loss of the plain weights": (losses[1], losses[2])},
        provenance,
        unit=kernel.UNIT,
        features=NAMES,
        weights=stored["weights"][: kernel.STAGES] + weights.tolist(),
        cells=stored["cells"],
    )


if __name__ == "__main__":
    sys.exit(main())
