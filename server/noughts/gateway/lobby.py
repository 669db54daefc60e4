"""The lobby: the list of public rooms, and its changes for those who watch it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from pydantic_core import from_json, to_json

from noughts.bus import Hint, Listed
from noughts.games import GAMES
from noughts.gateway import replies
from noughts.gateway.client import Client, Result, Subscriber
from noughts.gateway.connection import framed
from noughts.gateway.replies import Problem, ok
from noughts.host import Done, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.protocol import listing, requests
from noughts.protocol.messages import Listing
from noughts.rooms import Disconnected, Returned
from noughts.timing import Timing

PAGE = 100
"""How many rooms a list holds at most, and a message of changes."""

FINISHED = 20
"""How many of the listed rooms may be over."""

CHANGES = 300
"""How many changed rooms a watcher is sent at a time, some 100 KB."""


class _Change(NamedTuple):
    """What the lobby shows of a room now, as JSON, and the key of its game."""

    game: str
    listing: bytes


class Lobby:
    """Lists public rooms, and tells watchers which rooms were opened, started, joined, left or finished."""

    def __init__(
        self, host: Host, timing: Timing, page: int = PAGE, finished: int = FINISHED, changes: int = CHANGES
    ) -> None:
        self._host = host
        self._timing = timing
        self._page, self._finished, self._changes = page, finished, changes
        self._watchers: dict[Subscriber, str | None] = {}
        self._changed: dict[str, _Change] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._listing: Counter[Subscriber] = Counter()
        self._held: dict[Subscriber, dict[str, _Change]] = {}

    async def handle_lobby(self, client: Client, request: requests.Lobby) -> None:
        """Answer with the list of rooms, and begin or stop to send changes."""
        if request.game is not None and request.game not in GAMES:
            raise Problem(replies.UNKNOWN_GAME, game=request.game)
        if not client.open:
            return
        watcher = client.subscriber
        if not request.watch:
            self.unwatch(watcher)
        elif watcher.connected:
            self._watchers[watcher] = request.game
        with self._hold_changes(watcher):
            client.send(ok(request.id, rooms=await self.rooms(request.game)))

    async def rooms(self, game: str | None) -> list[Listing]:
        """The public rooms, of one game or of all: the latest changed first, and at the end those just finished."""
        journal = self._host.journal
        rows = await journal.lobby(game, self._page)
        since = journal.now() - round(self._timing.lobby_finished_s * 1000)
        finished = await journal.results.just_finished(game, since, self._finished)
        over: dict[str, Listing] = {room["room"]: room for room in map(from_json, finished)}
        rooms: list[Listing] = [room for room in map(from_json, rows) if room["room"] not in over]
        return [*rooms[: self._page - len(over)], *over.values()]

    def unwatch(self, watcher: Subscriber) -> None:
        """Send ``watcher`` no more changes."""
        self._watchers.pop(watcher, None)
        self._held.pop(watcher, None)

    def on_update(self, update: RoomUpdate) -> None:
        """Note a change of a public room, here and on the other nodes."""
        room = update.room
        left_or_back = isinstance(update.event, Disconnected | Returned)
        if room.options.private or (left_or_back and room.status == "over"):
            return
        if not self._watchers and not self._host.journal.shared:
            return  # nobody hears of it
        shown = to_json(listing(room))
        if update.ours:
            self._host.bus.send(Listed(shown))
        self._note(room.id, _Change(room.game.key, shown))

    def on_hint(self, hint: Hint) -> None:
        """Note a change on another node."""
        if isinstance(hint, Listed) and self._watchers:
            shown: Listing = from_json(hint.listing)
            self._note(shown["room"], _Change(shown["game"], hint.listing))

    async def run(self) -> None:
        """While the bus is away, find changes on other nodes by reading the index, for ever."""
        before: dict[str, Listing] | None = None
        while True:
            await asyncio.sleep(self._timing.lobby_changes_s)
            if self._host.bus.connected or not self._watchers:
                # Once more after it has come back: hints sent meanwhile are lost.
                if before is not None and self._watchers:
                    with suppress(JournalError):
                        await self._compare(before)
                before = None
                continue
            with suppress(JournalError):
                before = await self._compare(before)

    @contextmanager
    def _hold_changes(self, watcher: Subscriber) -> Iterator[None]:
        """Within the block ``watcher`` is sent a list. It gets changes of that list afterwards."""
        self._listing[watcher] += 1
        try:
            yield
        finally:
            self._listing[watcher] -= 1
            if not self._listing[watcher]:
                del self._listing[watcher]
                held = self._held.pop(watcher, None)
                if held is not None and watcher in self._watchers:
                    self._send_to([watcher], self._watchers[watcher], list(held.values()))

    async def _compare(self, before: dict[str, Listing] | None) -> dict[str, Listing]:
        """Note how the list differs from ``before``. Returns the list."""
        now = {shown["room"]: shown for shown in await self.rooms(None)}
        if before is not None:
            ended = {room_id for room_id, shown in before.items() if shown["status"] == "over"}
            for room_id, shown in now.items():
                if before.get(room_id) != shown and room_id not in ended:
                    self._note(room_id, _Change(shown["game"], to_json(shown)))
            for room_id in before.keys() - now.keys() - ended:
                # It is over without a result, or was only pushed off the page.
                self._host.submit(room_id, None, self._note_if_over)
        return now

    def _note_if_over(self, result: Result) -> None:
        if isinstance(result, Done) and result.room.status == "over":
            self._note(result.room.id, _Change(result.room.game.key, to_json(listing(result.room))))

    def _note(self, room_id: str, change: _Change) -> None:
        if not self._watchers:
            return
        self._changed.pop(room_id, None)  # the latest go to the end
        self._changed[room_id] = change
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._timing.lobby_changes_s, self._send)

    def _send(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, {}
        by_game: dict[str | None, list[Subscriber]] = {}
        for watcher, game in self._watchers.items():
            if watcher in self._listing:
                held = self._held.get(watcher, {}).items()
                self._held[watcher] = {room: change for room, change in held if room not in changed} | changed
            else:
                by_game.setdefault(game, []).append(watcher)
        for game, watchers in by_game.items():
            self._send_to(watchers, game, list(changed.values()))

    def _send_to(self, watchers: list[Subscriber], game: str | None, changed: list[_Change]) -> None:
        rooms = [change.listing for change in changed if game in (None, change.game)]
        missed = len(rooms) - self._changes
        rooms = rooms[-self._changes :]
        for start in range(0, len(rooms), self._page):
            page = b",".join(rooms[start : start + self._page])
            more = b',"missed":%d' % missed if missed > 0 and start + self._page >= len(rooms) else b""
            frame = framed(b'{"type":"lobby","rooms":[%s]%s}' % (page, more))
            for watcher in watchers:
                watcher.push(frame)
