"""Positions for the tests of Reversi's engine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from noughts.games.base import Side
from noughts.games.reversi import REVERSI, ReversiPosition, parse


@dataclass(frozen=True, slots=True)
class Solved:
    """A published position: its number, and the exact values of the listed moves."""

    number: int
    position: ReversiPosition
    values: dict[str, int]


def published() -> tuple[Solved, ...]:
    """The positions of the FFO suite. The file names its source."""
    lines = (Path(__file__).parent / "othello_ffo_20-44.obf").read_text().splitlines()
    found: list[Solved] = []
    for line in lines:
        if line.startswith("#"):
            continue
        board, *rest = line.replace(";", "").split()
        cells = board.translate(str.maketrans("XO-", "bw."))
        rows = "/".join(cells[start : start + 8] for start in range(0, 64, 8))
        position = parse(f"{rows} {Side.FIRST if rest[0] == 'X' else Side.SECOND}")
        values = {name.lower(): int(value) for name, value in (move.split(":") for move in rest[1:])}
        found.append(Solved(20 + len(found), position, values))
    return tuple(found)


def discs(position: ReversiPosition) -> tuple[int, int]:
    """The discs of the side to move, and of the opponent."""
    own_first = position.side is Side.FIRST
    return (position.first, position.second) if own_first else (position.second, position.first)


def empties(position: ReversiPosition) -> int:
    """The number of empty cells."""
    return 64 - (position.first | position.second).bit_count()


def played(rng: random.Random, until: int = 0) -> list[ReversiPosition]:
    """The positions of a random game, to its end or until ``left`` cells are empty."""
    position: ReversiPosition = REVERSI.start  # type: ignore[assignment]
    found = [position]
    while position.to_move is not None and empties(position) > until:
        position = position.play(rng.choice(position.legal_moves))
        found.append(position)
    return found
