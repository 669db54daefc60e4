"""``noughts rules``: which games can be played, and how."""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from noughts.cli.arguments import Subparsers, game_name
from noughts.cli.output import WIDEST, columns, say
from noughts.columns import table
from noughts.engine import levels_of
from noughts.games import GAMES, Game, Option
from noughts.games.catalogue import full_title, game_named, name_of
from noughts.games.sentences import level_name


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "rules",
        usage="noughts rules [GAME]",
        description="List the games that can be played on this machine, each with its key, or show the rules of one. "
        "A server may have others: noughts play lists them.",
    )
    parser.set_defaults(command=_run)
    parser.add_argument("game", nargs="?", type=game_name, metavar="GAME", help="the game's key, such as tictactoe")


def _run(options: dict[str, Any]) -> int:
    if options["game"] is not None:
        say(*_rules(game_named(options["game"])))
        return 0
    say(*table((key, game.title) for key, game in GAMES.items()))
    say("", "The rules of one: noughts rules GAME. To play it: noughts play --game GAME")
    return 0


def _option(option: Option) -> str:
    choices = ", ".join(map(str, option.choices)) or "a text"
    usual = f" ({option.default} as usual)" if option.choices else ""
    return f"{option.key}, {option.title.lower() if option.choices else option.title}, is {choices}{usual}"


def _rules(game: Game) -> list[str]:
    sides = f"{game.first.name} moves first, then {game.second.name}."
    levels = f"The computer's levels are {', '.join(map(level_name, levels_of(game)))}."
    width = min(WIDEST, columns(WIDEST))
    paragraphs = [*game.rules, f"{sides} {levels}"]
    if game.options:
        paragraphs.append(f"To set it up, add --set KEY=VALUE: {'; '.join(map(_option, game.options))}.")
    return [
        full_title(game),
        *(line for each in paragraphs for line in ("", *textwrap.wrap(each, width))),
        "",
        f"To play it: noughts play --game {shlex.quote(name_of(game))}",
    ]
