"""The public view: public rooms published by MQTT, for dashboards and devices. See docs/mqtt.md.

One node of the cluster, the leader, publishes it, for all rooms together and a few times a second: what changed from
its memory and from the hints of other nodes, and everything else from the journal. The journal says what should be
published and the broker says what is; updates and hints only make it faster. So a node may stop or take over at any
time, and a broker may lose or invent anything. A new leader takes what the broker retains of a room for right if its
version is, and looks at it later.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeVar, get_args

from pydantic_core import from_json, to_json

from noughts.bus import Appended
from noughts.gateway.feature import Feature
from noughts.gateway.server import Server
from noughts.host import REPLAY_LIMIT, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.link import Link
from noughts.mqtt.retained import RetainedTopics
from noughts.players.ids import log_name
from noughts.projection import index_row
from noughts.protocol.records import UnknownRecord, from_record
from noughts.protocol.render import snapshot
from noughts.rooms import Event, Room, evolve
from noughts.timing import Timing

log = logging.getLogger(__name__)

V = TypeVar("V")

_Noted = RoomUpdate | Appended
"""A change of a room that is to be published: in this node's memory, or from another node."""

MAX_SHOWN = 10_000
"""The number of rooms shown at once."""

LISTED = 100
"""The number of rooms the lobby lists."""

MAX_NOTES = 50_000
"""Of how many rooms the view remembers what it published, or that they are hidden."""

AT_ONCE = 5
"""The number of rooms published before other tasks get a turn."""

ADOPTED_AT_ONCE = 500
"""The number of rooms compared by their version before other tasks get a turn."""

CHECKED_AT_ONCE = 100
"""The number of rooms that a new leader has found right by their version, and reads at each comparison."""

_STATE = "rooms/{}/state"
_EVENTS = "rooms/{}/events"
_LOBBY = "lobby"


def feature(server: Server, link: Link, bus: MqttBus) -> Feature:
    """The public rooms, for everybody who may read the broker's topics."""
    view = PublicView(server.host, link, server.timing)
    bus.on_appended = view.on_appended
    view.on_lead = lambda leads: bus.lead(leads=leads)
    bus.lead(leads=False)
    link.on_connect.append(view.on_connect)
    link.on_disconnect.append(view.on_disconnect)
    return Feature(updates=dict.fromkeys(get_args(Event), view.on_update), loops=(view.run,))


