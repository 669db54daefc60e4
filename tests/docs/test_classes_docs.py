"""The walk-through of docs/classes.md, as written."""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from noughts_client.bots.sandbox import probe, refusal
from support.command import noughts

ROOT = Path(__file__).parents[2]


@pytest.mark.services
@pytest.mark.slow
def test_the_walk_through_gives_a_gradebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := refusal(probe()):
        pytest.skip(why)
    text = (ROOT / "docs/classes.md").read_text(encoding="utf-8")
    first, second = (
        re.search(rf"^    noughts ({word} .*)$", text, re.MULTILINE) for word in ("class", "league replay")
    )
    assert first
    assert second
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    played = noughts(*shlex.split(first[1]))
    assert played.status == 0, played.err
    rows = list(csv.DictReader((tmp_path / "class-1/gradebook.csv").read_text(encoding="utf-8-sig").splitlines()))
    status = {row["student"]: row["status"].partition(":")[0] for row in rows}
    out = dict.fromkeys(("eve", "fay", "gus"), "disqualified")
    assert status == dict.fromkeys(("ada", "ben", "cleo", "dan", "hal"), "played") | out | {"ivy": "no submission"}
    assert {row["student"]: row["place"] for row in rows}["ada"] == "1"
    assert rows[4]["first_failure"].startswith("The bot raised KeyError")
    assert 3 <= int(rows[6]["failures"]) <= 4  # another game may have been under way
    assert {path.stem for path in (tmp_path / "class-1/feedback").iterdir()} == {row["student"] for row in rows}
    asked = noughts(*shlex.split(second[1]))
    assert asked.status == 1
    assert b"The bot answered '0', which is not a legal move." in asked.out
    told = (tmp_path / "class-1/feedback/eve.txt").read_text()
    commands = [line.strip() for line in told.splitlines() if line.startswith(("  noughts ", "  python "))]
    monkeypatch.chdir(tmp_path / "examples/class/submissions")
    checked = noughts(*shlex.split(commands[0])[1:])
    assert b"KeyError" in checked.out
    *_, file, _, turn = shlex.split(commands[1])
    assert (file, turn) == ("eve.py", "turn.json")
    line = told.rstrip().splitlines()[-1]
    argv = [sys.executable, *shlex.split(commands[1])[1:-2]]
    again = subprocess.run(argv, input=line + "\n", capture_output=True, text=True, check=True)
    assert "KeyError" in again.stdout
