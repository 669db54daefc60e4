"""The commands and lines that docs/bots.md prints about programs as bots."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from noughts.cli.main import main
from noughts_client.bots.dialogs import read_answer
from noughts_client.state import BotState
from support.command_aside import noughts_process
from support.programs import program
from support.server import running_server

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^noughts bot (?!.*node_modules|.*_train).*$", TEXT, re.MULTILINE)
"""Those that need no other command first."""


@pytest.mark.services
@pytest.mark.parametrize("command", COMMANDS)
async def test_a_printed_command_plays(command: str) -> None:
    command = re.sub(r"/usr/games/([\w-]+)", lambda engine: program(engine[1]), command)
    clock = [] if ".py" in command else ["--clock", "10s+0"]
    async with running_server() as url:
        ended = await noughts_process(*shlex.split(command)[1:], *clock, "--url", url, folder=ROOT)
    assert (ended.status, ended.err) == (0, "")
    assert "against computer" in ended.out


def test_the_printed_turn_has_the_fields_of_a_turn() -> None:
    (printed,) = re.findall(r"^```text\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    fields = json.loads(printed)
    made = BotState.from_line(fields, received_at=100).to_line(now=100)
    assert json.loads(made) == fields
    assert list(json.loads(made)) == list(fields)


def test_the_printed_answers_can_be_read() -> None:
    for printed in ("3", '{"move": "3", "note": "+0.2"}'):
        assert f"`{printed}`" in TEXT
        assert read_answer(printed)[0] == "3"  # type: ignore[index]


def test_every_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bot", "--help"])
    options = set(re.findall(r"--\w+", capsys.readouterr().out)) - {"--help"}
    assert {"--exec", "--log"} <= options
    assert options <= set(re.findall(r"--\w+", TEXT))
