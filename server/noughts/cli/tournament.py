"""``noughts tournament``: tournaments on a server."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from noughts.cli.arguments import Subparsers, add_url, whole
from noughts_client.terminal import tournaments as terminal
from noughts_client.time_control import parse_time_control

FORMATS = ("round-robin", "swiss", "arena", "gauntlet", "ladder")


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    command = commands.add_parser(
        "tournament",
        usage="noughts tournament ACTION [TOURNAMENT] [options]",
        description="List the tournaments on a server, open or enter one, run it, and follow its standings.",
    )
    actions = command.add_subparsers(
        required=True, prog="noughts tournament", metavar="ACTION", parser_class=type(command)
    )
    listing = actions.add_parser("list", usage="noughts tournament list [options]", help="list the tournaments")
    listing.set_defaults(command=lambda options: asyncio.run(terminal.tournaments(options["url"])))
    opening = actions.add_parser("open", usage="noughts tournament open NAME [options]", help="open a tournament")
    opening.set_defaults(command=lambda options: _open(opening, options))
    _add_terms(opening)
    showing = _add_one(actions, "show", "show the standings")
    showing.set_defaults(command=_show)
    showing.add_argument("--follow", action="store_true", help="show them again after each change, until the end")
    showing.add_argument("--cross", action="store_true", help="show the results of each round")
    exporting = _add_one(actions, "export", "write a tournament to a file")
    exporting.set_defaults(
        command=lambda options: asyncio.run(terminal.exported(options["url"], options["tournament"], options["output"]))
    )
    exporting.add_argument(
        "--output",
        choices=terminal.KINDS,
        default="json",
        help="json: everything; csv: the standings; games.csv: the games; trf: FIDE's report (default: json)",
    )
    meanings = {
        "enter": "enter a tournament, and hear of your games there",
        "start": "begin the tournament that you organise",
        "pause": "begin no more games",
        "resume": "begin games again",
        "end": "end the tournament",
    }
    acting = [_add_one(actions, act, meanings[act]) for act in terminal.ACTS]
    for act, parser in zip(terminal.ACTS, acting, strict=True):
        parser.set_defaults(command=_act, act=act, player=None)
    withdrawing = _add_one(actions, "withdraw", "withdraw from a tournament, or remove a player")
    withdrawing.set_defaults(command=_act, act="withdraw")
    withdrawing.add_argument(
        "--player", metavar="ID", help="as the organiser: the player to remove, who loses a game under way"
    )
    deciding = _add_one(actions, "adjudicate", "decide a game, as the organiser")
    deciding.set_defaults(command=_adjudicate)
    deciding.add_argument("room", metavar="ROOM", help="the game's room")
    deciding.add_argument("result", choices=("first", "second", "draw", "none"), help="the side that has won, or draw")
    for parser in (listing, opening, showing, exporting, *acting, withdrawing, deciding):
        add_url(parser)


def _add_one(actions: Any, name: str, words: str) -> argparse.ArgumentParser:
    """The parser of an action on one tournament."""
    parser: argparse.ArgumentParser = actions.add_parser(
        name, usage=f"noughts tournament {name} TOURNAMENT [options]", help=words, description=f"{words.capitalize()}."
    )
    parser.add_argument("tournament", type=_id, metavar="TOURNAMENT", help="its id, or a link to it")
    return parser


def _add_terms(opening: argparse.ArgumentParser) -> None:
    opening.add_argument("name", metavar="NAME", help="1 to 32 characters")
    opening.add_argument("--format", choices=FORMATS, default="round-robin", help="the format (default: round-robin)")
    opening.add_argument("--game", default="tictactoe", metavar="GAME", help="such as connect4, breakthrough?size=6")
    opening.add_argument("--clock", default="3+2", help="as for noughts play (default: 3+2)")
    opening.add_argument(
        "--rounds", type=whole(1, 50), metavar="N", help="rounds of Swiss (default: 5); or how often two meet, 1 or 2"
    )
    opening.add_argument("--minutes", type=whole(1, 720), metavar="N", help="the length of an arena (default: 30)")
    opening.add_argument(
        "--budget",
        type=whole(1, 10_000),
        metavar="N",
        help="games a day on a ladder for each bot, and for each address of bots (default: 500)",
    )
    opening.add_argument("--opponents", nargs="+", default=[], metavar="NAME", help="whom all meet in a gauntlet")
    opening.add_argument("--rated", action="store_true", help="play for ratings")
    opening.add_argument("--kinds", choices=("all", "people", "bots"), default="all", help="who may enter")
    opening.add_argument("--registered", action="store_true", help="only registered players may enter")
    opening.add_argument("--private", action="store_true", help="only those who have the id find it")
    opening.add_argument("--most", type=whole(2, 500), default=256, metavar="N", help="at most N players")
    opening.add_argument(
        "--first-move", type=whole(1), default=60, metavar="S", help="seconds in which a player must come (default: 60)"
    )
    opening.add_argument("--starts-in", type=whole(1), metavar="S", help="start after so many seconds")


def _id(text: str) -> str:
    try:
        return terminal.tournament_id(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _open(command: argparse.ArgumentParser, options: dict[str, Any]) -> int:
    from noughts_client.requests import game_terms

    try:
        clock = parse_time_control(options["clock"])
    except ValueError as error:
        command.error(f"--clock: {error}")
    if clock is None:
        command.error("--clock: a tournament needs a clock")
    terms = {
        **game_terms(options["game"]),
        "name": options["name"],
        "format": options["format"].replace("-", "_"),
        "clock": clock,
        "opponents": options["opponents"],
        "first_move_s": options["first_move"],
        **{name: options[name] for name in ("rated", "kinds", "registered", "private", "most")},
    }
    if options["format"] == "arena":
        terms["minutes"] = options["minutes"] or 30
    elif options["format"] == "ladder":
        terms["budget"] = options["budget"] or 500
    else:
        terms["rounds"] = options["rounds"] or (5 if options["format"] == "swiss" else 1)
    if options["starts_in"] is not None:
        terms["starts_in_s"] = options["starts_in"]
    return asyncio.run(terminal.opened(options["url"], terms))


def _act(options: dict[str, Any]) -> int:
    return asyncio.run(terminal.act(options["url"], options["act"], options["tournament"], options["player"]))


def _adjudicate(options: dict[str, Any]) -> int:
    return asyncio.run(terminal.adjudicated(options["url"], options["tournament"], options["room"], options["result"]))


def _show(options: dict[str, Any]) -> int:
    return asyncio.run(
        terminal.shown(options["url"], options["tournament"], follow=options["follow"], cross=options["cross"])
    )
