"""Positions of Connect Four for tests."""

from __future__ import annotations

import random

from noughts.games.connect4 import Connect4Position, parse


def position_of(key: int) -> Connect4Position:
    """The position with this key."""
    boards = [0, 0]
    for column in range(7):
        discs = key >> 7 * column & 127
        height = discs.bit_length() - 1
        own = discs ^ 1 << height
        boards[0] |= own << 7 * column
        boards[1] |= (own ^ (1 << height) - 1) << 7 * column
    own, other = boards
    first, second = (own, other) if own.bit_count() == other.bit_count() else (other, own)
    return Connect4Position(first, second)


def image_of(position: Connect4Position) -> Connect4Position:
    """The mirror image of a position."""
    return parse("/".join(row[::-1] for row in position.rows))


def random_positions(count: int, discs: int, seed: int = 1) -> list[Connect4Position]:
    """Unfinished positions after so many random moves."""
    rng = random.Random(seed)
    found: list[Connect4Position] = []
    while len(found) < count:
        position = Connect4Position()
        while position.to_move is not None and position.ply < discs:
            position = position.play(rng.choice(position.legal_moves))
        if position.to_move is not None:
            found.append(position)
    return found
