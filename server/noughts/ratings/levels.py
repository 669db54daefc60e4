"""The fixed ratings of the computer's levels. Pure; does no I/O.

They come from a tournament for each game, ``python -m bench.matches.tournament``, fitted by maximum likelihood and
rounded to ten points (docs/ratings.md, "The computer"; results: bench/results.md). Only differences can be measured, so
``medium`` is set to the rating of a new player.
"""

from __future__ import annotations

from noughts.glicko2 import Rating

DEVIATION = 50.0
"""The deviation of every level. The measured differences between neighbours are more certain, but a level that has more
or less time than in the tournament may be stronger or weaker."""

_POINTS: dict[str, dict[str, float]] = {
    "tictactoe": {"perfect": 1780, "hard": 1630, "medium": 1500, "easy": 1310},
    "connect4": {"perfect": 2170, "hard": 1790, "medium": 1500, "easy": 1190},
    "reversi": {"best": 2520, "hard": 2000, "medium": 1500, "easy": 1100},
    "gomoku": {"best": 2060, "hard": 1880, "medium": 1500, "easy": 940},
    "ultimate": {"best": 2330, "hard": 1810, "medium": 1500, "easy": 1080},
    "draughts": {"best": 2110, "hard": 1840, "medium": 1500, "easy": 1210},
    "kalah": {"best": 2030, "hard": 1790, "medium": 1500, "easy": 1320},
    "dots": {"best": 1930, "hard": 1750, "medium": 1500, "easy": 1240},
    "breakthrough": {"best": 2120, "hard": 1950, "medium": 1500, "easy": 1070},
    "morris": {"best": 2000, "hard": 1870, "medium": 1500, "easy": 940},
    "chess": {"best": 2660, "hard": 1980, "medium": 1500, "easy": 820},
    "go": {"best": 2080, "hard": 1830, "medium": 1500, "easy": 1010},
    "hex": {"best": 2110, "hard": 1860, "medium": 1500, "easy": 940},
}

_MEASURED_S: dict[str, float] = {
    "draughts": 0.03,
    "kalah": 0.03,
    "breakthrough": 0.2,
    "morris": 0.2,
}
"""The time for a move of the strongest level in the tournament of a game, where it was not 0.1 s."""

_OTHER_GAMES: dict[str, float] = {"perfect": 2000, "best": 2000, "hard": 1800, "medium": 1500, "easy": 1200}
"""For games that are not in the table, such as installed ones: a guess."""


def measured_s(game: str) -> float:
    """The time for a move, in seconds, with which the ratings of the levels in the game with this key were measured.

    In games that are not in the table, whose ratings are a guess, it is the longest of all.
    """
    return _MEASURED_S.get(game, 0.1 if game in _POINTS else max(_MEASURED_S.values()))


def is_measured(game: str) -> bool:
    """True if the ratings of the levels in the game with this key were measured. Otherwise they are a guess: games
    against the levels are rated by it, but it is not shown.
    """
    return game in _POINTS


def rating_of(game: str, level: str) -> Rating:
    """The rating of a level of the computer in the game with this key, in every pool. Raises KeyError."""
    return Rating(_POINTS.get(game, _OTHER_GAMES)[level], DEVIATION)
