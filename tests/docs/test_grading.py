"""The code and the commands of docs/grading.md work as written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from noughts.cli.main import main
from support.command_aside import noughts_process
from support.programs import program

TEXT = (Path(__file__).parents[2] / "docs" / "grading.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ noughts (.*)$", TEXT, re.MULTILINE)
BOT = "from noughts.engine import alpha_beta\n\ndef choose(state):\n    return alpha_beta(state.position).best[0]\n"


@pytest.mark.services
@pytest.mark.parametrize("command", COMMANDS)
async def test_a_printed_command_finds_everything_right(command: str, tmp_path: Path) -> None:
    program("bwrap")
    student, _ = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    (tmp_path / "student.py").write_text(student)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions/ada.py").write_text(student)
    (tmp_path / "my_bot.py").write_text(BOT)
    ended = await noughts_process(*shlex.split(command), folder=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    if "--csv" in command:
        assert ended.out == "ada   100 of 100\n"
        assert "\nada,100,100," in (tmp_path / "grades.csv").read_text(encoding="utf-8-sig")
        assert "proved" in (tmp_path / "feedback/ada.txt").read_text()
        return
    assert "proved" in ended.out
    if "results.json" in command:
        assert json.loads((tmp_path / "results.json").read_text())["score"] == 100


def test_there_are_commands() -> None:
    assert {command.split()[0] for command in COMMANDS} == {"verify", "grade"}


@pytest.mark.parametrize("command", ["verify", "grade"])
def test_every_option_is_documented(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    assert len(options) > 4
    assert options <= set(re.findall(r"--[a-z]+", TEXT))
