"""Fits what a position holds to how its game ended, and writes the weights that an evaluation goes by.

Of Reversi the end is a margin, and the fit is by least squares (:func:`linear`); elsewhere it is a win, a draw or a
loss, and the fit is by logistic regression (:func:`logistic`), so that what is weighed adds up to the logarithm of the
odds to win. Both are held back by a ridge, as of features that go together neither's weight is known well (A. Hoerl and
R. Kennard, *Ridge Regression*, 1970).
"""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ROUNDS = 30
"""Of Newton's method at most; some eight do."""


def linear(x: Floats, y: Floats, ridge: float) -> Floats:
    """The weights w, one a column of ``x``, for which the rows of ``x`` give ``y``: x @ w."""
    return np.asarray(np.linalg.solve(x.T @ x + ridge * np.eye(x.shape[1]), x.T @ y), np.float64)


def logistic(x: Floats, y: Floats, ridge: float) -> Floats:
    """The weights w, one a column of ``x``, for which 1 / (1 + exp(-x @ w)) is the result to expect.

    ``y`` are the results, 0 for a loss, 1/2 for a draw, 1 for a win. By iteratively reweighted least squares.
    """
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        expected = expectation(x @ weights)
        slope = x.T @ (y - expected) - ridge * weights
        curve = (x * (expected * (1 - expected))[:, None]).T @ x + ridge * np.eye(x.shape[1])
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def expectation(logits: Floats) -> Floats:
    """The result to expect, 0 to 1, by the logarithm of the odds."""
    found: Floats = 1 / (1 + np.exp(-np.clip(logits, -50, 50)))
    return found


def log_loss(x: Floats, y: Floats, weights: Floats) -> float:
    """How far off ``weights`` are on ``x`` and ``y``: what a result surprises, in nats, 0.693 by knowing nothing."""
    expected = np.clip(expectation(x @ weights), 1e-9, 1 - 1e-9)
    return float(-np.mean(y * np.log(expected) + (1 - y) * np.log(1 - expected)))


def write(
    file: Path,
    provenance: dict[str, Any],
    unit: int | None,
    features: list[str],
    weights: list[list[int]],
    **tables: list[list[int]],
) -> None:
    """Write the file that ``noughts.engine.weights`` reads, with further ``tables``. The versions of what made it are
    added.
    """
    made = provenance | {"versions": {name: version(name) for name in ("noughts", "numba", "numpy")}}
    made["versions"]["python"] = platform.python_version()
    parts = [json.dumps({"provenance": made, "unit": unit, "features": features}, indent=2, ensure_ascii=False)[:-2]]
    for name, table in ({"weights": weights} | tables).items():
        rows = ",\n".join(f"    {row}" for row in table)
        parts.append(f'  "{name}": [\n{rows}\n  ]')
    file.write_text(",\n".join(parts) + "\n}\n", encoding="utf-8")
