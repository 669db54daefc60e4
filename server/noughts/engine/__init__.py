"""The engine: searches for any game, and the levels at which the computer plays. Pure; does no I/O."""

from noughts.engine.analysis import Analysis, Bound, Engine, Interrupt, Limits, MoveValue, Verdict, named, verdict_of
from noughts.engine.engines import engine_of, has_kernel, plain_engine_of, usable_engine_of
from noughts.engine.grow import Method
from noughts.engine.iterations import MOST_ITERATIONS, Sampled, Sampling, sampled_object, trace_playouts
from noughts.engine.levels import LEVELS, Level, choose, expected_result, levels_of, odds
from noughts.engine.mcts import MonteCarlo
from noughts.engine.minimax import Search, Stopped, Values, alpha_beta, minimax
from noughts.engine.review import (
    SWING,
    FinishedGame,
    Mark,
    Resignation,
    ReviewedMove,
    decisive,
    review_move,
    review_resignation,
)
from noughts.engine.steps import Trace, as_object
from noughts.engine.textbook import Textbook
from noughts.engine.trace import Tracing, trace_game, trace_tree
from noughts.engine.tree import BadTree, TreePosition, parse_tree

__all__ = [
    "LEVELS",
    "MOST_ITERATIONS",
    "SWING",
    "Analysis",
    "BadTree",
    "Bound",
    "Engine",
    "FinishedGame",
    "Interrupt",
    "Level",
    "Limits",
    "Mark",
    "Method",
    "MonteCarlo",
    "MoveValue",
    "Resignation",
    "ReviewedMove",
    "Sampled",
    "Sampling",
    "Search",
    "Stopped",
    "Textbook",
    "Trace",
    "Tracing",
    "TreePosition",
    "Values",
    "Verdict",
    "alpha_beta",
    "as_object",
    "choose",
    "decisive",
    "engine_of",
    "expected_result",
    "has_kernel",
    "levels_of",
    "minimax",
    "named",
    "odds",
    "parse_tree",
    "plain_engine_of",
    "review_move",
    "review_resignation",
    "sampled_object",
    "trace_game",
    "trace_playouts",
    "trace_tree",
    "usable_engine_of",
    "verdict_of",
]
