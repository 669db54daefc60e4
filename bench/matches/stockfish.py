"""Stockfish as a player of chess, at the strength of a rating, with the processor time of its opponent.

Its ``UCI_Elo`` chooses how deep it looks before it makes up its mind, and how much worse than the best a move may be.
Its authors have fitted that to matches at a minute and 0.6 s a move, on the scale of the Computer Chess Rating Lists
(CCRL 40/4). Linux only: it reads the program's processor time in ``/proc``.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from shutil import which

from noughts.games import Position

RATED = {f"stockfish{elo}": elo for elo in (1600, 1800, 2000, 2200, 2400, 2600)}
"""The players, and their ratings."""

USUAL_S = 0.2
"""The time for a move if none is asked for."""

POLL_S = 0.001


def stockfish(name: str, seconds: float | None) -> Callable[[Position, Sequence[str]], str]:
    """A player, for a new game, with ``seconds`` of processor time for a move. Its randomness is its own.

    Raises FileNotFoundError if it is not installed.
    """
    program = _engine(RATED[name])
    _tell(program, "ucinewgame", "isready")
    _answer(program, "readyok")

    def move(_: Position, played: Sequence[str]) -> str:
        end = _used_s(program) + (seconds or USUAL_S)
        _tell(program, f"position startpos moves {' '.join(played)}", "go infinite")
        while (left := end - _used_s(program)) > 0:
            # One thread cannot use more processor time than wall time passes, so it is safe to sleep for the rest.
            time.sleep(max(left, POLL_S))
        _tell(program, "stop")
        return _answer(program, "bestmove").split()[1]

    return move


def _tell(program: subprocess.Popen[str], *lines: str) -> None:
    assert program.stdin
    program.stdin.write("".join(f"{line}\n" for line in lines))
    program.stdin.flush()


def _answer(program: subprocess.Popen[str], begins: str) -> str:
    """The program's next line that begins so."""
    assert program.stdout
    return next(line for line in program.stdout if line.startswith(begins))


def _used_s(program: subprocess.Popen[str]) -> float:
    """The processor time that the program has used."""
    threads = Path(f"/proc/{program.pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9


@cache
def _engine(elo: int) -> subprocess.Popen[str]:
    """The program at a rating, one for all games of this process. It ends with us, when its input does."""
    program = subprocess.Popen([found() or "stockfish"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    _tell(program, "setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {elo}")
    return program


def found() -> str | None:
    """Where the program is, None if it is not installed. Debian has it in /usr/games."""
    return which("stockfish") or which("stockfish", path="/usr/games")
