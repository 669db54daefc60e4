"""The lobby: the list of public rooms, kept up to date, and choosing a room from it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

from noughts.protocol.messages import GameInfo
from noughts.protocol.room_messages import Listing
from noughts_client.connection import Connection, Pushed
from noughts_client.handshake import ConnectionLost
from noughts_client.terminal.greeting import announcement, greeting
from noughts_client.terminal.options import CommandError, Options
from noughts_client.terminal.screen import Page, Screen
from noughts_client.terminal.status import short_result
from noughts_client.terminal.table import SIDES, display_name, display_rating, setup_in_words
from noughts_client.terminal.text import LEAVE, Fragments, fit, wrap
from noughts_client.time_control import format_time_control

MAX_ROOMS = 100
"""The number of rooms listed."""

ORDER = ("waiting", "playing", "over")

OTHER_ROWS = 4
"""The rows of a window that the list cannot have: for the question, the input and a notice."""

T = TypeVar("T")


@dataclass(frozen=True)
class RoomList:
    """Numbered rooms. A room keeps its number, so that nobody chooses another room than the one they read. Pure.

    ``open_seats_only`` leaves out the rooms without an open seat.
    """

    games: tuple[GameInfo, ...]
    open_seats_only: bool = False
    rooms: tuple[tuple[int, Listing], ...] = ()
    highest: int = 0

    def updated(self, listings: Iterable[Listing]) -> RoomList:
        """The list with the newest state of some rooms. New rooms come before the others with the same status."""
        changes = {listing["room"]: listing for listing in listings}
        numbers = {listing["room"]: number for number, listing in self.rooms}
        known = [(number, changes.get(listing["room"], listing)) for number, listing in self.rooms]
        unknown = [listing for room, listing in changes.items() if room not in numbers and self._belongs(listing)]
        new = list(enumerate(sorted(unknown, key=_rank), self.highest + 1))
        rooms = sorted(
            [(number, listing) for number, listing in new + known if self._belongs(listing)],
            key=lambda entry: _rank(entry[1]),
        )
        return replace(self, rooms=tuple(rooms[:MAX_ROOMS]), highest=self.highest + len(new))

    def replaced(self, listings: Iterable[Listing]) -> RoomList:
        """The list with these rooms only. Rooms that were on it keep their numbers."""
        current = list(listings)
        ids = {listing["room"] for listing in current}
        kept = tuple(entry for entry in self.rooms if entry[1]["room"] in ids)
        return replace(self, rooms=kept).updated(current)

    def numbered(self, line: str) -> Listing | None:
        """The room whose number was typed; the first room if nothing was."""
        if not line:
            return self.rooms[0][1] if self.rooms else None
        return next((listing for number, listing in self.rooms if str(number) == line), None)

    def lines(self, width: int, most: int) -> list[Fragments]:
        """The first ``most`` rooms, a line each."""
        shown = self.rooms[:most]
        margin = len(str(max((number for number, _ in shown), default=1)))
        return [[("", fit(f"  {n:>{margin}}  {self._describe(listing)}", width))] for n, listing in shown]

    def _describe(self, listing: Listing) -> str:
        game = next((game for game in self.games if game["key"] == listing["game"]), None)
        title = listing["game"] if game is None else game["title"]
        setup = [] if game is None else setup_in_words(game, listing["options"].get("setup", {}))
        seats = [listing["seats"][side] for side in SIDES]
        names = " - ".join(
            display_name(seat) + display_rating(seat) + ("" if seat["online"] else " (away)") if seat else "(open)"
            for seat in seats
        )
        options = listing["options"]
        clock = [format_time_control(options["clock"])] if options["clock"] else []
        rated = ["rated"] if options["rated"] else []
        status = short_result(listing) if "outcome" in listing else listing["status"]
        return ", ".join([names, title, *setup, *clock, *rated, status])

    def _belongs(self, listing: Listing) -> bool:
        if self.open_seats_only:
            return listing["status"] == "waiting" and None in listing["seats"].values()
        return listing["status"] != "over" or "outcome" in listing


def _rank(listing: Listing) -> int:
    return ORDER.index(listing["status"])


class Subscription:
    """Sends a subscribing request, and sends it again whenever it was lost."""

    def __init__(self, subscribe: Callable[[], Awaitable[None]]) -> None:
        self._subscribe = subscribe
        self._wanted = asyncio.Event()

    def renew(self) -> None:
        """Send the request, once."""
        self._wanted.set()

    async def run(self) -> NoReturn:
        """Send the request whenever it is wanted. Raises what it raises."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self._subscribe()


