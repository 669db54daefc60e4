"""The commands in docs/solving.md work as written, and print what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from noughts.cli.main import main
from support.command import output_of

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "solving.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = [
    tuple(part.partition("\n")[::2]) for block in BLOCKS for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
]
README = re.findall(r"^noughts (?:solve|tree) .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def typed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    program, *arguments = shlex.split(re.split(r" [|>] ", command)[0])
    assert program == "noughts"
    return output_of(capsys, *arguments)


def timeless(output: str) -> str:
    return re.sub(r"(?<=Time: )[\d.e-]+|(?<=\"seconds\": )[\d.e-]+", "0", output)


@pytest.mark.parametrize(
    ("command", "printed"),
    [pytest.param(*each, marks=pytest.mark.slow if "connect4" in each[0] else ()) for each in COMMANDS],
)
def test_a_command_prints_what_the_page_shows(command: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    output = typed(command, capsys)
    assert output
    if printed:
        assert timeless(output) == timeless(printed)


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 8
    assert README


@pytest.mark.parametrize("command", README)
def test_the_commands_of_the_readme_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(command, capsys)


@pytest.mark.parametrize("command", ["solve", "tree"])
def test_every_option_is_described(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = set(re.findall(r"--[\w-]+", capsys.readouterr().out)) - {"--help"}
    assert len(options) > 3
    assert options <= set(re.findall(r"--[\w-]+", TEXT))
