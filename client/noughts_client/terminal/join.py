"""Reaching a server and entering a room there: by its id, from a seat left behind, or by seeking an opponent."""

from __future__ import annotations

import asyncio
import random
import secrets
import shutil
from collections.abc import Container
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Any

from noughts.columns import printable
from noughts.protocol.messages import GameInfo
from noughts.protocol.room_messages import Listing, SideName, Snapshot
from noughts_client.connection import Connection, Pushed
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.credentials import kept_seats, registration_at, sign_in
from noughts_client.terminal.greeting import greeting
from noughts_client.terminal.lobby import RoomList, Subscription, first_choice
from noughts_client.terminal.open_seeks import as_listings
from noughts_client.terminal.options import DEFAULT_URL, CommandError, Options, OwnServer
from noughts_client.terminal.prompts import ask, choose_level
from noughts_client.terminal.screen import Page, Screen, steady_ms
from noughts_client.terminal.table import SIDES, SeekTerms, Table, drawn_as, other, setup_in_words
from noughts_client.terminal.text import LEAVE, Fragments, wrap
from noughts_client.time_control import format_time_control

BAD_NAME = "A name has 1 to 32 visible characters, and no blank at either end."

SEEK_ROWS = 8
"""The rows of a window that the list of open seats cannot have: for the text above it, the input and a notice."""

PATIENCE_S = 10.0
"""The time the server may put off a request of somebody who waits for it."""

LAST_GAME_S = 0.3
"""The time a game that was found before the seek was cancelled may take to arrive."""

COMPUTER = "computer"

Choice = Snapshot | str
"""The game that was found, the id of a room with an open seat or of an open seek, or COMPUTER."""


async def connect(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer | None, *, ask_name: bool
) -> tuple[Connection, str]:
    """A connection, closed by ``stack``, and a notice: the server's greeting, or that it is one of this game alone.

    ``ask_name`` asks for a name if none was given and none is registered there. Raises EOFError, ConnectionLost,
    RequestError, CommandError.
    """
    url, notice = options.url or DEFAULT_URL, ""
    name, name_notice = options.name, ""
    asking = ask_name and name is None
    while True:
        if asking and registration_at(url) is None:
            name = await ask(screen, "What is your name? (Enter to play as a guest, q to leave)", name_notice) or None
            asking = False
        try:
            connection = await sign_in(stack, url, name)
            attend(connection, screen)
            return connection, notice or greeting(connection.welcome)
        except ConnectionLost:
            if options.url is not None or notice or own_server is None:
                raise
            url = await stack.enter_async_context(own_server())
            notice = f"No server is running here, so this game has its own, in memory: {url}"
        except RequestError as error:
            if error.code not in ("bad_message", "name_taken"):
                raise
            name_notice = BAD_NAME if error.code == "bad_message" else printable(error.sentence)
            if options.name is not None:
                raise CommandError(name_notice) from error
            asking = True


def attend(connection: Connection, screen: Screen) -> None:
    """Tell the user when the server puts a request off, and refuse one that would take too long."""
    connection.on_delay = screen.remark
    connection.patience_s = PATIENCE_S


async def return_to_seat(stack: AsyncExitStack, options: Options, room: str) -> tuple[Connection, Table] | None:
    """The seat in ``room`` that was left on this machine, if there is one.

    A seat in a room that its own server no longer knows is forgotten. Another server may just be the wrong one, and one
    that does not know the player may have been restarted without its journal, which may come back.
    """
    url = options.url or DEFAULT_URL
    for seat in kept_seats(room):
        connection = Connection(url, name=options.name, token=seat.token)
        try:
            await stack.enter_async_context(connection)
            answer = await connection.request({"type": "watch", "room": room})
        except RequestError as error:
            if error.code == "bad_token":
                continue
            if error.code != "unknown_room":
                raise
        except ConnectionLost:
            return None
        else:
            if answer["seat"] is not None:
                table = await wait_for_table(connection, room, options)
                if seat.take():
                    return connection, table
        if seat.url == url:
            seat.take()
        await connection.close()
    return None


