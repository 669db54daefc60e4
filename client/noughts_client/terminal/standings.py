"""``noughts leaderboard`` and ``noughts player``: who is best, and what is known of a player, printed as tables."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal

from prompt_toolkit.utils import get_cwidth

from noughts.protocol.messages import Course, LeaderboardInfo, PastGame, PlayerInfo, PlayerPage, RatingInfo
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError
from noughts_client.terminal.options import DEFAULT_URL
from noughts_client.terminal.table import called, printable

LATEST = 10
"""How much of a rating over time is printed, in games."""

UNLISTED = (
    "Players are listed once their deviation is 110 or less, after some games.",
    "Before that, their rating is on their page: noughts player NAME",
)

Titles = dict[str, str]
"""What games are called, by their keys."""


async def leaderboard(url: str | None, game: str, pool: str) -> int:
    """Print the best players of a game in a pool; the exit status."""
    return await _print(url, {"type": "leaderboard", "game": game, "pool": pool}, board_lines)


async def player(url: str | None, name: str) -> int:
    """Print the page of a player, by id or registered name; the exit status."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return await _print(url, {"type": "player", "player": name}, partial(page_lines, width=width))


def board_lines(board: LeaderboardInfo, titles: Titles) -> list[str]:
    """A leaderboard as it is printed."""
    rows = [
        (f"{place}.", str(one["rating"]), str(one["deviation"]), str(one.get("games", "fixed")), _who(one))
        for place, one in enumerate(board["players"], 1)
    ]
    head = ("", "rating", "deviation", "games", "player")
    title = printable(f"{_title(board['game'], titles)}, {board['pool']}")
    return [title, "", *_table([head, *rows], numbers=4), "", *UNLISTED]


def page_lines(page: PlayerPage, titles: Titles, width: int | None = None) -> list[str]:
    """A player's page as it is printed, the last games in at most ``width`` columns, if they can be."""
    who = page["player"]
    lines = [f"{_who(who)}, id {printable(who['id'])}"]
    if page["ratings"]:
        ratings = [_rating(one, titles) for one in page["ratings"]]
        lines += ["", *_table([("rating", "deviation", "games", "at"), *ratings], numbers=3)]
    if any(one["provisional"] for one in page["ratings"]):
        lines += ["? is still uncertain"]
    if page["record"]:
        record = [(*(str(one[part]) for part in _RESULTS), _title(one["game"], titles)) for one in page["record"]]
        lines += ["", *_table([(*_RESULTS, "at"), *record], numbers=3)]
    if page["course"]:
        lines += ["", "The last ratings:", *_table([_course(one, titles) for one in page["course"]])]
    if page["games"]:
        lines += ["", "The last games:", *_games([_game(one, titles) for one in page["games"]], width)]
    return lines if len(lines) > 1 else [*lines, "", "No public game of this player is over yet."]


async def _print(url: str | None, request: dict[str, Any], lines: Callable[[Any, Titles], list[str]]) -> int:
    try:
        async with Connection(url or DEFAULT_URL) as connection:
            answer = await connection.request(request)
            titles = {game["key"]: printable(game["title"]) for game in connection.welcome["games"]}
    except ConnectionLost as error:
        print(printable(str(error)), file=sys.stderr)
        return 1
    except RequestError as error:
        print(printable(error.message), file=sys.stderr)
        return 1
    try:
        print(*lines(answer, titles), sep="\n", flush=True)
    except BrokenPipeError:  # nobody reads it, nor what the interpreter would print at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


_RESULTS: tuple[Literal["won", "drawn", "lost"], ...] = ("won", "drawn", "lost")


def _who(who: PlayerInfo) -> str:
    return f"{called(who)}{', a bot' if who['kind'] == 'bot' else ''}"


def _rating(one: RatingInfo, titles: Titles) -> tuple[str, ...]:
    points = f"{one['rating']}{'?' if one['provisional'] else ' '}"
    return points, str(one["deviation"]), str(one["games"]), f"{_title(one['game'], titles)}, {one['pool']}"


def _course(one: Course, titles: Titles) -> tuple[str, ...]:
    points = " ".join(str(point["rating"]) for point in one["points"][-LATEST:])
    return f"{_title(one['game'], titles)}, {one['pool']}", points


def _game(one: PastGame, titles: Titles) -> tuple[str, ...]:
    seats, outcome = one["seats"], one["outcome"]
    first, second = (called(seat) if seat is not None else "?" for seat in (seats["first"], seats["second"]))
    winner = {"first": first, "second": second, None: ""}[outcome["winner"]]
    ended = f"{winner} won" if winner else "drawn"
    reason = "" if outcome["reason"] in ("line", "count", "draw") else f" ({outcome['reason']})"
    kind = "rated" if one["rated"] else ""
    return one["ended_at"][:10], _title(one["game"], titles), f"{first} - {second}", ended + reason, kind, one["room"]


def _games(rows: list[tuple[str, ...]], width: int | None) -> list[str]:
    """Games a line each, or two where one is too narrow."""
    lines = _table(rows)
    if width is None or max(map(get_cwidth, lines)) <= width:
        return lines
    upper = _table((day, title, kind, room) for day, title, _, _, kind, room in rows)
    lower = _table(("", players, ended) for _, _, players, ended, _, _ in rows)
    return [line for pair in zip(upper, lower, strict=True) for line in pair]


def _title(game: str, titles: Titles) -> str:
    return titles.get(game, printable(game))


def _table(rows: Iterable[tuple[str, ...]], numbers: int = 0) -> list[str]:
    """Rows in columns, of which the first ``numbers`` are set to the right. Nothing is for the terminal to obey."""
    columns = [[printable(cell) for cell in column] for column in zip(*rows, strict=True)]
    widths = [max(map(get_cwidth, column)) for column in columns]
    lines = []
    for row in zip(*columns, strict=True):
        cells = []
        for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blank = " " * (width - get_cwidth(cell))
            cells.append(blank + cell if number < numbers else cell + blank)
        lines.append("  ".join(cells).rstrip())
    return lines
