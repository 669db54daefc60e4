"""The games, each in one file. Importing this does no I/O."""

from noughts.games.base import (
    SEAM,
    SWAP,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Measure,
    Option,
    Outcome,
    Piece,
    Position,
    Reason,
    RecordFormat,
    Side,
    Style,
)
from noughts.games.catalogue import GAMES, OWN

__all__ = [
    "GAMES",
    "OWN",
    "SEAM",
    "SWAP",
    "Board",
    "Game",
    "Heuristic",
    "IllegalMove",
    "InvalidPosition",
    "MalformedMove",
    "Measure",
    "Option",
    "Outcome",
    "Piece",
    "Position",
    "Reason",
    "RecordFormat",
    "Side",
    "Style",
]