class PublicView:
    """Publishes the public rooms of ``host``'s journal over ``link``, while this node leads.

    The owner calls ``on_update``; ``on_appended`` with each event of other nodes; and ``on_connect`` and
    ``on_disconnect`` when the link comes up and goes down. ``on_lead`` is called with whether this node leads now.
    """

    def __init__(self, host: Host, link: Link, timing: Timing = Timing()) -> None:
        self._journal = host.journal
        self._link = link
        self._publish_s, self._interval_s = timing.view_publish_s, timing.view_interval_s
        self._linger_ms = timing.view_linger_s * 1000
        self._retained = RetainedTopics(link, {_STATE.format("+"): "+/+/state", _LOBBY: None}, self._on_found, timing)
        self.on_lead: Callable[[bool], None] = lambda _: None
        self._leading = False
        self._tried = False
        self._shown: dict[str, Room | None] = {}  # None: as the broker retains it
        self._found: dict[str, bytes] = {}
        self._unchecked: dict[str, None] = {}
        self._published: OrderedDict[str, int] = OrderedDict()
        self._hidden: OrderedDict[str, None] = OrderedDict()
        self._due: dict[str, list[_Noted]] = {}
        self._compare_at = 0.0
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Publish for ever."""
        time = asyncio.get_running_loop().time
        while True:
            began = time()
            try:
                if began >= self._compare_at:
                    self._compare_at = began + self._interval_s
                    await self._try_to_lead()
                    if self._retained.settled:
                        await self._compare()
                await self._publish_due()
            except JournalError:
                self._stop()  # a node that reaches the journal may lead
            await asyncio.sleep(began + min(self._publish_s, self._interval_s) - time())
            self._wake.clear()
            if not (self._due and self._retained.settled):
                with suppress(TimeoutError):
                    ready_at = self._retained.settled_at if self._due else math.inf
                    async with asyncio.timeout_at(min(self._compare_at, ready_at)):
                        await self._wake.wait()

    def on_update(self, update: RoomUpdate) -> None:
        """A room in this node's memory changed."""
        if self._leading and not update.room.options.private:
            self._mark(update.room.id, update)

    def on_appended(self, hint: Appended) -> None:
        """Another node changed a room, which may be private."""
        if self._leading and hint.version > self._version_shown(hint.room):
            self._mark(hint.room, hint)

    def on_connect(self) -> None:
        """Learn afresh what the broker retains."""
        self._tried = False
        self._retained.on_connect()
        self._compare_at = 0.0
        self._wake.set()

    def on_disconnect(self) -> None:
        """Forget what was published: the last of it may not have arrived."""
        self._retained.on_disconnect()
        self._published.clear()
        self._due = {room_id: [] for room_id in self._due}

    async def _try_to_lead(self) -> None:
        # A node without a broker leaves the lead to one that has it.
        leading = self._link.connected and await self._journal.lead()
        if leading and not self._leading:
            log.info("this node publishes the public view")
            self._leading = True
            self.on_lead(True)
            self._retained.open()
        elif not leading:
            self._stop()

    def _stop(self) -> None:
        if self._leading:
            log.info("this node no longer publishes the public view")
            self._leading = False
            self.on_lead(False)
            self._retained.close()
            for kept in (self._shown, self._found, self._unchecked, self._published, self._hidden, self._due):
                kept.clear()

    def _mark(self, room_id: str, noted: _Noted) -> None:
        """Note that the room changed, if anything of it is published."""
        due = self._due.get(room_id)
        if due is None and self._link.connected and len(self._due) < MAX_NOTES and self._may_show(room_id):
            due = self._due[room_id] = []
            self._wake.set()
        if due is not None and len(due) < REPLAY_LIMIT:  # beyond, there is a gap, so the rest is read from the journal
            due.append(noted)

    def _may_show(self, room_id: str) -> bool:
        """True if there is anything to publish of the room, as far as is known. Beyond ``MAX_SHOWN`` there is not."""
        return room_id in self._shown or (len(self._shown) < MAX_SHOWN and room_id not in self._hidden)

    def _on_found(self, topic: str, payload: bytes) -> None:
        """The broker retains this, so events up to its version were published; later ones may not have been."""
        try:
            version = from_json(payload)["version"] if payload and topic != _LOBBY else None
        except (ValueError, TypeError, KeyError):
            version = None
        if isinstance(version, int):
            _note(self._published, _room_of(topic), version)
            self._found[_room_of(topic)] = payload

    async def _compare(self) -> None:
        """Find the rooms whose published state is wrong, and publish the lobby."""
        public = await self._journal.index.public(MAX_SHOWN)
        if len(public) == MAX_SHOWN:  # there are more, and what is shown stays
            others = [
                room_id
                for room_id, room in self._shown.items()
                if room_id not in public and (room is None or room.status != "over")
            ]
            public |= await self._journal.index.heads(others)
        await self._adopt(public)
        for room_id, version in public.items():
            if self._version_shown(room_id) < version and self._may_show(room_id):
                self._due.setdefault(room_id, [])
        for room_id, room in self._shown.items():
            if room_id not in public and (room is None or room.status != "over" or not self._is_recent(room)):
                self._due.setdefault(room_id, [])
        for room_id in list(islice(self._unchecked, CHECKED_AT_ONCE)):
            del self._unchecked[room_id]
            self._due.setdefault(room_id, [])
        for topic in self._retained.doubtful():
            if topic != _LOBBY:
                self._due.setdefault(_room_of(topic), [])
        rows = await self._journal.index.lobby(None, LISTED)
        self._retained.put(_LOBBY, b'{"type":"lobby","rooms":[%s]}' % b",".join(rows))

    async def _adopt(self, public: Mapping[str, int]) -> None:
        """Take for right what the broker retains of rooms that it has in their last version."""
        found, self._found = self._found, {}
        for number, (room_id, payload) in enumerate(found.items(), 1):
            if number % ADOPTED_AT_ONCE == 0:
                await asyncio.sleep(0)
            if room_id not in self._shown and public.get(room_id, 0) == self._published.get(room_id):
                self._shown[room_id] = self._unchecked[room_id] = None
                self._retained.adopt(_STATE.format(room_id), payload)

    def _version_shown(self, room_id: str) -> int:
        room = self._shown.get(room_id)
        if room is not None:
            return room.version
        return self._published.get(room_id, 0) if room_id in self._shown else 0

    async def _publish_due(self) -> None:
        """Publish the rooms that have changed."""
        due = iter(list(self._due))
        while self._retained.settled and (some := list(islice(due, AT_ONCE))):
            ends = await asyncio.gather(*map(self._publish, some), return_exceptions=True)
            for failure in filter(None, ends):
                raise failure
            await asyncio.sleep(0)

    async def _publish(self, room_id: str) -> None:
        noted = self._due.pop(room_id, None)  # None: the link or the lead was lost meanwhile
        if noted is None:
            return
        updates, later = self._sorted(room_id, noted)
        if not updates:
            await self._read(room_id)
        elif updates[-1].room.options.private:
            _note(self._hidden, room_id, None)
        else:
            self._show(updates[-1].room, updates)
            if later:  # of two nodes, one gathers for longer
                self._due.setdefault(room_id, []).extend(later)

    def _sorted(self, room_id: str, noted: Sequence[_Noted]) -> tuple[list[RoomUpdate], list[_Noted]]:
        """Those noted that continue what was published, in order, and those that would leave a gap.

        Nothing if the room was not published from its beginning, or a record cannot be read, as the journal will tell.
        """
        updates: list[RoomUpdate] = []
        version = self._published.get(room_id, 0)
        room = self._shown.get(room_id)
        if room is not None and room.version != version:
            return [], []
        in_order = sorted(noted, key=_version_of)
        for number, one in enumerate(in_order):
            if _version_of(one) > version + 1:
                return updates, in_order[number:]
            if _version_of(one) == version + 1:
                try:
                    update = one if isinstance(one, RoomUpdate) else _update(room, one)
                except Exception:
                    return [], []
                updates.append(update)
                room, version = update.room, version + 1
        return updates, []

    async def _read(self, room_id: str) -> None:
        """Publish a room from the journal."""
        room = self._shown.get(room_id)
        published = self._published.get(room_id)
        if room_id not in self._shown and len(self._shown) >= MAX_SHOWN:
            self._retained.put(_STATE.format(room_id), b"")  # another leader may have shown it
            return
        if room is not None and (published is None or published < room.version):
            room = None  # something was lost on the way: read it from the beginning
        updates = []
        records = await self._journal.read(room_id, room.version if room else 0)
        try:
            for record in records:
                event = from_record(record)
                room = evolve(room, event)
                updates.append(RoomUpdate(event, room))
        except Exception as error:
            known = isinstance(error, UnknownRecord)  # a newer node wrote it
            name = log_name(self._journal.secret, room_id)
            log.warning("cannot publish room %s: %s", name, error, exc_info=None if known else error)
            _note(self._hidden, room_id, None)
            self._shown.pop(room_id, None)
            self._retained.ignore(_STATE.format(room_id))
            return
        if room is None or room.options.private:
            if room is not None:
                _note(self._hidden, room_id, None)
            self._shown.pop(room_id, None)
            self._retained.put(_STATE.format(room_id), b"")
            return
        if published is None:
            # Unknown. Old events were published, or nobody cares for them any more.
            published = next((u.room.version - 1 for u in updates if self._is_recent(u.room)), room.version)
        self._show(room, [update for update in updates[-REPLAY_LIMIT:] if update.room.version > published])

    def _show(self, room: Room, updates: Sequence[RoomUpdate]) -> None:
        """Publish ``updates``, and have the broker retain the state of ``room`` or clear it."""
        if room.id not in self._shown and len(self._shown) >= MAX_SHOWN:
            return
        # With QoS 0: it is lost only with the connection, and then what the broker retains says where to go on. For it
        # the broker reports no denial, so the first goes with QoS 1.
        for update in updates:
            self._link.publish(_EVENTS.format(room.id), update.data, qos=0 if self._tried else 1)
            self._tried = True
        _note(self._published, room.id, room.version)
        if self._is_recent(room) if room.status == "over" else index_row(room, b"not needed").public:
            self._shown[room.id] = room
            self._retained.put(_STATE.format(room.id), _state(room))
        else:
            self._shown.pop(room.id, None)
            self._retained.put(_STATE.format(room.id), b"")

    def _is_recent(self, room: Room) -> bool:
        return room.at > self._journal.now() - self._linger_ms


def _state(room: Room) -> bytes:
    """The ``room`` message with journaled facts only, so that every node produces the same bytes."""
    return to_json({key: part for key, part in snapshot(room, 0, 0).items() if key not in ("now", "presence")})


def _update(room: Room | None, hint: Appended) -> RoomUpdate:
    event = from_record(hint.record)
    return RoomUpdate(event, evolve(room, event))


def _version_of(noted: _Noted) -> int:
    return noted.version if isinstance(noted, Appended) else noted.room.version


def _room_of(topic: str) -> str:
    return topic.split("/")[1]


def _note(notes: OrderedDict[str, V], key: str, value: V) -> None:
    """Remember it, and forget the oldest if there are too many."""
    notes[key] = value
    notes.move_to_end(key)
    if len(notes) > MAX_NOTES:
        notes.popitem(last=False)
