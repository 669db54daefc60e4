"""Ratings: Glicko-2, who has which, and how they are made of the games that are over."""

from noughts.ratings.computers import rating_of
from noughts.ratings.glicko2 import Rating
from noughts.ratings.making import LeftOut, rate_all, recompute
from noughts.ratings.standings import PROVISIONAL, after_game, as_rated, provisional

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
