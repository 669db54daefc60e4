"""``noughts verify``: whether a bot ever loses."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from noughts.cli.arguments import Subparsers, whole
from noughts.cli.output import INTERRUPTED, say
from noughts.cli.programs import REFUSED, add_limits, containment, limits_of
from noughts.columns import printable
from noughts.explain.position import BadRequest, game_of
from noughts.games import Game, Side
from noughts.games.catalogue import full_title, name_of
from noughts.grading.proof import Bounds, Explored
from noughts.grading.verify import (
    LevelPlayer,
    NoSuchLevel,
    Player,
    ProgramPlayer,
    Verified,
    as_object,
    failure_in_words,
    in_words,
    so_far,
    status,
    verify,
)
from noughts_client.bots.copies import freeze
from noughts_client.bots.game_bot import start
from noughts_client.bots.program import BotSpec, NoSuchProgram, parse_spec


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verify",
        description="Prove that a bot never loses, or show the shortest game that it loses and where it went wrong. "
        "A bot is a Python file with choose(state), exec:COMMAND, uci:COMMAND, gtp:COMMAND, gomocup:COMMAND or "
        "computer:LEVEL. The exit status is 0 if it never loses, 1 if it loses or fails, and 3 if neither is proved.",
    )
    parser.set_defaults(command=_verify)
    add = parser.add_argument
    add("bot", metavar="BOT")
    add("--side", choices=("first", "second", "both"), default="both", help="(default: both)")
    add("--positions", type=whole(), default=100_000, metavar="N", help="stop after N positions (default: 100000)")
    add("--json", action="store_true", help="print one JSON object")
    add_limits(parser)


def _verify(options: dict[str, Any]) -> int:
    with TemporaryDirectory(prefix="noughts-", ignore_cleanup_errors=True) as temporary:
        try:
            game = game_of(options["game"] or "tictactoe")
            spec = _spec(options["bot"])
            player = _player(game, spec, Path(temporary), options)
        except (BadRequest, NoSuchLevel) as error:
            say(f"noughts verify: {error}", to_stderr=True)
            return REFUSED
        return _verified(game, spec, player, options)


def _verified(game: Game, spec: BotSpec, player: Player, options: dict[str, Any]) -> int:
    sides = list(Side) if options["side"] == "both" else [Side(options["side"])]
    results: list[Verified] = []
    last = Explored(sides[0])
    shown = not options["json"]

    async def every_side() -> None:
        nonlocal last
        left = options["seconds"]
        for number, side in enumerate(sides):
            last = Explored(side)
            share = left / (len(sides) - number)
            begun = time.monotonic()
            results.append(await verify(game, side, player, Bounds(options["positions"], share), last))
            # The review of a lost game takes longer than that, which is not at the expense of the other side.
            left -= min(share, time.monotonic() - begun)
            if results[-1].never_started:
                return
            if shown:
                say("", *map(printable, in_words(game, results[-1])))  # they may quote the program

    if shown:
        say(f"{spec.name} at {full_title(game)}{'' if options['game'] else '; --game names another game'}")
    try:
        asyncio.run(every_side())
    except KeyboardInterrupt:
        say(f"noughts verify: interrupted at {game.title}: {so_far(game, results, last)}", to_stderr=True)
        return INTERRUPTED
    if not shown:
        say(json.dumps(as_object(game, spec.name, results)))
    elif results[-1].never_started:
        message, *told = map(printable, failure_in_words(results[-1]))
        say(f"noughts verify: {message}", *told, to_stderr=True)
    return status(results)


def _spec(text: str) -> BotSpec:
    try:
        return parse_spec(text)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _player(game: Game, spec: BotSpec, folder: Path, options: dict[str, Any]) -> Player:
    """The player to verify. A program runs from a copy in ``folder``.

    Raises :class:`BadRequest` and :class:`NoSuchLevel`.
    """
    if spec.kind == "computer":
        return LevelPlayer(game, spec.target)
    contained = containment(BadRequest, uncontained=options["uncontained"])
    limits = limits_of(options)
    copy = None
    try:
        with suppress(NoSuchProgram):  # which its start will say
            spec, copy = freeze(spec, folder / "copy", contained=contained is not None)
    except OSError as error:
        raise BadRequest(f"cannot copy {error.filename}: {error.strerror}") from None
    begin = partial(start, spec, name_of(game), containment=contained, limits=limits, copy=copy)
    return ProgramPlayer(game, begin, options["patience"], lambda text: say(f"noughts verify: {text}", to_stderr=True))
