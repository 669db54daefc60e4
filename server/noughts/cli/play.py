"""``noughts play`` and ``noughts watch``."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from noughts.cli.arguments import Subparsers, add_url, whole
from noughts.games import GAMES
from noughts.games.catalogue import parts_of
from noughts.protocol.gamefile import RecordedGame
from noughts_client import terminal
from noughts_client.terminal.explainer import Explainer

EXPLAIN_S = 1.0
"""The time each position of a game in a file is searched at most, when its replay shows values."""


def add_commands(commands: Subparsers) -> None:
    """Add both commands."""
    play = commands.add_parser("play", description="Play in this terminal. It asks for what you do not give here.")
    play.set_defaults(command=lambda options: _run(terminal.play, options))
    play.add_argument(
        "room",
        nargs="?",
        type=_room,
        default=argparse.SUPPRESS,  # or it would replace what --room has set
        metavar="LINK",
        help="a room's link, such as http://192.168.1.5:8765/rooms/ID, or its id: take the open seat there",
    )
    play.add_argument("--name", help="your name, 1 to 32 characters")
    play.add_argument("--side", help="first, second, random, or the game's name for a side, such as X or Black")
    play.add_argument(
        "--against",
        help="friend (by invitation), anybody, or a level of the computer: best, hard, medium, easy",
    )
    play.add_argument("--room", help="the same as LINK")
    play.add_argument(
        "--clock",
        help="3+2: 3 minutes plus 2 s for each move; 30s+0.3: 30 s plus 0.3 s; 10/move: 10 s for each move; none",
    )
    play.add_argument(
        "--rated",
        action="store_true",
        help="play for ratings; needs a clock and a registered name; a server rates so many games a day of a pair",
    )
    watch = commands.add_parser(
        "watch", description="Watch a game in this terminal: in the given room, or one that you choose from a list."
    )
    watch.set_defaults(command=lambda options: _run(partial(terminal.watch, explain=_explain), options))
    watch.add_argument("room", nargs="?", metavar="ROOM", help="the room's id or link, or a file with a game to replay")
    watch.add_argument(
        "--from", dest="from_ply", type=whole(0), metavar="PLY", help="replay the game from this ply; 0 is the start"
    )
    watch.add_argument(
        "--between", nargs=2, metavar="LEVEL", help="watch two computers play; the first level moves first"
    )
    for command in (play, watch):
        add_url(command)
        command.add_argument("--game", help="the game's key, such as tictactoe; noughts rules lists them")
        command.add_argument(
            "--set",
            dest="setup",
            action="append",
            type=_chosen,
            metavar="KEY=VALUE",
            help="choose an option of the game, such as size=6; may be repeated; noughts rules GAME lists them",
        )
        command.add_argument("--numpad", action="store_true", help="number cells like a number pad, with 7 8 9 on top")
        command.add_argument("--values", action="store_true", help="show the value of each move")


def _chosen(text: str) -> tuple[str, str]:
    """An option of a game and what is chosen of it."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"must be such as size=6, not {text!r}")
    return key, value


def _room(text: str) -> str:
    if text in GAMES:
        raise argparse.ArgumentTypeError(f"{text} is a game. To play it: noughts play --game {text}")
    return text


def _run(visit: Callable[[terminal.Options, terminal.OwnServer], Awaitable[int]], options: dict[str, Any]) -> int:
    setup = tuple(options.pop("setup") or ())
    if options["game"] is not None:
        options["game"], chosen = parts_of(options["game"])
        setup = (*chosen, *setup)

    async def run() -> int:
        return await visit(terminal.Options(**options, setup=setup, addresses=_addresses), _own_server)

    return asyncio.run(run())


def _explain(game: RecordedGame) -> Explainer:
    """Explains a game from a file."""
    from noughts.explain.explainer import GameExplainer

    return GameExplainer(game.room, EXPLAIN_S)


def _addresses() -> list[str]:
    from noughts.gateway.own_addresses import own_addresses

    return own_addresses()


@asynccontextmanager
async def _own_server() -> AsyncIterator[str]:
    """A server for one game: it stores nothing, and it logs nothing, since the terminal shows the game."""
    from noughts import embed

    async with embed.server() as server:
        yield server.url
