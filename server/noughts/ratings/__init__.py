"""Ratings: Glicko-2, who has which, and how they are made of the games that are over."""

from noughts.ratings.glicko2 import Rating
from noughts.ratings.levels import rating_of
from noughts.ratings.rules import PROVISIONAL, after_game, as_rated, provisional
from noughts.ratings.updates import LeftOut, rate_all, recompute

__all__ = [
    "PROVISIONAL",
    "LeftOut",
    "Rating",
    "after_game",
    "as_rated",
    "provisional",
    "rate_all",
    "rating_of",
    "recompute",
]
