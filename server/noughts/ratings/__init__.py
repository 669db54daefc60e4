"""Ratings: Glicko-2, the computer's levels, and how finished games are rated."""

from noughts.glicko2 import PROVISIONAL, Rating, provisional
from noughts.ratings.levels import is_measured, rating_of
from noughts.ratings.rules import Stakes, after_game, as_rated, stakes
from noughts.ratings.updates import UnreadableRooms, rate_all, recompute

__all__ = [
    "PROVISIONAL",
    "Rating",
    "Stakes",
    "UnreadableRooms",
    "after_game",
    "as_rated",
    "is_measured",
    "provisional",
    "rate_all",
    "rating_of",
    "recompute",
    "stakes",
]
