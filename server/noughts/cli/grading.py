"""``noughts verify`` and ``noughts grade``: what a bot, or a student's search, is worth."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from pathlib import Path
from typing import Any

from noughts.cli.output import say
from noughts.cli.parser import Subparsers
from noughts.engine import Method
from noughts.explain.commands import BadRequest, game_of
from noughts.explain.drawing import counted
from noughts.games import Game, Side
from noughts.grading.cases import Rule
from noughts.grading.grade import Assignment, Grade, grade
from noughts.grading.players import Computer, NoSuchLevel, Program
from noughts.grading.proof import Bounds, Explored
from noughts.grading.report import failed_gradescope, failed_in_words, gradescope, tests_of
from noughts.grading.report import in_words as report_in_words
from noughts.grading.student import Student
from noughts.grading.verify import Player, Verified, as_object, in_words, so_far, status, verify
from noughts.league.progress import printable
from noughts_client.bots.failure import BotFailed
from noughts_client.bots.game_bot import start
from noughts_client.bots.limits import MIB, Limits
from noughts_client.bots.sandbox import Containment, probe, refusal
from noughts_client.bots.spec import BotSpec, parse_spec

PATIENCE_S = 30.0
"""How long a bot may think about a move."""

REFUSED = 2
"""The exit status of a bad request."""

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells report it."""


def add_commands(commands: Subparsers) -> None:
    """Add the commands."""
    verifier = commands.add_parser(
        "verify",
        description="Prove that a bot never loses, or show the shortest game that it loses and where it went wrong. "
        "A bot is a Python file with choose(state), exec:COMMAND, uci:COMMAND, gtp:COMMAND, gomocup:COMMAND or "
        "computer:LEVEL. The exit status is 0 if it never loses, 1 if it loses or fails, and 3 if neither is proved.",
    )
    verifier.set_defaults(command=_verify)
    verifier.add_argument("bot", metavar="BOT")
    verifier.add_argument("--side", choices=("first", "second", "both"), default="both", help="(default: both)")
    verifier.add_argument(
        "--positions", type=_whole, default=100_000, metavar="N", help="stop after N positions (default: 100000)"
    )
    verifier.add_argument("--json", action="store_true", help="print one JSON object")
    _add_common(verifier, 600)
    grader = commands.add_parser(
        "grade",
        description="Compare a student's minimax(position) or alphabeta(position, alpha, beta) with ours: its values, "
        "best moves and visited positions, and whether it ever loses. The exit status is 0 if all is right, 1 if not.",
    )
    grader.set_defaults(command=_grade)
    add = grader.add_argument
    add("file", type=Path, metavar="FILE.py")
    add("--function", choices=("minimax", "alphabeta"), default="alphabeta", help="(default: alphabeta)")
    add(
        "--cut",
        choices=(">=", ">"),
        default=">=",
        help="cut once alpha >= beta, or only once alpha > beta (default: >=)",
    )
    add(
        "--values",
        choices=("result", "depth"),
        default="result",
        help="result: any number above 0 is a win, below 0 a loss; depth: a win in d plies is worth 10 - d (in "
        "tic-tac-toe), as in noughts solve (default: result)",
    )
    add(
        "--view",
        choices=("mover", "first"),
        default="mover",
        help="values are for the side to move, or always for the first side (default: mover)",
    )
    add("--positions", type=_whole, default=100, metavar="N", help="in a sample, of a larger game (default: 100)")
    add("--seed", type=int, default=1, metavar="N", help="of the sample (default: 1)")
    add("--json", type=Path, metavar="FILE", help="also write Gradescope's results.json there")
    _add_common(grader, 600)


def _add_common(command: Any, seconds: int) -> None:
    add = command.add_argument
    add("--game", default="tictactoe", help="the game's key (default: tictactoe)")
    add("--seconds", type=_seconds, default=seconds, metavar="N", help=f"stop after N seconds (default: {seconds})")
    add(
        "--patience",
        type=_seconds,
        default=PATIENCE_S,
        metavar="N",
        help=f"wait N seconds for each answer (default: {PATIENCE_S:g})",
    )
    add("--memory", dest="memory_mib", type=_whole, default=512, metavar="MiB", help="(default: 512)")
    add("--uncontained", action="store_true", help="run code that you trust even where it cannot be contained")


