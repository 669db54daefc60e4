"""The making of puzzles."""

from __future__ import annotations

from itertools import islice

import pytest

from noughts.engine import Textbook
from noughts.games import GAMES, Position
from noughts.puzzles.maker import FEWEST_MOVES, Maker, played, proved_again, rated
from noughts.puzzles.oracle import SearchOracle
from noughts.puzzles.puzzle import Goal, Puzzle, solved
from walks import exact_value, move_value

TICTACTOE = GAMES["tictactoe"]


def made(seed: int) -> list[Puzzle]:
    return [*Maker(TICTACTOE).puzzles(islice(played(TICTACTOE, seed), 3))]


@pytest.fixture(scope="module")
def puzzles() -> list[Puzzle]:
    return made(1)


def along(text: str) -> list[Position]:
    """The positions of a game of tic-tac-toe."""
    positions = [TICTACTOE.start]
    for move in text:
        positions.append(positions[-1].play(move))
    return positions


def test_a_seed_decides_the_puzzles(puzzles: list[Puzzle]) -> None:
    assert len(puzzles) == 3
    assert made(1) == puzzles
    assert next(played(TICTACTOE, 2)) != next(played(TICTACTOE, 1))


def test_exactly_one_move_keeps_the_result(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        position = puzzle.position
        value = exact_value(position)
        values = {move: move_value(position, move) for move in position.legal_moves}
        assert [move for move, each in values.items() if each >= min(value, 1)] == [puzzle.line[0]]
        assert puzzle.goal is (Goal.WIN if value > 0 else Goal.DRAW)
        assert value >= 0
        assert len(position.legal_moves) >= FEWEST_MOVES
        if value:
            assert len(puzzle.line) == 10 - value, "both sides play their best"


def test_the_line_ends_the_puzzle_and_no_earlier_move_does(puzzles: list[Puzzle]) -> None:
    oracle = SearchOracle(TICTACTOE, 100_000)
    for puzzle in puzzles:
        position = puzzle.position
        for move in puzzle.line:
            assert not solved(puzzle, position)
            position = position.play(move)
        assert solved(puzzle, position)
        assert proved_again(puzzle, oracle)


def test_an_idea_comes_once_whatever_its_reflection() -> None:
    game, mirrored = along("1259"), along("3257")
    assert len([*Maker(TICTACTOE).puzzles([game, game, mirrored])]) == 1


def test_a_known_puzzle_is_not_made_again(puzzles: list[Puzzle]) -> None:
    maker = Maker(TICTACTOE)
    for puzzle in puzzles:
        maker.know(puzzle)
    assert maker.known == len(puzzles)
    assert not [*maker.puzzles([[puzzle.position] for puzzle in puzzles])]


def test_a_puzzle_that_is_not_true_is_not_proved_again() -> None:
    oracle = SearchOracle(TICTACTOE, 100_000)
    assert proved_again(Puzzle("tictactoe#.../.../..x", Goal.DRAW, tuple("53641782"), 1000), oracle)
    assert not proved_again(Puzzle("tictactoe#.../.../..x", Goal.DRAW, tuple("13641782"), 1000), oracle)
    assert not proved_again(Puzzle("tictactoe#xx./oo./...", Goal.DRAW, tuple("3"), 1000), oracle)
    assert not proved_again(Puzzle("tictactoe#xx./oo./...", Goal.WIN, tuple("73"), 1000), oracle)
    # The right first move, and then one that loses.
    assert not proved_again(Puzzle("tictactoe#.../.../..x", Goal.DRAW, tuple("53146782"), 1000), oracle)


def test_a_deeper_solution_is_rated_higher() -> None:
    engine = Textbook(TICTACTOE)
    at_once = rated(engine, TICTACTOE.parse("xx./oo./..."), ("3",))
    in_three = rated(engine, TICTACTOE.parse("x../.o./..x"), ("3", "7"))
    assert at_once < in_three


def test_where_there_is_little_to_choose_is_no_puzzle() -> None:
    two_moves, three_moves = TICTACTOE.parse("xox/oox/x.."), TICTACTOE.parse("xox/.ox/...")
    assert not [*Maker(TICTACTOE).puzzles([[two_moves]])]
    assert [puzzle.line for puzzle in Maker(TICTACTOE).puzzles([[three_moves]])] == [("8",)]
