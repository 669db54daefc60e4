"""The public rooms, listed and followed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json, to_json
from websockets.asyncio.connection import broadcast

from noughts.bus import Listed, Message
from noughts.host import Done, Failed, Happening, Host
from noughts.journal import JournalError
from noughts.protocol import listing
from noughts.protocol.messages import Listing
from noughts.rooms import Disconnected, Ended, Event, Joined, Opened, Played, Refused, Returned, Room

if TYPE_CHECKING:
    from noughts.gateway.gate import Gate
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
    """Lists public rooms from the index, and tells those who watch of rooms opened, started and over."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._watchers: dict[Session, str | None] = {}
        self._changed: dict[str, Listing] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._listing: Counter[Gate] = Counter()
        self._held: dict[Session, dict[str, Listing]] = {}
        host.bus.hearers.append(self.hear)

    async def rooms(self, game: str | None) -> list[Any]:
        """The public rooms that are not over, the last changed first, of one game or of all."""
        return [from_json(row) for row in await self._host.journal.lobby(game, PAGE)]

    def watch(self, session: Session, game: str | None) -> None:
        """Tell ``session`` of changes, of one game or of all."""
        self._watchers[session] = game

    def unwatch(self, session: Session) -> None:
        """Tell ``session`` no more."""
        self._watchers.pop(session, None)
        self._held.pop(session, None)

    @contextmanager
    def listed(self, to: Gate) -> Iterator[None]:
        """Within the block a list is read and sent ``to`` somebody, who is told of changes to it only afterwards."""
        self._listing[to] += 1
        try:
            yield
        finally:
            self._listing[to] -= 1
            if not self._listing[to]:
                del self._listing[to]
                for session in [session for session in self._held if session is to]:
                    held = self._held.pop(session)
                    if session in self._watchers:
                        self._tell([session], self._watchers[session], list(held.values()))

    def tell(self, happening: Happening) -> None:
        """Note what the lobby should know of, to be told within the second; here and on the other nodes."""
        room, event = happening.room, happening.event
        if room.options.private or not _concerns_the_lobby(event, room):
            return
        shown = listing(room)
        if happening.ours:
            self._host.bus.send(Listed(to_json(shown)))
        self._note(shown)

    def hear(self, message: Message) -> None:
        """Another node tells what has changed."""
        if isinstance(message, Listed) and self._watchers:
            self._note(from_json(message.listing))

    async def keep_up(self) -> None:
        """Find in the index what a bus that is away does not tell, for ever."""
        before: dict[str, Listing] | None = None
        while True:
            await asyncio.sleep(CHANGES_S)
            if self._host.bus.connected or not self._watchers:
                # Once more after it has come back: what was told meanwhile is lost.
                if before is not None and self._watchers:
                    with suppress(JournalError):
                        await self._compare(before)
                before = None
                continue
            with suppress(JournalError):
                before = await self._compare(before)

    async def _compare(self, before: dict[str, Listing] | None) -> dict[str, Listing]:
        """Note how the index differs from what it was ``before``; what it is now."""
        now: dict[str, Listing] = {row["room"]: row for row in await self.rooms(None)}
        if before is not None:
            for room_id, shown in now.items():
                if before.get(room_id) != shown:
                    self._note(shown)
            for room_id in before.keys() - now.keys():
                # Over, or only pushed off the page.
                self._host.submit(room_id, None, self._gone)
        return now

    def _gone(self, result: Done | Refused | Failed) -> None:
        if isinstance(result, Done) and result.room.status == "over":
            self._note(listing(result.room))

    def _note(self, shown: Listing) -> None:
        if not self._watchers:
            return
        self._changed[shown["room"]] = shown
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CHANGES_S, self._send)

    def _send(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, {}
        by_game: dict[str | None, list[Session]] = {}
        for session, game in self._watchers.items():
            if session in self._listing:
                self._held[session] = self._held.get(session, {}) | changed
            else:
                by_game.setdefault(game, []).append(session)
        for game, sessions in by_game.items():
            self._tell(sessions, game, list(changed.values()))

    def _tell(self, sessions: list[Session], game: str | None, changed: list[Listing]) -> None:
        rooms = [room for room in changed if game in (None, room["game"])]
        for start in range(0, len(rooms), PAGE):
            message = to_json({"type": "lobby", "rooms": rooms[start : start + PAGE]})
            broadcast([session.connection for session in sessions], message, text=True)
        for session in sessions:
            session.cut_if_clogged()
