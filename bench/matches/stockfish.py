"""Stockfish as a player of chess, at the strength of a rating, with the processor time of its opponent.

Its ``UCI_Elo`` chooses how deep it looks before it makes up its mind, and how much worse than the best a move may be.
Its authors have fitted that to matches at a minute and 0.6 s a move, on the scale of the Computer Chess Rating Lists
(CCRL 40/4). Linux only: it reads the program's processor time in ``/proc``.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from shutil import which

from noughts.games import Position

RATED = {f"stockfish{elo}": elo for elo in (1600, 1800, 2000, 2200, 2400, 2600)}
"""The players, and their ratings."""

USUAL_S = 0.2
"""The time for a move if none is asked for."""

POLL_S = 0.001


@dataclass(frozen=True)
class _Engine:
    """The program, and the lines that it has written: it stops to think while nobody reads them."""

    program: subprocess.Popen[str]
    lines: SimpleQueue[str]

    def tell(self, *lines: str) -> None:
        assert self.program.stdin
        self.program.stdin.write("".join(f"{line}\n" for line in lines))
        self.program.stdin.flush()

    def answer(self, begins: str) -> str:
        """The next line that begins so."""
        while not (line := self.lines.get()).startswith(begins):
            pass
        return line

    def used_s(self) -> float:
        """The processor time that the program has used."""
        threads = Path(f"/proc/{self.program.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9

    def read(self) -> None:
        assert self.program.stdout
        for line in self.program.stdout:
            self.lines.put(line)


def stockfish(name: str, seconds: float | None) -> Callable[[Position, Sequence[str]], str]:
    """A player, for a new game, with ``seconds`` of processor time for a move. Its randomness is its own.

    Raises FileNotFoundError if it is not installed.
    """
    engine = _engine(RATED[name])
    engine.tell("ucinewgame", "isready")
    engine.answer("readyok")

    def move(_: Position, played: Sequence[str]) -> str:
        end = engine.used_s() + (seconds or USUAL_S)
        engine.tell(f"position startpos moves {' '.join(played)}", "go infinite")
        while (left := end - engine.used_s()) > 0:
            # One thread cannot use more processor time than wall time passes, so it is safe to sleep for the rest.
            time.sleep(max(left, POLL_S))
        engine.tell("stop")
        return engine.answer("bestmove").split()[1]

    return move


@cache
def _engine(elo: int) -> _Engine:
    """The program at a rating, one for all games of this process. It ends with us, when its input does."""
    program = subprocess.Popen([found() or "stockfish"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    engine = _Engine(program, SimpleQueue())
    threading.Thread(target=engine.read, daemon=True).start()
    engine.tell("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {elo}")
    return engine


def found() -> str | None:
    """Where the program is, None if it is not installed. Debian has it in /usr/games."""
    return which("stockfish") or which("stockfish", path="/usr/games")
