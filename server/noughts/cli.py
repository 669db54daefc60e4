"""The command line: ``noughts serve``, ``play`` and ``watch``."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any

from pydantic import ValidationError

from noughts.app import running
from noughts.config import Settings
from noughts.journal import JournalError, JournalInUse

log = logging.getLogger("noughts")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that ``argv`` names; by default, the program's own arguments."""
    parser = _parser()
    options = vars(parser.parse_args(argv))
    command = options.pop("command")
    sys.exit(command(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="noughts", description="Two-player board games over the network.")
    parser.add_argument("--version", action="version", version=f"noughts {version('noughts')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = commands.add_parser(
        "serve",
        help="run a server",
        description="Run a server. Each option is also a setting: --log-level is NOUGHTS_LOG_LEVEL.",
    )
    serve.set_defaults(command=_serve)
    for name, field in Settings.model_fields.items():
        default = "a file in your data directory" if name == "journal" else field.default
        serve.add_argument(
            f"--{name.replace('_', '-')}",
            dest=name,
            metavar="N" if field.annotation in (int, float) else name.rsplit("_", 1)[-1].upper(),
            default=argparse.SUPPRESS,
            help=f"{field.description} (default: {default})",
        )
    _add_table_commands(commands)
    return parser


def _add_table_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    play = commands.add_parser(
        "play",
        help="play in this terminal",
        description="Play in this terminal. What is not said here is asked.",
    )
    play.set_defaults(command=_play)
    play.add_argument("--name", help="your name, 1 to 32 characters")
    play.add_argument("--side", help="first, second, random, or what the game calls a side: X, O")
    play.add_argument(
        "--against", help="friend (by invitation), anybody, or the computer at a level: perfect, hard, medium, easy"
    )
    play.add_argument("--room", help="take the open seat of the room with this id")
    watch = commands.add_parser(
        "watch",
        help="watch a game in this terminal",
        description="Watch a game in this terminal: of a room, or of one chosen from the public ones.",
    )
    watch.set_defaults(command=_watch)
    watch.add_argument("room", nargs="?", metavar="ROOM", help="the room's id")
    watch.add_argument("--between", nargs=2, metavar="LEVEL", help="have two computers play, the first begins")
    for command in (play, watch):
        command.add_argument("--url", help="the server (default: ws://127.0.0.1:8765/ws)")
        command.add_argument("--game", help="the game's key, such as tictactoe")
        command.add_argument("--numpad", action="store_true", help="number cells as on a number pad, 7 8 9 on top")


def _serve(options: dict[str, Any]) -> int:
    try:
        settings = Settings(**options)
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            name = "-".join(str(part) for part in problem["loc"][:1]).replace("_", "-")
            print(f"noughts serve: --{name}: {problem['msg']}", file=sys.stderr)
        return 2
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    _allow_many_connections()
    _collect_seldom()
    try:
        run(_serve_until_told(settings))
    except (JournalInUse, JournalError) as error:
        print(f"noughts serve: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        reason = error.strerror.rpartition(": ")[2] if error.strerror else error
        print(f"noughts serve: cannot listen on {settings.host}:{settings.port}: {reason}", file=sys.stderr)
        return 1
    return 0


def _allow_many_connections() -> None:
    """Each connection is an open file; the usual limit of 1024 is a default, and ours to raise."""
    try:
        import resource  # noqa: PLC0415  # not there on Windows
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS has a bound of its own below the one that it tells
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _collect_seldom() -> None:
    """Moves make hardly any garbage in cycles, and to look for it at the usual rate costs a tenth of a move."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


async def _serve_until_told(settings: Settings) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, told.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(told.set))
    async with running(settings) as server:
        print("Noughts is listening. Connect to")
        for url in server.urls:
            print(f"    {url}")
        kept = "nowhere: they end with this server" if settings.journal == "memory" else f"in {settings.journal}"
        print(f"Games are kept {kept}")
        default = Settings.model_fields["port"].default
        url = "" if server.port == default else f" --url {server.urls[0]}"
        print(f"Play in another terminal with:  noughts play{url}", flush=True)
        await told.wait()
        print("Closing.", flush=True)


def _play(options: dict[str, Any]) -> int:
    from noughts_client import terminal  # noqa: PLC0415  # a server needs no terminal library

    return asyncio.run(terminal.play(terminal.Options(**options), _own_server))


def _watch(options: dict[str, Any]) -> int:
    from noughts_client import terminal  # noqa: PLC0415

    return asyncio.run(terminal.watch(terminal.Options(**options), _own_server))


@asynccontextmanager
async def _own_server() -> AsyncIterator[str]:
    """A server for one game: nothing is kept, and its log must not get into the picture."""
    logging.getLogger("noughts").addHandler(logging.NullHandler())
    logging.getLogger("noughts").propagate = False
    async with running(Settings(journal="memory", host="127.0.0.1", port=0)) as server:
        yield server.urls[0]


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run ``work`` on uvloop where there is one, else on asyncio."""
    try:
        import uvloop  # noqa: PLC0415  # not there on Windows and PyPy
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)
