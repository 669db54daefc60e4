"""Fairy-Stockfish as a player of chess, at the strength of a rating.

Its ``UCI_Elo`` chooses a depth, and how much worse than the best a move may be. Its authors have fitted that to matches
at a minute and 0.6 s a move, on the scale of the Computer Chess Rating Lists (CCRL 40/4). It has made up its mind at
that depth, so more time would not change its moves.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from shutil import which

from noughts.games import Position

ELO = {"fairy1350": 1350, "fairy1900": 1900}
"""The players. 1350 is the lowest rating that it offers."""

DEPTH = 8
"""In plies. With these ratings it has chosen its move after seven at the latest."""


def fairy(name: str) -> Callable[[Position, Sequence[str]], str]:
    """A player, for a new game. Its randomness is its own. Raises FileNotFoundError if it is not installed."""
    elo = ELO[name]
    _ask(elo, "ucinewgame", "isready", until="readyok")

    def move(_: Position, played: Sequence[str]) -> str:
        answer = _ask(elo, f"position startpos moves {' '.join(played)}", f"go depth {DEPTH}", until="bestmove")
        return answer.split()[1]

    return move


def _ask(elo: int, *lines: str, until: str) -> str:
    """The engine's first answer to ``lines`` that begins with ``until``."""
    engine = _engine(elo)
    assert engine.stdin
    assert engine.stdout
    engine.stdin.write("".join(f"{line}\n" for line in lines))
    engine.stdin.flush()
    return next(line for line in engine.stdout if line.startswith(until))


@cache
def _engine(elo: int) -> subprocess.Popen[str]:
    """The program at a rating, one for all games of this process. It ends with us, when its input does."""
    engine = subprocess.Popen(
        [program() or "fairy-stockfish"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert engine.stdin
    engine.stdin.write(f"setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value {elo}\n")
    return engine


def program() -> str | None:
    """Where the program is, None if it is not installed. Debian has it in /usr/games."""
    return which("fairy-stockfish") or which("fairy-stockfish", path="/usr/games")
