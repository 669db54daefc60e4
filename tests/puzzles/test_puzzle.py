"""Puzzles as text."""

from __future__ import annotations

import pytest

from noughts.games import GAMES, Side
from noughts.puzzles.puzzle import BadPuzzle, Goal, Puzzle, read, written

LINE = '["connect4#......./......./....y../..rrr../y.yyr../yyryr.r", "win", "2 2 3 6 4 1 5", 808]'


def test_a_line_is_read_and_written() -> None:
    puzzle = read(LINE)
    assert written(puzzle) == LINE
    assert (puzzle.game, puzzle.goal, puzzle.rating) == (GAMES["connect4"], Goal.WIN, 808)
    assert (puzzle.side, puzzle.moves, puzzle.line[0]) == (Side.FIRST, 4, "2")


def test_only_the_moves_of_the_side_are_counted() -> None:
    closes_two = Puzzle("dots?size=2#+-+-+/|b|b|/+-+-+/|.|.|/+.+.+ first", Goal.DRAW, ("b5", "d5"), 1)
    assert closes_two.moves == 2


@pytest.mark.parametrize("text", ["", "{}", "[1]", '["chess#x", "lose", "e2e4", 1]', '["chess#x", "win", "e2e4", "?"]'])
def test_what_is_no_puzzle_is_refused(text: str) -> None:
    with pytest.raises(BadPuzzle):
        read(text)


def test_a_puzzle_of_an_unknown_game_or_position_is_refused() -> None:
    for start in ("nothing#x", "chess#nothing", "hex?size=2#..", "tictactoe#xxx/oo./..."):
        with pytest.raises(BadPuzzle):
            assert Puzzle(start, Goal.WIN, ("1",), 1).side
    with pytest.raises(BadPuzzle):
        assert Puzzle("tictactoe#xx./oo./...", Goal.WIN, ("1",), 1).moves


def test_each_puzzle_has_a_key_of_its_own() -> None:
    assert read(LINE).key == read(LINE.replace("808", "809")).key != read(LINE.replace("....y..", "...y...")).key
