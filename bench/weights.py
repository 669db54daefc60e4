"""Fits the weights of an evaluation to the results of games, and writes them.

In Reversi the result is a margin, and the fit is by least squares (:func:`linear`). In other games it is a win, a draw
or a loss, and the fit is by logistic regression (:func:`logistic`), so that the weighted features add up to the
logarithm of the odds to win. Both use a ridge, because the weights of correlated features are poorly determined (A.
Hoerl and R. Kennard, *Ridge Regression*, 1970).

Each game has a program for this, ``python -m bench.GAME.fit``. They have the same options (:func:`asked`), and keep new
weights only if they are no worse than those they replace (:func:`keep`).
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ENGINES = Path(__file__).parents[1] / "server/noughts/engine"
"""The engines in this source tree, which may differ from the installed package."""

ROUNDS = 30
"""The most rounds of Newton's method; about eight are enough."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A fit's options. ``rounds`` is None if the game has a fixed number, ``out`` if no file was given, and ``folder``
    if the games are not kept.
    """

    game: str
    games: int
    rounds: int | None
    seed: int
    out: Path | None
    folder: Path | None = None
    program: str = "fit"

    @property
    def replaced(self) -> Path:
        """The file with the game's current weights."""
        return ENGINES / self.game / "weights.json"

    @property
    def command(self) -> str:
        rounds = "" if self.rounds is None else f" --rounds {self.rounds}"
        return f"python -m bench.{self.game}.{self.program} --games {self.games}{rounds} --seed {self.seed}"


def asked(
    game: str,
    doc: str | None,
    argv: Sequence[str] | None,
    *,
    games: int,
    rounds: int | None = None,
    each: str = "",
    folder: bool = False,
    program: str = "fit",
) -> Asked:
    """Parse the command line of the program that fits the weights of ``game``. ``games`` and ``rounds`` are the
    defaults.

    ``each`` says what the number of games refers to, if not to the whole run; ``folder`` that games can be kept.
    Exits with an error message if the options are invalid.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m bench.{game}.{program}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=games, help=f"number of games{each} ({games})")
    if rounds is not None:
        parser.add_argument("--rounds", type=int, default=rounds, help=f"number of rounds ({rounds})")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the weights to FILE even if they are worse (by default, to "
        f"server/noughts/engine/{game}/weights.json of this source tree, unless they are worse than those there)",
    )
    if folder:
        parser.add_argument(
            "--folder", type=Path, metavar="DIR", help="keep the games in DIR, and use those that it has"
        )
    options = parser.parse_args(argv)
    found = Asked(
        game,
        options.games,
        options.rounds if rounds is not None else None,
        options.seed,
        options.out,
        options.folder if folder else None,
        program,
    )
    if found.games < 10 or (found.rounds is not None and found.rounds < 1):
        parser.error("at least 10 games, of which a tenth is held out, and at least one round are needed")
    directory = (found.out or found.replaced).parent
    if not directory.is_dir():  # better now than after all the games
        parser.error(f"no such directory: {directory}")
    return found


def linear(x: Floats, y: Floats, ridge: float) -> Floats:
    """The weights w, one for each column of ``x``, for which x @ w is closest to ``y``."""
    return np.asarray(np.linalg.solve(x.T @ x + ridge * np.eye(x.shape[1]), x.T @ y), np.float64)


def logistic(x: Floats, y: Floats, ridge: float | Floats) -> Floats:
    """The weights w, one for each column of ``x``, for which 1 / (1 + exp(-x @ w)) is the expected result.

    ``y`` are the results: 0 for a loss, 1/2 for a draw, 1 for a win. ``ridge`` may have one for each column. Uses
    iteratively reweighted least squares.
    """
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        expected = expectation(x @ weights)
        slope = x.T @ (y - expected) - ridge * weights
        curve = (x * (expected * (1 - expected))[:, None]).T @ x + np.diag(np.broadcast_to(ridge, weights.shape))
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def expectation(logits: Floats) -> Floats:
    """The expected result, 0 to 1, from the logarithm of the odds."""
    found: Floats = 1 / (1 + np.exp(-np.clip(logits, -50, 50)))
    return found


def log_loss(x: Floats, y: Floats, weights: Floats) -> float:
    """The log loss of ``weights`` on ``x`` and ``y``, in nats; 0.693 for a guess of 1/2."""
    expected = np.clip(expectation(x @ weights), 1e-9, 1 - 1e-9)
    return float(-np.mean(y * np.log(expected) + (1 - y) * np.log(1 - expected)))


def rows_of(file: Path, features: Sequence[str]) -> npt.NDArray[np.int64] | None:
    """The weights in ``file``, or None if it does not exist or has other features."""
    if not file.exists():
        return None
    stored = json.loads(file.read_text(encoding="utf-8"))
    return np.array(stored["weights"], np.int64) if stored["features"] == list(features) else None


def stored(file: Path) -> dict[str, Any]:
    """All that is in ``file``."""
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def keep(
    asked: Asked,
    losses: Mapping[str, tuple[float | None, float]],
    provenance: dict[str, Any],
    *,
    unit: int | None,
    features: Sequence[str],
    weights: list[list[int]],
    **tables: list[list[int]],
) -> int:
    """Write the weights, with any further ``tables``, to the file that ``noughts.engine.weights`` reads, and print its
    path. Returns the exit status.

    ``losses`` are the errors on held-out games of the weights that are replaced, None if unknown, and of the new ones.
    Worse weights are written only if ``out`` was given; otherwise the status is 1. The command, the date and the
    versions of the packages are added to ``provenance``.
    """
    for name, (before, after) in losses.items():
        print(f"{name} on games held back: {'unknown' if before is None else before} before, {after} after")
    file = asked.out or asked.replaced
    if any(before is not None and after > before for before, after in losses.values()):
        action = "written anyway, because of --out" if asked.out else f"{file} is unchanged"
        print(f"The new weights are worse on games held back: {action}.", file=sys.stderr)
        if not asked.out:
            return 1
    made = {"command": asked.command, "date": f"{datetime.datetime.now(datetime.UTC):%B %Y}"} | provenance
    made["versions"] = {name: version(name) for name in ("noughts", "numba", "numpy")}
    made["versions"]["python"] = platform.python_version()
    head = {"provenance": made, "unit": unit, "features": list(features)}
    parts = [json.dumps(head, indent=2, ensure_ascii=False)[:-2]]
    for name, table in ({"weights": weights} | tables).items():
        rows = ",\n".join(f"    {row}" for row in table)
        parts.append(f'  "{name}": [\n{rows}\n  ]')
    file.write_text(",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(f"The weights are in {file}")
    return 0
