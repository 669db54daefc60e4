"""Stockfish as a player of chess, at the strength of a rating, with the processor time of its opponent.

Its ``UCI_Elo`` chooses how deep it looks before it makes up its mind, and how much worse than the best a move may be.
Its authors have fitted that to matches at a minute and 0.6 s a move, on the scale of the Computer Chess Rating Lists
(CCRL 40/4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from shutil import which

from bench.matches.programs import Program
from noughts.games import Position

RATED = {f"stockfish{elo}": elo for elo in (1600, 1800, 2000, 2200, 2400, 2600)}
"""The players, and their ratings."""

USUAL_S = 0.2
"""The time for a move if none is asked for."""


def stockfish(name: str, seconds: float | None) -> Callable[[Position, Sequence[str]], str]:
    """A player, for a new game, with ``seconds`` of processor time for a move. Its randomness is its own.

    Raises FileNotFoundError if it is not installed.
    """
    engine = _engine(RATED[name])
    engine.tell("ucinewgame", "isready")
    engine.answer("readyok")

    def move(_: Position, played: Sequence[str]) -> str:
        asked = (f"position startpos moves {' '.join(played)}", "go infinite")
        return engine.think(seconds or USUAL_S, *asked, stop="stop", begins=("bestmove",)).split()[1]

    return move


@cache
def _engine(elo: int) -> Program:
    """The program at a rating, one for all games of this process."""
    engine = Program([found() or "stockfish"])
    engine.tell("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {elo}")
    return engine


def found() -> str | None:
    """Where the program is, None if it is not installed. Debian has it in /usr/games."""
    return which("stockfish") or which("stockfish", path="/usr/games")