async def require_open_seat(options: Options, room: str) -> GameInfo:
    """The game in ``room``, which has an open seat; otherwise raises CommandError, RequestError or ConnectionLost.

    Call it before you ask for a name.
    """
    async with Connection(options.url or DEFAULT_URL) as connection:
        await connection.request({"type": "watch", "room": room})
        table = await wait_for_table(connection, room, options)
    status = table.state["status"]
    if status != "waiting":
        over = status == "over"
        raise _no_seat("The game is over." if over else "Both seats are taken.", room, options, over=over)
    return table.game


async def join(connection: Connection, room: str, side: SideName | None, options: Options) -> None:
    """Take the seat of ``side`` in ``room``, or any. Raises RequestError, or CommandError with what to do instead."""
    try:
        await connection.request({"type": "join", "room": room, "seat": side})
    except RequestError as error:
        if error.code in ("seat_taken", "game_over"):
            raise _no_seat(error.message, room, options, over=error.code == "game_over") from error
        raise


def _no_seat(reason: str, room: str, options: Options, *, over: bool) -> CommandError:
    replay = " --from 0" if over else ""
    return CommandError(f"{reason} You can watch it: noughts watch {printable(room)}{replay}{options.server}")


async def wait_for_table(connection: Connection, room: str, options: Options) -> Table:
    """The table in ``room``, whose snapshot is under way. Raises CommandError, ConnectionLost."""
    with suppress(StopAsyncIteration):
        while True:
            message = await anext(connection)
            if message["type"] == "room" and message["room"] == room:
                return table_of(connection, message, options)
            if message["type"] == "gone":
                break
    raise CommandError("The room is gone.")


def table_of(connection: Connection, snapshot: Snapshot, options: Options) -> Table:
    """The table of a snapshot that has just arrived."""
    table = Table(
        game=drawn_as(next(game for game in connection.welcome["games"] if game["key"] == snapshot["game"]), snapshot),
        me=connection.welcome["player"]["id"],
        room=snapshot["room"],
        version=snapshot["version"],
        options=snapshot["options"],
        state=snapshot["state"],
        numpad=options.numpad,
        values=options.values,
        words=connection.words,
    )
    return table.restarted(snapshot, steady_ms())


# --- seeking an opponent


async def seek(connection: Connection, screen: Screen, options: Options, terms: SeekTerms) -> Table:
    """Look for an opponent until a game is found, or the user chooses an open seat or the computer.

    Raises EOFError when the user leaves, ConnectionLost, RequestError, CommandError.
    """
    notice, seen = "", connection.seen()
    while True:
        seeking = _Seek(connection, screen, terms, seen, notice)
        choice = await seeking.run()
        if isinstance(choice, str):
            choice = await _cancel(connection, seen) or choice
        try:
            if not isinstance(choice, str):
                table = table_of(connection, choice, options)
            else:
                request = await seeking.request(choice)
                room = (await connection.request(request))["room"]
                table = await wait_for_table(connection, room, options)
        except RequestError as error:  # somebody else was faster
            notice = printable(error.sentence)
        else:
            await connection.request({"type": "lobby", "watch": False})
            return replace(table, seek=terms)


def _found_game(message: Pushed, seen: Container[str]) -> Snapshot | None:
    """``message`` if it is the game that was found: neither one of the rooms ``seen`` before nor a rematch there."""
    if message["type"] == "room" and message["room"] not in seen and message["previous"] is None:
        return message
    return None


async def _cancel(connection: Connection, seen: Container[str]) -> Snapshot | None:
    """Cancel the seek. Returns the game if one was found before, which arrives a moment later."""
    with suppress(ConnectionLost):  # that ends the seek as well
        await connection.request({"type": "unseek"})
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_GAME_S):
            async for message in connection:
                if room := _found_game(message, seen):
                    return room
    return None


