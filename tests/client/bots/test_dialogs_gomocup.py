"""The dialog with a Gomocup engine, with the test in the engine's place."""

from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts_client.bots.dialogs import Gomocup, TimeLeft
from support.bots import state_after
from support.engines import failing, talked

FIRST = ["INFO rule 0\r", "INFO game_type 1\r"]
UNTIMED = ["INFO timeout_match 0\r", "INFO timeout_turn 1000\r", "INFO time_left 2147483647\r"]


def greeted() -> Gomocup:
    dialog = Gomocup(GAMES["gomoku"])
    assert talked(dialog.greet(), ["OK"])[0] == ["START 15\r"]
    return dialog


def test_the_first_player_begins() -> None:
    sent, answer = talked(greeted().turn(state_after(game="gomoku"), None), ["7,3"])
    assert (sent, answer) == ([*FIRST, *UNTIMED, "BEGIN\r"], ("h4", ""))


def test_the_second_player_is_sent_a_turn() -> None:
    sent, answer = talked(greeted().turn(state_after("o1", game="gomoku"), None), ["0,14"])
    assert (sent[-1], answer) == ("TURN 14,0\r", ("a15", ""))


def test_a_game_under_way_is_sent_as_a_board() -> None:
    sent, _ = talked(greeted().turn(state_after("a1", "b1", "c1", game="gomoku"), None), ["7,7"])
    assert sent[5:] == ["BOARD\r", "0,0,2\r", "1,0,1\r", "2,0,2\r", "DONE\r"]


def test_later_turns_send_one_move() -> None:
    dialog = greeted()
    talked(dialog.turn(state_after(game="gomoku"), None), ["7,7"])
    sent, _ = talked(dialog.turn(state_after("h8", "a2", game="gomoku"), None), ["7,8"])
    assert sent == [*UNTIMED[1:], "TURN 0,1\r"]


def test_after_a_takeback_the_board_is_set_up_anew() -> None:
    dialog = greeted()
    talked(dialog.turn(state_after(game="gomoku"), None), ["7,7"])
    sent, _ = talked(dialog.turn(state_after("a1", "b1", game="gomoku"), None), ["OK", "7,8"])
    assert sent == ["RESTART\r", *UNTIMED[1:], "BOARD\r", "0,0,1\r", "1,0,2\r", "DONE\r"]


def test_an_engine_that_cannot_restart_must_be_started_again() -> None:
    dialog = greeted()
    talked(dialog.turn(state_after(game="gomoku"), None), ["7,7"])
    error = failing(dialog.turn(state_after(game="gomoku"), None), ["UNKNOWN command"])
    assert (error.kind, str(error)) == ("exit", "The engine answered 'UNKNOWN command' to RESTART.")


@pytest.mark.parametrize(
    ("left", "infos"),
    [
        (TimeLeft(60_000, 50_000, 1000), ["timeout_match 60000", "timeout_turn 60000", "time_left 60000"]),
        (TimeLeft(9_900, 10_000, per_move=True), ["timeout_match 0", "timeout_turn 9900", "time_left 2147483647"]),
    ],
)
def test_the_engine_is_told_its_time(left: TimeLeft, infos: list[str]) -> None:
    sent, _ = talked(greeted().turn(state_after(game="gomoku"), left), ["7,7"])
    assert sent[2:-1] == [f"INFO {info}\r" for info in infos]


def test_messages_for_people_are_passed_over() -> None:
    says = ["MESSAGE I will win", "debug depth 3", "7 , 7"]
    assert talked(greeted().turn(state_after(game="gomoku"), None), says)[1] == ("h8", "")


def test_a_suggestion_is_accepted() -> None:
    sent, answer = talked(greeted().turn(state_after(game="gomoku"), None), ["SUGGEST 7,8", "7,8"])
    assert (sent[-1], answer) == ("PLAY 7,8\r", ("h9", ""))


@pytest.mark.parametrize("answer", ["15,0", "0,15", "h8", "7", "1,2,1", "OK", "1" * 5000 + ",1"])
def test_what_is_no_cell_of_the_board_is_garbage(answer: str) -> None:
    error = failing(greeted().turn(state_after(game="gomoku"), None), [answer])
    assert error.kind == "garbage"
    assert str(error) == f"The engine answered {answer!r:.80}, which is not a cell of the board."


@pytest.mark.parametrize("answer", ["ERROR size", "UNKNOWN", "Welcome"])
def test_a_refused_board_ends_the_game_before_it_starts(answer: str) -> None:
    assert str(failing(Gomocup(GAMES["gomoku"]).greet(), [answer])) == f"The engine answered {answer!r} to START 15."


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="Gomocup engines play Gomoku, not Connect Four"):
        Gomocup(GAMES["connect4"])
