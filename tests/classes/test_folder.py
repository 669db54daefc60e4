"""The folder of a class: frozen once, results as often as there are new ones."""

from __future__ import annotations

import csv
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from noughts.classes.folder import ClassError, SchoolClass, freeze_class, load_class, write_results
from noughts.classes.roster import Student
from support.leagues import game, league

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
STUDENTS = [Student("ada", "Ada"), Student("ben", "Ben"), Student("cy", "Cy"), Student("dan", "Dan")]


def hand_in(folder: Path, name: str, minutes: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"# {minutes}")
    at = NOON.timestamp() + 60 * minutes
    os.utime(folder / name, (at, at))


def frozen(tmp_path: Path, *, late: bool = False) -> SchoolClass:
    tmp_path.mkdir(exist_ok=True)
    for name, minutes in (
        ("ada_1.py", -9),
        ("ada_2.py", -5),
        ("ada_3.py", 5),
        ("ben.py", 3),
        ("cy.py", -1),
        ("x.py", 0),
    ):
        hand_in(tmp_path / "in", name, minutes)
    return freeze_class(tmp_path / "class-1", STUDENTS, tmp_path / "in", game="tictactoe", deadline=NOON, late=late)


def test_what_counts_is_frozen_for_everybody(tmp_path: Path) -> None:
    school = frozen(tmp_path)
    found = school.submissions
    assert [found[each.id].problem for each in STUDENTS] == ["", "late", "", "no submission"]
    assert (found["ada"].source, found["ada"].others) == ("ada_2.py", ("ada_1.py", "ada_3.py"))
    assert (found["ben"].late_s, found["ben"].others) == (180, ())
    assert (tmp_path / "class-1/frozen/ada/bot.py").read_text() == "# -5"
    assert school.nobodys == ["x.py"]
    assert school.bots() == [f"{name}={tmp_path}/class-1/frozen/{name}/bot.py" for name in ("ada", "cy")]
    again = frozen(tmp_path / "again", late=True)
    assert [bot[:4] for bot in again.bots()] == ["ada=", "ben=", "cy=/"]
    assert (again.submissions["ben"].late_s, again.submissions["ben"].source) == (180, "ben.py")


def test_a_class_is_read_as_it_was_frozen(tmp_path: Path) -> None:
    school = frozen(tmp_path)
    assert load_class(tmp_path / "class-1") == school


def test_a_class_is_frozen_once(tmp_path: Path) -> None:
    frozen(tmp_path)
    with pytest.raises(ClassError, match="has a class already; noughts class --resume"):
        frozen(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"), [(None, "there is no class in"), ("{}", "class.json is damaged"), ("\0", "damaged")]
)
def test_a_folder_without_a_class_is_refused(tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "class.json").write_text(text)
    with pytest.raises(ClassError, match=words):
        load_class(tmp_path)


def test_a_missing_folder_of_submissions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClassError, match="there is no folder"):
        freeze_class(tmp_path / "c", STUDENTS, tmp_path / "none", game="tictactoe", deadline=None, late=False)


def test_everybody_gets_results(tmp_path: Path) -> None:
    school = frozen(tmp_path)
    write_results(school, league(["ada", "cy"]), [game(1, "ada", "cy", "first")])
    told = (school.path / "feedback/ben.txt").read_text()
    assert "Deadline: 2026-11-22 12:00+00:00\nHanded in, and not counted: ben.py, " in told
    assert ", 3 min late\n" in told
    assert "Not final: 1 of 2 games of the class" in (school.path / "feedback/ada.txt").read_text()
    book = (school.path / "gradebook.csv").read_bytes()
    assert book.startswith(b"\xef\xbb\xbfstudent,")
    rows = list(csv.DictReader(book.decode("utf-8-sig").splitlines()))
    assert [(row["student"], row["place"]) for row in rows] == [("ada", "1"), ("ben", ""), ("cy", "2"), ("dan", "")]
    assert [row["status"] for row in rows[:2]] == ["played, not final: 1 of 2 games", "late"]
    assert (rows[1]["file"], rows[1]["late_by_min"]) == ("ben.py", "3")
    assert {path.name for path in (school.path / "feedback").iterdir()} == {"ada.txt", "ben.txt", "cy.txt", "dan.txt"}
    assert "Your bot did not play: late." in (school.path / "feedback/ben.txt").read_text()
    assert "Tic-tac-toe league" in (school.path / "report.html").read_text()
    write_results(school, league(["ada", "cy"]), [game(1, "ada", "cy", "second")])
    assert ",cy.py,1," in (school.path / "gradebook.csv").read_text()


def test_the_gradebook_and_the_feedback_have_the_same_place(tmp_path: Path) -> None:
    school = frozen(tmp_path)
    records = [game(1, "easy", "ada", "first"), game(2, "ada", "cy", "first")]
    write_results(school, league(["ada", "cy", "easy"]), records)
    rows = csv.DictReader((school.path / "gradebook.csv").read_text("utf-8-sig").splitlines())
    assert [row["place"] for row in rows] == ["1", "", "2", ""]
    assert "\nPlace 1 of 2 students, " in (school.path / "feedback/ada.txt").read_text()


def test_the_gradebook_is_written_without_a_league(tmp_path: Path) -> None:
    school = frozen(tmp_path)
    write_results(school, None, [])
    assert "no submission" in (school.path / "gradebook.csv").read_text()
    assert not (school.path / "report.html").exists()
