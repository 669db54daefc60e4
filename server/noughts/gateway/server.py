"""The server as every feature finds it: the rooms and who watches them, sessions, limits, and shares of the loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Protocol, TypeVar, get_args

from pydantic_core import to_json

from noughts.bus import Altered, Appended, Doing, Here, Hint, Missing, Present, Sought, Watching
from noughts.computer import Computer
from noughts.config import Settings
from noughts.gateway.attendance import Attendance
from noughts.gateway.bans import AddressBans
from noughts.gateway.client import Client
from noughts.gateway.costs import Costs
from noughts.gateway.dispatch import Dispatcher
from noughts.gateway.feature import Feature, Handling, Loop, Reading
from noughts.gateway.limits import Limit, TokenBuckets
from noughts.gateway.lost_time import LostTime
from noughts.gateway.members import Members
from noughts.gateway.open_rooms import OpenRooms
from noughts.gateway.operator import Operator
from noughts.gateway.presence import Presence
from noughts.gateway.registry import SessionRegistry
from noughts.gateway.replies import TOO_MANY_PAGES, WATCHES_TOO_MANY, Problem, answer, catalogue, counted, server_facts
from noughts.gateway.spectators import Spectators
from noughts.gateway.subscribers import Subscribers
from noughts.gateway.tasks import Tasks
from noughts.gateway.views import Views
from noughts.gateway.work import Work
from noughts.host import GameOver, Host, poll_journal, sweep
from noughts.journal import StoredPlayer
from noughts.protocol import requests
from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import RequestId
from noughts.rooms import Disconnected, Event, Joined, Opened
from noughts.timing import Timing

log = logging.getLogger(__name__)


class OfRoom(Protocol):
    """A request about a room."""

    @property
    def id(self) -> RequestId: ...

    @property
    def room(self) -> str: ...


R = TypeVar("R", bound=OfRoom)

PAGES_PER_S, PAGES_AT_ONCE = 2.0, 10
"""The answers that an address may request a second, and at once, each of which takes several reads of the journal."""

STOPS = {
    "pages": "an address that asks for too many profiles, leaderboards, lists of devices and QR codes: "
    f"{PAGES_PER_S:g} a second, {PAGES_AT_ONCE} at once"
}


class Server:
    """The parts that features build on. ``time`` is the event loop's. ``facts`` and ``catalogue`` are what ``welcome``
    says, as JSON objects; the latter is also in ``/games.json``.

    ``computer`` searches for whoever asks. ``page``: clients learn that there is a web page.
    """

    def __init__(
        self, settings: Settings, host: Host, computer: Computer, timing: Timing = Timing(), *, page: bool = False
    ) -> None:
        self.settings = settings
        self.timing = timing
        self.host = host
        self.computer = computer
        self.facts = server_facts(settings, page=page)
        self.catalogue = catalogue()
        self.time = asyncio.get_running_loop().time
        self.tasks = Tasks()
        self.work = Work(host.monitor.limit)
        self.costs = Costs(settings, host.monitor, self.time)
        self.open_rooms = OpenRooms(host, settings, self.time)
        self.subscribers = Subscribers()
        self.spectators = Spectators(host, self.subscribers, timing)
        self.presence = Presence(host, self.subscribers, settings.away_s, timing)
        self.views = Views(host, self.subscribers, self.spectators, self.presence)
        self.sessions = SessionRegistry(host, timing)
        self.attendance = Attendance(self.sessions, host.bus, self.time)
        self.bans = AddressBans(host.journal, timing)
        self.operator = Operator(host, self.sessions, timing)
        self.lost_time = LostTime(host, self.work)
        self.pages = self.limit("pages", PAGES_PER_S, PAGES_AT_ONCE, "refused a profile or a leaderboard")
        self.members = Members(settings)
        self.dispatcher = Dispatcher(self.work, self.tasks, host.monitor, self.time)
        self.features: list[Feature] = []
        self._hints: dict[type, list[Callable[[Any], None]]] = {}
        host.rated_pairs.limit = settings.rated_games_per_pair
        host.rated_pairs.same_address = settings.rated_same_address
        host.pulse.on_tick = self.lost_time.on_tick
        host.watched = self.subscribers.is_watched
        host.lost = self.views.lose
        host.bus.listeners.append(self._on_hint)
        host.bus.on_node_left += [self.presence.on_node_left, self.spectators.on_node_left]
        self.subscribers.resend = self.views.resend
        self.operator.on_deleted = self._forget_names
        self.subscribers.on_change = self.spectators.on_change
        self.use([self._own()])

    def _own(self) -> Feature:
        """The server's own part in what happens, which comes before that of any feature."""
        host, presence = self.host, self.presence
        # Nobody watches a room before it is opened. Whoever opened it was shown it already.
        host.listen(self.subscribers.on_update, *(event for event in get_args(Event) if event is not Opened))
        host.listen(self.views.on_update, Opened)
        host.listen(self.open_rooms.on_update, Opened, GameOver)
        return Feature(
            requests={requests.Ping: self._ping},
            updates=dict.fromkeys((Opened, Joined, Disconnected), presence.on_update),
            hints={
                Appended: host.on_hint,
                Missing: presence.on_hint,
                Present: presence.on_hint,
                Watching: self.spectators.on_hint,
                Altered: self.sessions.on_hint,
                Here: self.attendance.on_here,
                Sought: self.attendance.on_sought,
                Doing: self.attendance.on_doing,
            },
            loops=(
                partial(sweep, host),
                partial(poll_journal, host),
                host.pulse.run,
                host.heartbeat.run,
                presence.run,
                self.sessions.run,
                self.bans.run,
                self.operator.run,
                self.spectators.run,
                host.journal.check,
            ),
            readings=(
                Reading("players", "Connected players.", lambda: len(self.sessions)),
                Reading("tasks", "Tasks of the event loop.", lambda: len(asyncio.all_tasks())),
                Reading(
                    "work_waiting", "Connections and requests that wait for processor time.", lambda: self.work.waiting
                ),
                Reading("work_bytes", "Memory that unfinished requests take, by estimate.", lambda: self.work.held),
                Reading("journal_errors_total", "Calls of the journal that failed.", lambda: host.retry.failures),
                Reading("outages_total", "Outages that this node has found.", lambda: host.heartbeat.found),
                Reading("clock_jumps_total", "Jumps of the clock.", lambda: host.journal.clock_jumps),
            ),
        )

    def use(self, features: Iterable[Feature]) -> None:
        """Take in ``features``, which are called in this order. Raises ValueError if two take the same request."""
        for feature in features:
            self.features.append(feature)
            for event, listener in feature.updates.items():
                self.host.listen(listener, event)
            for hint, on_hint in feature.hints.items():
                self._hints.setdefault(hint, []).append(on_hint)
            if feature.on_loaded is not None:
                self.host.on_loaded.append(feature.on_loaded)
            if feature.on_watched is not None:
                self.subscribers.on_watched.append(feature.on_watched)
            self.dispatcher.add(self.members.only(feature.requests))

    def newcomer_facts(self, player: StoredPlayer) -> bytes:
        """The part of ``welcome`` that is for this player and this moment, as a JSON object."""
        told = {"may": self.members.most(player), "announcement": self.operator.announcement}
        return to_json({name: value for name, value in told.items() if value is not None})

    def limit(self, name: str, per_s: float, burst: float, did: str) -> Limit:
        """A limit of ``per_s`` and ``burst`` for each key; ``did`` is what the log says that the server does beyond."""
        return Limit(name, did, TokenBuckets(per_s, burst), self.host.monitor, self.time)

    def check_may_watch(self, client: Client, room_id: str) -> None:
        """Raise a problem if the client watches too many rooms to watch this one; an empty id is that of a new room."""
        subscriber = client.subscriber
        watched = subscriber.rooms | subscriber.joining.keys()
        if room_id not in watched and len(watched) >= self.settings.rooms_per_connection:
            client.monitor.limit("rooms_per_connection", client.who, "refused to show another room")
            raise Problem(WATCHES_TOO_MANY, rooms=counted(len(subscriber.rooms), "room"))

    def when_watched(self, client: Client, request: R, handle: Callable[[Client, R], Handling]) -> Handling:
        """Handle a request about a room after the client's own ``watch`` of it, which may still be under way.

        ``handle`` is called in the client's order; what it returns is awaited afterwards.
        """
        if request.room in client.subscriber.rooms:
            return handle(client, request)
        handled: asyncio.Future[Handling] = asyncio.get_running_loop().create_future()
        # Nobody waits for it if the client disconnects first; asyncio would log the exception.
        handled.add_done_callback(lambda done: done.cancelled() or done.exception())

        def handle_now() -> None:
            if handled.cancelled():
                return
            try:
                handled.set_result(handle(client, request))
            except Problem as problem:
                handled.set_exception(problem)

        self.host.after(request.room, handle_now)
        return _carry_on(handled)

    def check_page(self, client: Client) -> None:
        """Raise a problem if the client's address has requested too much that takes several reads of the journal."""
        self.costs.check_reader(client)
        self.pages.take(client.address, client.who, TOO_MANY_PAGES)

    @property
    def loops(self) -> list[Loop]:
        """All that runs for as long as the server does."""
        return [loop for feature in self.features for loop in feature.loops]

    def left(self, client: Client, room_id: str) -> None:
        """The client no longer watches the room, as it wished."""
        for feature in self.features:
            if feature.on_left is not None:
                feature.on_left(client, room_id)
        self.views.unwatch(client.subscriber, room_id)

    def gone(self, client: Client) -> None:
        """The connection of ``client`` has ended: nobody waits for its answers any more, and it watches nothing."""
        for feature in self.features:
            if feature.on_client_gone is not None:
                feature.on_client_gone(client)
        if client.identified:
            self.costs.settle(client)
        for room_id in list(client.subscriber.rooms):
            self.views.unwatch(client.subscriber, room_id)

    def drain(self) -> None:
        """Take no more work."""
        self.presence.close()
        for feature in self.features:
            if feature.drain is not None:
                feature.drain()

    async def close(self) -> None:
        """Finish what is under way, or give it up; call it after :meth:`drain`."""
        for feature in self.features:
            if feature.close is not None:
                await feature.close()
        await self.computer.searches.close()
        await self.tasks.close()
        await self.host.close()

    def _forget_names(self, players: frozenset[str]) -> bool:
        """Show the rooms in memory without the names of these players. False if some cannot be changed just now."""
        changed, left = self.host.forget_names(players)
        for room in changed:
            for subscriber in self.subscribers.of(room.id):
                if subscriber.connected:
                    self.views.show(subscriber, room)
        return not left

    def _on_hint(self, hint: Hint) -> None:
        for on_hint in self._hints.get(type(hint), ()):
            on_hint(hint)

    def _ping(self, client: Client, request: requests.Ping) -> None:
        """Answer with the server's time."""
        client.send(answer("pong", request.id, {"now": timestamp(self.host.journal.now())}))


async def _carry_on(handled: Awaitable[Handling]) -> None:
    if (work := await handled) is not None:
        await work
