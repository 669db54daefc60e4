from dataclasses import replace

import pytest

from noughts.games import GAMES
from noughts_client.bots.dialogs import TimeLeft, cells, has_cells, time_left
from noughts_client.state import BotState
from page.hexapawn import HEXAPAWN
from support.bots import state_after


def clocked(moves: list[str], deadline: float) -> BotState:
    state = state_after(*moves, game="connect4")
    state["clock"] = {"first_ms": 60_000, "second_ms": 50_000, "running": "second", "since": None}
    state.deadline = deadline
    return state


def test_there_is_no_time_without_a_clock() -> None:
    assert time_left(state_after(game="connect4"), 100.0) is None


def test_an_engine_is_told_a_little_less_than_its_time() -> None:
    assert time_left(clocked(["4"], 140.0), 100.0) == TimeLeft(39_900, 60_000)
    assert time_left(clocked([], 140.0), 100.0) == TimeLeft(39_900, 50_000)


def test_time_that_is_over_is_a_millisecond() -> None:
    assert time_left(clocked([], 99.0), 100.0) == TimeLeft(1, 50_000)


def test_the_time_control_says_what_a_move_adds_or_that_the_time_is_for_one() -> None:
    state = clocked([], 140.0)
    expected = TimeLeft(39_900, 50_000)
    state.control = {"initial_s": 60.0, "increment_s": 0.3}
    assert time_left(state, 100.0) == replace(expected, increment_ms=300)
    state.control = {"per_move_s": 10.0}
    assert time_left(state, 100.0) == replace(expected, per_move=True)
    state.control = {"per_move_s": 86_400.0}
    assert time_left(state, 100.0) is None, "an engine would think for all of its days"


@pytest.mark.parametrize(
    ("game", "square"), [("tictactoe", True), ("gomoku", True), ("reversi", True), ("connect4", False)]
)
def test_cells_of_a_square_board_are_moves(game: str, square: bool) -> None:
    assert has_cells(GAMES[game])
    assert (cells(GAMES[game]) is not None) is square


def test_moves_from_cell_to_cell_are_no_cells() -> None:
    assert not has_cells(HEXAPAWN)
    assert cells(HEXAPAWN) is None
