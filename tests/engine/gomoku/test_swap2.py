"""Gomoku with swap2 is searched by the kernel of Gomoku once the opening is over."""

from __future__ import annotations

import pytest

from noughts.engine import Limits, Textbook, engine_of
from noughts.engine.analysis import Interrupt
from noughts.engine.gomoku.engine import GomokuEngine
from noughts.games import GAMES
from noughts.games.catalogue import set_up
from noughts.games.gomoku import GOMOKU

pytestmark = pytest.mark.slow

SWAP2 = set_up("gomoku", [("opening", "swap2")])
STONES = "h8 i9 g6 h7 f9 g9"


@pytest.mark.parametrize(
    "opening", ["h8 i9 g6 h7", "h8 i9 g6 swap", "h8 i9 g6 more h7 f9 keep", "h8 i9 g6 more h7 f9 swap"]
)
def test_after_the_opening_it_finds_what_the_kernel_of_gomoku_finds(opening: str) -> None:
    ours, theirs = SWAP2.start, GOMOKU.start
    for move in opening.split():
        ours = ours.play(move)
        theirs = theirs.play(move) if move in STONES else theirs
    for depth in (1, 2, 3):
        found = engine_of(SWAP2).analyse(ours, Limits(depth), Interrupt())
        assert found == GomokuEngine().analyse(theirs, Limits(depth), Interrupt())
    assert set(found.moves) == set(ours.legal_moves)


def test_the_opening_is_searched_as_before() -> None:
    position = SWAP2.start
    for move in ["h8", "i9", "g6"]:
        limits = Limits(1)
        assert engine_of(SWAP2).analyse(position, limits, Interrupt()) == Textbook(SWAP2).analyse(
            position, limits, Interrupt()
        )
        position = position.play(move)


def test_positions_of_other_games_are_refused() -> None:
    with pytest.raises(TypeError, match="not LinePosition"):
        engine_of(SWAP2).analyse(GAMES["gomoku"].start, Limits(1), Interrupt())