class _Seek:
    """A seek under way and its page, which also lists the open seats and the open seeks of the lobby."""

    def __init__(
        self, connection: Connection, screen: Screen, terms: SeekTerms, seen: Container[str], notice: str
    ) -> None:
        self._connection = connection
        self._seen = seen
        self._screen = screen
        games = connection.welcome["games"]
        self._game: GameInfo = next(game for game in games if game["key"] == terms.game)
        self._notice = notice
        self._rooms = RoomList(tuple(games), open_seats_only=True)
        self._open_seeks: set[str] = set()
        self._since_ms = steady_ms()
        self._connected = True
        self._no_opponent_yet = False
        setup = dict(terms.setup)
        clock = format_time_control(terms.clock) if terms.clock else "no clock"
        parts = [self._game["title"], *setup_in_words(self._game, setup), clock]
        if terms.rated:
            parts.append("rated")
        self._title = ", ".join(parts)
        self._terms: dict[str, Any] = {
            "game": terms.game,
            "setup": setup,
            "clock": terms.clock,
            "rated": terms.rated,
        }
        self._key = secrets.token_urlsafe(16)
        self._subscription = Subscription(self._subscribe)

    async def run(self) -> Choice:
        """Seek until there is a choice. Raises EOFError, ConnectionLost, RequestError, CommandError."""
        self._subscription.renew()
        return await first_choice(self._connection, self._screen, self._on_message, self._on_line, self._subscription)

    async def request(self, choice: str) -> dict[str, Any]:
        """The request that leads to the chosen opponent. Raises EOFError."""
        if choice in self._open_seeks:
            return {"type": "take", "seek": choice}
        return await self._create_request() if choice == COMPUTER else {"type": "join", "room": choice}

    async def _create_request(self) -> dict[str, Any]:
        level = await choose_level(self._screen, self._game["levels"])
        mine = random.choice(SIDES)
        return {"type": "create", **self._terms, "seats": {mine: "me", other(mine): f"computer:{level}"}}

    async def _subscribe(self) -> None:
        """Seek and follow the lobby, again after a lost connection, which ends both. The key keeps it one seek."""
        self._show()
        await self._connection.request({"type": "seek", **self._terms, "key": self._key})
        answer = await self._connection.request({"type": "lobby", "watch": True, "game": self._game["key"]})
        self._rooms = self._rooms.replaced([*answer["rooms"], *self._seeks_in(answer)])
        self._show()

    def _seeks_in(self, lobby: object) -> list[Listing]:
        seeks = as_listings(lobby, self._connection.welcome["player"]["id"])
        self._open_seeks |= {seek["room"] for seek in seeks}
        return seeks

    def _on_message(self, message: Pushed) -> Choice | None:
        match message["type"]:
            case "room" if room := _found_game(message, self._seen):
                return room
            case "seek_ended" if message["key"] == self._key:
                raise CommandError("You are looking for an opponent elsewhere.")
            case "lobby":
                self._rooms = self._rooms.updated([*message["rooms"], *self._seeks_in(message)])
                if "missed" in message:
                    self._subscription.renew()
            case "seek" if message["key"] == self._key:
                self._no_opponent_yet = True
            case "connection":
                self._connected = message["state"] == "restored"
                if self._connected:
                    self._subscription.renew()
        self._show()
        return None

    async def _on_line(self, line: str) -> Choice | None:
        if self._screen.scripted and line.strip():
            self._screen.lines.put_back(line)  # this line and the next ones are for the game
            await asyncio.Event().wait()
        line = line.strip().casefold()
        if line in LEAVE:
            raise EOFError
        if line in ("c", "computer"):
            return COMPUTER
        if line and (room := self._rooms.numbered(line)):
            return room["room"]
        self._notice = "Type c to play the computer, q to leave"
        self._notice += ", or the number of an open seat." if self._rooms.rooms else "."
        self._show()
        return None

    def _show(self) -> None:
        self._screen.show(Page(self._body, "q to leave: ", self._notice, changes_in=self._changes_in))

    def _changes_in(self, local_ms: float) -> float:
        return 1000 - (local_ms - self._since_ms) % 1000

    def _body(self, width: int, local_ms: float) -> list[Fragments]:
        waited = f"{max(0, local_ms - self._since_ms) // 1000:.0f} s"
        lines = wrap(f"Looking for an opponent: {self._title} ... {waited}", width, "bold")
        if not self._connected:
            lines += wrap("The connection is lost. Reconnecting ...", width, "bold ansiyellow")
        elif self._no_opponent_yet:
            lines += wrap("No opponent yet. Type c to play the computer, or wait.", width)
        if self._rooms.rooms:
            fitting = max(1, shutil.get_terminal_size().lines - SEEK_ROWS)
            lines += [[], *wrap("Or type the number of an open seat:", width)]
            lines += self._rooms.lines(width, fitting)
        return lines
