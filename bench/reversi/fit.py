"""Fits the weights of Reversi's evaluation to the results of games that the engine plays against itself.

``python -m bench.reversi.fit`` fits by least squares to the final difference of each position's game. The games start
from random openings. They are played a few plies deep with this source tree's current weights, and exactly from 12
empty cells on. So each run continues from the current weights, and does not produce the same weights again. For each
part of the game, the shapes' weights are fitted together with the features' weights. Then, with the shapes fixed, the
features' weights are fitted for each stage. The program also prints the root mean square error in discs, with the old
weights and with the new ones, on a tenth of the games, which is held out. ``python -m bench.reversi.match`` compares
how the weights play.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from bench.weights import Asked, Floats, keep, linear
from noughts.engine.reversi import kernel
from noughts.engine.reversi.evaluation import (
    CORNER_CLASSES,
    CORNER_SIGNS,
    CORNERS,
    EDGE_CLASSES,
    EDGE_SIGNS,
    EDGES,
    SHAPES_OF_A_DISC,
    tables_of,
)
from noughts.games.reversi import REVERSI, parse

START = parse(REVERSI.start.text)
SOLVED_FROM = 12  # empty cells
DEPTH = 3  # plies, before that
RIDGE, SHAPES_RIDGE = 20.0, 30.0
ROUNDS = 50  # of conjugate gradients
FIRST_EMPTIES, LAST_EMPTIES = (0, 20, 30), (19, 29, 64)  # for the parts of the game
WEIGHT_OF_A_DISC = kernel.POINTS << kernel.SCALE
FEATURES = [  # as in kernel.features
    "1",
    "moves",
    "logarithm of moves",
    "cells that may become moves",
    "discs that no empty cell touches",
    "corners",
    "discs on the diagonal beside an empty corner",
    "discs on the edge beside an empty corner",
    "discs",
    "corners that can be taken at once",
    "edge discs",
    "stable discs",
    "quadrants with an odd number of empty cells",
]
# The cells of the four edges and of the four corners, each in the order of its digits.
OUTER = [[8 * y + x for x in range(8)] for y in (0, 7)] + [[8 * y + x for y in range(8)] for x in (0, 7)]
NINES = [
    [8 * abs(bottom - y) + abs(right - x) for y in range(3) for x in range(3)] for bottom in (0, 7) for right in (0, 7)
]

Ints = npt.NDArray[np.int64]
Seen = list[tuple[int, int, int]]
"""For each position: the discs of the side to move, those of the opponent, and the final difference for the former."""


def memory_of(file: Path) -> kernel.Words:
    """A search's memory with the weights of ``file``."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    return kernel.memory_of(14, np.array(stored["weights"], np.int64), tables_of(np.array(stored["shapes"], np.int64)))


def game(rng: random.Random, memory: kernel.Words, flag: npt.NDArray[np.uint8]) -> Seen:
    """The positions of one game."""
    own, opp = np.uint64(START.first), np.uint64(START.second)
    at_random = rng.randrange(4, 40)
    turn = 1
    waiting: list[tuple[int, int, int]] = []
    seen: Seen = []
    for ply in range(200):
        moves = int(kernel.moves_of(own, opp))
        empties = 64 - int(own | opp).bit_count()
        if not moves:
            if not kernel.moves_of(opp, own):
                break
            own, opp, turn = opp, own, -turn
            continue
        if empties <= SOLVED_FROM:
            memory[kernel.NODES] = memory[kernel.NEXT_POLL] = 0
            value = kernel.solve(memory, flag, own, opp, -64, 64)
            seen.append((int(own), int(opp), value))
            seen += [(first, second, value * turn * side) for first, second, side in waiting]
            waiting = []
        elif ply >= at_random:
            waiting.append((int(own), int(opp), turn))
        cells = [cell for cell in range(64) if moves >> cell & 1]
        if ply < at_random or empties <= SOLVED_FROM or rng.random() < 0.02:
            cell = rng.choice(cells)
        else:
            cell = min(cells, key=lambda cell: value_after(memory, flag, own, opp, cell))
        turned = kernel.turned_by(np.uint64(cell), own, opp)
        own, opp, turn = opp ^ turned, own | turned | np.uint64(1 << cell), -turn
    return seen


def value_after(memory: kernel.Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, cell: int) -> int:
    """The opponent's value, in points, after ``cell`` has been played."""
    turned = kernel.turned_by(np.uint64(cell), own, opp)
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = 0
    return kernel.look_ahead(memory, flag, opp ^ turned, own | turned | np.uint64(1 << cell), -5000, 5000, DEPTH - 1)


