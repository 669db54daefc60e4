"""``noughts games``: the way back to one's own games."""

from __future__ import annotations

import asyncio

from noughts.cli.arguments import Subparsers, add_url, whole
from noughts_client.terminal import my_games


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    games = commands.add_parser(
        "games",
        usage="noughts games [options]",
        description="List your games at a server: those under way, the most urgent first, and the last that are over. "
        "These are the games of your registered name, and of the seats that noughts play has kept.",
    )
    games.set_defaults(command=lambda options: asyncio.run(my_games.games(**options)))
    add_url(games)
    games.add_argument(
        "--limit", type=whole(1, 10_000), default=20, metavar="N", help="list at most N of each (default: 20)"
    )
    games.add_argument("--json", dest="as_json", action="store_true", help="print them as one JSON object")
