"""The command line: ``noughts serve``, ``play``, ``watch``, ``solve``, ``export`` and what ``--help`` lists beside."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, get_args

from pydantic import ValidationError

from noughts import admin, archive, explain, workers
from noughts.app import running
from noughts.config import Settings
from noughts.drain import drain
from noughts.rooms import Pool
from noughts.serve import leave, serve, welcome

JOURNAL_SETTINGS = ("journal", "journal_password_file")
DRAIN_SETTINGS = (
    *JOURNAL_SETTINGS,
    "bus",
    "bus_password_file",
    "bus_ca",
    "bus_prefix",
    "drain_s",
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that ``argv`` names; by default, the program's own arguments."""
    parser = _parser()
    options = vars(parser.parse_args(argv))
    command = options.pop("command")
    leave(command(options))


class _Command(argparse.ArgumentParser):
    """Takes options before, between and after the words that are none.

    What it does not know it refuses itself: the program's own usage would not help.
    """

    _within = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._within:  # parse_known_intermixed_args calls this in turn
            return super().parse_known_args(args, namespace)
        self._within = True
        try:
            # Options between the words cannot be told from those of a command that follows.
            parse = super().parse_known_args if self._subparsers else self.parse_known_intermixed_args
            known, others = parse(args, namespace)
        finally:
            self._within = False
        if others:
            self.error(f"unrecognized arguments: {' '.join(others)}")
        return known, others


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="noughts", description="Two-player board games over the network.")
    parser.add_argument("--version", action="version", version=f"noughts {version('noughts')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Command)
    serve = commands.add_parser(
        "serve",
        usage="noughts serve [options]",
        help="run a server",
        description="Run a server. Each option is also a setting: --log-level is NOUGHTS_LOG_LEVEL.",
    )
    serve.set_defaults(command=_serve)
    _add_settings(serve, Settings.model_fields)
    drainer = commands.add_parser(
        "drain",
        usage="noughts drain NODE [options]",
        help="have a node of a cluster stop",
        description="Have a node stop as SIGTERM would, and wait until it has. The settings are those of the nodes.",
    )
    drainer.set_defaults(command=_drain)
    drainer.add_argument("node", metavar="NODE", help="the node's name")
    _add_settings(drainer, DRAIN_SETTINGS)
    operator = commands.add_parser(
        "admin",
        help="make bots and tokens, mute and ban",
        description="See to the players, in the journal itself; servers that have it open hear of it within a second.",
    )
    operator.set_defaults(command=_admin)
    for action in admin.add_actions(operator.add_subparsers(required=True, metavar="ACTION", parser_class=_Command)):
        _add_settings(action, JOURNAL_SETTINGS)
    for command in archive.add_commands(commands):
        command.set_defaults(command=_archive)
        _add_settings(command, JOURNAL_SETTINGS)
    _add_table_commands(commands)
    _add_register(commands)
    _add_standings(commands)
    explain.add_commands(commands)
    return parser


def _add_settings(command: argparse.ArgumentParser, names: Iterable[str]) -> None:
    for name in names:
        field = Settings.model_fields[name]
        default = "a file in your data directory" if name == "journal" else field.default
        default = "none" if default is None else default
        command.add_argument(
            f"--{name.replace('_', '-')}",
            dest=name,
            metavar="N" if field.annotation in (int, float) else name.rsplit("_", 1)[-1].upper(),
            default=argparse.SUPPRESS,
            help=f"{field.description} (default: {default})",
        )


def _add_table_commands(commands: argparse._SubParsersAction[Any]) -> None:
    play = commands.add_parser(
        "play",
        help="play in this terminal",
        description="Play in this terminal. What is not said here is asked.",
    )
    play.set_defaults(command=_play)
    play.add_argument("--name", help="your name, 1 to 32 characters")
    play.add_argument("--side", help="first, second, random, or what the game calls a side: X, O")
    play.add_argument(
        "--against",
        help="friend (by invitation), anybody, or the computer at a level: perfect or best, hard, medium, easy",
    )
    play.add_argument("--room", help="take the open seat of the room with this id")
    play.add_argument("--clock", help="3+2: 3 minutes and 2 s more with each move; 10/move: 10 s a move; none")
    play.add_argument("--rated", action="store_true", help="for ratings; takes a clock and a registered name")
    watch = commands.add_parser(
        "watch",
        help="watch a game in this terminal",
        description="Watch a game in this terminal: of a room, or of one chosen from the public ones.",
    )
    watch.set_defaults(command=_watch)
    watch.add_argument("room", nargs="?", metavar="ROOM", help="the room's id, or a file with a game to be replayed")
    watch.add_argument(
        "--from", dest="from_ply", type=int, metavar="PLY", help="replay the game from after so many moves; 0 is all"
    )
    watch.add_argument("--between", nargs=2, metavar="LEVEL", help="have two computers play, the first begins")
    for command in (play, watch):
        command.add_argument("--url", help="the server (default: ws://127.0.0.1:8765/ws)")
        command.add_argument("--game", help="the game's key, such as tictactoe")
        command.add_argument("--numpad", action="store_true", help="number cells as on a number pad, 7 8 9 on top")
        command.add_argument("--values", action="store_true", help="show what each move is worth")


def _add_register(commands: argparse._SubParsersAction[Any]) -> None:
    register = commands.add_parser(
        "register",
        usage="noughts register [NAME] [options]",
        help="make a name your own",
        description="Make a name your own at a server, for good: play and watch use it there from then on.",
    )
    register.set_defaults(command=_register)
    register.add_argument("name", nargs="?", metavar="NAME", help="1 to 32 characters")
    register.add_argument("--url", help="the server (default: ws://127.0.0.1:8765/ws)")
    register.add_argument(
        "--token-file",
        dest="proof",
        metavar="FILE",
        help="a token that you have already, from an operator or another machine; - for stdin",
    )


def _add_standings(commands: argparse._SubParsersAction[Any]) -> None:
    board = commands.add_parser(
        "leaderboard",
        usage="noughts leaderboard GAME [options]",
        help="tell who is best at a game",
        description="Tell who is best at a game, and how strong the computer is taken to be at it.",
    )
    board.set_defaults(command=_leaderboard)
    board.add_argument("game", metavar="GAME", help="the game's key, such as tictactoe")
    board.add_argument("--pool", choices=get_args(Pool), default="blitz", help="by the clock (default: blitz)")
    player = commands.add_parser(
        "player",
        usage="noughts player PLAYER [options]",
        help="tell what is known of a player",
        description="Tell what is known of a player: ratings, results and the last games.",
    )
    player.set_defaults(command=_player)
    player.add_argument("name", metavar="PLAYER", help="the player's id, or the name if it is registered")
    for command in (board, player):
        command.add_argument("--url", help="the server (default: ws://127.0.0.1:8765/ws)")


def _serve(options: dict[str, Any]) -> int:
    settings = _settings("serve", options)
    if settings is None:
        return 2
    if settings.workers > 1:
        return workers.run(settings)
    return serve(settings, lambda server: welcome(settings, server.urls, server.port, server.node))


def _drain(options: dict[str, Any]) -> int:
    settings = _settings("drain", options)
    return 2 if settings is None else drain(settings)


def _archive(options: dict[str, Any]) -> int:
    settings = _settings(options["name"], {name: options.pop(name) for name in JOURNAL_SETTINGS if name in options})
    return 2 if settings is None else archive.run(settings, options)


def _admin(options: dict[str, Any]) -> int:
    settings = _settings("admin", {name: options.pop(name) for name in JOURNAL_SETTINGS if name in options})
    return 2 if settings is None else admin.run(settings, options)


def _settings(command: str, options: dict[str, Any]) -> Settings | None:
    """The settings that ``options`` give; None when they cannot be, and that is told."""
    try:
        return Settings(**options)
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            name = "-".join(str(part) for part in problem["loc"][:1]).replace("_", "-")
            words = problem["msg"].removeprefix("Value error, ")
            print(f"noughts {command}: --{name}: {words}", file=sys.stderr)
        return None


def _play(options: dict[str, Any]) -> int:
    from noughts_client import terminal  # noqa: PLC0415  # a server needs no terminal library

    return asyncio.run(terminal.play(terminal.Options(**options), _own_server))


def _watch(options: dict[str, Any]) -> int:
    from noughts_client import terminal  # noqa: PLC0415

    return asyncio.run(terminal.watch(terminal.Options(**options), _own_server))


def _register(options: dict[str, Any]) -> int:
    from noughts_client import terminal  # noqa: PLC0415

    return asyncio.run(terminal.register(**options))


def _leaderboard(options: dict[str, Any]) -> int:
    from noughts_client.terminal import profiles  # noqa: PLC0415

    return asyncio.run(profiles.leaderboard(**options))


def _player(options: dict[str, Any]) -> int:
    from noughts_client.terminal import profiles  # noqa: PLC0415

    return asyncio.run(profiles.player(**options))


@asynccontextmanager
async def _own_server() -> AsyncIterator[str]:
    """A server for one game: nothing is kept, and its log must not get into the picture."""
    logging.getLogger("noughts").addHandler(logging.NullHandler())
    logging.getLogger("noughts").propagate = False
    async with running(Settings(journal="memory", bus=None, host="127.0.0.1", port=0, warm_up=False)) as server:
        yield server.urls[0]
