"""``noughts review``: what each move of a finished game kept or threw away, and the mistake that decided it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from noughts.cli.arguments import Subparsers, add_url, seconds
from noughts.cli.output import discard, text_width
from noughts.columns import printable
from noughts.protocol.messages import GameInfo
from noughts.protocol.render import game_info, words
from noughts.protocol.study_messages import Review
from noughts.protocol.words import Words
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.reviews import ReviewFailed, whole_review
from noughts_client.terminal import DEFAULT_URL
from noughts_client.terminal.recordings import as_file
from noughts_client.terminal.review import in_words

SECONDS = 1.0


class Unreadable(Exception):
    """The file has no game to review. The message is for the user."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    review = commands.add_parser(
        "review",
        usage="noughts review FILE-OR-ROOM [options]",
        description="Show what each move of a finished game kept or threw away, and the mistake that decided it. "
        "A game in a file is searched here, one in a room by its server.",
    )
    review.set_defaults(command=_review)
    review.add_argument("game", metavar="FILE-OR-ROOM", help="a file with games, or a room's id")
    review.add_argument("--json", action="store_true", help="print one JSON object for each game")
    review.add_argument(
        "--seconds",
        type=seconds(),
        default=SECONDS,
        metavar="N",
        help=f"search each position of a file for at most N seconds (default: {SECONDS:g})",
    )
    add_url(review)


def _review(options: dict[str, Any]) -> int:
    """Review, and return the exit status."""
    as_json = options["json"]
    try:
        if path := as_file(options["game"]):
            asyncio.run(_review_file(path, options["seconds"], as_json=as_json))
        else:
            asyncio.run(_review_room(options["url"] or DEFAULT_URL, options["game"], as_json=as_json))
    except (ConnectionLost, ReviewFailed, Unreadable) as error:
        print(printable(str(error)), file=sys.stderr)
        return 1
    except RequestError as error:
        print(printable(error.message), file=sys.stderr)
        return 1
    except BrokenPipeError:
        discard(sys.stdout)
        return 1
    return 0


async def _review_file(path: Path, seconds: float, *, as_json: bool) -> None:
    from noughts.explain.explainer import GameExplainer
    from noughts.protocol.formats import games, suffix_in
    from noughts.protocol.gamefile import BadGame

    try:
        with path.open("rb") as file:
            for number, game in enumerate(games(file, suffix_in(path))):
                if number and not as_json:
                    print()
                async for review in GameExplainer(game.room, seconds, warn_slow).review():
                    show_progress(review)
                print_review(review, game_info(game.room.game), words(), as_json=as_json)
    except OSError as error:
        raise Unreadable(f"Cannot read {path}: {error.strerror}") from error
    except BadGame as error:
        raise Unreadable(f"{path} has no game that can be reviewed: {error}") from error


async def _review_room(url: str, room: str, *, as_json: bool) -> None:
    async with Connection(url) as connection:
        review = await whole_review(connection, room, show_progress)
        known = {game["key"]: game for game in connection.welcome["games"]}
    print_review(review, known[review["game"]], connection.words, as_json=as_json)


def show_progress(review: Review) -> None:
    if sys.stderr.isatty():
        done = "" if review["complete"] else f"{len(review['moves'])} of {review['plies']} moves reviewed"
        print(f"\r{done.ljust(40)}\r", end="", file=sys.stderr, flush=True)


def warn_slow(why: str) -> None:
    print(f"noughts review: without numba the search is much slower ({why})", file=sys.stderr)


def print_review(
    review: Review, game: GameInfo, words: Words, *, as_json: bool, notes: Mapping[int, str] = MappingProxyType({})
) -> None:
    if as_json:
        print(json.dumps({key: value for key, value in review.items() if key not in ("type", "id")}), flush=True)
    else:
        print(in_words(review, game, words, text_width(), notes), flush=True)
