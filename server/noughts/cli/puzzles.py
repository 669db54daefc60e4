"""``noughts puzzles``: solve puzzles in the terminal, and make sets of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.cli.arguments import Subparsers, game_name, whole
from noughts.cli.output import say
from noughts.cli.run import CommandFailed, run
from noughts.cli.settings import JOURNAL_SETTINGS, add_settings, take_settings

if TYPE_CHECKING:
    from noughts.config import Settings
    from noughts.games import Game, Position
    from noughts.puzzles.puzzle import Puzzle
    from noughts.puzzles.solver import Record

MAKE = "make"
COUNT = 300
GAMES = 1000
FILE = "puzzles.json"
"""The solver's record, in the user's state directory."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "puzzles",
        usage="noughts puzzles [GAME | make --game GAME] [options]",
        description="Solve puzzles: positions in which exactly one move keeps the win or the draw, which is proved. "
        "Without GAME, list the sets that there are. noughts puzzles make makes a set from games that the engine plays "
        "against itself, or from the finished games of a server; the same seed makes the same puzzles.",
    )
    parser.set_defaults(command=_run)
    parser.add_argument("what", nargs="?", metavar="GAME", help="the game's key, such as connect4; or make")
    solving = parser.add_argument_group("To solve")
    solving.add_argument("--today", action="store_true", help="only the puzzle of the day")
    solving.add_argument("--set", dest="file", type=Path, metavar="FILE", help="a set that noughts puzzles make wrote")
    making = parser.add_argument_group("To make")
    making.add_argument("--game", type=game_name, metavar="GAME", help="the game, such as connect4 or hex?size=5")
    making.add_argument(
        "--seed", type=whole(None), default=1, metavar="N", help="of the engine's games (default: %(default)s)"
    )
    making.add_argument(
        "--count", type=whole(), default=COUNT, metavar="N", help="stop at N puzzles (default: %(default)s)"
    )
    making.add_argument(
        "--games", type=whole(), default=GAMES, metavar="N", help="look at N games at most (default: %(default)s)"
    )
    making.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the file to write (default: stdout); the puzzles that it has already stay, and count",
    )
    add_settings(parser, JOURNAL_SETTINGS)


def _run(options: dict[str, Any]) -> int:
    from noughts.puzzles.puzzle import BadPuzzle

    try:
        if options["what"] == MAKE:
            return _make(options)
        if options["what"] is None and options["file"] is None:
            if options["today"]:
                raise CommandFailed("Name the game of the puzzle of the day: noughts puzzles connect4 --today.")
            return _list()
        return _solve(options)
    except (CommandFailed, BadPuzzle) as error:
        say(f"noughts puzzles: {error}", to_stderr=True)
        return 1


# --- making


def _make(options: dict[str, Any]) -> int:
    from noughts.games.catalogue import game_named
    from noughts.puzzles.maker import played

    if options["game"] is None:
        say("noughts puzzles make: Name the game, for example --game connect4", to_stderr=True)
        return 2
    game = game_named(options["game"])
    if "journal" not in options:
        _write(game, islice(played(game, options["seed"]), options["games"]), options)
        return 0
    settings = take_settings("puzzles", options, JOURNAL_SETTINGS)

    async def work() -> None:
        _write(game, iter(await _finished(settings, game, options["games"])), options)

    return run("puzzles", work())


async def _finished(settings: Settings, game: Game, most: int) -> list[list[Position]]:
    """The positions of the finished public games of ``game`` in the journal, the oldest first, at most so many."""
    from noughts.archive import games
    from noughts.opening import journal_of

    found: list[list[Position]] = []
    async with journal_of(settings, beside=True) as journal:
        async for recorded in games(journal, game=game.key):
            if recorded.room.game is game and len(found) < most:
                found.append([*dict.fromkeys(room.position for room in recorded.rooms)])
    return found


