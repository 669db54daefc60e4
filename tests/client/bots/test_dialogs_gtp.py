"""The dialog with a GTP engine, with the test in the engine's place."""

from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts_client.bots.dialogs import Gtp, TimeLeft
from support.bots import state_after
from support.engines import failing, talked, until_a_pass


def greeted(game: str) -> Gtp:
    dialog = Gtp(GAMES[game])
    talked(dialog.greet(), ["= false", "=", "="] if game == "reversi" else ["=", "="])
    return dialog


def test_a_board_of_its_size_is_set_up() -> None:
    sent, _ = talked(Gtp(GAMES["gomoku"]).greet(), ["=", "="])
    assert sent == ["boardsize 15", "clear_board"]


def test_an_othello_engine_is_set_to_its_game() -> None:
    sent, _ = talked(Gtp(GAMES["reversi"]).greet(), ["= true", "=", "=", "="])
    assert sent == ["known_command set_game", "set_game Othello", "boardsize 8", "clear_board"]


def test_rows_are_numbered_from_the_bottom_and_there_is_no_letter_i() -> None:
    sent, answer = talked(
        greeted("gomoku").turn(state_after("a1", "i15", game="gomoku"), None), ["=", "=", *["= false"] * 2, "= j2"]
    )
    assert sent == ["play b A15", "play w J1", "known_command time_left", "known_command time_settings", "genmove b"]
    assert answer == ("i14", "")


def test_othello_numbers_rows_from_the_top() -> None:
    dialog = greeted("reversi")
    sent, answer = talked(dialog.turn(state_after("d3", game="reversi"), None), ["=", *["= false"] * 2, "= c3"])
    assert (sent[0], sent[-1], answer) == ("play b D3", "genmove w", ("c3", ""))


def test_a_pass_is_a_pass() -> None:
    state = state_after("d3", game="reversi")
    state["legal_moves"] = ["pass"]
    assert talked(greeted("reversi").turn(state, None), ["=", *["= false"] * 2, "= PASS"])[1] == ("pass", "")


def test_an_engine_that_refuses_a_pass_is_not_sent_another() -> None:
    dialog = greeted("reversi")
    moves = [*until_a_pass("first", seed=1), "pass"]
    states = [state_after(*moves, game="reversi"), state_after(game="reversi"), state_after(*moves, game="reversi")]
    before = ["="] * (len(moves) - 1)
    sent, _ = talked(dialog.turn(states[0], None), [*before, "? syntax error", *["= false"] * 2, "= a1"])
    assert sent[len(before)] == "play b pass"
    talked(dialog.turn(states[1], None), ["=", "= d3"])
    sent, _ = talked(dialog.turn(states[2], None), ["=", *before, "= a1"])
    assert not any("pass" in line for line in sent)


def test_only_new_moves_are_sent() -> None:
    dialog = greeted("gomoku")
    talked(dialog.turn(state_after(game="gomoku"), None), [*["= false"] * 2, "= H8"])
    sent, _ = talked(dialog.turn(state_after("h8", "a1", game="gomoku"), None), ["=", "= H9"])
    assert sent == ["play w A15", "genmove b"]


def test_after_a_takeback_the_board_is_set_up_anew() -> None:
    dialog = greeted("gomoku")
    talked(dialog.turn(state_after(game="gomoku"), None), [*["= false"] * 2, "= H8"])
    sent, _ = talked(dialog.turn(state_after("a1", "a2", game="gomoku"), None), ["=", "=", "=", "= H9"])
    assert sent == ["clear_board", "play b A15", "play w A14", "genmove b"]


@pytest.mark.parametrize(
    ("left", "settings", "told"),
    [
        (None, "time_settings 0 1 1", []),
        (TimeLeft(179_900, 180_000, 2000), "time_settings 179 0 0", ["time_left b 179 0"]),
        (TimeLeft(9_900, 10_000, per_move=True), "time_settings 0 9 1", ["time_left b 9 1"]),
        (TimeLeft(100, 10_000), "time_settings 1 0 0", ["time_left b 0 0"]),
    ],
)
def test_the_engine_is_told_its_time_in_seconds(left: TimeLeft | None, settings: str, told: list[str]) -> None:
    dialog = greeted("gomoku")
    sent, _ = talked(
        dialog.turn(state_after(game="gomoku"), left), ["= true", "= true", "=", *["="] * len(told), "= H8"]
    )
    assert [line for line in sent if line.startswith("time")] == [settings, *told]
    again, _ = talked(dialog.turn(state_after("h8", "a1", game="gomoku"), left), ["=", *["="] * len(told), "= H9"])
    assert [line for line in again if line.startswith("time")] == told


def test_an_engine_that_resigns_does_not_play_on() -> None:
    error = failing(greeted("gomoku").turn(state_after(game="gomoku"), None), [*["= false"] * 2, "= resign"])
    assert (error.kind, str(error)) == ("illegal", "The engine resigned.")


@pytest.mark.parametrize("vertex", ["I5", "A16", "A0", "", "H8 H9"])
def test_a_vertex_that_is_not_on_the_board_is_garbage(vertex: str) -> None:
    error = failing(greeted("gomoku").turn(state_after(game="gomoku"), None), [*["= false"] * 2, f"= {vertex}"])
    assert (error.kind, str(error)) == ("garbage", f"The engine answered {vertex!r}, which is not a cell of the board.")


def test_a_refused_command_names_the_command() -> None:
    error = failing(Gtp(GAMES["gomoku"]).greet(), ["? unacceptable size"])
    assert (error.kind, str(error)) == ("start", "The engine answered '? unacceptable size' to 'boardsize 15'.")


def test_what_is_no_answer_is_garbage() -> None:
    error = failing(Gtp(GAMES["gomoku"]).greet(), ["Hello!"])
    assert (error.kind, str(error)) == (
        "garbage",
        "The engine answered 'Hello!' to 'boardsize 15'; = or ? was expected.",
    )


@pytest.mark.parametrize("game", ["connect4"])
def test_games_whose_moves_are_not_cells_of_a_square_board_are_refused(game: str) -> None:
    with pytest.raises(ValueError, match="GTP has no names for the moves of Connect Four"):
        Gtp(GAMES[game])
