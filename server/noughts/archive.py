"""``noughts export`` and ``noughts import``: games that are over, from a journal to files and back."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from noughts.app import journal_of
from noughts.config import Settings, UnusableSetting
from noughts.games import GAMES
from noughts.journal import Journal, JournalError, JournalInUse
from noughts.protocol import UnknownRecord
from noughts.protocol.gamefile import BadGame, RecordedGame, from_file, to_file
from noughts.records.export import NotThere, game_of, games
from noughts.records.importer import Differs, Impossible, import_game
from noughts.records.movelist import move_list
from noughts.serve import advice, say, set_log

BETWEEN = b"\n" + b"-" * 72 + b"\n\n"
"""What separates move lists."""


BUNDLE = 50
"""How many games are taken in at once."""


class Failed(Exception):
    """It could not be done; the text says why."""


Act = Callable[[Settings, dict[str, Any]], Coroutine[Any, Any, None]]


def add_commands(commands: argparse._SubParsersAction[Any]) -> Iterator[argparse.ArgumentParser]:
    """Add both commands; each as it is added."""
    exporter = commands.add_parser(
        "export",
        usage="noughts export [options]",
        help="write games that are over, from the journal",
        description="Write games that are over, from the journal, also while a server runs on it: in the order of "
        "their ends all public ones that came to a result, or those that are asked for.",
    )
    exporter.set_defaults(act=_export, name="export")
    one = exporter.add_mutually_exclusive_group()
    one.add_argument("--room", metavar="ROOM", help="the game in this room alone, whatever became of it")
    one.add_argument("--player", metavar="NAME", help="games of this player: a registered name, or an id")
    exporter.add_argument("--game", choices=tuple(GAMES), metavar="KEY", help="games of this kind, such as tictactoe")
    exporter.add_argument(
        "--since", type=_time, default=0, metavar="DATE", help="games that ended then or later: 2026-11-24, in UTC"
    )
    exporter.add_argument("--private", action="store_true", help="games in private rooms, too")
    exporter.add_argument(
        "--format", choices=("jsonl", "text"), default="jsonl", help="records, or moves to read (default: jsonl)"
    )
    exporter.add_argument("--output", type=Path, metavar="FILE", help="where to write them (default: stdout)")
    yield exporter
    importer = commands.add_parser(
        "import",
        usage="noughts import FILE ... [options]",
        help="take games into the journal that noughts export has written",
        description="Take games into the journal that noughts export has written, as jsonl. What is there already is "
        "passed over.",
    )
    importer.set_defaults(act=_import, name="import")
    importer.add_argument("files", nargs="+", metavar="FILE", help="a file of games; - for stdin")
    yield importer


def _time(text: str) -> int:
    """A date, with a time where there is one, in ms since the epoch; in UTC unless it says otherwise."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"it is a date such as 2026-11-24, or 2026-11-24T18:30, not {text}") from None
    return max(0, round((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp() * 1000))


def run(settings: Settings, options: dict[str, Any]) -> int:
    """Carry out what ``options`` hold as ``act`` and ``name``, with the others; the exit status."""
    act: Act = options.pop("act")
    command = options.pop("name")
    if settings.journal == "memory":
        say(f"noughts {command}: a journal in memory ends with its server: name another by --journal", to_stderr=True)
        return 2
    set_log("WARNING")
    try:
        asyncio.run(act(settings, options))
    except (Failed, NotThere, UnknownRecord, JournalInUse, JournalError, UnusableSetting) as error:
        say(f"noughts {command}: {error}{advice(error)}", to_stderr=True)
        return 1
    except BrokenPipeError:
        # Whoever reads has seen enough. Nothing is left to be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130  # as a shell says of a program that Ctrl-C has ended
    return 0


async def _export(settings: Settings, options: dict[str, Any]) -> None:
    count, output = 0, options["output"]
    async with journal_of(settings, beside=True) as journal:
        with _opened(output) as file:
            async for game in _chosen(journal, options):
                if options["format"] == "text":
                    file.write(BETWEEN if count else b"")
                    file.writelines(f"{line}\n".encode() for line in move_list(game))
                else:
                    file.write(to_file(game))
                count += 1
            file.flush()
    if output is not None or not count:
        say(f"{_games(count)}.", to_stderr=True)


async def _chosen(journal: Journal, options: dict[str, Any]) -> AsyncIterator[RecordedGame]:
    if options["room"] is not None:
        yield await game_of(journal, options["room"])
        return
    chosen = games(
        journal,
        player=options["player"],
        game=options["game"],
        since=options["since"],
        private=options["private"],
    )
    async for game in chosen:
        yield game


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise Failed(f"cannot write {output}: {error.strerror}") from None


async def _import(settings: Settings, options: dict[str, Any]) -> None:
    counts = {True: 0, False: 0}
    try:
        async with journal_of(settings) as journal:
            for name in options["files"]:
                for some in _in_bundles(_read(name)):
                    outcomes = await asyncio.gather(
                        *(import_game(journal, game) for game in some), return_exceptions=True
                    )
                    for outcome in outcomes:
                        if isinstance(outcome, bool):
                            counts[outcome] += 1
                    _raise_first(name, outcomes)
    finally:
        there = f"; {_games(counts[False])} passed over, there already" if counts[False] else ""
        say(f"{_games(counts[True])} taken in{there}.")


def _in_bundles(games: Iterator[RecordedGame]) -> Iterator[list[RecordedGame]]:
    """``games`` in bundles, none with a room twice: what is stored at once is committed together."""
    bundle: dict[str, RecordedGame] = {}
    for game in games:
        if game.room.id in bundle or len(bundle) == BUNDLE:
            yield [*bundle.values()]
            bundle = {}
        bundle[game.room.id] = game
    if bundle:
        yield [*bundle.values()]


def _raise_first(name: str, outcomes: Iterable[object]) -> None:
    for outcome in outcomes:
        if isinstance(outcome, (Differs, Impossible)):
            raise Failed(f"{name}: {outcome}")
        if isinstance(outcome, BaseException):
            raise outcome


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count or 'no'} games"


def _read(name: str) -> Iterator[RecordedGame]:
    try:
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
            yield from from_file(file)
    except BadGame as error:
        raise Failed(f"{name}, {error}") from None
    except OSError as error:
        raise Failed(f"cannot read {name}: {error.strerror}") from None
