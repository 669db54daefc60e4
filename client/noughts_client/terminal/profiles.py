"""``noughts leaderboard`` and ``noughts player``: leaderboards and players' profiles, printed as tables."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from wcwidth import width as columns_of

from noughts.columns import printable, table
from noughts.protocol.player_messages import BestWin, Course, LeaderboardInfo, PastGame, PlayerPage, RatingInfo
from noughts.protocol.room_messages import PlayerInfo
from noughts.protocol.words import Words, ending, has_result
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.options import DEFAULT_URL
from noughts_client.terminal.printing import tell
from noughts_client.terminal.table import display_name

HISTORY = 10
"""The number of ratings printed of a rating history."""

UNLISTED = (
    "A player is listed after some games, of two opponents or more, once the rating's deviation is 110 or less.",
    "Before that, see the player's profile: noughts player NAME",
)

Titles = dict[str, str]
"""The titles of games by key."""


async def leaderboard(url: str | None, game: str, pool: str) -> int:
    """Print the best players of a game in a pool. Returns the exit status."""
    return await _print(
        url,
        {"type": "leaderboard", "game": game, "pool": pool},
        lambda board, titles, _: leaderboard_lines(board, titles),
    )


async def player(url: str | None, name: str) -> int:
    """Print a player's profile, by id or registered name. Returns the exit status."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return await _print(url, {"type": "player", "player": name}, partial(profile_lines, width=width))


def leaderboard_lines(board: LeaderboardInfo, titles: Titles) -> list[str]:
    """A leaderboard, line by line."""
    rows = [
        (f"{place}.", str(one["rating"]), str(one["deviation"]), str(one.get("games", "fixed")), _who(one))
        if one.get("measured", True)
        else ("", "not measured", "", "", _who(one))
        for place, one in enumerate(board["players"], 1)
    ]
    head = ("", "rating", "deviation", "games", "player")
    title = printable(f"{_title(board['game'], titles)}, {board['pool']}")
    return [title, "", *table([head, *rows], right=range(4)), "", *UNLISTED]


def profile_lines(page: PlayerPage, titles: Titles, words: Words, *, width: int | None = None) -> list[str]:
    """A player's profile, line by line. Games that are wider than ``width`` columns take two lines each."""
    who = page["player"]
    lines = [f"{_who(who)}, id {printable(who['id'])}"]
    if page["ratings"]:
        ratings = [_rating(one, titles) for one in page["ratings"]]
        lines += ["", *table([("rating", "deviation", "games", "game"), *ratings], right=range(3))]
    if any(one["provisional"] for one in page["ratings"]):
        lines += ["? marks a provisional rating"]
    if page["record"]:
        record = [(*(str(one[part]) for part in _RESULTS), _title(one["game"], titles)) for one in page["record"]]
        lines += ["", *table([(*_RESULTS, "game"), *record], right=range(3))]
    if best := page.get("best"):
        lines += ["", "Best wins:", *table([_win(one, who["id"], titles) for one in best], right=range(1))]
    if page["course"]:
        lines += ["", "Rating history:", *table([_history(one, titles) for one in page["course"]])]
    if page["games"]:
        lines += ["", "Latest games:", *_games([_game(one, titles, words) for one in page["games"]], width)]
    return lines if len(lines) > 1 else [*lines, "", "This player has not finished a public game yet."]


async def _print(url: str | None, request: dict[str, Any], lines: Callable[[Any, Titles, Words], list[str]]) -> int:
    try:
        async with Connection(url or DEFAULT_URL) as connection:
            answer = await connection.request(request)
            titles = {game["key"]: printable(game["title"]) for game in connection.welcome["games"]}
    except ConnectionLost as error:
        tell(str(error), error=True)
        return 1
    except RequestError as error:
        tell(error.sentence, error=True)
        return 1
    try:
        print(*lines(answer, titles, connection.words), sep="\n", flush=True)
    except BrokenPipeError:  # nobody reads the output; the interpreter must not try to flush it either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


_RESULTS: tuple[Literal["won", "drawn", "lost"], ...] = ("won", "drawn", "lost")


def _who(who: PlayerInfo) -> str:
    return f"{display_name(who)}{', a bot' if who['kind'] == 'bot' else ''}"


def _rating(one: RatingInfo, titles: Titles) -> tuple[str, ...]:
    points = f"{one['rating']}{'?' if one['provisional'] else ' '}"
    return points, str(one["deviation"]), str(one["games"]), f"{_title(one['game'], titles)}, {one['pool']}"


def _win(one: BestWin, player: str, titles: Titles) -> tuple[str, ...]:
    first, second = one["seats"]["first"], one["seats"]["second"]
    other = second if first is None or first["id"] == player else first
    return str(one["rating"]), "?" if other is None else display_name(other), _title(one["game"], titles), one["room"]


def _history(one: Course, titles: Titles) -> tuple[str, ...]:
    points = " ".join(str(point["rating"]) for point in one["points"][-HISTORY:])
    return f"{_title(one['game'], titles)}, {one['pool']}", points


def _game(one: PastGame, titles: Titles, words: Words) -> tuple[str, ...]:
    seats, outcome = one["seats"], one["outcome"]
    first, second = (display_name(seat) if seat is not None else "?" for seat in (seats["first"], seats["second"]))
    winner = {"first": first, "second": second, None: ""}[outcome["winner"]]
    ended = f"{winner} won" if winner else "draw" if has_result(None, outcome["reason"], words) else "closed"
    put = ending(outcome["reason"], words)
    reason = "" if put.get("board") else f" {printable(put.get('how', ''))}".rstrip()
    kind = "rated" if one["rated"] else ""
    return one["ended_at"][:10], _title(one["game"], titles), f"{first} - {second}", ended + reason, kind, one["room"]


def _games(rows: list[tuple[str, ...]], width: int | None) -> list[str]:
    """One line for each game, or two if one is too narrow."""
    lines = table(rows)
    if width is None or max(map(columns_of, lines)) <= width:
        return lines
    upper = table((day, title, kind, room) for day, title, _, _, kind, room in rows)
    lower = table(("", players, ended) for _, _, players, ended, _, _ in rows)
    return [line for pair in zip(upper, lower, strict=True) for line in pair]


def _title(game: str, titles: Titles) -> str:
    return titles.get(game, printable(game))
