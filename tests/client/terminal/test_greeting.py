from typing import Any

from noughts.protocol.render import game_info
from noughts_client.terminal.greeting import greeting, offered_games
from support.viewed import room

GAME = game_info(room().game)


def welcome(**fields: Any) -> Any:
    return {"games": [GAME, {**GAME, "key": "other"}], **fields}


def test_a_server_is_greeted_by_what_it_says_of_itself() -> None:
    assert greeting(welcome()) == ""
    server = {"name": "Ann's", "news": "No play on Sunday."}
    assert greeting(welcome(server=server)) == "Ann's  No play on Sunday."
    announced = {"text": "Restart at 8", "at": "2026-11-24T20:00:00.000Z"}
    assert greeting(welcome(announcement=announced)) == "The operator: Restart at 8"


def test_only_the_games_that_can_be_opened_are_offered() -> None:
    assert [game["key"] for game in offered_games(welcome())] == ["tictactoe", "other"]
    assert [game["key"] for game in offered_games(welcome(offered=["other"]))] == ["other"]
