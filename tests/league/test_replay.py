import json

import pytest

from noughts.league.replay import record_of, side_of, turn_of
from noughts.league.state import LeagueError
from noughts_client.failure import Failure
from support.leagues import failure, game, league

LEAGUE = league(["ann", "bob"], game="tictactoe", clock="30s+0.3")
GAME = game(1, "ann", "bob", "first", opening=["1", "4"], moves=["1", "4", "2", "5", "3"])


def test_the_last_turn_is_made_anew_from_the_moves() -> None:
    line = json.loads(turn_of(LEAGUE, GAME, "first").line)
    assert (line["moves"], line["turn"], line["side"], line["symbol"]) == (["1", "4", "2", "5"], 4, "first", "x")
    assert line["rows"] == ["xx.", "oo.", "..."]
    assert line["legal_moves"] == ["3", "6", "7", "8", "9"]
    assert (line["time_ms"], line["clock"]["running"]) == (30_000, "first")
    assert line["seats"]["second"]["name"] == "bob"
    assert json.loads(turn_of(LEAGUE, GAME, "second").line)["moves"] == ["1", "4", "2"]


def test_any_other_turn_can_be_asked_for() -> None:
    assert json.loads(turn_of(LEAGUE, GAME, "first", 2).line)["moves"] == ["1", "4"]
    assert json.loads(turn_of(LEAGUE, GAME, "first", 0).line)["moves"] == []
    assert [turn_of(LEAGUE, GAME, "first", ply).move for ply in (0, 2, 4, None)] == ["1", "2", "3", "3"]
    for ply in (1, 3, 5):
        why = f"--turn {ply}: ann was not to move after {ply} of 5 moves. It was to move after 2, 4."
        with pytest.raises(LeagueError, match=why):
            turn_of(LEAGUE, GAME, "first", ply)
    with pytest.raises(LeagueError, match=r"--turn 6: game 1 has 5 moves\. ann: it was to move after 2, 4\."):
        turn_of(LEAGUE, GAME, "first", 6)


def test_where_a_bot_failed_it_is_the_recorded_line() -> None:
    line = '{"moves": ["1","4"],  "as it was": true}'
    failed = game(
        1, "ann", "bob", "second", moves=["1", "4"], failure=failure("first", "crash", "It crashed.", line=line)
    )
    assert turn_of(LEAGUE, failed, "first").line == line
    assert turn_of(LEAGUE, failed, "first", 2).line == line
    assert json.loads(turn_of(LEAGUE, failed, "first", 0).line)["moves"] == []
    assert json.loads(turn_of(LEAGUE, failed, "second").line)["moves"] == ["1"]


def test_an_engine_that_failed_is_asked_anew() -> None:
    failed = game(
        1, "ann", "bob", "second", moves=["1", "4"], failure=failure("first", "time", "No.", line="go movetime 5")
    )
    assert json.loads(turn_of(LEAGUE, failed, "first").line)["moves"] == ["1", "4"]


def test_a_bot_that_did_not_start_can_only_be_started_again() -> None:
    absent = game(1, "ann", "bob", "second", opening=["1"], moves=[], failure=failure("first", "start", "No."))
    turn = turn_of(LEAGUE, absent, "first")
    assert (turn.position, turn.line, turn.move) == (None, "", None)
    assert turn.failure == Failure("start", "No.")


def test_a_bot_that_was_never_asked_cannot_be_asked_again() -> None:
    absent = game(1, "ann", "bob", "second", moves=[], failure=failure("first", "start", "No.", line=""))
    with pytest.raises(LeagueError, match="bob was never asked for a move in game 1"):
        turn_of(LEAGUE, absent, "second")


def test_a_bot_that_was_seated_for_the_opening_alone_was_never_asked() -> None:
    lost = game(1, "ann", "bob", "second", opening=["1", "4"], moves=["1", "4"])
    assert json.loads(turn_of(LEAGUE, lost, "first").line)["moves"] == ["1", "4"]
    with pytest.raises(LeagueError, match="bob was never asked"):
        turn_of(LEAGUE, lost, "second")


def test_games_and_players_are_found_or_named_as_missing() -> None:
    assert record_of([GAME], 1) is GAME
    assert (side_of(GAME, "ann"), side_of(GAME, "bob")) == ("first", "second")
    with pytest.raises(LeagueError, match="no record of game 2"):
        record_of([GAME], 2)
    with pytest.raises(LeagueError, match="zoe did not play game 1: ann and bob did"):
        side_of(GAME, "zoe")
