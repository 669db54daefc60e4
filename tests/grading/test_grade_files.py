"""The command ``noughts grade`` with the files of a class."""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path

import pytest

from grading import students
from support.command import Result, noughts

DRAW = "def alphabeta(position):\n    return 0\n"
BLIND = "It never looks at the position that it is given: it does not search."
CRASH = "def alphabeta(position):\n    raise IndexError('\\x1b[2J')\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Students' files as they come: files, a folder of a learning platform, an archive, and what is none of these."""
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "in"
    (found / "Ada L_1_assignsubmission_file_").mkdir(parents=True)
    (found / "Ada L_1_assignsubmission_file_/my search.py").write_text(students.ALSO_A_BOT)
    with zipfile.ZipFile(found / "ben.zip", "w") as archive:
        archive.writestr("ben/search.py", CRASH)
    for name, text in (
        ("=cy.py", DRAW),
        ("dan.py", "raise ValueError(5)\n"),
        ("readme.txt", "hello"),
        (".hidden.py", DRAW),
    ):
        (found / name).write_text(text)
    return found


def graded(*words: str) -> Result:
    return noughts("grade", *words, "--uncontained")


@pytest.mark.slow
@pytest.mark.smoke
def test_everything_in_a_folder_gets_a_line_a_row_and_a_text(folder: Path) -> None:
    result = graded("in", "--csv", "out/grades.csv", "--details", "told")
    assert (result.status, result.err) == (1, "")
    assert [re.split(r"\s{2,}", line) for line in result.out.decode().splitlines()] == [
        ["=cy", "18.3 of 100", BLIND],
        ["Ada L_1_assignsubmission_file_", "100 of 100"],
        ["ben", "0 of 100", "It raised IndexError: ?[2J"],
        ["dan", "0 of 100", "The bot raised ValueError: 5."],
        ["left out: readme.txt"],
    ]
    rows = list(csv.DictReader(Path("out/grades.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["student"], row["points"]) for row in rows] == [
        ("'=cy", "18.3"),
        ("Ada L_1_assignsubmission_file_", "100"),
        ("ben", "0"),
        ("dan", "0"),
    ]
    assert [rows[1][name] for name in ("most", "value", "best_moves", "positions_visited", "never_loses")] == [
        *("100", "30", "20", "30", "20")
    ]
    assert rows[2]["first_reason"] == "It raised IndexError:  [2J"
    told = {path.name: path.read_text() for path in Path("told").iterdir()}
    assert set(told) == {"=cy.txt", "Ada L_1_assignsubmission_file_.txt", "ben.txt", "dan.txt"}
    assert "Points: 100 of 100" in told["Ada L_1_assignsubmission_file_.txt"]
    assert 'File "search.py", line 2, in alphabeta' in told["ben.txt"]
    assert 'File "dan.py", line 1' in told["dan.txt"]
    assert "\x1b" not in told["ben.txt"]


@pytest.mark.slow
def test_several_files_can_be_named(folder: Path) -> None:
    result = graded("in/=cy.py", "in/nobody.py")
    assert (result.status, result.err) == (1, "")
    assert [line.split()[:4] for line in result.out.decode().splitlines()] == [
        ["=cy", "18.3", "of", "100"],
        ["nobody", "0", "of", "100"],
    ]
    assert "There is no file in/nobody.py." in result.out.decode()
    (folder / "ada.py").write_text(students.CORRECT)
    assert graded("in/ada.py", "in/Ada L_1_assignsubmission_file_/my search.py").status == 0


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["in", "--json", "results.json"], "--json is for one file; write a table with --csv"),
        (["empty"], "nothing to grade in empty"),
        (["in/dan.py", "other"], "in/dan.py and other/dan.py have the same name: rename one"),
        (["in/dan.py", "--csv", "in"], "cannot write in: Is a directory"),
        (["in/dan.py", "--details", "in/dan.py"], "cannot write in/dan.py/dan.txt: "),
        (["in/readme.txt"], "in/readme.txt is not a Python file, a zip archive or a folder"),
    ],
)
def test_a_mistake_is_reported_in_one_line(folder: Path, words: list[str], error: str) -> None:
    (folder.parent / "empty").mkdir()
    (folder.parent / "other").mkdir()
    (folder.parent / "other/dan.py").write_text(DRAW)
    result = graded(*words)
    assert (result.status, result.out) == (2, b"")
    assert f"noughts grade: {error}" in result.err
    assert "Traceback" not in result.err


def test_a_link_to_a_solution_is_worth_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text(students.CORRECT)
    (folder / "eve.py").symlink_to(tmp_path / "solution.py")
    result = graded("in/eve.py", "in/dan.py")
    assert result.out.decode().splitlines()[0].split("  ")[-1] == "It cannot be graded: it is a link."
    alone = graded("in/eve.py")
    assert (alone.status, alone.out) == (2, b"")
    assert "in/eve.py cannot be graded: a link leads out of its folder" in alone.err


def test_a_file_is_graded_alone_and_says_so(folder: Path) -> None:
    (folder / "dan.py").write_text("import helper\n")
    (folder / "helper.py").write_text("X = 1\n")
    advice = (
        "No module named 'helper'. helper.py lies beside the bot, but not in the copy that runs, because a file is "
        "graded alone: hand in a folder or a zip archive with both."
    )
    assert advice in graded("in/dan.py").out.decode()
    assert advice in graded("in/dan.py", "in/nobody.py").out.decode()
