"""``noughts verify``: whether a bot ever loses."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from noughts.cli.arguments import Subparsers, whole
from noughts.cli.output import INTERRUPTED, say
from noughts.cli.programs import REFUSED, add_farm, add_limits, containment, limits_of
from noughts.columns import printable
from noughts.explain.position import BadRequest, game_of
from noughts.farm import FarmError, begun, connected
from noughts.farm_bots import cannot_contain
from noughts.games import Game, Side
from noughts.games.catalogue import full_title, name_of
from noughts.grading.job import VerifyingJob, player_of
from noughts.grading.proof import Bounds, Explored
from noughts.grading.verify import (
    LevelPlayer,
    NoSuchLevel,
    Player,
    Verified,
    as_object,
    failure_in_words,
    in_words,
    so_far,
    status,
    verify,
)
from noughts_client.bots.copies import Copy, freeze, pack
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
    add_farm(parser)


def _verify(options: dict[str, Any]) -> int:
    with TemporaryDirectory(prefix="noughts-", ignore_cleanup_errors=True) as temporary:
        try:
            game = game_of(options["game"] or "tictactoe")
            spec = _spec(options["bot"])
            if options["farm"] is None:
                player = _player(game, spec, Path(temporary), options)
                return _verified(game, spec, partial(_here, game, player, options), options)
            job = _job(game, spec, Path(temporary), options)
            return _verified(game, spec, partial(_there, job, options), options)
        except (BadRequest, NoSuchLevel, FarmError) as error:
            say(f"noughts verify: {error}", to_stderr=True)
            return REFUSED


Verify = Callable[[Sequence[Explored]], AsyncIterator[Verified]]
"""Verifies the sides of what will be found, one after the other; where it can, it fills that in on the way."""


async def _here(
    game: Game, player: Player, options: dict[str, Any], found: Sequence[Explored]
) -> AsyncIterator[Verified]:
    left = options["seconds"]
    for number, each in enumerate(found):
        share = left / (len(found) - number)
        begun = time.monotonic()
        yield await verify(game, each.side, player, Bounds(options["positions"], share), each)
        # The review of a lost game takes longer than that, which is not at the expense of the other side.
        left -= min(share, time.monotonic() - begun)


async def _there(job: VerifyingJob, options: dict[str, Any], found: Sequence[Explored]) -> AsyncIterator[Verified]:
    """Verify on a farm: both sides at once, each with all of the time. Raises :class:`~noughts.farm.FarmError`."""
    async with (
        connected(options["farm"], cannot_contain if job.contained else None, _tell) as workers,
        workers.submitting(job) as submit,
    ):

        async def one(side: Side) -> Verified:
            result: Verified = await submit((side, options["seconds"]))
            return result

        async with begun(one(each.side) for each in found) as tasks:
            for task in tasks:
                yield await task


def _tell(text: str) -> None:
    say(f"noughts verify: {text}", to_stderr=True)


def _verified(game: Game, spec: BotSpec, verify_all: Verify, options: dict[str, Any]) -> int:
    """Raises what ``verify_all`` raises."""
    sides = list(Side) if options["side"] == "both" else [Side(options["side"])]
    found = [Explored(side) for side in sides]
    results: list[Verified] = []
    shown = not options["json"]

    async def every_side() -> None:
        async with aclosing(verify_all(found)) as verifying:  # type: ignore[type-var]
            async for result in verifying:
                results.append(result)
                if result.never_started:
                    return
                if shown:
                    say("", *map(printable, in_words(game, result)))  # they may quote the program

    if shown:
        say(f"{spec.name} at {full_title(game)}{'' if options['game'] else '; --game names another game'}")
    try:
        asyncio.run(every_side())
    except KeyboardInterrupt:
        last = found[min(len(results), len(found) - 1)]
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


def _frozen(spec: BotSpec, folder: Path, *, contained: bool) -> tuple[BotSpec, Copy | None]:
    """The bot that runs, from a copy in ``folder``; without one if there is no such program, which its start will say.

    Raises :class:`BadRequest`.
    """
    if spec.kind == "computer":
        return spec, None
    try:
        return freeze(spec, folder / "copy", contained=contained)
    except NoSuchProgram:
        return spec, None
    except OSError as error:
        raise BadRequest(f"cannot copy {error.filename}: {error.strerror}") from None


def _player(game: Game, spec: BotSpec, folder: Path, options: dict[str, Any]) -> Player:
    """The player to verify here. Raises :class:`BadRequest` and :class:`NoSuchLevel`."""
    contained = None
    if spec.kind != "computer":
        contained = containment(BadRequest, uncontained=options["uncontained"])
    bot = _frozen(spec, folder, contained=contained is not None)
    return player_of(game, *bot, contained, limits=limits_of(options), patience_s=options["patience"], tell=_tell)


def _job(game: Game, spec: BotSpec, folder: Path, options: dict[str, Any]) -> VerifyingJob:
    """The job of verifying the bot elsewhere. Raises :class:`BadRequest` and :class:`NoSuchLevel`."""
    contained = spec.kind != "computer" and not options["uncontained"]
    try:
        bot = pack(*_frozen(spec, folder, contained=contained))
    except OSError as error:
        raise BadRequest(f"cannot copy {error.filename}: {error.strerror}") from None
    if spec.kind == "computer":
        LevelPlayer(game, spec.target)  # raises if there is no such level
    return VerifyingJob(name_of(game), bot, contained, limits_of(options), options["patience"], options["positions"])
