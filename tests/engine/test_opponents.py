"""The computer's levels in chess: they look for captures and mates, and know stalemate and repetition."""

from __future__ import annotations

from functools import reduce

import pytest

from noughts.engine import LEVELS, Analysis, Interrupt, Limits, Textbook
from noughts.games import GAMES, Position

CHESS = GAMES["chess"]


def analysed(position: Position, level: str) -> Analysis:
    """The search result of ``level``, which plays one of the choices unless it has a lapse."""
    return Textbook(CHESS).analyse(position, Limits(depth=LEVELS[level].depth, every_move=False), Interrupt())


def after(start: Position, moves: str) -> Position:
    return reduce(lambda position, move: position.play(move), moves.split(), start)


@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6"),  # P. Morphy's problem
        ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 10", "d5f6"),  # as in Legall's mate
        ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 1", "b3b8"),  # Morphy in Paris, 1858
    ],
)
def test_hard_mates_in_two(fen: str, mate: str) -> None:
    analysis = analysed(CHESS.parse(fen), "hard")
    assert (analysis.best, analysis.exact, analysis.moves[mate].distance) == ((mate,), True, 3)


@pytest.mark.parametrize("level", ["hard", "medium", "easy"])
@pytest.mark.parametrize(
    ("fen", "blunder"),
    [
        ("4k3/2p5/3p4/8/8/8/3R4/4K3 w - - 0 1", "d2d6"),  # a pawn guards the pawn
        ("3rk3/8/8/3n4/8/8/8/3QK3 w - - 0 1", "d1d5"),  # a rook guards the knight
        ("4k3/8/2n5/8/3p4/8/8/3QK3 w - - 0 1", "d1d4"),  # a knight guards the pawn
    ],
)
def test_every_level_sees_that_a_guarded_piece_costs_more(fen: str, blunder: str, level: str) -> None:
    analysis = analysed(CHESS.parse(fen), level)
    assert blunder not in analysis.choices
    assert analysis.value > 0


def test_a_mate_in_one_is_prevented_and_given() -> None:
    scholars = after(CHESS.start, "e2e4 e7e5 d1h5 b8c6 f1c4")
    for move in analysed(scholars, "medium").choices:
        replied = scholars.play(move)
        assert "h5f7" not in replied.legal_moves or replied.play("h5f7").outcome is None
    assert analysed(scholars.play("g8f6"), "easy").best == ("h5f7",)


def test_a_winning_side_avoids_stalemate() -> None:
    position = CHESS.parse("7k/4Q3/8/6K1/8/8/8/8 w - - 0 1")
    assert not position.play("e7f7").legal_moves
    assert analysed(position, "hard").value > 900
    for level in ("hard", "medium", "easy"):
        assert "e7f7" not in analysed(position, level).choices


def test_a_winning_side_avoids_repetition_and_a_losing_one_claims_it() -> None:
    start = CHESS.parse("6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1")
    thrice = after(start, "g1f1 g8f8 f1g1 f8g8 " * 2)
    ahead = analysed(thrice, "hard")
    assert ahead.claim
    assert ahead.value > 500
    assert "g1f1" not in ahead.choices
    behind = analysed(thrice.play("g1f1"), "hard")
    assert behind.claim
    assert behind.value == 0
