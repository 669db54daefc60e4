"""The text that a student gets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from noughts.classes.feedback import feedback
from noughts.classes.gradebook import Results, results_of
from noughts.classes.roster import Student
from noughts.classes.submissions import Submission
from noughts.league.records import Record
from support.leagues import failure, game, league

BEN = Student("ben", "Ben")
AT = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
SUBMISSION = Submission("ben", "", "ben.py", AT, 120, Path("/home/teacher/frozen/ben/bot.py"), "ab12", ("ben_old.py",))


def crash(number: int) -> Record:
    found = failure(
        "second",
        "crash",
        f"The bot raised KeyError: '{number}'.",
        error="KeyError",
        traceback='  File "/home/teacher/frozen/ben/bot.py", line 3, in choose\nKeyError',
        stderr="thinking\n\tindented \x1b[2J\n",
        line='{"game":"tictactoe"}\n',
        answer="x",
    )
    return game(number, "ada", "ben", "first", reason="crash", failure=found)


def told(
    student: Student,
    records: list[Record],
    submission: Submission = SUBMISSION,
    mistakes: Mapping[int, Sequence[str]] | None = None,
) -> str:
    terms = league(["ada", "ben"])
    found = replace(results_of([], terms, records), places={"ada": 1, "ben": 2}, unfinished="")
    return feedback(student, submission, found, game="tictactoe", mistakes=mistakes or {})


def test_a_student_is_told_results_and_what_counted() -> None:
    text = told(BEN, [game(1, "ada", "ben", "first"), game(2, "ben", "ada", "draw")])
    assert text.startswith("Ben (ben): Tic-tac-toe\n")
    assert "What counted: ben.py, 2026-11-22 18:05+00:00, 2 min late\n" in text
    assert "What did not count: ben_old.py\n" in text
    assert "Place 2 of 2 students, 0.5 points in 2 games: 0 won, 1 drawn, 1 lost\n" in text
    assert "Losses: by a full row 1\n" in text
    assert "To try it at home:\n  noughts check --bot ben.py --game tictactoe\n" in text
    assert "failed" not in text


def test_lost_games_are_listed_with_side_opponent_reason_and_mistake() -> None:
    records = [
        game(3, "ben", "ada", "second", opening=["1", "4"]),
        game(1, "ada", "ben", "first"),
        game(2, "ben", "ada", "draw"),
        game(4, "ada", "ben", "second"),
        crash(5),
    ]
    text = told(BEN, records, mistakes={3: ("Move 3, X 2: draw thrown away.", "All moves there: ...")})
    assert text.partition("Lost games. ")[2].partition("\n\n")[0] == (
        "In your teacher's report, #game-1 is game 1, to step through with the arrow keys.\n"
        "Games begin with an opening of 2 plies that neither bot has chosen.\n"
        "  game 1 as O against ada: by a full row after 5 plies\n"
        "    Not reviewed: there was no time for it.\n"
        "  game 3 as X against ada: by a full row after 5 plies\n"
        "    Move 3, X 2: draw thrown away.\n"
        "    All moves there: ...\n"
        "  game 5 as O against ada: crash after 5 plies"
    )


def test_a_failure_is_told_with_all_that_is_known() -> None:
    text = told(BEN, [crash(1)])
    assert "Your bot failed in 1 game.\n\n1 game: KeyError in line 3 of ben.py\n" in text
    assert "Game 1 against ada, after 5 plies: The bot raised KeyError: '1'.\n" in text
    assert 'File "ben.py", line 3, in choose' in text
    assert "/home/teacher" not in text
    assert "    thinking\n    \tindented ?[2J\n" in text
    assert '\n{"game":"tictactoe"}\n' in text
    assert "python -m noughts_client.bots.child ben.py < turn.json" in text
    assert "Also in" not in text


def test_a_bot_that_hung_is_not_asked_again_without_limits() -> None:
    record = crash(1)
    assert record["failure"] is not None
    record["failure"]["kind"] = "time"
    text = told(BEN, [record])
    assert "noughts check --bot ben.py" in text
    assert "turn.json" not in text


def test_equal_failures_are_told_once() -> None:
    illegal = [
        game(number, "ada", "ben", "first", reason="illegal", failure=failure("second", "illegal", "It played '0'."))
        for number in (7, 9)
    ]
    other = crash(8)
    assert other["failure"] is not None
    other["failure"]["traceback"] = other["failure"]["traceback"].replace("line 3", "line 4")
    text = told(BEN, [*illegal, *(crash(number) for number in range(1, 4)), other])
    heads = [line for line in text.splitlines() if re.match(r"\d games?:", line)]
    assert heads == [
        "3 games: KeyError in line 3 of ben.py",
        "2 games: illegal move",
        "1 game: KeyError in line 4 of ben.py",
    ]
    assert "Disqualified: your bot failed 3 times running in the same way. Its games do not count.\n" in text
    assert "Place" not in text
    assert text.count("The traceback:") == 2
    assert "\nAlso in games 2, 3.\n" in text
    assert "\nAlso in game 9.\n" in text


def test_the_program_in_a_folder_keeps_its_name() -> None:
    text = told(BEN, [crash(1)], replace(SUBMISSION, source="ben folder"))
    assert "KeyError in line 3 of bot.py\n" in text
    assert "noughts check --bot bot.py --game" in text
    assert "noughts check --bot 'my bot.py' --game" in told(BEN, [], replace(SUBMISSION, source="my bot.py"))


def test_failures_of_others_are_not_told() -> None:
    assert "KeyError" not in told(Student("ada", "Ada"), [crash(1)])


def test_who_did_not_play_is_told_why() -> None:
    text = feedback(BEN, Submission("ben", "late"), Results(), game="tictactoe", mistakes={})
    assert "Your bot did not play: late.\n" in text
