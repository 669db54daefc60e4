"""The public rooms, listed and followed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import from_json, to_json
from websockets.asyncio.connection import broadcast

from noughts.bus import Hint, Listed
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.protocol import listing
from noughts.protocol.messages import Listing
from noughts.rooms import Disconnected, Ended, Event, Joined, Opened, Played, Refused, Returned, Room

if TYPE_CHECKING:
    from noughts.gateway.gate import Gate
    from noughts.gateway.session import Session

PAGE = 100
"""How many rooms a list holds, and a message of changes."""

FINISHED = 20
"""How many of these may be over."""

FINISHED_MS = 60_000
"""How long a room is listed after its end."""

CHANGES_S = 1.0
"""How often changes are told, at most."""

CHANGES = 300
"""Of how many rooms changes are told at a time: some 100 KB to each watcher."""


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


class _Change(NamedTuple):
    """What the lobby shows of a room now, JSON, and the key of its game."""

    game: str
    listing: bytes


class Lobby:
    """Lists public rooms from the index, and tells those who watch of rooms opened, started and over."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._watchers: dict[Session, str | None] = {}
        self._changed: dict[str, _Change] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._listing: Counter[Gate] = Counter()
        self._held: dict[Session, dict[str, _Change]] = {}
        host.bus.listeners.append(self.hear)

    async def rooms(self, game: str | None) -> list[Listing]:
        """The public rooms, of one game or of all: the last changed first, and after them those that are just over."""
        journal = self._host.journal
        rows = await journal.lobby(game, PAGE)
        ended = await journal.results.just_finished(game, journal.now() - FINISHED_MS, FINISHED)
        over: dict[str, Listing] = {room["room"]: room for room in map(from_json, ended)}
        rooms: list[Listing] = [room for room in map(from_json, rows) if room["room"] not in over]
        return [*rooms[: PAGE - len(over)], *over.values()]

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

    def tell(self, happening: RoomUpdate) -> None:
        """Note what the lobby should know of, to be told within the second; here and on the other nodes."""
        room, event = happening.room, happening.event
        if room.options.private or not _concerns_the_lobby(event, room):
            return
        shown = to_json(listing(room))
        if happening.ours:
            self._host.bus.send(Listed(shown))
        self._note(room.id, _Change(room.game.key, shown))

    def hear(self, message: Hint) -> None:
        """Another node tells what has changed."""
        if isinstance(message, Listed) and self._watchers:
            shown: Listing = from_json(message.listing)
            self._note(shown["room"], _Change(shown["game"], message.listing))

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
        now = {shown["room"]: shown for shown in await self.rooms(None)}
        if before is not None:
            ended = {room_id for room_id, shown in before.items() if shown["status"] == "over"}
            for room_id, shown in now.items():
                if before.get(room_id) != shown and room_id not in ended:
                    self._note(room_id, _Change(shown["game"], to_json(shown)))
            for room_id in before.keys() - now.keys() - ended:
                # Over without a result, or only pushed off the page.
                self._host.submit(room_id, None, self._gone)
        return now

    def _gone(self, result: Done | Refused | Failed) -> None:
        if isinstance(result, Done) and result.room.status == "over":
            self._note(result.room.id, _Change(result.room.game.key, to_json(listing(result.room))))

    def _note(self, room_id: str, change: _Change) -> None:
        if not self._watchers:
            return
        self._changed.pop(room_id, None)  # the newest are at the end
        self._changed[room_id] = change
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CHANGES_S, self._send)

    def _send(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, {}
        by_game: dict[str | None, list[Session]] = {}
        for session, game in self._watchers.items():
            if session in self._listing:
                held = self._held.get(session, {}).items()
                self._held[session] = {room: change for room, change in held if room not in changed} | changed
            else:
                by_game.setdefault(game, []).append(session)
        for game, sessions in by_game.items():
            self._tell(sessions, game, list(changed.values()))

    def _tell(self, sessions: list[Session], game: str | None, changed: list[_Change]) -> None:
        rooms = [change.listing for change in changed if game in (None, change.game)]
        missed = len(rooms) - CHANGES
        rooms = rooms[-CHANGES:]
        for start in range(0, len(rooms), PAGE):
            page = b",".join(rooms[start : start + PAGE])
            more = b',"missed":%d' % missed if missed > 0 and start + PAGE >= len(rooms) else b""
            message = b'{"type":"lobby","rooms":[%s]%s}' % (page, more)
            broadcast([session.connection for session in sessions], message, text=True)
        for session in sessions:
            session.cut_if_clogged()
