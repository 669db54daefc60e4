"""``noughts bot``: seat a bot that is a program."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.cli.arguments import Subparsers, add_url, whole
from noughts.cli.output import say

if TYPE_CHECKING:
    from noughts_client.bots.program import BotSpec

KINDS = {
    "exec": "a program that answers JSON lines",
    "uci": "a UCI engine",
    "gtp": "a GTP engine",
    "gomocup": "an engine of Gomocup",
}


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    command = commands.add_parser(
        "bot",
        usage="noughts bot FILE.py [options]\n       noughts bot --exec|--uci|--gtp|--gomocup COMMAND [options]",
        description="Let a bot play: a Python file that defines choose(state), any program, or an engine. "
        "It plays one game against the computer unless the options say otherwise.",
    )
    command.set_defaults(command=lambda options: _run(command, options))
    command.add_argument("file", nargs="?", metavar="FILE.py", help="a Python file that defines choose(state)")
    for kind, words in KINDS.items():
        command.add_argument(f"--{kind}", metavar="COMMAND", help=f"{words}, with its arguments")
    add_url(command)
    command.add_argument("--name", help="the bot's name (default: that of the program)")
    command.add_argument(
        "--game", default="tictactoe", help="such as breakthrough?size=6; noughts rules lists them (default: tictactoe)"
    )
    command.add_argument(
        "--against", help="a level of the computer (default: the strongest), open, anybody or invitations"
    )
    command.add_argument("--side", help="first (default), second, or the game's name for a side, such as X or Black")
    command.add_argument("--room", help="take the open seat in the room with this id")
    command.add_argument("--tournament", metavar="ID", help="enter the tournament with this id, and play all its games")
    command.add_argument("--class", dest="class_id", metavar="ID", help="hand the bot in to the class with this id")
    command.add_argument("--as", dest="class_name", metavar="NAME", help="the student's name in the class")
    command.add_argument("--clock", help="3+2: 3 minutes plus 2 s for each move; 30s+0.3; 10/move: 10 s for each move")
    command.add_argument("--rated", action="store_true", help="play for ratings; needs a clock and a token")
    command.add_argument("--games", type=whole(), default=1, metavar="N", help="the number of games (default: 1)")
    command.add_argument("--token", help="a registered player's token (default: NOUGHTS_TOKEN)")
    command.add_argument("--log", type=Path, metavar="FILE", help="append what the program is told, answers and logs")


def _run(command: argparse.ArgumentParser, options: dict[str, Any]) -> int:
    from noughts.cli.run import EXPECTED, report, set_log
    from noughts_client.bot import run_until_stopped
    from noughts_client.bots.program import parse_spec

    given = [f"{kind}:{words}" for kind in KINDS if (words := options.pop(kind)) is not None]
    given += [file] if (file := options.pop("file")) is not None else []
    if len(given) != 1:
        command.error("give one bot: FILE.py, or one of --exec, --uci, --gtp and --gomocup with a command")
    if (options["class_id"] is None) != (options["class_name"] is None):
        command.error("--class and --as go together: the class, and your name in it")
    try:
        spec = parse_spec(given[0])
    except ValueError as error:
        command.error(str(error))
    set_log("WARNING")
    try:
        run_until_stopped(_play(spec, options))
    except EXPECTED as error:
        return report("bot", error)
    return 0


async def _play(spec: BotSpec, options: dict[str, Any]) -> None:
    """Play as the options say. Raises :class:`CommandFailed`, also if the program failed in a game."""
    from noughts.cli.run import CommandFailed
    from noughts_client import run_async
    from noughts_client.bots.game_bot import Programs
    from noughts_client.failure import BotError, BotFailed
    from noughts_client.handshake import ConnectionLost, RequestError

    log: Path | None = options.pop("log")
    programs = Programs(spec, tell=lambda text: say(text, to_stderr=True), log=log)
    given = {name: value for name, value in options.items() if value is not None} | {"tell": say}
    lost: list[str] = []

    async def over(room: str, result: str | None) -> None:
        lost.extend([room] if result == "lost" and room not in (*programs.failures, *programs.late) else [])
        await programs.over(room)

    try:
        if log is not None:
            _try(log)
        if options["room"] is None and options["tournament"] is None:
            await programs.prepare(options["game"])
        await run_async(programs, over=over, **{"name": spec.name, **given})
    except BotFailed as error:
        raise CommandFailed("\n".join(filter(None, (error.failure.message, programs.details(error.failure))))) from None
    except RequestError as error:
        raise CommandFailed(error.sentence) from None
    except (BotError, ConnectionLost, ValueError) as error:
        raise CommandFailed(str(error)) from None
    except asyncio.CancelledError:
        await programs.close()
        say(*filter(None, [programs.left_at]), to_stderr=True)
        raise
    finally:
        await programs.close()
    if lost:
        say(f"To see where it lost: noughts review {lost[-1]}{_there(options['url'])}")
    if programs.failures:
        failed = len(programs.failures)
        raise CommandFailed(f"the bot failed in {failed} game{'s' if failed > 1 else ''}, and resigned there")


def _there(url: str | None) -> str:
    """The option that names the server, for a command to type."""
    from noughts_client.address import shortest

    return f" --url {shortest(url)}" if url else ""


def _try(log: Path) -> None:
    from noughts.cli.run import CommandFailed

    try:
        log.open("ab").close()
    except OSError as error:
        raise CommandFailed(f"cannot write to {log}: {error.strerror}") from None
