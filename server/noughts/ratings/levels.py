"""The ratings of the computer's levels, which no game changes. Pure; does no I/O.

They are from a tournament for each game, ``python -m bench.matches.tournament``, on one scale by maximum likelihood and
rounded to ten points (docs/ratings.md, "The computer"; its results: bench/results.md). What the differences are
counted from is a choice: ``medium`` is as strong as somebody new is taken to be.
"""

from __future__ import annotations

from noughts.ratings.glicko2 import Rating

DEVIATION = 50.0
"""How sure the ratings of levels are taken to be. What was measured is surer than that between neighbours, but a level
that has more or less time than it had then may be stronger or weaker."""

_POINTS: dict[str, dict[str, float]] = {
    "tictactoe": {"perfect": 1780, "hard": 1630, "medium": 1500, "easy": 1310},
    "connect4": {"perfect": 2170, "hard": 1790, "medium": 1500, "easy": 1190},
    "reversi": {"best": 2590, "hard": 1990, "medium": 1500, "easy": 1080},
    "gomoku": {"best": 2290, "hard": 2050, "medium": 1500, "easy": 1050},
    "ultimate": {"best": 2330, "hard": 1810, "medium": 1500, "easy": 1080},
}

_ELSEWHERE: dict[str, float] = {"perfect": 2000, "best": 2000, "hard": 1800, "medium": 1500, "easy": 1200}
"""For games that somebody has added: a guess."""


def rating_of(game: str, level: str) -> Rating:
    """The rating of a level of the computer in the game with this key, in every pool. Raises KeyError for no level."""
    return Rating(_POINTS.get(game, _ELSEWHERE)[level], DEVIATION)
