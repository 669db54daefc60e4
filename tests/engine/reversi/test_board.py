"""The compiled board of Reversi, checked against published numbers and the game's rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.reversi.positions import discs, played
from noughts.engine.reversi import board
from noughts.games.reversi import BITS, REVERSI, moves_of, turned_by

pytestmark = pytest.mark.slow

PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)


@pytest.mark.parametrize(("depth", "lines"), list(enumerate(PERFT, start=1)))
def test_perft_matches_the_published_numbers(depth: int, lines: int) -> None:
    own, opp = discs(REVERSI.start)  # type: ignore[arg-type]
    assert board.perft(np.uint64(own), np.uint64(opp), depth) == lines


def test_moves_and_flips_match_the_rules() -> None:
    rng = random.Random(1)
    checked = 0
    for _ in range(60):
        for position in played(rng):
            own, opp = discs(position)
            assert int(board.moves_of(np.uint64(own), np.uint64(opp))) == moves_of(own, opp)
            for cell, bit in enumerate(BITS):
                if not (own | opp) & bit:
                    turned = turned_by(bit, own, opp)
                    assert int(board.turned_by(np.uint64(cell), np.uint64(own), np.uint64(opp))) == turned
                    checked += turned != 0
    assert checked > 10_000


def test_the_last_move_flips_the_same_discs_as_any_move() -> None:
    rng = random.Random(2)
    for _ in range(2_000):
        cell = rng.randrange(64)
        own = rng.getrandbits(64) & rng.getrandbits(64) & ~BITS[cell]
        opp = ~own & ~BITS[cell] & (1 << 64) - 1
        turned = turned_by(BITS[cell], own, opp).bit_count()
        assert board.turned_by_last(np.uint64(cell), np.uint64(own)) == turned


def test_stable_discs_are_never_flipped() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(200):
        game = played(rng)
        last = game[-1]
        for position in game:
            first, second = np.uint64(position.first), np.uint64(position.second)
            for own, other, kept in ((first, second, last.first), (second, first, last.second)):
                discs_kept = int(board.stable(own, other))
                assert discs_kept & ~int(own) == 0
                assert discs_kept & ~kept == 0
                found += discs_kept.bit_count()
    assert found > 20_000


def test_full_boards_and_discs_connected_to_a_corner_are_stable() -> None:
    every = (1 << 64) - 1
    half = 0x5555_5555_5555_5555
    assert int(board.stable(np.uint64(half), np.uint64(every ^ half))) == half
    assert int(board.stable(np.uint64(0b111), np.uint64(0b1000))) == 0b111
    assert int(board.stable(np.uint64(0b110), np.uint64(0b1000))) == 0
    assert int(board.stable(np.uint64(0x0303_07), np.uint64(0))) == 0x0103_07  # b3 is not connected to the corner