def _grade(options: dict[str, Any]) -> int:
    try:
        assignment = _assignment(options)
        containment = containment_for(uncontained=options["uncontained"])
    except BadRequest as error:
        say(f"noughts grade: {error}", to_stderr=True)
        return REFUSED
    file: Path = options["file"]
    student = Student(file, assignment.function, containment, limits_of(options), options["patience"])
    try:
        found = asyncio.run(_graded(student, assignment))
    except BotFailed as error:
        _show(failed_in_words(file.name, error.failure))
        results, code = failed_gradescope(file.name, error.failure), 1
    except KeyboardInterrupt:
        answers = (
            f"{counted(student.answered, 'answer', 'answers')} of {counted(student.asked, 'position', 'positions')}"
        )
        say(f"noughts grade: interrupted: {answers} so far, and no grade", to_stderr=True)
        return INTERRUPTED
    else:
        _show(report_in_words(file.name, found))
        results, code = gradescope(found), 0 if all(test.passed for test in tests_of(found)) else 1
    if options["json"] is not None:
        try:
            options["json"].write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            say(f"noughts grade: cannot write {options['json']}: {error.strerror}", to_stderr=True)
            return REFUSED
    return code


async def _graded(student: Student, assignment: Assignment) -> Grade:
    try:
        await student.start()
        return await grade(student, assignment)
    finally:
        await student.close()


def _assignment(options: dict[str, Any]) -> Assignment:
    """Raises :class:`BadRequest`."""
    game = game_of(options["game"])
    if options["values"] == "depth" and game.margin is not None:
        raise BadRequest(f"a win at {game.title} is worth its margin: only --values result can be graded")
    rule = Rule(Method(options["function"]), options["cut"], options["values"])
    return Assignment(game, rule, options["view"], options["positions"], options["seed"], options["seconds"])


def _verify(options: dict[str, Any]) -> int:
    try:
        game = game_of(options["game"])
        spec = _spec(options["bot"])
        containment = None if spec.kind == "computer" else containment_for(uncontained=options["uncontained"])
        player = _player(game, spec, containment, options)
    except (BadRequest, NoSuchLevel) as error:
        say(f"noughts verify: {error}", to_stderr=True)
        return REFUSED
    sides = list(Side) if options["side"] == "both" else [Side(options["side"])]
    bounds = Bounds(options["positions"], options["seconds"])
    results: list[Verified] = []
    last = Explored(sides[0])

    async def every_side() -> None:
        nonlocal last
        for side in sides:
            last = Explored(side)
            results.append(await verify(game, side, player, bounds, last))

    try:
        asyncio.run(every_side())
    except KeyboardInterrupt:
        say(f"noughts verify: interrupted: {so_far(game, results, last)}", to_stderr=True)
        return INTERRUPTED
    _show(json.dumps(as_object(game, spec.name, results)) if options["json"] else in_words(game, spec.name, results))
    return status(results)


def _show(text: str) -> None:
    """Print lines that may quote what a program wrote: nothing in them commands the terminal."""
    say(*map(printable, text.split("\n")))


def _spec(text: str) -> BotSpec:
    try:
        return parse_spec(text)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _player(game: Game, spec: BotSpec, containment: Containment | None, options: dict[str, Any]) -> Player:
    """Raises :class:`NoSuchLevel`."""
    if spec.kind == "computer":
        return Computer(game, spec.target)
    limits = limits_of(options)
    return Program(game, lambda: start(spec, game.key, containment=containment, limits=limits), options["patience"])


def limits_of(options: dict[str, Any]) -> Limits:
    """The limits of a program that the options name."""
    return Limits(memory_bytes=options["memory_mib"] * MIB)


def containment_for(*, uncontained: bool) -> Containment | None:
    """How programs are contained. Raises :class:`BadRequest` where they are not, unless the user has agreed to that."""
    if uncontained:
        return None
    found = probe()
    if why := refusal(found):
        raise BadRequest(why)
    return found


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number greater than 0, not {text}")
    return seconds
