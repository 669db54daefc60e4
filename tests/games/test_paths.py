"""The cells in the names of moves."""

from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts.games.paths import cells_of

SQUARES = {f"{column}{row}" for column in "abcdefghijklmno" for row in range(1, 16)}
NUMBERS = {str(number) for number in range(1, 33)}


@pytest.mark.parametrize(
    ("move", "cells", "rest"),
    [
        ("a3", ("a3",), ""),
        ("e2e4", ("e2", "e4"), ""),
        ("e7e8q", ("e7", "e8"), "q"),
        ("a1-a2", ("a1", "a2"), ""),
        ("a1xa2", ("a1", "a2"), ""),
        ("a1a4xf4", ("a1", "a4", "f4"), ""),
        ("a1a4xf4*", ("a1", "a4", "f4"), "*"),
        ("a11b12", ("a11", "b12"), ""),  # as long a name as there is
        ("a16", ("a1",), "6"),
        ("a1--a2", ("a1",), "--a2"),
        ("a1-", ("a1",), "-"),
        ("-a1", (), "-a1"),
        ("pass", (), "pass"),
        ("", (), ""),
    ],
)
def test_squares(move: str, cells: tuple[str, ...], rest: str) -> None:
    assert cells_of(move, SQUARES) == (cells, rest)


@pytest.mark.parametrize(
    ("move", "cells", "rest"),
    [
        ("9-14", ("9", "14"), ""),
        ("22x15x8", ("22", "15", "8"), ""),
        ("32", ("32",), ""),
        ("33", ("3", "3"), ""),
        ("0", (), "0"),
    ],
)
def test_numbers(move: str, cells: tuple[str, ...], rest: str) -> None:
    assert cells_of(move, NUMBERS) == (cells, rest)


def test_a_cell_may_be_named_like_a_sign_between_cells() -> None:
    assert cells_of("xa", {"x", "a"}) == (("x", "a"), "")


@pytest.mark.parametrize("key", GAMES)
def test_every_move_at_the_start_has_cells_and_no_rest(key: str) -> None:
    game = GAMES[key]
    names = {name for row in game.layout for name in row}
    assert all(cells_of(move, names)[0] and not cells_of(move, names)[1] for move in game.start.legal_moves)
