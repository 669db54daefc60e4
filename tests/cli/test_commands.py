"""Parsing of command lines."""

from __future__ import annotations

import pytest

from noughts.cli.commands import COMMANDS, GROUPS, parse
from noughts.cli.settings import SECTIONS
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from support.command import output_of

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
    "rules": ["reversi"],
    "tournament": ["list"],
    "classroom": ["list"],
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
    name = f"{command} {needed[0]}" if command in ("admin", "tournament", "classroom") else command
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


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse([])
    out = capsys.readouterr().out
    assert not ended.value.code
    assert all(f"\n{title}:\n" in out for title in GROUPS)


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        (
            ["solve", "--game", "hex"],
            "noughts solve: error: unrecognized arguments: --game. The game has no option: "
            "noughts solve GAME [POSITION] [options]",
        ),
        (["pley"], "noughts: error: there is no command 'pley'. Did you mean play? For all: noughts --help"),
        (["xyzzy"], "noughts: error: there is no command 'xyzzy'. For all: noughts --help"),
        (
            ["admin", "lst"],
            "noughts admin: error: there is no action 'lst'. Did you mean list? For all: noughts admin --help",
        ),
        (
            ["play", "--gmae=reversi"],
            "noughts play: error: unrecognized arguments: --gmae=reversi. Did you mean --game?",
        ),
        (
            ["--journal", "x", "admin", "list", "bans"],
            "noughts: error: the command comes first, then its options: noughts COMMAND --journal",
        ),
        (
            ["rules", "conect4"],
            f"noughts rules: error: argument GAME: {no_such_game('conect4', GAMES)}",
        ),
        (
            ["play", "connect4"],
            "noughts play: error: argument LINK: connect4 is a game. To play it: noughts play --game connect4",
        ),
        (
            ["devices", "ad"],
            "noughts devices: error: argument action: not one of list, add, join, out, recovery: 'ad'. "
            "Did you mean add?",
        ),
    ],
)
def test_a_wrong_word_is_named_with_the_one_that_was_probably_meant(
    argv: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert error_of(*argv, capsys=capsys)[-1] == error


def test_the_journal_may_be_named_before_or_after_the_action() -> None:
    for argv in (["admin", "--journal", "x", "list", "bans"], ["admin", "list", "bans", "--journal", "x"]):
        options = parse(argv)
        assert (options["journal"], options["what"]) == ("x", "bans")


def test_serve_lists_its_options_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["serve", "--help"])
    sections = capsys.readouterr().out.split("\n\n")
    titles = {section.partition(":\n")[0]: section for section in sections}
    assert set(SECTIONS.values()) <= set(titles)
    assert "--messages-per-s" in titles["Limits on what clients may do"]
    assert "--port" not in titles["options"], "every setting belongs to a group"


def test_rules_lists_the_games_and_shows_the_rules_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    listed = output_of(capsys, "rules")
    assert all(f"{key} " in listed and game.title in listed for key, game in GAMES.items())
    shown = output_of(capsys, "rules", "connect4")
    assert "A full column takes no more discs." in " ".join(shown.split())
    assert "levels are best, hard, medium, easy." in shown
