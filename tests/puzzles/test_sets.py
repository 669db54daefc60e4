"""The sets that ship with the package: all of them are true."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest

from noughts.games import GAMES, Game
from noughts.games.symmetry import canonical, turns_of
from noughts.puzzles import sets
from noughts.puzzles.maker import FEWEST_MOVES, MOST_PLIES, ONE_IN, proved_again
from noughts.puzzles.oracle import KERNEL_NODES, SOLVING, EngineOracle, SearchOracle, oracle_of
from noughts.puzzles.puzzle import Goal, Puzzle, written

SEARCHED = [key for key in sets.games() if key not in SOLVING]
"""The games whose puzzles are proved without a kernel, which would first have to be loaded."""

oracles: dict[Game, EngineOracle | SearchOracle] = {}


def proved(puzzle: Puzzle) -> bool:
    game = puzzle.game
    if game not in oracles:
        oracles[game] = oracle_of(game, KERNEL_NODES)  # what was proved first may leave fewer in the table
    return proved_again(puzzle, oracles[game])


@pytest.mark.parametrize("key", sets.games())
def test_a_set_has_no_trivial_and_no_repeated_puzzles(key: str) -> None:
    puzzles = sets.shipped(key)
    assert puzzles
    assert len(sets.by_key(key)) == len(puzzles), "two have the same key"
    at_once = sum(len(puzzle.line) == 1 and puzzle.goal is not Goal.DRAW for puzzle in puzzles)
    assert (at_once - 1) * ONE_IN <= len(puzzles)
    forms = Counter(
        (puzzle.side, canonical(puzzle.game, puzzle.position, turns_of(puzzle.game)), puzzle.start * (key == "kalah"))
        for puzzle in puzzles
    )
    assert set(forms.values()) == {1}
    for puzzle in puzzles:
        assert puzzle.game.key == key
        assert len(puzzle.position.legal_moves) >= FEWEST_MOVES
        assert len(puzzle.line) <= MOST_PLIES
        assert puzzle.line[0] in puzzle.position.legal_moves


@pytest.mark.parametrize("key", SEARCHED)
def test_a_sample_is_proved_again(key: str) -> None:
    shortest = min(sets.shipped(key), key=lambda puzzle: len(puzzle.line))
    assert proved(shortest), written(shortest)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("key", sets.games())
def test_every_puzzle_is_proved_again(key: str) -> None:
    for puzzle in sets.shipped(key):
        assert proved(puzzle), written(puzzle)


def test_each_puzzle_has_its_day() -> None:
    puzzles = sets.shipped("tictactoe")
    first = date.fromordinal(len(puzzles) * 10_000)
    days = [sets.of_the_day(puzzles, first + timedelta(day)) for day in range(len(puzzles))]
    assert {puzzle.key for puzzle in days} == {puzzle.key for puzzle in puzzles}
    assert days != puzzles
    assert sets.of_the_day(puzzles, first) == days[0]


def test_the_next_puzzle_is_a_new_one_near_the_rating() -> None:
    puzzles = sets.shipped("tictactoe")
    chosen = sets.next_for(puzzles, 1000, ())
    assert chosen is not None
    assert abs(chosen.rating - 1000) == min(abs(puzzle.rating - 1000) for puzzle in puzzles)
    other = sets.next_for(puzzles, 1000, (chosen.key,))
    assert other is not None
    assert other != chosen
    assert sets.next_for(puzzles, 1000, {puzzle.key for puzzle in puzzles}) is None


def test_a_game_without_a_set_has_no_puzzles() -> None:
    assert "go" in GAMES
    assert "go" not in sets.games()
    assert sets.shipped("go") == []
