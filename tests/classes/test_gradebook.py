"""The gradebook has everybody, and no formula."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

from noughts.classes.gradebook import gradebook, places_of, results_of
from noughts.classes.roster import Student
from noughts.classes.submissions import Submission
from noughts.league.records import LeagueRecord, Record
from noughts.league.standings import standings
from noughts.spreadsheet import FORMULA
from support.leagues import failure, game, league

AT = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
STUDENTS = [
    Student("ada", "Ada"),
    Student("ben", "=HYPERLINK(1)"),
    Student("cy", "Cy"),
    Student("dan", "Dan"),
    Student("eve", "Eve"),
]
SUBMISSIONS = {
    "ada": Submission("ada", source="ada.py", at=AT, main=Path("ada/bot.py")),
    "ben": Submission("ben", source="@ben.py", at=AT, late_s=90, main=Path("ben/bot.py")),
    "cy": Submission("cy", "no submission"),
    "dan": Submission("dan", "late", late_s=4000),
    "eve": Submission("eve", "no Python file", "eve.zip", AT),
}
RECORDS = [
    game(1, "ada", "ben", "first", reason="crash", failure=failure("second", "crash", "=The bot raised KeyError.")),
    game(2, "ben", "ada", "draw"),
    game(3, "ada", "easy", "second"),
    game(4, "easy", "ada", "first"),
    game(5, "ben", "easy", "second"),
    game(6, "easy", "ben", "draw"),
]


def written(students: list[Student], terms: LeagueRecord | None, records: list[Record]) -> str:
    return gradebook(students, SUBMISSIONS, results_of(students, terms, records), page="report.html")


def book() -> dict[str, dict[str, str]]:
    text = written(STUDENTS, league(["ada", "ben", "easy"]), RECORDS)
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def test_everybody_on_the_roster_has_a_row_in_its_order() -> None:
    rows = book()
    assert [*rows] == ["ada", "ben", "cy", "dan", "eve"]
    assert {student: row["status"] for student, row in rows.items()} == {
        "ada": "played",
        "ben": "played",
        "cy": "no submission",
        "dan": "late",
        "eve": "no Python file",
    }
    for student in ("cy", "dan", "eve"):
        assert not rows[student]["points"]
        assert not rows[student]["replay"]


def test_a_row_has_the_results_and_where_to_see_them() -> None:
    ada, ben = book()["ada"], book()["ben"]
    assert (ada["place"], ada["points"], ada["games"]) == ("1", "1.5", "4")
    assert (ada["won"], ada["drawn"], ada["lost"]) == ("1", "1", "2")
    assert (ada["points_against_easy"], ben["points_against_easy"]) == ("0", "0.5")
    assert (ben["late_by_min"], ada["late_by_min"]) == ("1.5", "")
    assert (ada["replay"], ben["replay"]) == ("report.html#player-1", "report.html#player-2")
    assert (ben["failures"], ben["first_failure"]) == ("1", "'=The bot raised KeyError.")
    assert (ada["won_by_failure"], ben["won_by_failure"]) == ("1", "0")
    assert (ada["failures"], ada["submitted"]) == ("0", "2026-11-22 18:05+00:00")
    assert float(ada["error"]) > 50


def test_a_bot_that_never_started_says_so_in_the_students_own_words() -> None:
    nobody = {"moves_timed": {"first": 0, "second": 0}}
    why = failure("second", "start", "bot.py defines no function choose.")
    records = [game(1, "ada", "ben", "first", reason="start", failure=why, **nobody)]
    text = written(STUDENTS[:2], league(["ada", "ben"]), records)
    ada, ben = csv.DictReader(io.StringIO(text))
    assert (ada["status"], ben["status"]) == tuple(
        f"{each}, not final: 1 of 2 games" for each in ("played", "never started")
    )
    assert ben["first_failure"] == "'@ben.py defines no function choose."
    other = failure("second", "memory", "It held too much.")
    for played in (
        [*records, game(2, "ben", "ada", "draw")],
        [game(1, "ada", "ben", "first", failure=other, **nobody)],
    ):
        text = written(STUDENTS[:2], league(["ada", "ben"]), played)
        assert [row["status"].partition(",")[0] for row in csv.DictReader(io.StringIO(text))] == ["played", "played"]


def test_no_text_starts_a_formula() -> None:
    for row in book().values():
        for column, text in row.items():
            if column != "elo":  # a number
                assert not text.startswith(FORMULA), (column, text)


def test_a_rating_is_there_however_uncertain_it_is() -> None:
    records = [game(1, "ada", "ben", "first")]
    text = written(STUDENTS[:2], league(["ada", "ben"]), records)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert all(row["elo"] and float(row["error"]) > 100 for row in rows)


def test_who_is_disqualified_has_no_figures_but_the_reason() -> None:
    crash = failure("first", "crash", "The bot raised KeyError.", error="KeyError")
    against = {7: "easy", 8: "ada", 9: "easy"}
    crashes = [game(n, "ben", other, "second", reason="crash", failure=crash) for n, other in against.items()]
    text = written(STUDENTS, league(["ada", "ben", "easy"]), [*RECORDS, *crashes])
    row = {row["student"]: row for row in csv.DictReader(io.StringIO(text))}
    assert row["ben"]["status"] == "disqualified: crash, 3 times running"
    figures = ("place", "points", "games", "won", "elo", "points_against_easy")
    assert [row["ben"][each] for each in figures] == [""] * 6
    assert (row["ben"]["failures"], row["ben"]["replay"]) == ("4", "report.html#player-2")
    assert [row["ada"][each] for each in ("place", "games", "won_by_failure")] == ["1", "2", "0"]


def test_without_a_league_everybody_is_listed() -> None:
    rows = list(csv.DictReader(io.StringIO(written(STUDENTS, None, []))))
    assert [row["status"] for row in rows] == ["too few others"] * 2 + ["no submission", "late", "no Python file"]


def test_places_do_not_count_the_computer() -> None:
    rows = standings(league(["ada", "ben", "easy"]), RECORDS)
    assert [row.player for row in rows] == ["easy", "ada", "ben"]
    assert places_of(rows, {"ada", "ben"}) == {"ada": 1, "ben": 2}
