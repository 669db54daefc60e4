"""The engine for Gomoku with the opening swap2. Importing this raises ImportError without numba. Pure; does no I/O."""

from __future__ import annotations

from noughts.engine.analysis import Analysis, Interrupt, Limits
from noughts.engine.gomoku.engine import GomokuEngine
from noughts.engine.textbook import Textbook
from noughts.games import Game, Position
from noughts.games.swap2 import Swap2Position


class Swap2Engine:
    """An :class:`~noughts.engine.analysis.Engine` for Gomoku with swap2: the textbook search during the opening, which
    the kernel does not know, and from then on that of :class:`~noughts.engine.gomoku.engine.GomokuEngine`.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._opening, self._kernel = Textbook(game), GomokuEngine()

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another game."""
        if not isinstance(position, Swap2Position):
            raise TypeError(f"a position of Gomoku with swap2, not {type(position).__name__}")
        if position.stage != "play":
            return self._opening.analyse(position, limits, stop)
        # Values are for the side to move, whichever has the black stones.
        return self._kernel.analyse(position.line, limits, stop)
