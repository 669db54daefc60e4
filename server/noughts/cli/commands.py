"""The commands, and the parsing of a command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from noughts.cli.arguments import Parser, Subparsers

GROUPS = {
    "Play": {
        "play": "play in this terminal",
        "watch": "watch or replay a game in this terminal",
        "rules": "list the games that can be played, and show the rules of one",
        "games": "list your games, those under way and those that are over",
        "tournament": "list, open, enter or follow tournaments",
        "webhook": "have a URL called when it is your move in a game of days",
        "register": "register your name at a server",
        "devices": "show where your name is signed in, and add a device",
        "leaderboard": "show the best players of a game",
        "player": "show a player's ratings and games",
    },
    "Run a server": {
        "serve": "run a server",
        "admin": "manage bots, tokens, mutes, bans and ratings",
        "drain": "stop one node of a cluster",
        "export": "write finished games from the journal to a file",
        "import": "read games from files into the journal",
    },
    "Bots": {
        "bot": "let a bot play: a Python file, any program, or an engine",
        "league": "let bots play each other, and show who is best",
        "check": "check a server, a bot or a game",
        "verify": "prove that a bot never loses, or show how it loses",
    },
    "Study and teach": {
        "solve": "show the value of every move in a position",
        "tree": "draw a game tree with its values and cuts",
        "compare": "compare what several searches of a position cost",
        "puzzles": "solve puzzles whose solutions are proved, and make sets of them",
        "review": "show where a finished game was won and lost",
        "grade": "compare a student's search with minimax or alpha-beta",
        "class": "grade a class by a league of its bots",
        "classroom": "make a class on a server, which students join by a link, and follow it",
    },
}
COMMANDS = {command: words for group in GROUPS.values() for command, words in group.items()}


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print("noughts", version("noughts"))
        parser.exit()


def parse(argv: Sequence[str]) -> dict[str, Any]:
    """The options in ``argv``, with the function to run as ``command``. Exits after ``--help`` and errors.

    Without a command it prints the help.
    """
    parser = Parser(
        prog="noughts",
        usage="noughts COMMAND [options]",
        description="Two-player board games over the network.",
        epilog=_overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action=_ShowVersion, nargs=0, default=argparse.SUPPRESS, help="show the version and exit"
    )
    commands = parser.add_subparsers(
        required=True, prog="noughts", metavar="COMMAND", help=argparse.SUPPRESS, parser_class=Parser
    )
    name = next((word for word in argv if not word.startswith("-")), "")
    if name in COMMANDS:
        _adder(name)(commands)
    elif not argv:
        parser.print_help()
        parser.exit()
    else:
        if argv[0].startswith("-") and name:
            parser.error(f"the command comes first, then its options: noughts COMMAND {argv[0]}")
        for command in COMMANDS:
            commands.add_parser(command)
    return vars(parser.parse_args(argv))


def _overview() -> str:
    """The commands in their groups, and where to read more."""
    width = max(map(len, COMMANDS))
    lines = []
    for title, group in GROUPS.items():
        lines += [f"{title}:", *(f"  {command:{width}}  {words}" for command, words in group.items()), ""]
    return "\n".join([*lines, "The options of a command: noughts COMMAND --help"])


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
        case "rules":
            from noughts.cli.rules import add_commands
        case "class":
            from noughts.cli.classes import add_commands
        case "classroom":
            from noughts.cli.classroom import add_commands
        case "league":
            from noughts.cli.league import add_commands
        case "play" | "watch":
            from noughts.cli.play import add_commands
        case "tournament":
            from noughts.cli.tournament import add_commands
        case "review":
            from noughts.cli.review import add_commands
        case "puzzles":
            from noughts.cli.puzzles import add_commands
        case "grade":
            from noughts.cli.grade import add_commands
        case "verify":
            from noughts.cli.verify import add_commands
        case "solve" | "compare" | "tree":
            from noughts.cli.explain import add_commands
        case _:
            from noughts.cli.players import add_commands
    return add_commands
