"""The games of the players of this machine: ``noughts games``, and the way back to a game in the menu of ``play``.

These are the players whose tokens are kept: of a registered name, and of the seats that were left.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from noughts.columns import printable, table
from noughts.protocol.player_messages import MyGame
from noughts.protocol.room_messages import SideName
from noughts.protocol.words import Words, ending
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.clocks import display, left_ms, since_epoch
from noughts_client.terminal.credentials import kept_seats, registration_at, seats_at
from noughts_client.terminal.invitation import with_invitation
from noughts_client.terminal.join import wait_for_table
from noughts_client.terminal.options import DEFAULT_URL, Options
from noughts_client.terminal.printing import tell
from noughts_client.terminal.profiles import Titles
from noughts_client.terminal.table import Table, display_name, other

PLAYERS = 5
"""The greatest number of players of this machine that are asked about: the registered name, and the newest seats."""

OFFERED = 3
"""The number of games the menu offers to continue."""

PATIENCE_S = 2.0
"""The time the menu waits for the games of one player."""


@dataclass(frozen=True)
class Found:
    """A game, with its title, the token of the player who plays it, and the server's time, ms since the epoch.

    ``words`` are the server's.
    """

    game: MyGame
    title: str
    token: str
    now: float
    words: Words

    @property
    def mine(self) -> bool:
        """True if the player is to move."""
        return self.game.get("to_move") == self.game["side"]

    @property
    def left_ms(self) -> int | None:
        """The time that the side to move has left; None without a clock."""
        clock, side = self.game.get("clock"), self.game.get("to_move")
        return left_ms(clock, side, self.now) if clock and side else None

    @property
    def left(self) -> str:
        """That time as text; empty without a clock."""
        return "" if self.left_ms is None else display(self.left_ms)

    @property
    def urgency(self) -> tuple[bool, float]:
        """The key for sorting games: first those in which the player is to move, with the least time left."""
        return not self.mine, math.inf if self.left_ms is None or not self.mine else self.left_ms

    @property
    def opponent(self) -> str:
        """The name of the other player."""
        seat = self.game["seats"][other(self.game["side"])]
        return "an open seat" if seat is None else printable(display_name(seat))

    @property
    def turn(self) -> str:
        """The side to move."""
        if self.game["status"] == "waiting":
            return "waiting for an opponent"
        return "your turn" if self.mine else f"{self.opponent} to move" if "to_move" in self.game else ""


def continue_line(found: Found) -> str:
    """``Continue: Connect Four against Bob, your turn, 2:25 left``."""
    parts = [f"{found.title} against {found.opponent}", found.turn, f"{found.left} left" if found.left else ""]
    return f"Continue: {', '.join(filter(None, parts))}"


async def unfinished(url: str) -> list[Found]:
    """The games to continue, the most urgent first; none if no server answers."""

    async def of_player(token: str) -> list[Found]:
        with suppress(ConnectionLost, RequestError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S), Connection(url, token=token) as connection:
                return await _games(connection, token, OFFERED, over=False)
        return []

    found = [one for games in await asyncio.gather(*map(of_player, _tokens(url))) for one in games]
    playing = [one for one in found if one.game["status"] == "playing"]
    return sorted(playing, key=lambda one: one.urgency)[:OFFERED]


async def return_to(stack: AsyncExitStack, options: Options, found: Found) -> tuple[Connection, Table]:
    """Continue a game. Raises ConnectionLost, RequestError, CommandError."""
    url, room = options.url or DEFAULT_URL, found.game["room"]
    connection = await stack.enter_async_context(Connection(url, token=found.token))
    await connection.request({"type": "watch", "room": room})
    table = await wait_for_table(connection, room, options)
    for seat in kept_seats(room):
        if seat.token == found.token:
            seat.take()
    page = connection.welcome.get("page", False)
    return connection, await with_invitation(table, url, options.addresses, page=page)


async def games(url: str | None, limit: int, *, as_json: bool) -> int:
    """``noughts games``: print at most ``limit`` games under way and as many that are over. Returns the exit status."""
    address = url or DEFAULT_URL
    running: list[Found] = []
    over: list[Found] = []
    tokens = _tokens(address)
    try:
        for token in tokens:
            try:
                async with Connection(address, token=token) as connection:
                    running += await _games(connection, token, limit, over=False)
                    over += await _games(connection, token, limit, over=True)
            except RequestError as error:
                if error.code != "bad_token":  # a server that has begun anew does not know old seats
                    raise
    except ConnectionLost as error:
        tell(str(error), error=True)
        return 1
    except RequestError as error:
        tell(error.message, error=True)
        return 1
    running.sort(key=lambda one: one.urgency)
    over.sort(key=lambda one: one.game["ended_at"], reverse=True)
    if not tokens and not as_json:
        tell(f"No player is known here at {address}: this machine forgets a guest when the game is over.")
        tell("To keep yours, register a name before you play: noughts register NAME")
        return 0
    if as_json:
        shown = {"running": [one.game for one in running[:limit]], "over": [one.game for one in over[:limit]]}
        lines = [json.dumps(shown)]
    else:
        server = f" --url {url}" if url else ""
        lines = game_lines(running[:limit], over[:limit], server)
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:  # nobody reads the output; the interpreter must not try to flush it either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def game_lines(running: list[Found], over: list[Found], server: str = "") -> list[str]:
    """The games, line by line."""
    lines: list[str] = []
    if running:
        rows = [(one.game["room"], one.title, one.opponent, one.turn, one.left) for one in running]
        lines += ["Under way:", *table(rows), ""]
    if over:
        ended = [(one.game["room"], one.game["ended_at"][:10], one.title, one.opponent, *_result(one)) for one in over]
        lines += ["Finished:", *table(ended), ""]
    if running:
        lines.append(f"Continue with: noughts play{server}")
    if over:
        lines.append(f"Replay with: noughts watch ROOM --from 0{server}")
    return lines or ["You have no games yet. Start one with: noughts play" + server]


def _result(found: Found) -> tuple[str, str]:
    """The end of a game for its player, and the change of the rating."""
    outcome, rating = found.game["outcome"], found.game.get("rating")
    side: SideName = found.game["side"]
    ended = "drawn" if outcome["winner"] is None else "won" if outcome["winner"] == side else "lost"
    change = ""
    if rating is not None:
        before, after = rating["before"], rating["after"]
        change = str(after) if before is None else f"{after} ({after - before:+})"
    put = ending(outcome["reason"], found.words)
    how = "" if put.get("board") else printable(put.get("how", ""))
    return f"{ended} {how}".rstrip(), change


async def _games(connection: Connection, token: str, limit: int, *, over: bool) -> list[Found]:
    titles: Titles = {game["key"]: printable(game["title"]) for game in connection.welcome["games"]}
    found: list[Found] = []
    async for page in connection.pages_of_games(over=over):
        now = since_epoch(page["now"])
        for game in page["games"]:
            title = titles.get(game["game"], printable(game["game"]))
            found.append(Found(game, title, token, now, connection.words))
        if len(found) >= limit:
            break
    return found[:limit]


def _tokens(url: str) -> list[str]:
    """The tokens of the players of this machine at a server, each once."""
    registered = registration_at(url)
    tokens = [] if registered is None else [registered.token]
    tokens += [token for _, token in seats_at(url)]
    return list(dict.fromkeys(tokens))[:PLAYERS]
