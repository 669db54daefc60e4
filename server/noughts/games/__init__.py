"""The games, each in one file. Importing this looks for the games of other packages; otherwise it does no I/O."""

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Option,
    Outcome,
    Piece,
    Position,
    Reason,
    Side,
    Style,
)
from noughts.games.connect4 import CONNECT4
from noughts.games.gomoku import GOMOKU
from noughts.games.installed import installed
from noughts.games.reversi import REVERSI
from noughts.games.tictactoe import TICTACTOE
from noughts.games.ultimate import ULTIMATE

OWN = (TICTACTOE, CONNECT4, REVERSI, GOMOKU, ULTIMATE)
GAMES: dict[str, Game] = installed({game.key: game for game in OWN})
"""All games by key: those of this package and those of installed packages."""

__all__ = [
    "GAMES",
    "OWN",
    "SEAM",
    "Board",
    "Game",
    "Heuristic",
    "IllegalMove",
    "InvalidPosition",
    "MalformedMove",
    "Option",
    "Outcome",
    "Piece",
    "Position",
    "Reason",
    "Side",
    "Style",
]
