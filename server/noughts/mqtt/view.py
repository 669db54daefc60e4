"""The world's view: the public rooms by MQTT, for dashboards and things. See docs/mqtt.md.

Of all nodes one shows it, the one that leads. The journal says what is to be shown, the broker what is shown; hints
only make it quick. So a node may stop or take over at any time, and a broker may lose or invent what it likes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextlib import suppress
from typing import TypeVar

from pydantic_core import from_json, to_json

from noughts.host import REPLAYED, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.mqtt.link import Link
from noughts.mqtt.retained import Shelf
from noughts.mqtt.subscriptions import Received
from noughts.projection import index_row
from noughts.protocol import UnknownRecord, from_record, snapshot
from noughts.rooms import Room, evolve

log = logging.getLogger(__name__)

V = TypeVar("V")

TICK_S = 1.0
"""How often the journal is compared with what is shown, the lobby is told, and the lead is asked for."""

LINGER_S = 60.0
"""How long a room that is over is still shown after the last that happened in it."""

SHOWN = 10_000
"""How many rooms are shown at once."""

LISTED = 100
"""How many rooms the lobby lists."""

NOTED = 50_000
"""Of how many rooms is remembered what is kept of those that are not shown."""

_STATE = "rooms/{}/state"
_EVENTS = "rooms/{}/events"
_LOBBY = "lobby"


class World:
    """Shows the public rooms of ``host``'s journal over ``link``, while this node leads."""

    def __init__(self, host: Host, link: Link) -> None:
        self._journal = host.journal
        self._link = link
        self._shelf = Shelf(link, (_STATE.format("+"), _LOBBY), self._found)
        self._leading = False
        self._rooms: dict[str, Room] = {}
        self._told: OrderedDict[str, int] = OrderedDict()
        self._hidden: OrderedDict[str, None] = OrderedDict()
        self._due: dict[str, None] = {}
        self._something = asyncio.Event()
        host.listeners.append(self._happened)
        link.on_disconnect.append(self._told.clear)  # the last that was told may not have arrived

    async def run(self) -> None:
        """Show it, for ever."""
        time = asyncio.get_running_loop().time
        tick_at = time()
        while True:
            try:
                if time() >= tick_at:
                    tick_at = time() + TICK_S
                    await self._lead()
                    if self._shelf.settled:
                        await self._compare()
                while self._due and self._shelf.settled and time() < tick_at:
                    room_id = next(iter(self._due))
                    del self._due[room_id]
                    await self._refresh(room_id)
                    await asyncio.sleep(0)
            except JournalError:
                self._stop()  # whoever can be reached may lead
            self._something.clear()
            if not (self._due and self._shelf.settled):
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(tick_at):
                        await self._something.wait()

    # --- the lead

    async def _lead(self) -> None:
        # Who cannot show anything leaves the lead to who can.
        leading = self._link.connected and await self._journal.lead()
        if leading and not self._leading:
            log.info("this node shows the world's view")
            self._leading = True
            self._link.subscribe("bus/rooms/+", self._hinted)
            self._shelf.open()
        elif not leading:
            self._stop()

    def _stop(self) -> None:
        if self._leading:
            log.info("this node shows the world's view no more")
            self._leading = False
            self._link.unsubscribe("bus/rooms/+")
            self._shelf.close()
            for kept in (self._rooms, self._told, self._hidden, self._due):
                kept.clear()

    # --- what may have changed

    def _happened(self, happening: RoomUpdate) -> None:
        if self._leading and not happening.room.options.private:
            self._hint(happening.room.id)

    def _hinted(self, received: Received) -> None:
        """A node tells the others of a room. Only which one it is counts here, so nobody need be trusted."""
        self._hint(received.topic.rpartition("/")[2])

    def _hint(self, room_id: str) -> None:
        if self._link.connected and len(self._due) < NOTED and room_id not in self._hidden:
            self._due[room_id] = None
            self._something.set()

    def _found(self, topic: str, payload: bytes) -> None:
        """The broker retains this: what came after it may not have been told."""
        try:
            version = from_json(payload)["version"] if payload and topic != _LOBBY else None
        except (ValueError, TypeError, KeyError):
            version = None
        if isinstance(version, int):
            _note(self._told, _room_of(topic), version)

    async def _compare(self) -> None:
        """Find the rooms whose state is not what it should be, and tell the lobby."""
        public = await self._journal.public()
        for room_id, version in public.items():
            shown = self._rooms.get(room_id)
            if (shown is None or shown.version < version) and room_id not in self._hidden:
                self._due[room_id] = None
        for room_id, room in self._rooms.items():
            if room_id not in public and (room.status != "over" or not self._is_recent(room)):
                self._due[room_id] = None
        for topic in self._shelf.doubtful():
            if topic != _LOBBY:
                self._due[_room_of(topic)] = None
        rows = await self._journal.lobby(None, LISTED)
        self._shelf.put(_LOBBY, b'{"type":"lobby","rooms":[%s]}' % b",".join(rows))

    # --- one room

    async def _refresh(self, room_id: str) -> None:
        """Tell what has not been told of a room, and have the broker retain what it should."""
        topic = _STATE.format(room_id)
        room = self._rooms.pop(room_id, None)
        told = self._told.get(room_id)
        if room is None and len(self._rooms) >= SHOWN:
            return
        if room is not None and (told is None or told < room.version):
            room = None  # something was lost on the way: from the beginning
        happenings = []
        records = await self._journal.read(room_id, room.version if room else 0)
        try:
            for record in records:
                event = from_record(record)
                room = evolve(room, event)
                happenings.append(RoomUpdate(event, room))
        except Exception as error:
            known = isinstance(error, UnknownRecord)  # what a newer node has written
            log.warning("room %s cannot be shown here: %s", room_id, error, exc_info=None if known else error)
            _note(self._hidden, room_id, None)
            self._shelf.leave(topic)
            return
        if room is None or room.options.private:
            if room is not None:
                _note(self._hidden, room_id, None)
            self._shelf.put(topic, b"")
            return
        if told is None:
            # Nobody knows what was told. What is old has been told, or is of no interest any more.
            told = next((h.room.version - 1 for h in happenings if self._is_recent(h.room)), room.version)
        for happening in happenings[-REPLAYED:]:
            if happening.room.version > told:
                self._link.publish(_EVENTS.format(room_id), happening.data)
        _note(self._told, room_id, room.version)
        if self._is_recent(room) if room.status == "over" else index_row(room).public:
            self._rooms[room_id] = room
            self._shelf.put(topic, _state(room))
        else:
            self._shelf.put(topic, b"")

    def _is_recent(self, room: Room) -> bool:
        return room.at > self._journal.now() - LINGER_S * 1000


def _state(room: Room) -> bytes:
    """The ``room`` message without what is of the moment: made of journaled facts alone, the same on every node."""
    return to_json({key: part for key, part in snapshot(room, 0, 0).items() if key not in ("now", "presence")})


def _room_of(topic: str) -> str:
    return topic.split("/")[1]


def _note(notes: OrderedDict[str, V], key: str, value: V) -> None:
    """Remember it, at the price of the oldest."""
    notes[key] = value
    notes.move_to_end(key)
    if len(notes) > NOTED:
        notes.popitem(last=False)
