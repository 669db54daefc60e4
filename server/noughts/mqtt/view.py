"""The public view: public rooms published by MQTT, for dashboards and devices. See docs/mqtt.md.

One node of the cluster, the leader, publishes it, for all rooms together and a few times a second: what changed in a
room of its own from memory, and everything else from the journal. The journal says what should be published and the
broker says what is; updates and hints only make it faster. So a node may stop or take over at any time, and a broker
may lose or invent anything.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar, get_args

from pydantic_core import from_json, to_json

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

MAX_SHOWN = 10_000
"""The number of rooms shown at once."""

LISTED = 100
"""The number of rooms the lobby lists."""

MAX_NOTES = 50_000
"""Of how many rooms the view remembers what it published, or that they are hidden."""

AT_ONCE = 20
"""The number of rooms published before other tasks get a turn."""

_STATE = "rooms/{}/state"
_EVENTS = "rooms/{}/events"
_LOBBY = "lobby"


def feature(server: Server, link: Link, bus: MqttBus) -> Feature:
    """The public rooms, for everybody who may read the broker's topics."""
    view = PublicView(server.host, link, server.timing)
    bus.on_appended = view.on_appended
    link.on_connect.append(view.on_connect)
    link.on_disconnect.append(view.on_disconnect)
    return Feature(updates=dict.fromkeys(get_args(Event), view.on_update), loops=(view.run,))


class PublicView:
    """Publishes the public rooms of ``host``'s journal over ``link``, while this node leads.

    The owner calls ``on_update``; ``on_appended`` with each room that another node changed; and ``on_connect`` and
    ``on_disconnect`` when the link comes up and goes down.
    """

    def __init__(self, host: Host, link: Link, timing: Timing = Timing()) -> None:
        self._journal = host.journal
        self._link = link
        self._publish_s, self._interval_s = timing.view_publish_s, timing.view_interval_s
        self._linger_ms = timing.view_linger_s * 1000
        self._retained = RetainedTopics(link, {_STATE.format("+"): "+/+/state", _LOBBY: None}, self._on_found, timing)
        self._leading = False
        self._tried = False
        self._shown: dict[str, Room] = {}
        self._published: OrderedDict[str, int] = OrderedDict()
        self._hidden: OrderedDict[str, None] = OrderedDict()
        self._due: dict[str, list[RoomUpdate]] = {}
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Publish for ever."""
        time = asyncio.get_running_loop().time
        compare_at = time()
        while True:
            began = time()
            try:
                if began >= compare_at:
                    compare_at = began + self._interval_s
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
                    async with asyncio.timeout_at(compare_at):
                        await self._wake.wait()

    def on_update(self, update: RoomUpdate) -> None:
        """A room in this node's memory changed."""
        if self._leading and not update.room.options.private:
            updates = self._mark(update.room.id)
            if len(updates) < REPLAY_LIMIT:  # beyond, there is a gap, so the rest is read from the journal
                updates.append(update)

    def on_appended(self, room_id: str) -> None:
        """Another node changed a room, which may be private."""
        if self._leading:
            self._mark(room_id)

    def on_connect(self) -> None:
        """Learn afresh what the broker retains."""
        self._tried = False
        self._retained.on_connect()

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
            self._retained.open()
        elif not leading:
            self._stop()

    def _stop(self) -> None:
        if self._leading:
            log.info("this node no longer publishes the public view")
            self._leading = False
            self._retained.close()
            for kept in (self._shown, self._published, self._hidden, self._due):
                kept.clear()

    def _mark(self, room_id: str) -> list[RoomUpdate]:
        """Note that the room changed. The updates that are to be published of it, to which the caller may add."""
        updates = self._due.get(room_id)
        if updates is None:
            updates = []
            if self._link.connected and len(self._due) < MAX_NOTES and self._may_show(room_id):
                self._due[room_id] = updates
                self._wake.set()
        return updates

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

    async def _compare(self) -> None:
        """Find the rooms whose published state is wrong, and publish the lobby."""
        public = await self._journal.index.public(MAX_SHOWN)
        if len(public) == MAX_SHOWN:  # there are more, and what is shown stays
            others = [
                room_id for room_id, room in self._shown.items() if room_id not in public and room.status != "over"
            ]
            public |= await self._journal.index.heads(others)
        for room_id, version in public.items():
            shown = self._shown.get(room_id)
            if (shown is None or shown.version < version) and self._may_show(room_id):
                self._due.setdefault(room_id, [])
        for room_id, room in self._shown.items():
            if room_id not in public and (room.status != "over" or not self._is_recent(room)):
                self._due.setdefault(room_id, [])
        for topic in self._retained.doubtful():
            if topic != _LOBBY:
                self._due.setdefault(_room_of(topic), [])
        rows = await self._journal.index.lobby(None, LISTED)
        self._retained.put(_LOBBY, b'{"type":"lobby","rooms":[%s]}' % b",".join(rows))

    async def _publish_due(self) -> None:
        """Publish the rooms that have changed."""
        due = list(self._due) if self._retained.settled else ()
        for number, room_id in enumerate(due, 1):
            updates = self._due.pop(room_id, None)  # None: the link or the lead was lost meanwhile
            if updates is None or not self._retained.settled:
                continue
            if not self._follows(room_id, updates):
                await self._read(room_id)
            elif room_id in self._shown or len(self._shown) < MAX_SHOWN:
                self._show(updates[-1].room, updates)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _follows(self, room_id: str, updates: Sequence[RoomUpdate]) -> bool:
        """True if the updates, from memory, continue what was published. The first update of a room always does."""
        versions = [update.room.version for update in updates]
        before = self._published.get(room_id, 0)
        return bool(versions) and versions == list(range(before + 1, before + 1 + len(versions)))

    async def _read(self, room_id: str) -> None:
        """Publish a room from the journal."""
        room = self._shown.pop(room_id, None)
        published = self._published.get(room_id)
        if room is None and len(self._shown) >= MAX_SHOWN:
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
            self._retained.ignore(_STATE.format(room_id))
            return
        if room is None or room.options.private:
            if room is not None:
                _note(self._hidden, room_id, None)
            self._retained.put(_STATE.format(room_id), b"")
            return
        if published is None:
            # Unknown. Old events were published, or nobody cares for them any more.
            published = next((u.room.version - 1 for u in updates if self._is_recent(u.room)), room.version)
        self._show(room, [update for update in updates[-REPLAY_LIMIT:] if update.room.version > published])

    def _show(self, room: Room, updates: Sequence[RoomUpdate]) -> None:
        """Publish ``updates``, and have the broker retain the state of ``room`` or clear it."""
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


def _room_of(topic: str) -> str:
    return topic.split("/")[1]


def _note(notes: OrderedDict[str, V], key: str, value: V) -> None:
    """Remember it, and forget the oldest if there are too many."""
    notes[key] = value
    notes.move_to_end(key)
    if len(notes) > MAX_NOTES:
        notes.popitem(last=False)
