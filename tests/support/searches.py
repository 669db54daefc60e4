"""Searches that try the workers' patience. The worker processes import them by name."""

import os
import time
from collections.abc import Callable

from noughts.engine import Analysis, alpha_beta, minimax
from noughts.engine.minimax import WIN, never
from noughts.games import Position


def endless(
    position: Position, *, win: int = WIN, max_depth: int | None = None, stop: Callable[[], bool] = never
) -> Analysis:
    """The plain search, again and again until it is stopped."""
    while True:
        minimax(position, win=win, max_depth=max_depth, stop=stop)


def deaf(
    position: Position, *, win: int = WIN, max_depth: int | None = None, stop: Callable[[], bool] = never
) -> Analysis:
    """Never ends and never asks whether to stop."""
    while True:
        time.sleep(1)


def deadly(
    position: Position, *, win: int = WIN, max_depth: int | None = None, stop: Callable[[], bool] = never
) -> Analysis:
    """Takes its process with it, as the end of memory would."""
    os._exit(1)


def chatty(
    position: Position, *, win: int = WIN, max_depth: int | None = None, stop: Callable[[], bool] = never
) -> Analysis:
    """Prints while it searches."""
    print("searching")
    return alpha_beta(position, win=win, max_depth=max_depth, stop=stop)
