"""Searches that try the workers' patience. The worker processes import them by name.

They are asked for by levels of their own: by depths to which no game goes.
"""

import os
import time
from collections.abc import Callable

from noughts.engine import LEVELS, Analysis, Engine, Interrupt, Level, Limits, Textbook, minimax
from noughts.games import Game, Position

NEVER_S = 1e6


def slow(position: Position, stop: Interrupt) -> None:
    """Takes its time before it searches."""
    minimax(position)


def endless(position: Position, stop: Interrupt) -> None:
    """Goes on until it is stopped."""
    while not stop():
        sum(range(1000))


def deaf(position: Position, stop: Interrupt) -> None:
    """Never ends and never asks whether to stop."""
    while True:
        time.sleep(1)


def deadly(position: Position, stop: Interrupt) -> None:
    """Takes its process with it, as the end of memory would."""
    os._exit(1)


def chatty(position: Position, stop: Interrupt) -> None:
    """Prints while it searches."""
    print("searching")


ODDITIES: dict[int, Callable[[Position, Interrupt], None]] = dict(
    enumerate((slow, endless, deaf, deadly, chatty), start=1001)
)
ODD_LEVELS = LEVELS | {oddity.__name__: Level(depth, NEVER_S) for depth, oddity in ODDITIES.items()}
"""The levels, and those that ask for one of these."""


class Odd:
    """The textbook's engine, after what the depth asks for."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.textbook = Textbook(game)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        if limits.depth in ODDITIES:
            ODDITIES[limits.depth](position, stop)
        return self.textbook.analyse(position, limits, stop)


def odd_engine_of(game: Game) -> Engine:
    """Makes the engine that knows those levels."""
    return Odd(game)
