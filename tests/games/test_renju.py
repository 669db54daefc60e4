"""Gomoku by the standard rule and by those of Renju."""

from __future__ import annotations

from random import Random

import pytest

from noughts.engine import Interrupt, Limits, engine_of
from noughts.engine.engines import kernel_of
from noughts.games import Game, IllegalMove, Position, Side
from noughts.games.catalogue import set_up
from noughts.games.mnk import LinePosition

FREESTYLE, STANDARD, RENJU = (set_up("gomoku", [("rule", rule)]) for rule in ("freestyle", "standard", "renju"))

# For each: black stones, white stones, and what Black would make on h8. By the definitions in section 9 of the rules of
# the Renju International Federation: a four has to become exactly five, a three a straight four without another
# forbidden move. They also gave all 58 verdicts in the tests of AlphaGomoku (github.com/MaciejKozarzewski/AlphaGomoku,
# in November 2026), which have longer chains of forbidden moves.
CASES = {
    "two open threes": ("h9 h10 i8 j8", "", "a double three"),
    "two open threes with a gap": ("h10 h11 i8 k8", "", "a double three"),
    "three of them": ("h9 h10 i8 j8 i9 j10", "", "a double three"),
    "one open three, one closed": ("h9 h10 i8 j8", "k8 g8", None),
    "a three that cannot become a straight four": ("h9 h10 i8 j8", "f8 l8", None),
    "a three that would become an overline": ("h9 h10 i8 j8 m8 e8", "", None),
    "a three whose straight four would be an overline": ("h9 h10 i8 j8 d11 e11 f11 g11 i11", "h6", None),
    "an open three and a four": ("h9 h10 i8 j8 k8", "l8", None),
    "two fours": ("h9 h10 h11 i8 j8 k8", "h12 l8", "a double four"),
    "two fours in one line": ("e8 f8 i8 k8", "", None),
    "two fours in one line, with a gap": ("e8 g8 i8 k8", "", "a double four"),
    "two fours in one line, of two and two": ("e8 f8 i8 k8 l8", "", "a double four"),
    "one straight four": ("g8 i8 j8", "", None),
    "a four that would be an overline": ("h9 h10 h11 i8 j8 k8 m8", "h12 g8", None),
    "six": ("e8 f8 g8 i8 j8", "", "an overline"),
    "five": ("f8 g8 i8 j8", "", None),
    "five and six": ("f8 g8 i8 j8 h9 h10 h11 h7 h6", "", None),
    "five and two fours": ("f8 g8 i8 j8 h9 h10 h11 i9 j10 k11", "", None),
}


def moves(text: str) -> list[str]:
    return text.split()


def position(black: str, white: str) -> LinePosition:
    """The stones, and more white ones far from them, so that it is Black's turn."""
    first, second = black.split(), white.split()
    spare = [cell for row in (0, 14) for cell in RENJU.layout[row][::2] if cell not in (*first, *second)]
    while len(second) < len(first):
        second.append(spare.pop())
    while len(first) < len(second):
        first.append(spare.pop(0))
    rows = [["b" if cell in first else "w" if cell in second else "." for cell in row] for row in RENJU.layout]
    found = RENJU.parse("/".join("".join(row) for row in rows))
    assert isinstance(found, LinePosition)
    assert found.to_move is Side.FIRST
    return found


@pytest.mark.parametrize("case", CASES)
def test_black_must_not_make_what_renju_forbids(case: str) -> None:
    black, white, why = CASES[case]
    before = position(black, white)
    assert ("h8" in before.legal_moves) is (why is None)
    if why is None:
        won = before.play("h8").outcome
        assert (won is not None) == ("five" in case)
        return
    with pytest.raises(IllegalMove, match=why):
        before.play("h8")


def test_white_may_make_all_of_it() -> None:
    for black, white, why in CASES.values():
        if why is not None:
            turned = position(white, black).play("a15")
            assert "h8" in turned.legal_moves
            assert (turned.play("h8").outcome is not None) == (why == "an overline")


@pytest.mark.parametrize(("game", "wins"), [(FREESTYLE, True), (STANDARD, False)])
def test_six_in_a_row(game: Game, wins: bool) -> None:
    at = game.start
    for move in moves("a1 a15 b1 c15 c1 e15 e1 g15 f1 i15 d1"):
        at = at.play(move)
    assert (at.outcome is not None) is wins


def test_exactly_five_wins_by_the_standard_rule() -> None:
    at: Position = STANDARD.start
    for move in moves("a1 a15 b1 c15 c1 e15 d1 g15 e1"):
        at = at.play(move)
    assert at.outcome is not None
    assert at.outcome.cells == ("a1", "b1", "c1", "d1", "e1")


@pytest.mark.parametrize("game", [STANDARD, RENJU])
def test_the_computer_plays_it(game: Game) -> None:
    assert kernel_of(game) is None
    engine = engine_of(game)
    # An overline on f1 wins nothing, a five on g3 does.
    at = game.start
    for move in moves("a1 g1 b1 i2 c1 k4 d1 m5 f1 o6 c3 a8 d3 c9 e3 e10 f3 g11"):
        at = at.play(move)
    found = engine.analyse(at, Limits(depth=2, every_move=False), Interrupt())
    assert set(found.best) <= {"b3", "g3"}
    assert found.exact


def test_random_games_of_renju_end_as_they_should() -> None:
    """Every forbidden cell is refused, every other is not, and what the text says is what there is."""
    rng, forbidden = Random(4), 0
    for number in range(6):
        at: Position = RENJU.start
        while at.outcome is None:
            assert isinstance(at, LinePosition)
            empty = at.on.names(at.on.everywhere & ~(at.first | at.second))
            for move in empty:
                if move not in at.legal_moves:
                    forbidden += 1
                    with pytest.raises(IllegalMove):
                        at.play(move)
            again = RENJU.parse(at.text)
            assert (again, again.legal_moves) == (at, at.legal_moves)
            near = [move for move in at.legal_moves if RENJU.layout[4][4] <= move] if number % 2 else at.legal_moves
            at = at.play(rng.choice(near or at.legal_moves))
    assert forbidden > 50
