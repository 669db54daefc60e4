"""Fits the weights of Reversi's evaluation to the ends of games that the engine plays against itself.

``python -m bench.reversi.fit [GAMES [SEED]]`` writes noughts/engine/reversi/weights.json, by least squares, a row for
each stage of the game: a position counts with the final difference of its game, which is played from a random
opening, by looking a few plies ahead with the weights of before, and exactly from 12 empty cells on. It also prints how
far off the estimates are, which goes into the file: the root of the mean square, in discs, with the weights of before
and with the new ones on games that were not fitted to, a tenth of all. How they play, :mod:`bench.reversi.match` tells.
"""

from __future__ import annotations

import datetime
import random
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from bench.weights import Floats, linear, write

from noughts.engine.reversi import kernel
from noughts.engine.weights import weights_of
from noughts.games.reversi import REVERSI, parse

FILE = Path(kernel.__file__).with_name("weights.json")
START = parse(REVERSI.start.text)
SOLVED_FROM = 12  # empty cells
DEPTH = 3  # of the play before that
RIDGE = 20.0
WEIGHT_OF_A_DISC = kernel.POINTS << kernel.SCALE
FEATURES = [  # of kernel.features
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

Rows = list[tuple[int, tuple[int, ...], int]]
"""Of each position the number of empty cells, the features, and the final difference for the side to move."""


def game(rng: random.Random, memory: kernel.Words, flag: npt.NDArray[np.uint8]) -> Rows:
    """The positions of one game."""
    own, opp = np.uint64(START.first), np.uint64(START.second)
    at_random = rng.randrange(4, 40)
    turn = 1
    met: list[tuple[np.uint64, np.uint64, int]] = []
    rows: Rows = []
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
            rows.append((empties, kernel.features(own, opp), value))
            if met:
                rows += [row_of(*position, value * turn) for position in met]
                met = []
        elif ply >= at_random:
            met.append((own, opp, turn))
        cells = [cell for cell in range(64) if moves >> cell & 1]
        if ply < at_random or empties <= SOLVED_FROM or rng.random() < 0.02:
            cell = rng.choice(cells)
        else:
            cell = min(cells, key=lambda cell: value_after(memory, flag, own, opp, cell))
        turned = kernel.turned_by(np.uint64(cell), own, opp)
        own, opp, turn = opp ^ turned, own | turned | np.uint64(1 << cell), -turn
    return rows


def value_after(memory: kernel.Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, cell: int) -> int:
    """What the opponent has, in points, when ``cell`` has been played."""
    turned = kernel.turned_by(np.uint64(cell), own, opp)
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = 0
    return kernel.look_ahead(memory, flag, opp ^ turned, own | turned | np.uint64(1 << cell), -5000, 5000, DEPTH - 1)


def row_of(own: np.uint64, opp: np.uint64, turn: int, value: int) -> tuple[int, tuple[int, ...], int]:
    return 64 - int(own | opp).bit_count(), kernel.features(own, opp), value * turn


def fitted(stage: int, empties: npt.NDArray[np.int64], x: Floats, y: Floats) -> list[int]:
    """The weights for a stage, from its positions and those two cells before and after."""
    near = (empties >= stage * kernel.STAGE - 2) & (empties < (stage + 1) * kernel.STAGE + 2)
    return [round(float(weight) * WEIGHT_OF_A_DISC) for weight in linear(x[near], y[near], RIDGE)]


def off(weights: npt.NDArray[np.int64], x: Floats, y: Floats) -> float:
    """How far off estimates are: the root of the mean square, in discs."""
    return round(float(np.sqrt(np.mean((x @ weights / WEIGHT_OF_A_DISC - y) ** 2))), 2)


def main(games: int, seed: int) -> None:
    rng = random.Random(seed)
    before = weights_of("noughts.engine.reversi")
    memory, flag = kernel.memory_of(14, before), np.zeros(1, np.uint8)
    rows = [row for _ in range(games) for row in game(rng, memory, flag)]
    held = len(rows) // 10
    empties = np.array([row[0] for row in rows])
    x = np.array([row[1] for row in rows], np.float64)
    y = np.array([row[2] for row in rows], np.float64)
    weights = [fitted(stage, empties[held:], x[held:], y[held:]) for stage in range(kernel.STAGES)]
    errors = {}
    for stage in range(kernel.STAGES):
        here = empties[:held] // kernel.STAGE == stage
        if here.any():
            a, b = x[:held][here], y[:held][here]
            told = {"before": off(before[stage], a, b), "after": off(np.array(weights[stage]), a, b)}
            errors[f"from {stage * kernel.STAGE} empty cells"] = told | {"values": round(float(b.std()), 2)}
    provenance = {
        "command": f"python -m bench.reversi.fit {games} {seed}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "games": games,
        "positions": len(rows),
        "root mean square in discs, of other games' positions": errors,
    }
    write(FILE, provenance, None, FEATURES, weights)
    print(f"{games} games, {len(rows)} positions")
    for stage_name, error in errors.items():
        print(f"{stage_name}: {error['before']:5.2f} {error['after']:5.2f}, the values {error['values']:5.2f}")


if __name__ == "__main__":
    main(*([int(word) for word in sys.argv[1:3]] + [20_000, 1][len(sys.argv[1:3]) :]))
