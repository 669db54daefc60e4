"""Looking for an opponent: a seek, and beside it the seats that are open in the lobby."""

from __future__ import annotations

import asyncio
import random
import secrets
import shutil
from collections.abc import Container
from contextlib import suppress
from dataclasses import replace
from typing import Any

from noughts.protocol import Snapshot
from noughts.protocol.messages import GameInfo
from noughts_client.connection import Connection
from noughts_client.control import as_written
from noughts_client.dial import ConnectionLost, RequestError
from noughts_client.pushed import Pushed
from noughts_client.terminal.arriving import first_look, table_of
from noughts_client.terminal.attending import Repeated, attend
from noughts_client.terminal.board import Fragments
from noughts_client.terminal.lobby import Lobby
from noughts_client.terminal.options import Options
from noughts_client.terminal.questions import choose
from noughts_client.terminal.screen import Page, Screen, steady_ms
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import SIDES, Table, Wanted, other, printable
from noughts_client.terminal.view import text

AROUND = 8
"""How many lines of a window are needed around the list: for what stands above it, the entry and a note."""

LAST_WORD_S = 0.3
"""For so long a game that was found before the seek was given up may still come."""

COMPUTER = "computer"

Choice = Snapshot | str
"""A game that was found; a room with an open seat, by its id; or the computer."""


async def seek(connection: Connection, screen: Screen, options: Options, wanted: Wanted) -> Table:
    """Look for an opponent until a game is found, an open seat is chosen, or the computer is.

    Raises EOFError when who looks leaves, ConnectionLost, RequestError, Closed.
    """
    note, seen = "", connection.seen()
    while True:
        seeking = _Seeking(connection, screen, wanted, seen, note)
        choice = await seeking.last()
        if isinstance(choice, str):
            choice = await _given_up(connection, seen) or choice
        try:
            if not isinstance(choice, str):
                table = table_of(connection, choice, options)
            else:
                request = await seeking.against_computer() if choice == COMPUTER else {"type": "join", "room": choice}
                room = (await connection.request(request))["room"]
                table = await first_look(connection, room, options)
        except RequestError as error:  # somebody was faster
            note = printable(error.message)
        else:
            await connection.request({"type": "lobby", "watch": False})
            return replace(table, sought=wanted)


def _found(message: Pushed, seen: Container[str]) -> Snapshot | None:
    """``message`` if it is a game that was found, which is none of the rooms ``seen`` before, nor a rematch there."""
    if message["type"] == "room" and message["room"] not in seen and message["previous"] is None:
        return message
    return None


async def _given_up(connection: Connection, seen: Container[str]) -> Snapshot | None:
    """Seek no more; the game that was found before all the same, which comes a moment later."""
    with suppress(ConnectionLost):  # then the seek is over, too
        await connection.request({"type": "unseek"})
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORD_S):
            async for message in connection:
                if room := _found(message, seen):
                    return room
    return None


class _Seeking:
    """A seek under way, and what is shown of it."""

    def __init__(self, connection: Connection, screen: Screen, wanted: Wanted, seen: Container[str], note: str) -> None:
        self._connection = connection
        self._seen = seen
        self._screen = screen
        games = connection.welcome["games"]
        self._game: GameInfo = next(game for game in games if game["key"] == wanted.game)
        self._note = note
        self._lobby = Lobby(tuple(games), seats_only=True)
        self._since_ms = steady_ms()
        self._connected = True
        self._alone = False
        about = [self._game["title"], as_written(wanted.clock) if wanted.clock else "no clock"]
        if wanted.rated:
            about.append("rated")
        self._about = ", ".join(about)
        self._terms: dict[str, Any] = {"game": wanted.game, "clock": wanted.clock, "rated": wanted.rated}
        self._key = secrets.token_urlsafe(16)
        self._seek = Repeated(self._ask)

    async def last(self) -> Choice:
        """Seek until there is something to be done. Raises EOFError, ConnectionLost, RequestError."""
        self._seek.again()
        return await attend(self._connection, self._screen, self._told, self._typed, self._seek.asking())

    async def against_computer(self) -> dict[str, Any]:
        """The request for such a game with the computer. Raises EOFError."""
        level = await choose(self._screen, "How strong?", [(level, level) for level in self._game["levels"]])
        mine = random.choice(SIDES)
        return {"type": "create", **self._terms, "seats": {mine: "me", other(mine): f"computer:{level}"}}

    async def _ask(self) -> None:
        """Seek, and follow the lobby; also after a lost connection, which ends both. The key makes it the same seek."""
        self._show()
        await self._connection.request({"type": "seek", **self._terms, "key": self._key})
        answer = await self._connection.request({"type": "lobby", "watch": True, "game": self._game["key"]})
        self._lobby = self._lobby.anew(answer["rooms"])
        self._show()

    async def _told(self, message: Pushed) -> Choice | None:
        match message["type"]:
            case "room" if room := _found(message, self._seen):
                return room
            case "seek_ended" if message["key"] == self._key:
                raise Closed("You are looking for an opponent elsewhere.")
            case "lobby":
                self._lobby = self._lobby.then(message["rooms"])
                if "missed" in message:
                    self._seek.again()
            case "seek" if message["key"] == self._key:
                self._alone = True
            case "connection":
                self._connected = message["state"] == "restored"
                if self._connected:
                    self._seek.again()
        self._show()
        return None

    async def _typed(self, line: str) -> Choice | None:
        if self._screen.patient and line.strip():
            self._screen.typed.put_back(line)  # it is for the game, as are those that follow
            await asyncio.Event().wait()
        line = line.strip().casefold()
        if line in ("q", "quit"):
            raise EOFError
        if line in ("c", "computer"):
            return COMPUTER
        if line and (room := self._lobby.numbered(line)):
            return room["room"]
        self._note = "Type c to play the computer, q to leave"
        self._note += ", or the number of an open seat." if self._lobby.rooms else "."
        self._show()
        return None

    def _show(self) -> None:
        self._screen.show(Page(self._body, "q leaves: ", self._note, changes_in=self._changes_in))

    def _changes_in(self, here_ms: float) -> float:
        return 1000 - (here_ms - self._since_ms) % 1000

    def _body(self, width: int, here_ms: float) -> list[Fragments]:
        waited = f"{max(0, here_ms - self._since_ms) // 1000:.0f} s"
        lines = text(f"Looking for an opponent: {self._about} ... {waited}", width, "bold")
        if not self._connected:
            lines += text("The connection is lost. Trying again ...", width, "bold ansiyellow")
        elif self._alone:
            lines += text("Nobody yet. Type c to play the computer, or wait.", width)
        if self._lobby.rooms:
            fitting = max(1, shutil.get_terminal_size().lines - AROUND)
            lines += [[], *text("Or type the number of a seat that is open:", width)]
            lines += self._lobby.lines(width, fitting)
        return lines
