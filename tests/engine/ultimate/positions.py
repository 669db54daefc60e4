"""Positions for the tests of the engine for ultimate tic-tac-toe."""

from __future__ import annotations

import random

from noughts.games.ultimate import ULTIMATE, UltimatePosition

START: UltimatePosition = ULTIMATE.start  # type: ignore[assignment]


def played(rng: random.Random, plies: int = 81) -> list[UltimatePosition]:
    """The positions of a random game, to its end or for ``plies`` plies."""
    found = [START]
    while found[-1].to_move is not None and len(found) <= plies:
        found.append(found[-1].play(rng.choice(found[-1].legal_moves)))
    return found


def playable(position: UltimatePosition) -> int:
    """The number of empty cells in unfinished small boards."""
    taken = position.first | position.second
    return sum(9 - (taken >> 9 * board & 511).bit_count() for board in range(9) if not position.finished >> board & 1)


def near_the_end(rng: random.Random, most: int, count: int) -> list[UltimatePosition]:
    """Unfinished positions of random games with at most ``most`` playable cells."""
    found: list[UltimatePosition] = []
    while len(found) < count:
        near = [each for each in played(rng) if each.to_move is not None and playable(each) <= most]
        if near:
            found.append(rng.choice(near))
    return found
