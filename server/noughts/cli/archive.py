"""``noughts export`` and ``noughts import``: finished games, from a journal to files and back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, BinaryIO

from noughts.archive import Differs, Impossible, NotThere, game_of, games, import_game
from noughts.cli.arguments import Subparsers, game_key, moment
from noughts.cli.output import discard, say
from noughts.cli.run import CommandFailed, run
from noughts.cli.settings import JOURNAL_SETTINGS, add_settings, take_settings
from noughts.config import Settings
from noughts.journal import Journal
from noughts.opening import journal_of
from noughts.protocol.formats import SYNTAX_OF, scoresheets, suffix_in, suffix_of, written
from noughts.protocol.gamefile import BadGame, RecordedGame, from_file, to_file
from noughts.protocol.movelist import move_list
from noughts.protocol.records import UnknownRecord
from noughts.protocol.scoresheet import play_through

SEPARATOR = b"\n" + b"-" * 72 + b"\n\n"
"""Stands between two games as text."""

Work = Callable[[Settings, dict[str, Any]], Coroutine[Any, Any, None]]

BATCH = 50
"""The number of games imported at once."""


def add_commands(commands: Subparsers) -> None:
    """Add both commands."""
    exporting = commands.add_parser(
        "export",
        usage="noughts export [options]",
        description="Write finished games from the journal, oldest first. A server may be using the journal. Without "
        "options: all games in public rooms that have a result.",
    )
    exporting.set_defaults(command=lambda options: _run("export", _export, options))
    one = exporting.add_mutually_exclusive_group()
    one.add_argument("--room", metavar="ROOM", help="only the game in this room, whether or not it has a result")
    one.add_argument("--player", metavar="NAME", help="only games of this player: a registered name, or an id")
    exporting.add_argument("--game", type=game_key, metavar="KEY", help="only this game, such as tictactoe")
    exporting.add_argument(
        "--since", type=moment(UTC), metavar="DATE", help="only games that ended at this time (UTC) or later"
    )
    exporting.add_argument("--private", action="store_true", help="also games in private rooms")
    exporting.add_argument(
        "--format",
        choices=("jsonl", "text", *sorted(SYNTAX_OF)),
        default="jsonl",
        help="records, moves to read, or the format of other programs, which has only the games that they know "
        "(default: jsonl)",
    )
    exporting.add_argument("--output", type=Path, metavar="FILE", help="the file to write (default: stdout)")
    importing = commands.add_parser(
        "import",
        usage="noughts import FILE ... [options]",
        description="Read games into the journal: those that noughts export wrote as jsonl, or those of other "
        f"programs, in files that end in {_listed(sorted(SYNTAX_OF))}. Games that it has are skipped.",
    )
    importing.set_defaults(command=lambda options: _run("import", _import, options))
    importing.add_argument("files", nargs="+", metavar="FILE", help="a file of games; - for jsonl from stdin")
    for command in (exporting, importing):
        add_settings(command, JOURNAL_SETTINGS)


def _listed(suffixes: Sequence[str]) -> str:
    return f"{', '.join(f'.{suffix}' for suffix in suffixes[:-1])} or .{suffixes[-1]}"


def _run(command: str, work: Work, options: dict[str, Any]) -> int:
    settings = take_settings(command, options, JOURNAL_SETTINGS)
    if settings.journal == "memory":
        say(f"noughts {command}: needs a stored journal, not 'memory'; name it with --journal", to_stderr=True)
        return 2
    try:
        return run(command, work(settings, options))
    except BrokenPipeError:
        discard(sys.stdout)
        return 1


async def _export(settings: Settings, options: dict[str, Any]) -> None:
    count, output, form = 0, options["output"], options["format"]
    try:
        async with journal_of(settings, beside=True) as journal:
            with _opened(output) as file:
                async for game in _chosen(journal, options):
                    if form == "jsonl":
                        file.write(to_file(game))
                    elif form == "text":
                        file.write(SEPARATOR if count else b"")
                        file.writelines(f"{line}\n".encode() for line in move_list(game))
                    elif form == suffix_of(game.room.game):
                        file.writelines(f"{line}\n".encode() for line in written(game))
                    elif options["room"] is not None or options["game"] is not None:
                        raise CommandFailed(f"{form} is not a format for {game.room.game.title}")
                    else:
                        continue
                    count += 1
                file.flush()
    except (NotThere, UnknownRecord) as error:
        raise CommandFailed(str(error)) from None
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
        since=0 if options["since"] is None else max(0, round(options["since"].timestamp() * 1000)),
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
        raise CommandFailed(f"cannot write {output}: {error.strerror}") from None


async def _import(settings: Settings, options: dict[str, Any]) -> None:
    imported = skipped = 0
    try:
        async with journal_of(settings) as journal:
            for name in options["files"]:
                for batch in _batches(_read(name)):
                    results = await asyncio.gather(
                        *(import_game(journal, game) for game in batch), return_exceptions=True
                    )
                    imported += results.count(True)
                    skipped += results.count(False)
                    _raise_first(name, results)
    finally:
        say(f"{_games(imported)} imported{f'; {_games(skipped)} skipped, already there' if skipped else ''}.")


def _batches(games: Iterator[RecordedGame]) -> Iterator[list[RecordedGame]]:
    """``games`` in batches, each with a room at most once: a batch is written concurrently."""
    batch: dict[str, RecordedGame] = {}
    for game in games:
        if game.room.id in batch or len(batch) == BATCH:
            yield [*batch.values()]
            batch = {}
        batch[game.room.id] = game
    if batch:
        yield [*batch.values()]


def _raise_first(name: str, results: Iterable[object]) -> None:
    for result in results:
        if isinstance(result, (Differs, Impossible)):
            raise CommandFailed(f"{name}: {result}")
        if isinstance(result, BaseException):
            raise result


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count or 'no'} games"


def _read(name: str) -> Iterator[RecordedGame]:
    """The games in a file. What was left out of them is said at its end."""
    suffix, variations = suffix_in(Path(name)), 0
    try:
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
            if suffix not in SYNTAX_OF:
                yield from from_file(file)
                return
            for sheet in scoresheets(file, suffix):
                variations += sheet.variations
                yield play_through(sheet)
        if variations:
            told = "1 variation was" if variations == 1 else f"{variations} variations were"
            say(f"{name}: {told} left out; only main lines are kept.", to_stderr=True)
    except BadGame as error:
        raise CommandFailed(f"{name}, {error}") from None
    except OSError as error:
        raise CommandFailed(f"cannot read {name}: {error.strerror}") from None
