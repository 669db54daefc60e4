from __future__ import annotations

import json
from dataclasses import replace

import pytest

from noughts.league.records import Record
from noughts.league.state import LeagueError
from noughts.league.turn import Answered, after_lines, before_lines, record_of, side_of, turn_of
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


UNTIMED = league(["ann", "bob"])
LINE = '{"moves":["1","4"],"time_ms":9000}'
CRASH = Failure("crash", "The bot raised KeyError: 'e4'.", "KeyError", "  File 1\n  line\x1b\n", "dying\n", LINE)
CRASHED = game(
    1,
    "ann",
    "bob",
    "second",
    reason="crash",
    moves=["1", "4"],
    failure=failure(
        "first", "crash", CRASH.message, error="KeyError", traceback=CRASH.traceback, stderr="dying\n", line=LINE
    ),
)
LATE = game(
    3,
    "ann",
    "bob",
    "second",
    reason="time",
    moves=["1", "4"],
    failure=failure("first", "time", "The bot was late.", line='{"moves":["1","4"],"time_ms":798}'),
)
PLAYED = game(2, "ann", "bob", "first", opening=["1", "4"], notes={4: "three\nin a \x1brow"})


def after(record: Record, answered: Answered) -> list[str]:
    return after_lines(record, turn_of(UNTIMED, record, "first"), answered)


def test_it_shows_the_players_the_board_the_line_and_the_failure_as_it_was() -> None:
    assert before_lines(UNTIMED, CRASHED, "first", turn_of(UNTIMED, CRASHED, "first")) == [
        "Game 1 of Tic-tac-toe: ann (X) against bob (O); bob won. ann failed (crash): The bot raised KeyError: 'e4'.",
        "",
        "After 2 moves, ann (X, x) was to move:",
        "",
        "x . .    1 2 3",
        "o . .    4 5 6",
        ". . .    7 8 9",
        "",
        "It was sent:",
        f"> {LINE}",
        "",
        "Then it failed:",
        "crash: The bot raised KeyError: 'e4'.",
        "  File 1",
        "  line?",
        "stderr:",
        "dying",
    ]


@pytest.mark.parametrize(
    ("ply", "words"),
    [
        (4, "Then it played 3 (note: three in a ?row)."),
        (2, "Then it played 2."),
        (0, "Then the league played 1, which is part of the opening."),
    ],
)
def test_a_move_is_shown_with_its_note(ply: int, words: str) -> None:
    assert before_lines(UNTIMED, PLAYED, "first", turn_of(UNTIMED, PLAYED, "first", ply))[-1] == words


def test_a_bot_that_did_not_start_has_no_board() -> None:
    absent = game(3, "ann", "bob", "second", opening=["1"], moves=[], failure=failure("first", "start", "No choose."))
    assert before_lines(UNTIMED, absent, "first", turn_of(UNTIMED, absent, "first"))[1:] == [
        "",
        "ann was not asked for a move, as it did not start.",
        "",
        "Then it failed:",
        "did not start: No choose.",
    ]


def test_it_says_whether_a_move_is_the_same() -> None:
    assert after(PLAYED, Answered("3", "", 0.25, "", None)) == [
        "",
        "Now it plays 3 after 0.250 s.",
        "That is the same move.",
    ]
    opening = after_lines(PLAYED, turn_of(UNTIMED, PLAYED, "first", 0), Answered("3", "", 0.25, "", None))
    assert opening == ["", "Now it plays 3 after 0.250 s."]
    other = after(PLAYED, Answered("7", "why\nnot", 0.25, "log\x07\n", None))
    assert other == [
        "",
        "Now it plays 7 (note: why not) after 0.250 s.",
        "That is another move.",
        "stderr:",
        "log?",
    ]


def test_it_says_whether_a_failure_is_the_same() -> None:
    assert after(CRASHED, Answered("", "", 0, "", CRASH)) == ["", "Now it fails in the same way."]
    elsewhere = replace(CRASH, traceback="  File 2\n")
    assert after(CRASHED, Answered("", "", 0, "", elsewhere))[1] == "Now it fails in another way:"
    late = Failure("time", "No answer.")
    again = replace(late, message="No answer after 2 s.")
    assert after(LATE, Answered("", "", 0, "", again)) == ["", "Now it fails in the same way."]
    memory = Failure("memory", "It used 513 MiB.")
    failed = failure("first", "memory", "It used 520 MiB.", line='{"moves":["1","4"],"time_ms":798}')
    exhausted = game(3, "ann", "bob", "second", moves=["1", "4"], failure=failed)
    assert after(exhausted, Answered("", "", 0, "", memory)) == ["", "Now it fails in the same way."]
    assert after(CRASHED, Answered("", "", 0, "", late)) == ["", "Now it fails in another way:", "too late: No answer."]
    assert after(PLAYED, Answered("", "", 0, "", late)) == ["", "Now it fails:", "too late: No answer."]
    assert after(CRASHED, Answered("3", "", 0, "", None))[-1] == "It does not fail."


def test_it_says_whether_a_move_would_be_too_late_again() -> None:
    assert after(LATE, Answered("6", "", 1.201, "log\n", None)) == [
        "",
        "Now it plays 6 after 1.201 s, and had 0.798 s: it would lose on time again.",
        "stderr:",
        "log",
    ]
    assert after(LATE, Answered("6", "", 0.79, "", None))[1:] == [
        "Now it plays 6 after 0.790 s, and had 0.798 s.",
        "It does not fail.",
    ]
    assert after(PLAYED, Answered("3", "", 31, "", None))[1].endswith("and had 30.000 s: it would lose on time.")
