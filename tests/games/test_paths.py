"""The cells in the names of moves."""

from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts.games.paths import cells_of

SQUARES = {f"{column}{row}" for column in "abcdefghijklmno" for row in range(1, 16)}
NUMBERS = {str(number) for number in range(1, 33)}
LETTERS = {"a", "x"}
NAMES = [
    (SQUARES, "a3", ["a3"], ""),
    (SQUARES, "e2e4", ["e2", "e4"], ""),
    (SQUARES, "e7e8q", ["e7", "e8"], "q"),
    (SQUARES, "e7e8-q", ["e7", "e8"], "-q"),
    (SQUARES, "e7xf8xq", ["e7", "f8"], "xq"),
    (SQUARES, "a1-a2", ["a1", "a2"], ""),
    (SQUARES, "a1xa2", ["a1", "a2"], ""),
    (SQUARES, "a1a4xf4", ["a1", "a4", "f4"], ""),
    (SQUARES, "a1a4xf4*", ["a1", "a4", "f4"], "*"),
    (SQUARES, "a11b12", ["a11", "b12"], ""),  # as long a name as there is
    (SQUARES, "a16", ["a1"], "6"),
    (SQUARES, "a1--a2", ["a1"], "--a2"),
    (SQUARES, "a1-", ["a1"], "-"),
    (SQUARES, "-a1", [], "-a1"),
    (SQUARES, "pass", [], "pass"),
    (SQUARES, "", [], ""),
    (NUMBERS, "9-14", ["9", "14"], ""),
    (NUMBERS, "22x15x8", ["22", "15", "8"], ""),
    (NUMBERS, "32", ["32"], ""),
    (NUMBERS, "33", ["3", "3"], ""),
    (NUMBERS, "0", [], "0"),
    (LETTERS, "xa", ["x", "a"], ""),  # a cell is named like a sign between cells
    (LETTERS, "axxa", ["a", "x", "a"], ""),
]
"""The names of a game's cells, a move, its cells, and the rest of its name. The page reads all of them alike."""


@pytest.mark.parametrize(("names", "move", "cells", "rest"), NAMES)
def test_a_name_has_cells_and_perhaps_a_rest(names: set[str], move: str, cells: list[str], rest: str) -> None:
    assert cells_of(move, names) == (tuple(cells), rest)


@pytest.mark.parametrize("key", GAMES)
def test_every_move_at_the_start_has_cells_and_no_rest(key: str) -> None:
    game = GAMES[key]
    names = {name for row in game.layout for name in row}
    assert all(
        cells_of(move, names)[0] and not cells_of(move, names)[1] for move in game.start.legal_moves if move != "pass"
    )
