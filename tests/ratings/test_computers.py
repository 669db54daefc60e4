"""The ratings of the computer's levels: what was measured between them, and nothing else."""

from __future__ import annotations

from math import log10

import pytest

from noughts.engine import LEVELS, levels_of
from noughts.games import GAMES
from noughts.ratings import rating_of

# What share of the points each level has had of the one below: bench/results.md, and docs/engine.md for tic-tac-toe.
MEASURED = {
    "tictactoe": {("perfect", "hard"): 0.7245, ("hard", "medium"): 0.696, ("medium", "easy"): 0.7465},
    "connect4": {("perfect", "hard"): 0.88, ("hard", "medium"): 0.855, ("medium", "easy"): 0.87},
    "reversi": {("best", "hard"): 0.99, ("hard", "medium"): 0.9375, ("medium", "easy"): 0.9075},
    "gomoku": {("hard", "medium"): 0.90, ("medium", "easy"): 0.9167},
    "ultimate": {("hard", "medium"): 0.915, ("medium", "easy"): 0.87},
}


@pytest.mark.parametrize(
    ("game", "stronger", "weaker", "share"),
    [(game, *pair, share) for game, pairs in MEASURED.items() for pair, share in pairs.items()],
)
def test_levels_are_as_far_apart_as_was_measured(game: str, stronger: str, weaker: str, share: float) -> None:
    apart = min(500, 400 * log10(share / (1 - share)))
    assert rating_of(game, stronger).rating - rating_of(game, weaker).rating == pytest.approx(apart, abs=10)


@pytest.mark.parametrize("game", [*GAMES, "another"])
def test_every_level_has_a_rating_and_the_stronger_the_higher(game: str) -> None:
    levels = levels_of(GAMES[game]) if game in GAMES else ("best", "hard", "medium", "easy")
    points = [rating_of(game, level).rating for level in levels]
    assert points == sorted(points, reverse=True)
    assert len(set(points)) == len(levels) == len(LEVELS) - 1
    assert rating_of(game, "medium").rating == 1500