@dataclass(frozen=True, slots=True)
class Sample:
    """Positions, a row each: empty cells, features, the classes and signs of the eight shapes, the final difference,
    and the estimate by the old weights, in discs.
    """

    empties: Ints
    features: Floats
    classes: Ints
    signs: Floats
    values: Floats
    before: Floats

    @classmethod
    def of(cls, seen: Seen, memory: kernel.Words, flag: npt.NDArray[np.uint8]) -> Self:
        words = np.array([position[:2] for position in seen], np.uint64)
        mine, theirs = (
            np.unpackbits(words[:, [side]].astype("<u8").view(np.uint8), axis=1, bitorder="little") for side in (0, 1)
        )
        digits = mine.astype(np.int64) + 2 * theirs
        edges = [digits[:, cells] @ 3 ** np.arange(8) for cells in OUTER]
        nines = [digits[:, cells] @ 3 ** np.arange(9) for cells in NINES]
        found = [kernel.look_ahead(memory, flag, own, opp, -5000, 5000, 0) for own, opp in words]
        return cls(
            (digits == 0).sum(axis=1),
            np.array([kernel.features(own, opp) for own, opp in words], np.float64),
            np.stack([EDGES[each] for each in edges] + [EDGE_CLASSES + CORNERS[each] for each in nines], axis=1),
            np.stack([EDGE_SIGNS[each] for each in edges] + [CORNER_SIGNS[each] for each in nines], axis=1).astype(
                float
            ),
            np.array([position[2] for position in seen], np.float64),
            np.array(found) / kernel.POINTS,
        )

    def between(self, least: int, most: int) -> Self:
        """The positions with ``least`` to ``most`` empty cells."""
        near = (self.empties >= least) & (self.empties <= most)
        return self._some(near)

    def split(self, held: int) -> tuple[Self, Self]:
        """The first ``held`` positions, and the others."""
        first = np.arange(len(self.values)) < held
        return self._some(first), self._some(~first)

    def _some(self, rows: npt.NDArray[np.bool_]) -> Self:
        return type(self)(
            self.empties[rows],
            self.features[rows],
            self.classes[rows],
            self.signs[rows],
            self.values[rows],
            self.before[rows],
        )

    def worth(self, shapes: Floats) -> Floats:
        """The total weight of the shapes of each position."""
        total: Floats = (shapes[self.classes] * self.signs).sum(axis=1)
        return total


def fitted_shapes(of: Sample) -> Floats:
    """The weight of each class of shapes, in discs, fitted together with the features' weights. There are thousands, so
    this uses conjugate gradients (M. Hestenes and E. Stiefel, 1952).
    """
    number, features = EDGE_CLASSES + CORNER_CLASSES, len(FEATURES)

    def transposed(rest: Floats) -> Floats:
        sums = np.bincount(of.classes.ravel(), (of.signs * rest[:, None]).ravel(), number)
        return np.concatenate([of.features.T @ rest, sums])

    squares = np.bincount(of.classes.ravel(), (of.signs**2).ravel(), number)
    diagonal = np.concatenate([(of.features**2).sum(axis=0), squares]) + SHAPES_RIDGE
    weights = np.zeros(features + number)
    rest = transposed(of.values)
    ahead = step = rest / diagonal
    for _ in range(ROUNDS):
        turned = transposed(of.features @ step[:features] + of.worth(step[features:])) + SHAPES_RIDGE * step
        length = rest @ ahead / (step @ turned)
        weights += length * step
        before, rest = rest @ ahead, rest - length * turned
        ahead = rest / diagonal
        step = ahead + rest @ ahead / before * step
    return weights[features:]


def off(estimates: Floats, values: Floats) -> float:
    """The root mean square error of the estimates, in discs."""
    return round(float(np.sqrt(np.mean((estimates - values) ** 2))), 2)


def options(argv: Sequence[str] | None = None) -> Asked:
    """The command line's options. By default, as many games as for the current weights."""
    return fitting.asked("reversi", __doc__, argv, games=60_000)


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(argv)
    rng = random.Random(asked.seed)
    memory, flag = memory_of(asked.replaced), np.zeros(1, np.uint8)
    seen = [position for _ in range(asked.games) for position in game(rng, memory, flag)]
    held, sample = Sample.of(seen, memory, flag).split(len(seen) // 10)
    parts = [sample.between(*bounds) for bounds in zip(FIRST_EMPTIES, (21, 31, 64), strict=True)]
    # Round before fitting the features' weights, so that these make up for it.
    shapes = [np.round(SHAPES_OF_A_DISC * fitted_shapes(part)) for part in parts]
    weights, errors, after = [], {}, np.zeros(len(held.values))
    for stage in range(kernel.STAGES):
        least, most = stage * kernel.STAGE, (stage + 1) * kernel.STAGE - 1
        part = sum(least > last for last in LAST_EMPTIES)
        near, here = sample.between(least - 2, most + 2), (held.empties >= least) & (held.empties <= most)
        rest = near.values - near.worth(shapes[part] / SHAPES_OF_A_DISC)
        row = [round(float(weight) * WEIGHT_OF_A_DISC) for weight in linear(near.features, rest, RIDGE)]
        weights.append(row)
        if here.any():
            estimates = held.features @ np.array(row) / WEIGHT_OF_A_DISC + held.worth(shapes[part] / SHAPES_OF_A_DISC)
            after[here] = estimates[here]
            values = held.values[here]
            error = {"before": off(held.before[here], values), "after": off(after[here], values)}
            errors[f"from {least} empty cells"] = error | {"values": round(float(values.std()), 2)}
    print(f"{asked.games} games, {len(seen)} positions")
    for name, error in errors.items():
        print(f"{name}: {error['before']:5.2f} {error['after']:5.2f}, the values {error['values']:5.2f}")
    provenance = {
        "games": asked.games,
        "positions": len(seen),
        "root mean square in discs, of other games' positions": errors,
    }
    compared = {"root mean square in discs": (off(held.before, held.values), off(after, held.values))}
    rows = [[int(each) for each in row] for row in shapes]
    return keep(asked, compared, provenance, unit=None, features=FEATURES, weights=weights, shapes=rows)


if __name__ == "__main__":
    sys.exit(main())
