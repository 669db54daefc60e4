"""The opening rule swap2, and what the computer makes of it."""

from __future__ import annotations

from random import Random

import pytest

from noughts.engine import LEVELS, Interrupt, Limits, Textbook, choose
from noughts.games import GAMES, IllegalMove, InvalidPosition, MalformedMove, Position, Side
from noughts.games.catalogue import set_up
from noughts.games.swap2 import Swap2Position, opening_is_over
from noughts.games.threats import Threats

GAME = set_up("gomoku", [("opening", "swap2")])
THREATS = Threats(GAME.layout, 5, 2)
THREE = ("h8", "i9", "g6")


def after(*moves: str) -> Position:
    position = GAME.start
    for move in moves:
        position = position.play(move)
    return position


@pytest.mark.parametrize(
    ("moves", "mover", "choices"),
    [
        ((), Side.FIRST, ()),
        (THREE[:2], Side.FIRST, ()),
        (THREE, Side.SECOND, ("swap", "more")),
        ((*THREE, "a1"), Side.FIRST, ()),
        ((*THREE, "swap"), Side.FIRST, ()),
        ((*THREE, "swap", "a1"), Side.SECOND, ()),
        ((*THREE, "more"), Side.SECOND, ()),
        ((*THREE, "more", "a1"), Side.SECOND, ()),
        ((*THREE, "more", "a1", "b1"), Side.FIRST, ("keep", "swap")),
        ((*THREE, "more", "a1", "b1", "keep"), Side.SECOND, ()),
        ((*THREE, "more", "a1", "b1", "swap"), Side.FIRST, ()),
        ((*THREE, "more", "a1", "b1", "swap", "c1"), Side.SECOND, ()),
    ],
)
def test_who_moves_and_chooses(moves: tuple[str, ...], mover: Side, choices: tuple[str, ...]) -> None:
    position = after(*moves)
    assert isinstance(position, Swap2Position)
    assert (position.to_move, position.ply) == (mover, len(moves))
    assert opening_is_over(moves) == (position.stage == "play")
    assert tuple(move for move in position.legal_moves if move.isalpha()) == choices
    on_board = len(position.legal_moves) - len(choices)
    stones = sum(not move.isalpha() for move in moves)
    assert on_board == (0 if "keep" in choices else 225 - stones)
    again = GAME.parse(position.text)
    assert (again, again.to_move, again.legal_moves) == (position, mover, position.legal_moves)


def test_a_swap_exchanges_the_colours_of_the_stones() -> None:
    assert [row for row in after(*THREE).rows if row.strip(".")] == [
        "......b........",
        ".......b.......",
        "........w......",
    ]
    swapped = after(*THREE, "swap")
    assert [row for row in swapped.rows if row.strip(".")] == ["......w........", ".......w.......", "........b......"]
    assert swapped.play("a1").rows[0][0] == "b"


def test_who_has_swapped_wins_with_the_stones_of_the_other() -> None:
    moves = ["a1", "a15", "b1", "swap", "b15", "c1", "c15", "d1", "d15", "e1"]
    outcome = after(*moves).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.cells) == (Side.SECOND, ("a1", "b1", "c1", "d1", "e1"))
    assert GAME.parse(after(*moves).text).outcome == outcome


def test_a_choice_is_made_only_when_there_is_one() -> None:
    added = (*THREE, "more", "a1", "b1")
    for moves, move in (((), "swap"), (THREE, "keep"), ((*THREE, "a1"), "swap"), (added, "more")):
        with pytest.raises(IllegalMove, match=f"there is no choice to {move} now"):
            after(*moves, move)
    with pytest.raises(IllegalMove, match="choose first: keep or swap"):
        after(*added, "c1")
    with pytest.raises(IllegalMove, match="cell h8 is taken"):
        after("h8", "h8")
    with pytest.raises(MalformedMove, match="a move is a cell, a1 to o15, or swap, keep or more"):
        after("pass")


@pytest.mark.parametrize(
    ("stones", "stage", "why"),
    [
        ("b", "choose", "with 1 stones the opening is not at 'choose'"),
        ("bw", "second", "not over with so few stones"),
        ("bwb", "second", "not over with so few stones"),
        ("bwb", "", "after the board stands"),
        ("bbb", "choose", "there are as many b as w"),
    ],
)
def test_wrong_positions_are_refused(stones: str, stage: str, why: str) -> None:
    board = f"{stones.ljust(15, '.')}/{'/'.join(['.' * 15] * 14)}"
    with pytest.raises(InvalidPosition, match=why):
        GAME.parse(f"{board} {stage}".strip())


def test_the_opening_is_free_by_default() -> None:
    assert set_up("gomoku", [("opening", "free")]) is GAMES["gomoku"]
    assert not isinstance(GAMES["gomoku"].start, Swap2Position)


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_the_computer_opens_with_a_balanced_position(level: str) -> None:
    for seed in range(3):
        position, random = GAME.start, Random(seed)
        lapses = LEVELS[level]
        steady = type(lapses)(lapses.depth, lapses.seconds)
        for _ in range(3):
            position = position.play(choose(Textbook(GAME), position, steady, random, Interrupt()))
        assert isinstance(position, Swap2Position)
        assert GAME.heuristic is not None
        assert abs(THREATS.evaluate(position.line)) < GAME.heuristic.unit / 6, "both can expect about the same"


@pytest.mark.parametrize(
    ("three", "choice"),
    [
        (("h8", "a15", "i8"), "swap"),  # two black stones in a row, and a white one far away
        (("j10", "k8", "l9"), "swap"),
        (("a1", "h8", "o15"), None),  # the white stone is the best one
    ],
)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_computer_takes_the_better_colour(three: tuple[str, ...], choice: str | None, depth: int) -> None:
    position = after(*three)
    found = Textbook(GAME).analyse(position, Limits(depth=depth), Interrupt())
    if choice is not None:
        assert found.choices == (choice,)
    else:
        assert "swap" not in found.choices
        assert found.moves["swap"].value < 0
