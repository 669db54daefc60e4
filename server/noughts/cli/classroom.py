"""``noughts classroom``: classes of people on a server."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from noughts.classes.roster import UnusableRoster, read_roster
from noughts.cli.arguments import Subparsers, add_url
from noughts_client.address import id_in
from noughts_client.requests import game_terms
from noughts_client.terminal import classrooms as terminal
from noughts_client.time_control import parse_time_control


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    command = commands.add_parser(
        "classroom",
        usage="noughts classroom ACTION [CLASS] [options]",
        description="Make a class on a server, join one by a name of its list, and follow what its students do.",
    )
    actions = command.add_subparsers(
        required=True, prog="noughts classroom", metavar="ACTION", parser_class=type(command)
    )
    listing = actions.add_parser("list", usage="noughts classroom list [options]", help="list your classes")
    listing.set_defaults(command=lambda options: asyncio.run(terminal.classes(options["url"])))
    making = actions.add_parser("make", usage="noughts classroom make TITLE ROSTER [options]", help="make a class")
    making.set_defaults(command=_make)
    making.add_argument("title", metavar="TITLE", help="1 to 32 characters")
    making.add_argument("roster", type=Path, metavar="ROSTER", help="a CSV file as for noughts class, or a name a line")
    changing = _add_one(actions, "change", "change a class that you organise")
    changing.set_defaults(command=_change)
    changing.add_argument("--title", help="another title")
    changing.add_argument("--add", nargs="+", default=[], metavar="NAME", help="names to add")
    changing.add_argument("--remove", nargs="+", default=[], metavar="NAME", help="names to remove")
    changing.add_argument("--puzzles", metavar="SET", help="the set of puzzles that the students are to solve")
    changing.add_argument("--tournament", metavar="ID", help="the tournament that they play")
    showing = _add_one(actions, "show", "show who is here, who plays, and what each has done")
    showing.set_defaults(command=_show)
    showing.add_argument("--follow", action="store_true", help="show it again after each change")
    joining = _add_one(actions, "join", "take a name in a class, and hear of your games there")
    joining.add_argument("name", metavar="NAME", help="a name that is free")
    joining.set_defaults(
        command=lambda options: asyncio.run(terminal.joined(options["url"], options["class_id"], options["name"]))
    )
    playing = _add_one(actions, "games", "show the last games of a student")
    playing.add_argument("name", metavar="NAME", help="the student")
    playing.set_defaults(
        command=lambda options: asyncio.run(terminal.games(options["url"], options["class_id"], options["name"]))
    )
    leaving = _add_one(actions, "leave", "give up your name, or free that of a student")
    leaving.add_argument("--name", help="the name to free, as the organiser")
    leaving.add_argument("--bot", action="store_true", help="free the place of the student's bot")
    leaving.set_defaults(command=_leave)
    deleting = _add_one(actions, "delete", "delete a class that you organise, with its list of names")
    deleting.set_defaults(command=lambda options: _act(options, "delete_class"))
    opening = _add_one(actions, "simul", "play all students who are there, all at once")
    opening.set_defaults(command=lambda options: _simul(opening, options))
    opening.add_argument("--game", default="tictactoe", metavar="GAME", help="such as connect4, breakthrough?size=6")
    opening.add_argument("--clock", default="", help="as for noughts play (default: none)")
    opening.add_argument(
        "--side", choices=("first", "second", "alternate"), default="first", help="your own side (default: first)"
    )
    opening.add_argument("--names", nargs="+", default=[], metavar="NAME", help="only these students")
    for parser in (listing, making, changing, showing, joining, playing, leaving, deleting, opening):
        add_url(parser)


def class_id(text: str) -> str:
    """The id of a class, which may stand at the end of a link. Raises :class:`argparse.ArgumentTypeError`."""
    found = id_in(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not the id of a class")
    return found


def _add_one(actions: Any, name: str, words: str) -> argparse.ArgumentParser:
    """The parser of an action on one class."""
    parser: argparse.ArgumentParser = actions.add_parser(
        name, usage=f"noughts classroom {name} CLASS [options]", help=words, description=f"{words.capitalize()}."
    )
    parser.add_argument("class_id", type=class_id, metavar="CLASS", help="its id, or the link to it")
    return parser


def names_in(text: str) -> list[str]:
    """The names in a roster: those of a CSV file with the column ``student``, or else its lines."""
    try:
        return [student.name for student in read_roster(text)]
    except UnusableRoster:
        if "student" in text.partition("\n")[0].casefold():
            raise
    return [" ".join(line.split()) for line in text.removeprefix("\ufeff").splitlines() if line.strip()]


def _make(options: dict[str, Any]) -> int:
    try:
        names = names_in(options["roster"].read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, UnusableRoster) as error:
        print(f"noughts classroom: {options['roster']}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 1
    return asyncio.run(terminal.made(options["url"], options["title"], names))


def _change(options: dict[str, Any]) -> int:
    changes = {name: options[name] for name in ("title", "add", "remove", "tournament") if options[name]}
    if options["puzzles"] is not None:
        changes["puzzle_set"] = options["puzzles"]
    return asyncio.run(terminal.changed(options["url"], options["class_id"], changes))


def _show(options: dict[str, Any]) -> int:
    return asyncio.run(terminal.shown(options["url"], options["class_id"], follow=options["follow"]))


def _leave(options: dict[str, Any]) -> int:
    return _act(options, "leave_class", **{name: options[name] for name in ("name", "bot") if options[name]})


def _act(options: dict[str, Any], kind: str, **more: Any) -> int:
    return asyncio.run(terminal.act(options["url"], {"type": kind, "class_id": options["class_id"], **more}))


def _simul(command: argparse.ArgumentParser, options: dict[str, Any]) -> int:
    try:
        clock = parse_time_control(options["clock"])
    except ValueError as error:
        command.error(f"--clock: {error}")
    request = {"type": "simul", "class_id": options["class_id"], **game_terms(options["game"])}
    request |= {name: options[name] for name in ("side", "names") if options[name]}
    return asyncio.run(terminal.simul(options["url"], request if clock is None else {**request, "clock": clock}))
