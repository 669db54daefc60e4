"""What a student gets to know."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from noughts.classes.feedback import feedback
from noughts.classes.roster import Student
from noughts.classes.submissions import Submission
from noughts.league.records import Record
from noughts.league.standings import standings
from support.leagues import failure, game

BEN = Student("ben", "Ben")
AT = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
SUBMISSION = Submission("ben", "", "ben.py", AT, 120, Path("/home/teacher/frozen/ben/bot.py"), "ab12", ("ben_old.py",))


def crash(number: int) -> Record:
    found = failure(
        "second",
        "crash",
        f"The bot raised KeyError: '{number}'.",
        traceback='  File "/home/teacher/frozen/ben/bot.py", line 3, in choose\nKeyError',
        stderr="thinking\n\tindented \x1b[2J\n",
        line='{"game":"tictactoe"}\n',
        answer="x",
    )
    return game(number, "ada", "ben", "first", reason="crash", failure=found)


def told(student: Student, records: list[Record]) -> str:
    rows = {row.player: row for row in standings(["ada", "ben"], records)}
    return feedback(
        student, SUBMISSION, row=rows[student.id], places={"ada": 1, "ben": 2}, game="tictactoe", records=records
    )


def test_a_student_is_told_results_and_what_counted() -> None:
    text = told(BEN, [game(1, "ada", "ben", "first"), game(2, "ben", "ada", "draw")])
    assert text.startswith("Ben (ben): Tic-tac-toe\n")
    assert "What counted: ben.py, 2026-11-22 18:05+00:00, 2 min late\n" in text
    assert "What did not count: ben_old.py\n" in text
    assert "Place 2 of 2 students, 0.5 points in 2 games: 0 won, 1 drawn, 1 lost\n" in text
    assert "Lost by: line 1\n" in text
    assert "\n  game 1 against ada, 5 plies: report.html#game-1\n" in text
    assert "game 2 against" not in text
    assert text.endswith("  noughts league review 1 --folder league\n")
    assert "failed" not in text


def test_a_failure_is_told_with_all_that_is_known() -> None:
    text = told(BEN, [crash(1)])
    assert "Your bot failed in 1 game.\n" in text
    assert "Game 1 against ada, after 5 moves: The bot raised KeyError: '1'.\n" in text
    assert 'File "bot.py", line 3, in choose' in text
    assert "/home/teacher" not in text
    assert "    thinking\n    \tindented ?[2J\n" in text
    assert '\n{"game":"tictactoe"}\n' in text
    assert "python -m noughts_client.bots.child bot.py < turn.json" in text


def test_only_the_first_failures_are_told_in_full() -> None:
    text = told(BEN, [crash(number) for number in range(1, 7)])
    assert text.count("The traceback:") == 3
    assert "  game 6: The bot raised KeyError: '6'.\n" in text


def test_failures_of_others_are_not_told() -> None:
    assert "KeyError" not in told(Student("ada", "Ada"), [crash(1)])


def test_who_did_not_play_is_told_why() -> None:
    text = feedback(BEN, Submission("ben", "late"), row=None, places={}, game="tictactoe", records=[])
    assert "Your bot did not play: late.\n" in text
