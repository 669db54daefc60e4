"""Fits the weights of chess to games of Stockfish against itself, as in P. Österlund's *Texel's Tuning Method*.

``python -m bench.chess.fit`` plays the games of ``bench.chess.games``, which takes some quarter of an hour. What is
fitted is the expected result: seven tenths of it by the value of Stockfish's search, the rest by the result of the
game. Only quiet positions count, in which both sides have a pawn. A ridge pulls the weights to those that they replace,
so those of features that hardly occur stay as they were. Every tenth chunk of games is held out. The current weights
began with PeSTO's for pieces on squares, and others by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from bench.chess.games import chunks
from noughts.engine.chess import evaluation, moves
from noughts.engine.chess import kernel as search
from noughts.engine.chess.evaluation import NAMES, TERMS
from noughts.engine.jit import kernel
from noughts.games.chess_worth import FULL, LEFT, UNIT

SHARE = 0.3
"""The share of the game's result in what is fitted."""

LOGIT = 245
"""The value at which Stockfish's side gets e points for each that it does not, fitted to the results of such games."""

MOST = 1_000
"""The greatest of Stockfish's values that count."""

RIDGE = 400.0
SQUARES = 64 * len(LEFT)
ONE = 120
"""A weight by which :func:`probe` counts: FULL divides it."""


@kernel("void(int64[::1], int64[::1])", moves, evaluation)
def probe(memory: moves.Words, counts: moves.Words) -> None:
    """Count each of TERMS for the side to move in the position that is set up, with all weights at 0."""
    pointer = memory.ctypes
    for term in range(TERMS):
        memory[moves.WEIGHTS + term] = ONE * ((1 << 32) + 1)
        memory[evaluation.pawn_entry(pointer)] = -1  # it has what the pawns are worth by other weights
        counts[term] = evaluation.evaluate(pointer) // ONE
        memory[moves.WEIGHTS + term] = 0


def features_of(played: npt.NDArray[np.void]) -> tuple[npt.NDArray[np.int8], fitting.Floats]:
    """The features of positions, for the side to move, and how much of the middle game is left, from 0 to 1."""
    memory = search.memory_of(1, np.zeros((2, len(NAMES)), np.int64))
    counts = np.zeros(TERMS, np.int64)
    features = np.zeros((len(played), len(NAMES)), np.int8)
    left = np.zeros(len(played))
    phases = np.array([*LEFT.values()])
    for row, position in enumerate(played):
        board, turn = position["board"].astype(np.int64), int(position["turn"])
        moves.clear(memory)
        squares = np.flatnonzero(board != moves.EMPTY)
        for square in squares.tolist():
            moves.place(memory, board[square], square)
        memory[moves.TURN] = turn
        probe(memory, counts)
        features[row, SQUARES:] = counts
        kinds, blacks = board[squares] & 7, board[squares] >> 3
        columns = 64 * kinds + (squares ^ 56 * blacks)
        np.add.at(features[row], columns, np.where(blacks == turn, 1, -1))
        left[row] = min(phases[kinds].sum(), FULL) / FULL
    return features, left


def usable(played: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """The positions that count."""
    has = [(played["board"] == 8 * side + moves.PAWN).any(axis=1) for side in range(2)]
    found: npt.NDArray[np.void] = played[played["quiet"] & (np.abs(played["value"]) <= MOST) & has[0] & has[1]]
    return found


class Rows:
    """The positions to fit to: their features, the share of the middle game that is left, and the expected results."""

    def __init__(self, parts: Sequence[npt.NDArray[np.void]]) -> None:
        played = usable(np.concatenate(parts))
        self.features, self.left = features_of(played)
        self.y = (1 - SHARE) * fitting.expectation(played["value"] / LOGIT) + SHARE * played["result"]

    def table(self, rows: slice) -> fitting.Floats:
        """Some rows of the table to fit: each feature for the middle game and for the end."""
        part, left = self.features[rows].astype(np.float64), self.left[rows, None]
        return np.concatenate([part * left, part * (1 - left)], axis=1)

    def slices(self) -> list[slice]:
        return [slice(start, start + 5_000) for start in range(0, len(self.y), 5_000)]

    def scale(self, weights: fitting.Floats) -> float:
        """The hundredths of a pawn that give a side e points for each that it does not get, by these ``weights``."""
        values = np.concatenate([self.table(rows) @ weights for rows in self.slices()])
        return float(1 / fitting.logistic(values[:, None], self.y, 0.0)[0])

    def loss(self, weights: fitting.Floats, scale: float) -> float:
        """The log loss of ``weights``."""
        total = 0.0
        for rows in self.slices():
            total += len(self.y[rows]) * fitting.log_loss(self.table(rows), self.y[rows], weights / scale)
        return total / len(self.y)

    def fitted(self, start: fitting.Floats, scale: float) -> fitting.Floats:
        """The weights, near ``start`` where the positions do not say otherwise; by Newton's method."""
        weights = start / scale
        for _ in range(4):
            slope = RIDGE * (start / scale - weights)
            curve = RIDGE * np.eye(len(weights))
            for rows in self.slices():
                x = self.table(rows)
                expected = fitting.expectation(x @ weights)
                slope += x.T @ (self.y[rows] - expected)
                curve += (x * (expected * (1 - expected))[:, None]).T @ x
            weights = weights + np.linalg.solve(curve, slope)
        return weights * scale


def options(argv: Sequence[str] | None = None) -> fitting.Asked:
    """The command line's options."""
    return fitting.asked("chess", __doc__, argv, games=850, folder=True)


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(argv)
    before = fitting.rows_of(asked.replaced, NAMES)
    assert before is not None
    parts = [*chunks(asked.folder, asked.games, asked.seed)]
    held = Rows(parts[::10])
    taught = Rows([part for number, part in enumerate(parts) if number % 10])
    start = before.astype(np.float64).ravel()
    scale = taught.scale(start)  # so that a pawn stays worth what the margins of the search take it for
    fitted = taught.fitted(start, scale)
    losses = [round(held.loss(each, scale), 4) for each in (start, fitted)]
    provenance: dict[str, Any] = {
        "of": "values of searches by Stockfish, and results of its games against itself; bench/chess/games.py",
        "began with": "PeSTO's tables by R. Friederich (chessprogramming.org/PeSTO's_Evaluation_Function)",
        "games": asked.games,
        "positions": len(held.y) + len(taught.y),
        "log loss on games held back": losses[1],
    }
    return fitting.keep(
        asked,
        {"log loss": (losses[0], losses[1])},
        provenance,
        unit=UNIT,
        features=NAMES,
        weights=np.rint(fitted).astype(np.int64).reshape(2, -1).tolist(),
    )


if __name__ == "__main__":
    sys.exit(main())
