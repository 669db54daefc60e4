"""Choosing a room to look at from the lobby's list, which follows what happens meanwhile."""

from __future__ import annotations

import shutil

from noughts.protocol.messages import Listing
from noughts_client.connection import Connection
from noughts_client.pushed import Pushed
from noughts_client.terminal.attending import Repeated, attend
from noughts_client.terminal.board import Fragments
from noughts_client.terminal.lobby import Lobby
from noughts_client.terminal.options import Options
from noughts_client.terminal.screen import Page, Screen
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.view import text

AROUND = 4
"""How many lines of a window are needed around the list: for the question, the entry and a note."""


async def choose_room(connection: Connection, screen: Screen, options: Options) -> Listing:
    """The public room that is chosen. Raises Closed, EOFError, ConnectionLost, RequestError."""
    return await _Choosing(connection, screen, options).last()


class _Choosing:
    def __init__(self, connection: Connection, screen: Screen, options: Options) -> None:
        self._connection = connection
        self._screen = screen
        self._options = options
        self._lobby = Lobby(tuple(connection.welcome["games"]))
        self._note = ""
        self._watching = Repeated(self._ask)

    async def last(self) -> Listing:
        await self._ask()
        room = await attend(self._connection, self._screen, self._told, self._typed, self._watching.asking())
        await self._connection.request({"type": "lobby", "watch": False})
        return room

    async def _ask(self) -> None:
        answer = await self._connection.request({"type": "lobby", "watch": True, "game": self._options.game})
        self._lobby = self._lobby.anew(answer["rooms"])
        if not self._lobby.rooms and self._screen.patient:
            raise Closed(self._nothing())  # nobody is there to wait for something
        self._show()

    async def _told(self, message: Pushed) -> None:
        match message["type"]:
            case "lobby":
                self._lobby = self._lobby.then(message["rooms"])
                if "missed" in message:
                    self._watching.again()
            case "connection" if message["state"] == "restored":
                self._note = "Connected again."
                self._watching.again()
            case "connection":
                self._note = "The connection is lost. Trying again ..."
            case _:
                return
        self._show()

    async def _typed(self, line: str) -> Listing | None:
        line = line.strip().casefold()
        if line in ("q", "quit"):
            raise EOFError
        if room := self._lobby.numbered(line):
            return room
        self._note = "Type the number of a game, or q to leave."
        self._show()
        return None

    def _nothing(self) -> str:
        return f"No public game is under way. Start one with: noughts play --against anybody{self._options.address}"

    def _show(self) -> None:
        rooms = self._lobby.rooms
        self._screen.show(Page(self._body, f"[{rooms[0][0]}] > " if rooms else "q leaves: ", self._note))

    def _body(self, width: int, _: float) -> list[Fragments]:
        rooms = self._lobby.rooms
        if not rooms:
            return text(self._nothing(), width)
        fitting = max(1, shutil.get_terminal_size().lines - AROUND)
        more = f" (the first {fitting} of {len(rooms)})" if len(rooms) > fitting else ""
        return text(f"Which game?{more}", width, "bold") + self._lobby.lines(width, fitting)
