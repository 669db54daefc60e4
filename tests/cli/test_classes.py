"""``noughts class``: from files and a roster to a gradebook. The bots run as programs, here without a sandbox."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from support.command import Result, noughts

ROSTER = "student,name\nada,Ada Lovelace\nben,=Ben\ncy,Cy Wu\ndan,Dan Absent\n"
FIRST = "def choose(state):\n    return state['legal_moves'][0]\n"
CRASH = "def choose(state):\n    raise KeyError(state['turn'])\n"


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a roster and submissions."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER)
    (tmp_path / "in").mkdir()
    for name, text in (("ada.py", FIRST), ("ben_1_2_bot.py", CRASH), ("cy_1.txt", "none"), ("zoe.py", FIRST)):
        (tmp_path / "in" / name).write_text(text)
    return tmp_path


def run(*words: str) -> Result:
    return noughts("class", *words)


def gradebook(folder: Path) -> dict[str, dict[str, str]]:
    text = (folder / "gradebook.csv").read_text(encoding="utf-8-sig")
    return {row["student"]: row for row in csv.DictReader(text.splitlines())}


def test_a_class_gets_a_gradebook_a_page_and_a_text_for_everybody(room: Path) -> None:
    result = run(
        "roster.csv", "in", "--game", "tictactoe", "--rounds", "1", "--seed", "1", "--clock", "10s+1", "--uncontained"
    )
    assert result.status == 0, result.err
    found = room / "class-1"
    rows = gradebook(found)
    assert [(row["student"], row["status"]) for row in rows.values()] == [
        ("ada", "played"),
        ("ben", "played"),
        ("cy", "no Python file"),
        ("dan", "no submission"),
    ]
    assert (rows["ada"]["place"], rows["ada"]["points"], rows["ben"]["failures"]) == ("1", "2", "2")
    assert rows["ben"]["name"] == "'=Ben"
    told = (found / "feedback/ben.txt").read_text()
    assert "2 games: KeyError in line 2 of ben_1_2_bot.py\n" in told
    assert 'File "ben_1_2_bot.py", line 2, in choose' in told
    assert str(room) not in told
    assert "2 of 2 games are over" in (found / "report.html").read_text()
    out, err = result.out.decode(), result.err
    assert "Dan Absent (dan) does not play: no submission." in out
    assert "Nobody on the roster has handed in zoe.py." in err
    assert "2 of 4 students have handed in a bot." in err
    # What is frozen counts, whatever is handed in later.
    (room / "in/ada.py").write_text(CRASH)
    again = run("--resume", "class-1", "--uncontained")
    assert again.status == 0, again.err
    assert gradebook(found) == rows
    assert len((found / "league/games.jsonl").read_text().splitlines()) == 2


def test_a_student_is_told_where_a_game_was_lost(room: Path) -> None:
    (room / "in/ben_1_2_bot.py").write_text(FIRST)
    result = run(
        *("roster.csv", "in", "--game", "tictactoe", "--rounds", "1", "--seed", "1", "--clock", "10s+1"),
        *("--openings", "0", "--uncontained"),
    )
    assert result.status == 0, result.err
    for student in ("ada", "ben"):
        told = (room / f"class-1/feedback/{student}.txt").read_text()
        assert "    Move 4, O 4: draw thrown away; better: 5 (draw).\n" in told
        assert "    All moves there:  noughts solve tictactoe --moves 1,2,3\n" in told


def test_a_level_of_the_computer_is_a_yardstick(room: Path) -> None:
    (room / "in/ben_1_2_bot.py").unlink()
    result = run(
        *("roster.csv", "in", "--game", "tictactoe", "--rounds", "1", "--folder", "mine", "--uncontained"),
        *("--yardstick", "easy", "--clock", "10s+1"),
    )
    assert result.status == 0, result.err
    row = gradebook(room / "mine")["ada"]
    assert (row["games"], row["place"]) == ("2", "1")
    assert row["points_against_easy"] == row["points"]
    league = json.loads((room / "mine/league/league.json").read_text())
    assert [player["name"] for player in league["players"]] == ["ada", "easy"]


def test_a_student_may_have_the_name_of_a_level(room: Path) -> None:
    (room / "roster.csv").write_text("student\neasy\n")
    (room / "in/easy.py").write_text(FIRST)
    result = run(
        *("roster.csv", "in", "--game", "tictactoe", "--rounds", "1", "--clock", "10s+1", "--uncontained"),
        *("--yardstick", "easy"),
    )
    assert result.status == 0, result.err
    assert gradebook(room / "class-1")["easy"]["points_against_computer-easy"] in ("0", "0.5", "1", "1.5", "2")


def test_what_is_frozen_is_kept_when_the_league_cannot_begin(room: Path) -> None:
    terms = ("--game", "tictactoe", "--rounds", "1", "--clock", "10s+1", "--uncontained")
    result = run("roster.csv", "in", *terms, "--yardstick", "godlike")
    assert result.status == 1
    assert "Continue with:  noughts class --resume class-1" in result.err
    (room / "in/ada.py").unlink()
    assert run("--resume", "class-1", *terms).status == 0
    assert gradebook(room / "class-1")["ada"]["points"] == "2"


def test_late_submissions_are_refused_unless_they_are_allowed(room: Path) -> None:
    result = run("roster.csv", "in", "--game", "tictactoe", "--deadline", "2020-01-01T00:00", "--uncontained")
    assert result.status == 1
    assert "Too few can play. The gradebook is written all the same." in result.err
    rows = gradebook(room / "class-1")
    assert [row["status"] for row in rows.values()] == ["late", "late", "late", "no submission"]
    assert float(rows["ada"]["late_by_min"]) > 1000


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["roster.csv"], "name the roster and the folder of submissions"),
        (["none.csv", "in"], "cannot read none.csv: No such file"),
        (["in/ada.py", "in"], "the first line of the roster must name its columns"),
        (["roster.csv", "nowhere"], "nowhere: No such file"),
        (["roster.csv", "in", "--game", "chess960"], "There is no game 'chess960'"),
        (["roster.csv", "in", "--deadline", "soon"], "'soon' is not a time such as"),
        (["--resume", "class-7"], "there is no class in class-7"),
        (["roster.csv", "in", "--yardstick", "godlike", "--uncontained"], "has no level 'godlike'"),
    ],
)
def test_a_mistake_is_reported_in_one_line(room: Path, words: list[str], error: str) -> None:
    result = run(*words)
    assert result.status != 0
    assert error in result.err
    assert "Traceback" not in result.err
