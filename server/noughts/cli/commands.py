"""Which commands there are, and how a command line is parsed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from noughts.cli.parser import Parser, Subparsers

COMMANDS = {
    "serve": "run a server",
    "drain": "stop one node of a cluster",
    "admin": "manage bots, tokens, mutes, bans and ratings",
    "export": "write finished games from the journal to a file",
    "import": "read games from files into the journal",
    "play": "play in this terminal",
    "watch": "watch or replay a game in this terminal",
    "bot": "let a bot play: a Python file, any program, or an engine",
    "games": "list your games, those under way and those that are over",
    "register": "register your name at a server",
    "devices": "show where your name is signed in, and add a device",
    "leaderboard": "show the best players of a game",
    "player": "show a player's ratings and games",
    "league": "let bots play each other, and show who is best",
    "class": "grade a class by a league of its bots",
    "review": "show where a finished game was won and lost",
    "check": "check a server or a bot against the protocol",
    "solve": "show the value of every move in a position",
    "compare": "compare what several searches of a position cost",
    "grade": "compare a student's search with minimax or alpha-beta",
    "verify": "prove that a bot never loses, or show how it loses",
    "tree": "draw a game tree with its values and cuts",
}


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print("noughts", version("noughts"))
        parser.exit()


def parse(argv: Sequence[str]) -> dict[str, Any]:
    """The options in ``argv``, with the function to run as ``command``. Exits after ``--help`` and errors."""
    parser = argparse.ArgumentParser(prog="noughts", description="Two-player board games over the network.")
    parser.add_argument(
        "--version", action=_ShowVersion, nargs=0, default=argparse.SUPPRESS, help="show the version and exit"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    name = next((word for word in argv if not word.startswith("-")), "")
    if name in COMMANDS:
        _adder(name)(commands)
    else:
        for command, words in COMMANDS.items():
            commands.add_parser(command, help=words)
    return vars(parser.parse_args(argv))


def _adder(name: str) -> Callable[[Subparsers], None]:
    """The function that adds the command ``name``; this is where its module is imported."""
    match name:
        case "serve":
            from noughts.cli.serve import add_commands
        case "drain":
            from noughts.cli.drain import add_commands
        case "admin":
            from noughts.cli.admin import add_commands
        case "check":
            from noughts.cli.check import add_commands
        case "export" | "import":
            from noughts.cli.archive import add_commands
        case "bot":
            from noughts.cli.bot import add_commands
        case "games":
            from noughts.cli.games import add_commands
        case "class":
            from noughts.cli.classes import add_commands
        case "league":
            from noughts.cli.league import add_commands
        case "play" | "watch":
            from noughts.cli.play import add_commands
        case "review":
            from noughts.cli.review import add_commands
        case "grade":
            from noughts.cli.grade import add_commands
        case "verify":
            from noughts.cli.verify import add_commands
        case "solve" | "compare" | "tree":
            from noughts.explain.commands import add_commands
        case _:
            from noughts.cli.players import add_commands
    return add_commands
