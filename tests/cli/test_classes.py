"""``noughts class``: from files and a roster to a gradebook. The bots run as programs, here without a sandbox."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path

import pytest

from support.command import Result, noughts
from support.running import read_until, running

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
    assert "The gradebook is class-1/gradebook.csv; the games are in class-1/report.html.\n" in out
    assert out.endswith("What each student should know is in class-1/feedback.\n")
    assert "ben failed in 2 games. See why:  noughts league replay 1 --bot ben --folder class-1/league\n" in err
    assert "Nobody on the roster has handed in zoe.py." in err
    assert "3 of 4 students have handed in something; 2 have a program, frozen in class-1." in err
    assert "ben fails at its first move: The bot raised KeyError: 0.\n1 of 2 programs play a first move.\n" in err
    # What is frozen counts, whatever is handed in later, and goes on only as it was frozen.
    (room / "in/ada.py").write_text(CRASH)
    again = run("--resume", "class-1", "--uncontained")
    assert again.status == 0, again.err
    assert gradebook(found) == rows
    assert len((found / "league/games.jsonl").read_text().splitlines()) == 2
    refused = run("--resume", "class-1", "--yardstick", "easy", "--uncontained")
    assert "--yardstick does nothing with --resume" in refused.err
    (found / "frozen/ada/bot.py").chmod(0o644)
    (found / "frozen/ada/bot.py").write_text(CRASH)
    refused = run("--resume", "class-1", "--uncontained")
    assert refused.status == 1
    assert "what was frozen is not there as it was: the programs of ada." in refused.err


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


def test_only_games_of_what_has_changed_are_played_again(room: Path) -> None:
    terms = ("--game", "tictactoe", "--rounds", "1", "--clock", "10s+1", "--uncontained")
    first = run("roster.csv", "in", *terms, "--yardstick", "easy", "--deadline", "2030-01-01")
    assert first.status == 0, first.err
    assert gradebook(room / "class-1")["ben"]["status"] == "disqualified: crash, 3 times running"
    league = room / "class-1/league"
    before = [json.loads(line) for line in (league / "games.jsonl").read_text().splitlines()]
    assert len(before) == 5, "ben is out after three"
    (room / "in/ben_2_bot.py").write_text(FIRST)
    (room / "in/ada.py").touch()
    again = run("--resume", "class-1", "--update", "in", "--uncontained")
    assert again.status == 0, again.err
    assert "Changed: ben.\n" in again.err
    assert "2 of 5 games stay as they are." in again.err
    after = [json.loads(line) for line in (league / "games.jsonl").read_text().splitlines()]
    assert sorted(each["game"] for each in after) == list(range(1, 7))
    unchanged = {each["room"] for each in before if {each["first"], each["second"]} == {"ada", "easy"}}
    assert unchanged <= {each["room"] for each in after}
    rows = gradebook(room / "class-1")
    assert (rows["ben"]["status"], rows["ben"]["file"]) == ("played", "ben_2_bot.py")
    once_more = run("--resume", "class-1", "--update", "in", "--uncontained")
    assert "No program has changed." in once_more.err
    assert "6 of 6 games stay as they are." in once_more.err
    (room / "more.csv").write_text("student,name\nada,Ada\neve,Eve New\n")
    (room / "in/eve.py").write_text(FIRST)
    more = run("--resume", "class-1", "--update", "in", "--roster", "more.csv", "--uncontained")
    assert more.status == 0, more.err
    assert "New: eve.\nChanged: eve." in more.err
    assert "6 of 6 games stay as they are." in more.err
    rows = gradebook(room / "class-1")
    assert list(rows)[-1] == "eve"
    assert (rows["eve"]["name"], rows["eve"]["games"], rows["ada"]["games"]) == ("Eve New", "6", "6")
    (room / "more.csv").write_text("student\neasy\n")
    refused = run("--resume", "class-1", "--update", "in", "--roster", "more.csv", "--uncontained")
    assert "a yardstick of this class is called easy" in refused.err
    assert "--roster goes with --update" in run("--resume", "class-1", "--roster", "more.csv").err
    assert not list(league.glob("*.before"))
    assert not (room / "class-1/frozen.next").exists()


def test_an_update_needs_a_class(room: Path) -> None:
    assert "--update goes with --resume" in run("roster.csv", "in", "--update", "in").err
    run("roster.csv", "in", "--uncontained", "--folder", "c", "--deadline", "2020-01-01")
    assert "there is no folder nowhere" in run("--resume", "c", "--update", "nowhere").err


def test_students_may_meet_only_the_staffs_bots(room: Path) -> None:
    (room / "staff.py").write_text(FIRST)
    terms = ("roster.csv", "in", "--game", "tictactoe", "--rounds", "1", "--clock", "10s+1", "--uncontained")
    refused = run(*terms, "--format", "gauntlet")
    assert "--format gauntlet needs a --yardstick" in refused.err
    assert not (room / "class-1").exists()
    result = run(*terms, "--format", "gauntlet", "--yardstick", "./staff.py")
    assert result.status == 0, result.err
    rows = gradebook(room / "class-1")
    assert [rows[name]["games"] for name in ("ada", "ben")] == ["2", "2"]
    assert (rows["ada"]["points_against_staff"], rows["ben"]["points_against_staff"]) == ("1", "0")
    assert "a gauntlet of staff against 2 players" in result.out.decode()


def test_a_student_may_have_the_name_of_a_level(room: Path) -> None:
    (room / "roster.csv").write_text("student\neasy\n")
    (room / "in/easy.py").write_text(FIRST)
    result = run(
        *("roster.csv", "in", "--game", "tictactoe", "--rounds", "1", "--clock", "10s+1", "--uncontained"),
        *("--yardstick", "easy"),
    )
    assert result.status == 0, result.err
    assert gradebook(room / "class-1")["easy"]["points_against_computer-easy"] in ("0", "0.5", "1", "1.5", "2")


def test_a_wrong_yardstick_is_refused_before_anything_is_frozen(room: Path) -> None:
    result = run("roster.csv", "in", "--game", "tictactoe", "--uncontained", "--yardstick", "godlike")
    assert result.status == 1
    assert "has no level 'godlike'" in result.err
    assert not (room / "class-1").exists()


def test_a_deadline_that_is_not_over_is_told_and_each_class_has_a_folder(room: Path) -> None:
    for number in (1, 2):
        (room / "in/ben_1_2_bot.py").unlink(missing_ok=True)
        result = run("roster.csv", "in", "--deadline", "2999-01-01T00:00+00:00", "--uncontained")
        assert "The deadline, 2999-01-01 00:00" in result.err
        assert "is not over yet." in result.err
        assert (room / f"class-{number}/gradebook.csv").exists()


def test_late_submissions_are_refused_unless_they_are_allowed(room: Path) -> None:
    result = run("roster.csv", "in", "--game", "tictactoe", "--deadline", "2020-01-01T00:00", "--uncontained")
    assert result.status == 1
    assert "Dan Absent (dan) does not play: no submission.\nToo few can play. The gradebook is" in result.err
    assert "is not over yet" not in result.err
    rows = gradebook(room / "class-1")
    assert [row["status"] for row in rows.values()] == ["late", "late", "late", "no submission"]
    assert float(rows["ada"]["late_by_min"]) > 1000


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["roster.csv"], "name the roster and the folder of submissions"),
        (["latin.csv", "in"], "latin.csv is not in UTF-8: save it as CSV UTF-8"),
        (["none.csv", "in"], "cannot read none.csv: No such file"),
        (["in/ada.py", "in"], "in/ada.py: the first line of the roster must name its columns"),
        (["roster.csv", "nowhere"], "there is no folder nowhere"),
        (["roster.csv", "in", "--game", "chess960"], "There is no game 'chess960'"),
        (["roster.csv", "in", "--deadline", "soon"], "must be a date such as"),
        (["--resume", "class-7"], "there is no class in class-7"),
    ],
)
def test_a_mistake_is_reported_in_one_line(room: Path, words: list[str], error: str) -> None:
    (room / "latin.csv").write_bytes(b"student,name\nada,Zo\xeb\n")
    result = run(*words)
    assert result.status != 0
    assert error in result.err
    assert "Traceback" not in result.err


TERMS = ("roster.csv", "in", "--uncontained", "--openings=0", "--seed=1", "--concurrency=1")


@pytest.mark.slow
def test_ctrl_c_finishes_the_games_under_way_and_writes_the_results(room: Path) -> None:
    with running("class", *TERMS, "--game=tictactoe", "--rounds=200") as process:
        read_until(process, "1/400")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
    assert "Finishing the games under way" in err
    assert "Continue with:  noughts class --resume class-1" in err
    assert "Looking for the mistakes" not in err
    row = gradebook(room / "class-1")["ada"]
    assert float(row["points"]) >= 1
    assert "played, not final: " in row["status"]
    assert " of 400 games of the class have been played." in (room / "class-1/feedback/ada.txt").read_text()


@pytest.mark.slow
def test_a_second_ctrl_c_stops_at_once(room: Path) -> None:
    (room / "in/ben_1_2_bot.py").write_text("import time\ndef choose(state):\n    time.sleep(1000)\n")
    with running("class", *TERMS, "--clock=600s+0") as process:
        read_until(process, "Watch at")
        process.send_signal(signal.SIGINT)
        read_until(process, "Finishing the games under way")
        process.send_signal(signal.SIGINT)
        read_until(process, "Stopped.")
        assert "noughts class --resume class-1" in read_until(process, "Continue with")
        assert process.wait(60) == 130
    assert not (room / "class-1/gradebook.csv").exists()


@pytest.mark.slow
def test_ctrl_c_ends_the_search_for_mistakes_and_not_the_results(room: Path) -> None:
    (room / "in/ben_1_2_bot.py").write_text(FIRST)
    with running("class", *TERMS, "--rounds=1") as process:
        read_until(process, "Looking for the mistakes")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert "Not reviewed: there was no time for it." in (room / "class-1/feedback/ada.txt").read_text()
    assert gradebook(room / "class-1")["ada"]["games"] == "2"
