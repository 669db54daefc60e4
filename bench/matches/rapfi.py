"""Rapfi as a player of Gomoku, with the processor time of its opponent.

It is a program of others (https://github.com/dhbloo/rapfi, GPL), the winner of several Gomocups. It speaks the protocol
of these tournaments and reads ``config.toml``, which names its weights, in its own folder. With the weights of
``classical`` it is a classical alpha-beta program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from shutil import which

from bench.matches.programs import Program
from noughts.games import Game, Position
from noughts.games.base import Grid

PROGRAM = "pbrain-rapfi"

USUAL_S = 0.1
"""The time for a move if none is asked for."""

LONG_MS = 1_000_000
DIGITS = tuple("0123456789")
READY = ("ABOUT", "name=")
"""It ignores commands for a moment after its answer."""


def rapfi(game: Game, seconds: float | None) -> Callable[[Position, Sequence[str]], str]:
    """A player, for a new game, with ``seconds`` of processor time for a move. Raises FileNotFoundError if it is not
    installed.
    """
    engine = program()
    engine.wake(*READY)
    engine.tell(f"START {len(game.layout)}", "YXHASHCLEAR")
    engine.answer("OK")

    def move(_: Position, played: Sequence[str]) -> str:
        engine.wake(*READY)
        answer = engine.think(seconds or USUAL_S, *board(game, played), stop="YXSTOP", begins=DIGITS)
        return cell(game, answer)

    return move


def board(game: Game, played: Sequence[str]) -> list[str]:
    """The lines that ask for a move after those in ``played``. Stones of its own are 1, those of its opponent 2."""
    places = _places(game.layout)
    return ["BOARD", *(f"{places[name]},{1 + (len(played) - ply) % 2}" for ply, name in enumerate(played)), "DONE"]


def cell(game: Game, answer: str) -> str:
    """The move that it answers."""
    x, y = answer.split(",")
    return game.layout[int(y)][int(x)]


@cache
def _places(layout: Grid) -> dict[str, str]:
    return {name: f"{x},{y}" for y, row in enumerate(layout) for x, name in enumerate(row)}


@cache
def program() -> Program:
    """The program, one for all games of this process."""
    file = Path(found() or PROGRAM).resolve()
    engine = Program([str(file)], folder=file.parent)
    engine.tell("INFO max_memory 33554432", "INFO thread_num 1", f"INFO timeout_turn {LONG_MS}")
    return engine


def found() -> str | None:
    """Where the program is, None if it is not installed."""
    return which(PROGRAM)
