"""Engines in tests: a C program that speaks Gomocup and GTP, and talks in which the test speaks for the engine."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from noughts.games import GAMES
from noughts_client.bots.dialogs import DialogError, Result, Talk
from support.programs import program

SOURCE = Path(__file__).parents[1] / "client" / "bots" / "engine.c"


def talked(talk: Talk[Result], says: Iterable[str]) -> tuple[list[str], Result]:
    """The lines for an engine that says ``says``, and the result. All that it says must be read."""
    sent = list(next(talk))
    lines = list(says)
    while lines:
        try:
            sent += talk.send(lines.pop(0))
        except StopIteration as over:
            assert lines == []
            return sent, over.value
    pytest.fail(f"the engine should say more after {sent}")


def failing(talk: Talk[Result], says: Iterable[str]) -> DialogError:
    """The error that what an engine says leads to."""
    with pytest.raises(DialogError) as raised:
        talked(talk, says)
    return raised.value


def built(source: Path, folder: Path) -> Path:
    """A C program, compiled."""
    path = folder / source.stem
    subprocess.run([program("gcc"), "-Wall", "-Wextra", "-Werror", "-O1", "-o", path, source], check=True)
    return path


def engine_in_c(folder: Path) -> Path:
    """The C engine, compiled in ``folder``."""
    return built(SOURCE, folder)


def until_a_pass(passes: str, seed: int) -> list[str]:
    """Random moves of Reversi up to where ``passes``, a side, cannot move but the other one can."""
    chance, position = random.Random(seed), GAMES["reversi"].start
    moves: list[str] = []
    while position.legal_moves != ("pass",) or position.to_move != passes:
        if position.outcome is not None:
            moves, position = [], GAMES["reversi"].start
        move = chance.choice(position.legal_moves)
        moves.append(move)
        position = position.play(move)
    return moves
