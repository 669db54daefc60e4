"""Positions for the tests of the engine for ultimate tic-tac-toe."""

from __future__ import annotations

import random

from noughts.games.ultimate import ULTIMATE, UltimatePosition

START: UltimatePosition = ULTIMATE.start  # type: ignore[assignment]


def played(rng: random.Random, plies: int = 81) -> list[UltimatePosition]:
    """The positions of a game of random moves, to its end or for so many plies."""
    met = [START]
    while met[-1].to_move is not None and len(met) <= plies:
        met.append(met[-1].play(rng.choice(met[-1].legal_moves)))
    return met


def playable(position: UltimatePosition) -> int:
    """How many empty cells are in small boards that are not finished."""
    taken = position.first | position.second
    return sum(9 - (taken >> 9 * board & 511).bit_count() for board in range(9) if not position.finished >> board & 1)


def near_the_end(rng: random.Random, most: int, count: int) -> list[UltimatePosition]:
    """Positions of random games in which the game goes on and at most so many cells can be played."""
    found: list[UltimatePosition] = []
    while len(found) < count:
        near = [each for each in played(rng) if each.to_move is not None and playable(each) <= most]
        if near:
            found.append(rng.choice(near))
    return found
