"""The games, each in one file. Pure; does no I/O."""

from noughts.games.base import (
    Game,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Outcome,
    Position,
    Reason,
    Side,
    Style,
)
from noughts.games.tictactoe import TICTACTOE

GAMES: dict[str, Game] = {game.key: game for game in (TICTACTOE,)}
"""Every game that can be played here, by key."""

__all__ = [
    "GAMES",
    "Game",
    "IllegalMove",
    "InvalidPosition",
    "MalformedMove",
    "Outcome",
    "Position",
    "Reason",
    "Side",
    "Style",
]