async def first_choice(
    connection: Connection,
    screen: Screen,
    on_message: Callable[[Pushed], T | None],
    on_line: Callable[[str], Awaitable[T | None]],
    subscription: Subscription,
) -> T:
    """The first result other than None of a pushed message or a typed line, while ``subscription`` runs.

    Raises what these raise, EOFError and ConnectionLost.
    """

    async def listen() -> T:
        async for message in connection:
            if (found := on_message(message)) is not None:
                return found
        raise ConnectionLost("The connection has ended.")

    async def read() -> T:
        while True:
            if (found := await on_line(await screen.line())) is not None:
                return found

    tasks: list[asyncio.Task[T]] = [asyncio.create_task(part) for part in (listen(), read(), subscription.run())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task.done()).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def choose_room(connection: Connection, screen: Screen, options: Options) -> Listing:
    """The public room that the user chooses. Raises CommandError, EOFError, ConnectionLost, RequestError."""
    return await _Chooser(connection, screen, options).run()


class _Chooser:
    def __init__(self, connection: Connection, screen: Screen, options: Options) -> None:
        self._connection = connection
        self._screen = screen
        self._options = options
        self._rooms = RoomList(tuple(connection.welcome["games"]))
        self._notice = greeting(connection.welcome)
        self._subscription = Subscription(self._subscribe)

    async def run(self) -> Listing:
        await self._subscribe()
        room = await first_choice(self._connection, self._screen, self._on_message, self._on_line, self._subscription)
        await self._connection.request({"type": "lobby", "watch": False})
        return room

    async def _subscribe(self) -> None:
        answer = await self._connection.request({"type": "lobby", "watch": True, "game": self._options.game})
        self._rooms = self._rooms.replaced(answer["rooms"])
        if not self._rooms.rooms and self._screen.scripted:
            raise CommandError(self._no_rooms())  # a script does not wait for a game to begin
        self._show()

    def _on_message(self, message: Pushed) -> None:
        match message["type"]:
            case "lobby":
                self._rooms = self._rooms.updated(message["rooms"])
                if "missed" in message:
                    self._subscription.renew()
            case "connection" if message["state"] == "restored":
                self._notice = "Connected again."
                self._subscription.renew()
            case "announcement":
                self._notice = announcement(message)
            case "connection":
                self._notice = "The connection is lost. Reconnecting ..."
            case _:
                return
        self._show()

    async def _on_line(self, line: str) -> Listing | None:
        line = line.strip().casefold()
        if line in LEAVE:
            raise EOFError
        if room := self._rooms.numbered(line):
            return room
        self._notice = "Type the number of a game, or q to leave."
        self._show()
        return None

    def _no_rooms(self) -> str:
        return f"No public game is being played. Start one with: noughts play --against anybody{self._options.server}"

    def _show(self) -> None:
        rooms = self._rooms.rooms
        self._screen.show(Page(self._body, f"[{rooms[0][0]}] > " if rooms else "q to leave: ", self._notice))

    def _body(self, width: int, _: float) -> list[Fragments]:
        rooms = self._rooms.rooms
        if not rooms:
            return wrap(self._no_rooms(), width)
        fitting = max(1, shutil.get_terminal_size().lines - OTHER_ROWS)
        more = f" (the first {fitting} of {len(rooms)})" if len(rooms) > fitting else ""
        return wrap(f"Which game?{more}", width, "bold") + self._rooms.lines(width, fitting)
