"""How a command line is parsed."""

from __future__ import annotations

import pytest

from noughts.cli.commands import COMMANDS, parse

NEEDED = {
    "devices": ["join", "code"],
    "drain": ["n1"],
    "review": ["file"],
    "admin": ["recompute"],
    "import": ["file"],
    "leaderboard": ["reversi"],
    "player": ["ann"],
    "verify": ["bot.py"],
    "grade": ["student.py"],
}


def error_of(*argv: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of the error for a wrong command line."""
    with pytest.raises(SystemExit) as ended:
        parse(argv)
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["--help"])
    assert ended.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    assert all(f" {command} {words}" in out for command, words in COMMANDS.items())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out.startswith("noughts 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_rejects_unknown_options_with_its_own_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    needed = NEEDED.get(command, [])
    usage, *_, error = error_of(command, *needed, "--bogus", "1", capsys=capsys)
    name = f"{command} recompute" if command == "admin" else command
    assert usage.startswith(f"usage: noughts {name} ")
    assert error.startswith(f"noughts {name}: error: unrecognized arguments: --bogus")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_be_run_and_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = parse([command, *NEEDED.get(command, [])])
    assert callable(options["command"])
    assert "version" not in options, "it is an option of noughts, not of its commands"
    with pytest.raises(SystemExit) as ended:
        parse([command, "--help"])
    assert ended.value.code == 0
    assert "None" not in capsys.readouterr().out


def test_options_may_stand_between_arguments() -> None:
    options = parse(["import", "one", "--journal", "here", "two"])
    assert options["files"] == ["one", "two"]
    assert options["journal"] == "here"


def test_an_unknown_command_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert "invalid choice: 'sevre'" in error_of("sevre", capsys=capsys)[-1]
    assert "COMMAND" in error_of(capsys=capsys)[-1]
