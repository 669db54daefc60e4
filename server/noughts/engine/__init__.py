"""The engine: searches for any game, and the levels at which the computer plays. Pure; does no I/O."""

from noughts.engine.analysis import Analysis, Bound, Engine, Interrupt, Limits, MoveValue
from noughts.engine.engines import engine_of, has_kernel, plain_engine_of, usable_engine_of
from noughts.engine.levels import LEVELS, Level, choose, expected_result, levels_of, odds
from noughts.engine.minimax import Search, Stopped, Values, alpha_beta, minimax
from noughts.engine.review import SWING, FinishedGame, Mark, ReviewedMove, decisive, review_move
from noughts.engine.textbook import Textbook
from noughts.engine.tree import TreeResult, tree_alpha_beta, tree_minimax

__all__ = [
    "LEVELS",
    "SWING",
    "Analysis",
    "Bound",
    "Engine",
    "FinishedGame",
    "Interrupt",
    "Level",
    "Limits",
    "Mark",
    "MoveValue",
    "ReviewedMove",
    "Search",
    "Stopped",
    "Textbook",
    "TreeResult",
    "Values",
    "alpha_beta",
    "choose",
    "decisive",
    "engine_of",
    "expected_result",
    "has_kernel",
    "levels_of",
    "minimax",
    "odds",
    "plain_engine_of",
    "review_move",
    "tree_alpha_beta",
    "tree_minimax",
    "usable_engine_of",
]
