"""The lobby: the lists of public rooms and of open seeks, and their changes for those who watch it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import NamedTuple

from pydantic_core import from_json, to_json

from noughts.bus import Listed
from noughts.features.open_seeks import OpenSeek, OpenSeeks
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.gateway.client import Client, Result, Subscriber, refuse
from noughts.gateway.connection import framed
from noughts.gateway.feature import Feature
from noughts.gateway.replies import INTERNAL, UNKNOWN_GAME, UNKNOWN_OUTCOME, Error, Problem, ok
from noughts.gateway.server import Server
from noughts.gateway.work import SLICE_S
from noughts.host import Done, GameOver, RoomUpdate
from noughts.journal import JournalError
from noughts.protocol import requests
from noughts.protocol.render import listing_json
from noughts.protocol.room_messages import Listing, RequestId
from noughts.rooms import Disconnected, Joined, Opened, Returned

log = logging.getLogger(__name__)

ONE_LIST = Error("rate_limited", "One list of rooms at a time. Wait for the answer.")

PAGE = 100
"""The number of rooms a list holds at most, and a message of changes."""

FINISHED = 20
"""The number of listed rooms that may be over."""

CHANGES = 300
"""The number of changed rooms a watcher is sent at a time, some 100 KB."""

STOPS = {"lobby": "a client that asks for the lobby again before it has the list"}


class _Change(NamedTuple):
    """The room as the lobby shows it now, as JSON, and the key of its game."""

    game: str
    listing: bytes


class _Shown:
    """A list that all clients are sent for a while, and what has changed since it was begun.

    ``rooms`` is JSON, None while the list is being made. ``waiting`` are the clients that are answered then, with their
    subscribers and the ids of their requests.
    """

    def __init__(self, game: str | None) -> None:
        self.game = game
        self.rooms: bytes | None = None
        self.changed: dict[str, _Change] = {}
        self.waiting: dict[Subscriber, tuple[Client, RequestId]] = {}
        self.task: asyncio.Task[None] | None = None


def feature(server: Server) -> Feature:
    """The lists of rooms and of open seeks."""
    lobby = Lobby(server)
    return Feature(
        requests={requests.Lobby: lobby.show},
        updates=dict.fromkeys((Opened, Joined, Disconnected, Returned, GameOver), lobby.on_update),
        hints={Listed: lobby.on_listed},
        on_client_gone=lambda client: lobby.drop(client.subscriber),
        loops=(lobby.run,),
    )


class Lobby:
    """Lists public rooms, and tells watchers which rooms were opened, started, joined, left or finished.

    A list is made at most once in ``timing.lobby_list_s`` for each choice of game. A watcher gets what has changed
    since then right after the list, so that nothing falls between the list and its changes.
    """

    def __init__(self, server: Server, *, page: int = PAGE, finished: int = FINISHED, changes: int = CHANGES) -> None:
        self._host = server.host
        self._costs = server.costs
        self._timing = server.timing
        self._page, self._finished, self._changes = page, finished, changes
        self._watchers: dict[Subscriber, str | None] = {}
        self._changed: dict[str, _Change] = {}
        self._missed: dict[Subscriber, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._shown: dict[str | None, _Shown] = {}
        self._waiting: dict[Subscriber, _Shown] = {}
        self._seeks = OpenSeeks(server.host.journal)

    def show(self, client: Client, request: requests.Lobby) -> None:
        """Answer with the list of rooms, and begin or stop to send changes."""
        if request.game is not None and request.game not in GAMES:
            raise Problem(UNKNOWN_GAME, problem=no_such_game(request.game, GAMES))
        watcher = client.subscriber
        if not request.watch:
            self.unwatch(watcher)
        if watcher in self._waiting:
            client.monitor.limit("lobby", client.who, "refused a list of rooms")
            raise Problem(ONE_LIST, retry_after_s=self._timing.lobby_list_s)
        self._costs.check_reader(client)
        if request.watch and watcher.connected:
            self._watchers[watcher] = request.game
        shown = self._shown.get(request.game)
        if shown is None:
            shown = self._shown[request.game] = _Shown(request.game)
            shown.task = asyncio.create_task(self._make(request.game, shown))
        if shown.rooms is None:
            shown.waiting[watcher] = client, request.id
            self._waiting[watcher] = shown
        else:
            self._answer(client, request.id, shown)

    async def _make(self, game: str | None, shown: _Shown) -> None:
        """Make a list, and answer those who wait for it."""
        until = asyncio.get_running_loop().time() + self._timing.lobby_list_s
        problem = None
        try:
            rooms = await self.rooms(game)
            await self._look_for_seeks()
            shown.rooms = to_json(rooms)
        except JournalError:
            problem = Problem(UNKNOWN_OUTCOME)
        except Exception:
            log.exception("the lobby cannot be listed")
            problem = Problem(INTERNAL)
        gives_way_at = perf_counter() + SLICE_S
        while shown.waiting:
            watcher = next(iter(shown.waiting))
            client, request_id = shown.waiting.pop(watcher)
            del self._waiting[watcher]
            if problem is not None:
                refuse(client, request_id, problem)
            else:
                self._answer(client, request_id, shown)
            if perf_counter() > gives_way_at:
                await asyncio.sleep(0)
                gives_way_at = perf_counter() + SLICE_S
        if problem is not None:
            del self._shown[game]
        else:
            asyncio.get_running_loop().call_at(until, self._shown.pop, game, None)

    def _answer(self, client: Client, request_id: RequestId, shown: _Shown) -> None:
        """Send the list and, to a watcher, what has changed since it was begun and was told to the others already."""
        assert shown.rooms is not None
        if not client.open:
            return
        # The seeks are those that the watchers know: the next changes of both are the same.
        seeks = self._seeks.of_game(shown.game)
        client.send_encoded(b'%b,"rooms":%b,"seeks":[%b]}' % (to_json(ok(request_id))[:-1], shown.rooms, seeks))
        watcher = client.subscriber
        if watcher in self._watchers:
            told = [change for room_id, change in shown.changed.items() if room_id not in self._changed]
            self._send_to([watcher], self._watchers[watcher], told)
        self._costs.settle(client)

    async def _look_for_seeks(self) -> None:
        """Read the open seeks, and tell watchers how they have changed. Raises JournalError."""
        new, gone = await self._seeks.refresh()
        if not new and not gone:
            return
        frames: dict[str | None, bytes] = {}
        for watcher, game in self._watchers.items():
            if watcher in self._waiting:
                continue  # they will be in its list
            if watcher.paused:
                self._missed[watcher] = self._missed.get(watcher, 0) + 1
                self._send_soon()
                continue
            if game not in frames:
                shown = b",".join(_of_game(new.values(), game))
                names = to_json([name for name, one in gone.items() if game in (None, one.game)])
                message = b'{"type":"lobby","rooms":[],"seeks":[%b],"gone":%b}' % (shown, names)
                frames[game] = framed(message) if shown or names != b"[]" else b""
            if frames[game]:
                watcher.push(frames[game])

    async def rooms(self, game: str | None) -> list[Listing]:
        """The public rooms, of one game or of all: the latest changed first, and at the end those just finished."""
        journal = self._host.journal
        since = journal.now() - round(self._timing.lobby_finished_s * 1000)
        finished = await journal.results.just_finished(game, since, self._finished)
        rows = await journal.index.lobby(game, self._page - len(finished))
        return [*map(from_json, rows), *map(from_json, finished)]

    def unwatch(self, watcher: Subscriber) -> None:
        """Send ``watcher`` no more changes."""
        self._watchers.pop(watcher, None)
        self._missed.pop(watcher, None)

    def drop(self, watcher: Subscriber) -> None:
        """The connection of ``watcher`` has ended: it gets nothing more, and nothing is made for it."""
        self.unwatch(watcher)
        shown = self._waiting.pop(watcher, None)
        if shown is not None:
            del shown.waiting[watcher]

    def on_update(self, update: RoomUpdate) -> None:
        """Note a change of a public room, here and on the other nodes."""
        if not self._watchers and not self._shown and not self._host.journal.shared:
            return  # nobody hears of it
        room = update.room
        left_or_back = isinstance(update.event, Disconnected | Returned)
        if room.options.private or (left_or_back and room.status == "over"):
            return
        shown = listing_json(room)
        if update.ours:
            self._host.bus.send(Listed(shown))
        self._note(room.id, _Change(room.game.key, shown))

    def on_listed(self, hint: Listed) -> None:
        """Note a change on another node."""
        if self._watchers or self._shown:
            shown: Listing = from_json(hint.listing)
            self._note(shown["room"], _Change(shown["game"], hint.listing))

    async def run(self) -> None:
        """Find changes of the seeks, and while the bus is away of other nodes' rooms, by reading them, for ever."""
        before: dict[str, Listing] | None = None
        while True:
            await asyncio.sleep(self._timing.lobby_changes_s)
            if self._watchers:
                with suppress(JournalError):
                    await self._look_for_seeks()
            if self._host.bus.connected or not self._watchers:
                # Once more after it has come back: hints sent meanwhile are lost.
                if before is not None and self._watchers:
                    with suppress(JournalError):
                        await self._compare(before)
                before = None
                continue
            with suppress(JournalError):
                before = await self._compare(before)

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
            self._note(result.room.id, _Change(result.room.game.key, listing_json(result.room)))

    def _note(self, room_id: str, change: _Change) -> None:
        for shown in self._shown.values():
            _put_last(shown.changed, room_id, change)
        if self._watchers:
            _put_last(self._changed, room_id, change)
            self._send_soon()

    def _send_soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._timing.lobby_changes_s, self._send)

    def _send(self) -> None:
        """Send what has changed. Slow readers only learn how much, once they have caught up."""
        self._timer = None
        changed, self._changed = self._changed, {}
        by_game: dict[str | None, list[Subscriber]] = {}
        for watcher, game in self._watchers.items():
            if watcher in self._waiting:
                continue  # it gets these after its list
            if watcher.paused:
                self._missed[watcher] = self._missed.get(watcher, 0) + len(_of_game(changed.values(), game))
            elif watcher in self._missed:
                self._send_to([watcher], game, changed.values(), self._missed.pop(watcher))
            else:
                by_game.setdefault(game, []).append(watcher)
        for game, watchers in by_game.items():
            self._send_to(watchers, game, changed.values())
        if self._missed:
            self._send_soon()

    def _send_to(
        self, watchers: Sequence[Subscriber], game: str | None, changed: Iterable[_Change], missed: int = 0
    ) -> None:
        """Send the newest of ``changed``; ``missed`` rooms have changed before them."""
        rooms = _of_game(changed, game)
        missed += max(0, len(rooms) - self._changes)
        rooms = rooms[-self._changes :]
        for start in range(0, max(len(rooms), missed > 0), self._page):
            page = b",".join(rooms[start : start + self._page])
            more = b',"missed":%d' % missed if missed and start + self._page >= len(rooms) else b""
            frame = framed(b'{"type":"lobby","rooms":[%s]%s}' % (page, more))
            for watcher in watchers:
                watcher.push(frame)


def _of_game(changed: Iterable[_Change | OpenSeek], game: str | None) -> list[bytes]:
    return [change.listing for change in changed if game in (None, change.game)]


def _put_last(changed: dict[str, _Change], room_id: str, change: _Change) -> None:
    changed.pop(room_id, None)
    changed[room_id] = change
