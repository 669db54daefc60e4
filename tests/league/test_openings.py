"""Openings that give both sides the same chances."""

from __future__ import annotations

from functools import cache

import pytest

from noughts.engine import Analysis, Interrupt, Limits, MoveValue, plain_engine_of
from noughts.games import GAMES, Position
from noughts.league.openings import choose, is_even

TICTACTOE, REVERSI, GOMOKU = GAMES["tictactoe"], GAMES["reversi"], GAMES["gomoku"]


def judged(value: int, *, exact: bool) -> Analysis:
    move = MoveValue(value, exact, None, ("e4",))
    return Analysis(value, exact, {"e4": move}, ("e4",), 1, 1)


def even(_: Position) -> Analysis:
    return judged(0, exact=True)


@cache
def solved(position: Position) -> Analysis:
    return plain_engine_of(TICTACTOE).analyse(position, Limits(every_move=False), Interrupt())


def test_an_exact_value_must_be_a_draw() -> None:
    assert is_even(REVERSI, judged(0, exact=True))
    assert not is_even(REVERSI, judged(2, exact=True))


def test_an_estimate_must_be_near_even_in_the_units_of_the_game() -> None:
    # With an estimate of a whole unit that side wins ten of eleven; a quarter of it is 64 %, a half 76 %.
    for game in (REVERSI, GOMOKU):
        assert game.heuristic
        quarter, half = game.heuristic.unit // 4, game.heuristic.unit // 2
        assert is_even(game, judged(quarter, exact=False))
        assert is_even(game, judged(-quarter, exact=False))
        assert not is_even(game, judged(half, exact=False))
        assert not is_even(game, judged(-half, exact=False))


def test_openings_are_even_distinct_and_reproducible() -> None:
    chosen = choose(TICTACTOE, 2, 20, 3, solved)
    assert chosen == choose(TICTACTOE, 2, 20, 3, solved)
    assert chosen != choose(TICTACTOE, 2, 20, 4, solved)
    assert len(chosen) == len(set(chosen)) == 20
    for moves in chosen:
        position = TICTACTOE.start
        for move in moves:
            position = position.play(move)
        assert solved(position).value == 0


def test_a_game_with_too_few_openings_gives_those_that_it_has() -> None:
    assert sorted(choose(TICTACTOE, 1, 50, 1, solved)) == [(cell,) for cell in "123456789"]
    # 24 of the 72 positions after two moves are draws: the answers to the middle in a corner, to a corner the middle,
    # and to a side the middle, the corners next to it, and the side opposite to it.
    assert len(choose(TICTACTOE, 2, 50, 1, solved)) == 4 + 4 * 1 + 4 * 4
    assert choose(TICTACTOE, 0, 5, 1, solved) == [()]


def test_no_two_openings_lead_to_the_same_position() -> None:
    chosen = choose(TICTACTOE, 3, 1000, 1, even)
    reached = set()
    for moves in chosen:
        position = TICTACTOE.start
        for move in moves:
            position = position.play(move)
        reached.add(position)
    assert len(reached) == len(chosen) == 9 * 28


def test_the_search_ends_where_no_opening_is_even() -> None:
    asked = []

    def never(position: Position) -> None:
        asked.append(position)

    assert choose(GOMOKU, 3, 4, 1, never) == []
    assert 100 < len(asked) <= 240


def test_a_finished_game_is_no_opening() -> None:
    assert all(len(moves) == 6 for moves in choose(TICTACTOE, 6, 30, 1, even))
    assert choose(TICTACTOE, 9, 30, 1, even) == []


@pytest.mark.parametrize("game", ["reversi", "gomoku", "ultimate", "connect4"])
def test_openings_of_large_games_are_legal(game: str) -> None:
    chosen = choose(GAMES[game], 4, 12, 1, even)
    assert len(chosen) == 12
    for moves in chosen:
        position = GAMES[game].start
        for move in moves:
            position = position.play(move)
        assert position.ply == 4
