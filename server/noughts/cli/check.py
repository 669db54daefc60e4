"""``noughts check``: whether a server, or a bot, keeps to the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from noughts.cli.arguments import Subparsers, bot, game_key, seconds
from noughts.cli.output import say
from noughts.conformance.report import Check, as_json, as_text, summary
from noughts_client.address import server_url
from noughts_client.bots.spec import BotSpec

DEFAULT_GAME = "tictactoe"

PATIENCE_S = 10.0
"""How long a bot may take for any answer unless its clock says less, in seconds."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        usage="noughts check URL [--json]\n       noughts check --bot BOT [options]",
        description="Check a server, as an outside client, or a bot against the protocol. Each check prints a line, "
        "and a fault the messages that show it: > what was sent, < what came. The exit status is 1 if any fails.",
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
        dest="games",
        action="append",
        type=game_key,
        metavar="KEY",
        help=f"a game that the bot plays; repeat it for more (default: {DEFAULT_GAME})",
    )
    parser.add_argument(
        "--seconds",
        type=seconds(3600),
        default=PATIENCE_S,
        metavar="S",
        help=f"how long the bot may think about a move (default: {PATIENCE_S:g})",
    )
    parser.add_argument("--json", dest="as_json", action="store_true", help="print one JSON object")


def _check(options: dict[str, Any]) -> int:
    spec: BotSpec | None = options["bot"]
    if (options["url"] is None) is (spec is None):
        say("noughts check: name a server or a --bot to check", to_stderr=True)
        return 2
    if spec is not None:
        if spec.kind == "computer":
            say("noughts check: the computer is part of the server, not a bot to check", to_stderr=True)
            return 2
        if spec.kind == "exec" and "{url}" in spec.target:
            checks = _of_caller(spec, options["seconds"])
        else:
            if not options["games"] and not options["as_json"]:
                say(f"The game is {DEFAULT_GAME}. To check the bot in others: --game KEY")
            checks = _of_bot(spec, options["games"] or [DEFAULT_GAME], options["seconds"])
        return asyncio.run(_print(spec.name, checks, as_one_object=options["as_json"]))
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
