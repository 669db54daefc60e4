"""The engine that searches as plainly as can be, for benchmarks to have something that takes long."""

from __future__ import annotations

from noughts.engine import Analysis, Engine, Interrupt, Limits, Textbook, minimax
from noughts.games import Game, Position


class Plain:
    """The plain, unpruned search of all that can happen, whatever the limits, and then the textbook's."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.textbook = Textbook(game)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        minimax(position, win=1000)
        return self.textbook.analyse(position, limits, stop)


def plain(game: Game) -> Engine:
    """Makes the engine. Worker processes import this by name."""
    return Plain(game)
