"""The commands in docs/solving.md work as written, and print what the page shows."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from noughts.cli.main import main
from noughts.explain.widget import Board
from support.command import output_of

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "solving.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = [
    tuple(part.partition("\n")[::2]) for block in BLOCKS for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
]
README = re.findall(
    r"^noughts (?:solve|compare|tree) .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def typed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    program, *arguments = shlex.split(re.split(r" [|>] ", command)[0])
    assert program == "noughts"
    return output_of(capsys, *arguments)


def timeless(output: str) -> str:
    """Without durations, which are the last column in the table of ``noughts compare``."""
    return re.sub(r"(?<=Time: )[\d.e-]+|(?<=\"seconds\": )[\d.e-]+| +\d+\.\d{3}$", "0", output, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        pytest.param(*each, marks=pytest.mark.slow if re.search("connect4|compare", each[0]) else ())
        for each in COMMANDS
    ],
)
def test_a_command_prints_what_the_page_shows(command: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    output = typed(command, capsys)
    assert output
    if printed:
        assert timeless(output) == timeless(printed)


CELLS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_each_cell_of_a_notebook_ends_with_a_picture() -> None:
    names: dict[str, object] = {}
    for cell in CELLS:
        code = ast.parse(cell)
        last = code.body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(code, "cell", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        if isinstance(shown, Board):
            shown = shown.position
        html = shown._repr_html_() if hasattr(shown, "_repr_html_") else shown._repr_svg_()
        assert ElementTree.fromstring(f"<div>{html}</div>")[0].tag.endswith("svg")


def test_there_are_commands() -> None:
    assert len(CELLS) == 5
    assert len(COMMANDS) >= 8
    assert README


@pytest.mark.parametrize("command", README)
def test_the_commands_of_the_readme_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(command, capsys)


@pytest.mark.parametrize("command", ["solve", "compare", "tree"])
def test_every_option_is_described(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = set(re.findall(r"--[\w-]+", capsys.readouterr().out)) - {"--help"}
    assert len(options) > 2
    assert options <= set(re.findall(r"--[\w-]+", TEXT))
