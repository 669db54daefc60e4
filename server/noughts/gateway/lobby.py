"""The public rooms, listed and followed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json, to_json
from websockets.asyncio.connection import broadcast

from noughts.host import Happening
from noughts.journal import Journal
from noughts.protocol import listing
from noughts.protocol.messages import Listing
from noughts.rooms import Disconnected, Ended, Event, Joined, Opened, Played, Returned, Room

if TYPE_CHECKING:
    from noughts.gateway.session import Session

PAGE = 100
"""How many rooms a list holds, and a message of changes."""

CHANGES_S = 1.0
"""How often changes are told, at most."""


def _concerns_the_lobby(event: Event, room: Room) -> bool:
    match event:
        case Opened() | Joined() | Ended():
            return True
        case Played():
            return event.outcome is not None
        case Disconnected() | Returned():
            return room.status != "over"
        case _:
            return False


class Lobby:
    """Lists public rooms from the index, and tells those who watch of rooms opened, started and over.

    ``listing`` is how many watch already and have not been sent the list yet.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._watchers: dict[Session, str | None] = {}
        self._changed: dict[str, Listing] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.listing = 0

    async def rooms(self, game: str | None) -> list[Any]:
        """The public rooms that are not over, the last changed first, of one game or of all."""
        return [from_json(row) for row in await self._journal.lobby(game, PAGE)]

    def watch(self, session: Session, game: str | None) -> None:
        """Tell ``session`` of changes, of one game or of all."""
        self._watchers[session] = game

    def unwatch(self, session: Session) -> None:
        """Tell ``session`` no more."""
        self._watchers.pop(session, None)

    def tell(self, happening: Happening) -> None:
        """Note what the lobby should know of, to be told within the second."""
        room, event = happening.room, happening.event
        if room.options.private or not self._watchers:
            return
        if not _concerns_the_lobby(event, room):
            return
        self._changed[room.id] = listing(room)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CHANGES_S, self._send)

    def _send(self) -> None:
        if self.listing:
            # The list comes before the changes to it.
            self._timer = asyncio.get_running_loop().call_later(CHANGES_S / 10, self._send)
            return
        self._timer = None
        changed, self._changed = list(self._changed.values()), {}
        by_game: dict[str | None, list[Session]] = {}
        for session, game in self._watchers.items():
            by_game.setdefault(game, []).append(session)
        for game, sessions in by_game.items():
            rooms = [room for room in changed if game in (None, room["game"])]
            for start in range(0, len(rooms), PAGE):
                message = to_json({"type": "lobby", "rooms": rooms[start : start + PAGE]})
                broadcast([session.connection for session in sessions], message, text=True)
            for session in sessions:
                session.cut_if_clogged()
