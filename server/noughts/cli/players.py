"""``noughts register``, ``devices``, ``leaderboard``, ``player``, ``games``, ``webhook``: players and their games."""

from __future__ import annotations

import asyncio
from typing import get_args

from noughts.cli.arguments import Subparsers, add_url, whole
from noughts.rooms import Pool
from noughts_client.terminal import devices, my_games, profiles, register, webhooks
from noughts_client.terminal.devices import ACTIONS


def add_commands(commands: Subparsers) -> None:
    """Add the commands."""
    registering = commands.add_parser(
        "register",
        usage="noughts register [NAME] [options]",
        description="Register your name at a server. From then on, play and watch use it there.",
    )
    registering.set_defaults(command=lambda options: asyncio.run(register(**options)))
    registering.add_argument("name", nargs="?", metavar="NAME", help="1 to 32 characters")
    registering.add_argument(
        "--token-file",
        dest="proof",
        metavar="FILE",
        help="a token that you already have, from an operator or another machine; - for stdin",
    )
    registering.add_argument(
        "--invitation", metavar="CODE", help="the code or link of an invitation, for a server that asks for one"
    )
    listing = commands.add_parser(
        "devices",
        usage="noughts devices [ACTION] [CODE or DEVICE] [options]",
        description="Show where your name is signed in; add a device, join with its code, or sign one out.",
    )
    listing.set_defaults(command=lambda options: asyncio.run(devices(**options)))
    listing.add_argument(
        "action",
        nargs="?",
        choices=ACTIONS,
        default="list",
        help="list (default), add, join CODE, out DEVICE, or recovery: make a recovery code",
    )
    listing.add_argument(
        "what",
        nargs="?",
        metavar="CODE or DEVICE",
        help="a code or link to join with; a device's id, this, others or all",
    )
    listing.add_argument("--force", action="store_true", help="sign out even if that loses the name")
    leaderboard = commands.add_parser(
        "leaderboard",
        usage="noughts leaderboard GAME [options]",
        description="Show the best players of a game, and the computer's ratings there.",
    )
    leaderboard.set_defaults(command=lambda options: asyncio.run(profiles.leaderboard(**options)))
    leaderboard.add_argument("game", metavar="GAME", help="the game's key, such as tictactoe")
    leaderboard.add_argument(
        "--pool", choices=get_args(Pool), default="blitz", help="the kind of clock (default: blitz)"
    )
    player = commands.add_parser(
        "player",
        usage="noughts player PLAYER [options]",
        description="Show a player's ratings, results and last games.",
    )
    player.set_defaults(command=lambda options: asyncio.run(profiles.player(**options)))
    player.add_argument("name", metavar="PLAYER", help="the player's id or registered name")
    games = commands.add_parser(
        "games",
        usage="noughts games [options]",
        description="List your games at a server: those under way, the most urgent first, and the last that are over. "
        "These are the games of your registered name, and of the seats that noughts play has kept.",
    )
    games.set_defaults(command=lambda options: asyncio.run(my_games.games(**options)))
    games.add_argument(
        "--limit", type=whole(1, 10_000), default=20, metavar="N", help="list at most N of each (default: 20)"
    )
    games.add_argument("--json", dest="as_json", action="store_true", help="print them as one JSON object")
    webhook = commands.add_parser(
        "webhook",
        usage="noughts webhook [URL or off] [options]",
        description="Have a URL called when it is your move in a game with days for each move; without one, show it.",
    )
    webhook.set_defaults(command=lambda options: asyncio.run(webhooks.webhook(**options)))
    webhook.add_argument("to", nargs="?", metavar="URL or off", help="a URL that takes a POST, or off to end it")
    for command in (registering, listing, leaderboard, player, games, webhook):
        add_url(command)