def _write(game: Game, games: Iterator[Sequence[Position]], options: dict[str, Any]) -> None:
    from noughts.puzzles.maker import Maker
    from noughts.puzzles.puzzle import written

    maker, path = Maker(game), options["output"]
    if path is None:
        for puzzle in islice(maker.puzzles(games), options["count"]):
            say(written(puzzle))
        return
    if path.exists():
        for puzzle in _from_file(path, None):
            maker.know(puzzle)
    try:
        with path.open("a", encoding="utf-8") as file:
            for puzzle in islice(maker.puzzles(games), max(0, options["count"] - maker.known)):
                file.write(f"{written(puzzle)}\n")
                file.flush()  # the next may take minutes
    except OSError as error:
        raise CommandFailed(f"Cannot write {path}: {error.strerror}") from None
    say(f"{maker.known} puzzles.", to_stderr=True)


# --- solving


def _list() -> int:
    from noughts.columns import table
    from noughts.games import GAMES as KNOWN
    from noughts.puzzles import sets

    record, today = _record(), date.today()
    rows = [["game", "", "puzzles", "tried", "your rating"]]
    for key in sets.games():
        if key in KNOWN:
            done, rating = len(record.done.get(key, ())), round(record.rating(key).rating)
            rows.append([key, KNOWN[key].title, str(len(sets.shipped(key))), str(done), str(rating) if done else ""])
    say(*table(rows, right=(2, 3, 4)), "")
    say(
        *_running(record.days(today)),
        "To solve: noughts puzzles GAME. The puzzle of the day: noughts puzzles GAME --today",
    )
    return 0


def _running(days: int) -> list[str]:
    """A line on the days running; none for the first day."""
    return [f"You have solved puzzles {days} days running."] if days > 1 else []


def _solve(options: dict[str, Any]) -> int:
    from noughts.cli.puzzle_table import Table
    from noughts.games.catalogue import GAMES as KNOWN
    from noughts.games.sentences import no_such_game
    from noughts.puzzles import sets

    key = options["what"]
    if key is not None and key not in KNOWN:
        raise CommandFailed(no_such_game(key, KNOWN))
    puzzles = sets.shipped(key) if options["file"] is None else _from_file(options["file"], key)
    if not puzzles:
        raise CommandFailed(
            f"There are no puzzles of {KNOWN[key].title}. Make some: noughts puzzles make --game {key} --output FILE"
            if options["file"] is None
            else f"{options['file']} has no such puzzles"
        )
    today, record = date.today(), _record()
    table = Table(say, _read)
    while True:
        key = puzzles[0].game.key
        puzzle = sets.next_for(puzzles, record.rating(key).rating, record.done.get(key, ()))
        if options["today"]:
            puzzle = sets.of_the_day(puzzles, today)
        if puzzle is None:
            say("You have tried all puzzles of this set. More: noughts puzzles make")
            return 0
        score = table.solve(puzzle)
        if score is None:
            return 0
        before = record.rating(key).rating
        record = record.tried(puzzle, score, today)
        _keep(record)
        change = round(record.rating(key).rating) - round(before)
        say(f"Your rating: {round(record.rating(key).rating)} ({change:+}).", *_running(record.days(today)))
        if options["today"] or _read("Enter for the next puzzle, q to leave: ") in ("q", "quit", None):
            return 0


def _read(prompt: str) -> str | None:
    """The line that somebody types, None at the end of the input."""
    if not sys.stdin.isatty():  # then nothing ends the line of the prompt
        say(prompt.rstrip())
        prompt = ""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


def _from_file(path: Path, key: str | None) -> list[Puzzle]:
    from noughts.puzzles import sets

    try:
        with path.open(encoding="utf-8") as file:
            puzzles = sets.parsed(file)
    except (OSError, UnicodeError) as error:
        raise CommandFailed(f"Cannot read {path}: {error}") from None
    key = key or (puzzles[0].game.key if puzzles else None)
    return [puzzle for puzzle in puzzles if puzzle.game.key == key and puzzle.moves]


def _path() -> Path:
    from platformdirs import user_state_path

    return user_state_path("noughts") / FILE


def _record() -> Record:
    from noughts.puzzles.solver import BadRecord, Record, from_object

    path = _path()
    try:
        return from_object(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError, BadRecord) as error:
        raise CommandFailed(f"Cannot read your record, {path}: {error}") from None


def _keep(record: Record) -> None:
    from noughts.puzzles.solver import as_object
    from noughts_client.terminal.credentials import write

    try:
        write(_path(), as_object(record))
    except OSError as error:
        raise CommandFailed(f"Cannot write your record, {_path()}: {error.strerror}") from None
