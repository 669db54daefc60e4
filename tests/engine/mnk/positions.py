"""Positions of m,n,k games, and their values by plain search."""

from __future__ import annotations

import random
from functools import cache

from noughts.games.mnk import LinePosition, mnk

WIN = 100

PUBLISHED: dict[tuple[int, int, int], str] = {
    (3, 3, 3): "draw",
    (3, 4, 3): "win",
    (4, 4, 3): "win",
    (4, 4, 4): "draw",
    (5, 4, 4): "draw",
    (6, 4, 4): "draw",
    (5, 5, 4): "draw",
    (6, 5, 4): "win",
    (5, 5, 5): "draw",
}
"""Published values for the side that begins, by columns, rows, and length of a line."""


def start_of(columns: int, rows: int, length: int) -> LinePosition:
    start = mnk("small", f"{length} in a row on {columns}x{rows}", columns, rows, length, win=WIN).start
    assert isinstance(start, LinePosition)
    return start


def stones(position: LinePosition) -> tuple[int, int]:
    """The stones of the side to move, and of the opponent."""
    return (position.second, position.first) if position.ply % 2 else (position.first, position.second)


def played(rng: random.Random, start: LinePosition, left: int) -> LinePosition:
    """A position with ``left`` empty cells, after random moves that make no line if possible."""
    position = start
    while position.to_move and len(position.legal_moves) > left:
        children = [position.play(move) for move in position.legal_moves]
        position = rng.choice([child for child in children if not child.won] or children)
    return position


@cache
def value_of(position: LinePosition) -> int:
    """The value by plain minimax: WIN minus the plies to a win, the negative of that for a loss, 0 for a draw."""
    if position.to_move is None:
        return -WIN if position.won else 0
    best = max(-value_of(position.play(move)) for move in position.legal_moves)
    return best - (best > 0) + (best < 0)
