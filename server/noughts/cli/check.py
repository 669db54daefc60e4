"""``noughts check``: whether a server or a bot keeps to the protocol, and a game to its contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from noughts.cli.arguments import Subparsers, bot, game_name, seconds, whole
from noughts.cli.output import say
from noughts.conformance.report import Check, as_json, as_text, summary
from noughts_client.address import server_url
from noughts_client.bots.program import BotSpec

DEFAULT_GAME = "tictactoe"

PATIENCE_S = 10.0
"""The time a bot may take for any answer unless its clock says less, in seconds."""

RANDOM_GAMES = 20
"""The number of random games in which a game is checked."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        usage="noughts check URL [--json]\n       noughts check --bot BOT [options]\n"
        "       noughts check --game KEY [options]",
        description="Check a server, as an outside client, or a bot against the protocol, or a game against the "
        "contract of games. Each check prints a line, and a fault what shows it: > what was sent and < what came, or "
        "the position of the game. The exit status is 1 if any fails.",
    )
    parser.set_defaults(command=_check)
    parser.add_argument("url", nargs="?", metavar="URL", help="the server to check, such as ws://localhost:8765/ws")
    parser.add_argument(
        "--bot",
        type=bot,
        metavar="BOT",
        help="the bot to check: FILE.py, exec:COMMAND, uci:COMMAND, ...; a command with {url} connects by itself",
    )
    parser.add_argument(
        "--game",
        dest="keys",
        action="append",
        type=game_name,
        metavar="KEY",
        help=f"the game to check, or that the bot plays (default: {DEFAULT_GAME}); repeat it for more",
    )
    parser.add_argument(
        "--seconds",
        type=seconds(3600),
        default=PATIENCE_S,
        metavar="S",
        help=f"how long the bot may think about a move (default: {PATIENCE_S:g})",
    )
    parser.add_argument(
        "--games",
        type=whole(1, 10_000),
        default=RANDOM_GAMES,
        metavar="N",
        help=f"how many random games to check a game in (default: {RANDOM_GAMES})",
    )
    parser.add_argument(
        "--seed", type=whole(0, 2**32), default=1, metavar="N", help="what the random games follow from (default: 1)"
    )
    parser.add_argument("--json", dest="as_json", action="store_true", help="print one JSON object")


def _check(options: dict[str, Any]) -> int:
    spec: BotSpec | None = options["bot"]
    keys: list[str] | None = options["keys"]
    if [options["url"], spec or keys].count(None) != 1:
        say("noughts check: name a server, or a --bot or --game, to check", to_stderr=True)
        return 2
    if spec is not None:
        if spec.kind == "computer":
            say("noughts check: the computer is part of the server, not a bot to check", to_stderr=True)
            return 2
        if spec.kind == "exec" and "{url}" in spec.target:
            checks = _of_caller(spec, options["seconds"])
        else:
            if not keys and not options["as_json"]:
                say(f"The game is {DEFAULT_GAME}. To check the bot in others: --game KEY")
            checks = _of_bot(spec, keys or [DEFAULT_GAME], options["seconds"])
        return asyncio.run(_print(spec.name, checks, as_one_object=options["as_json"]))
    if keys is not None:
        games, seed = options["games"], options["seed"]
        if not options["as_json"]:
            say(f"{games} random game{'' if games == 1 else 's'} of each, with --seed {seed}")
        return asyncio.run(_print(", ".join(keys), _of_games(keys, games, seed), as_one_object=options["as_json"]))
    try:
        url = server_url(options["url"])
    except ValueError as error:
        say(f"noughts check: {error}", to_stderr=True)
        return 2
    from noughts.conformance.server import check_server

    return asyncio.run(_print(url, check_server(url), as_one_object=options["as_json"]))


async def _of_bot(spec: BotSpec, games: list[str], patience_s: float) -> AsyncIterator[Check]:
    from noughts.conformance.bot import Subject, check_bot

    for game in games:
        async for check in check_bot(Subject(spec, game, patience_s)):
            yield check


async def _of_games(keys: list[str], games: int, seed: int) -> AsyncIterator[Check]:
    from noughts.conformance.game import check_game
    from noughts.conformance.outside import OUTSIDE
    from noughts.games.catalogue import game_named

    for key in keys:
        for check in check_game(game_named(key), games, seed, OUTSIDE):
            yield replace(check, name=f"{key}: {check.name}")


async def _of_caller(spec: BotSpec, patience_s: float) -> AsyncIterator[Check]:
    from noughts.conformance.caller import Caller, check_caller

    async for check in check_caller(Caller(spec.target, patience_s)):
        yield check


async def _print(subject: str, checks: AsyncIterator[Check], *, as_one_object: bool) -> int:
    """Print each check when it is done, or all at the end; the exit status."""
    done = []
    async for check in checks:
        done.append(check)
        if not as_one_object:
            say(*as_text(check))
    say(as_json(subject, done) if as_one_object else summary(done))
    return int(any(check.fault is not None for check in done))
