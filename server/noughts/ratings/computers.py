"""The ratings of the computer's levels, which no game changes. Pure; does no I/O.

Where a level and the next have been measured against each other (bench/results.md, "The levels against each other", of
November 2026; tic-tac-toe exactly, docs/engine.md), they are 400 log10(s / (1 - s)) points apart, to ten points, when
the stronger has the share s of the points; 500 at most, since of 100 games no share tells more. Where they have not,
``best`` is taken to be 200 points above ``hard``. What these differences are counted from is a choice: ``medium`` is as
strong as somebody new is taken to be.
"""

from __future__ import annotations

from noughts.ratings.glicko2 import Rating

DEVIATION = 50.0
"""How sure the ratings of levels are taken to be: the intervals of what was measured are some 50 to 100 points wide."""

_POINTS: dict[str, dict[str, float]] = {
    "tictactoe": {"perfect": 1810, "hard": 1640, "medium": 1500, "easy": 1310},
    "connect4": {"perfect": 2150, "hard": 1810, "medium": 1500, "easy": 1170},
    "reversi": {"best": 2470, "hard": 1970, "medium": 1500, "easy": 1100},
    "gomoku": {"best": 2080, "hard": 1880, "medium": 1500, "easy": 1080},  # best: not measured
    "ultimate": {"best": 2110, "hard": 1910, "medium": 1500, "easy": 1170},  # best: not measured
}

_ELSEWHERE: dict[str, float] = {"perfect": 2000, "best": 2000, "hard": 1800, "medium": 1500, "easy": 1200}
"""For games that somebody has added: a guess."""


def rating_of(game: str, level: str) -> Rating:
    """The rating of a level of the computer in the game with this key, in every pool. Raises KeyError for no level."""
    return Rating(_POINTS.get(game, _ELSEWHERE)[level], DEVIATION)
