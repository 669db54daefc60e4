"""Who is told what happens in a room, and what becomes of those who read too slowly."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from pydantic_core import to_json
from websockets.asyncio.connection import broadcast

from noughts.host import RoomUpdate
from noughts.journal import StoredPlayer
from noughts.rooms import Joined, Room

if TYPE_CHECKING:
    from noughts.gateway.session import Session

POLL_S = 0.1
"""How often a slow reader is looked at."""

PATIENCE_S = 30.0
"""How long a reader may stay over the limit before it is cut off."""

UNTOLD = -1


class Device(Protocol):
    """A player who sends commands by MQTT."""

    player: StoredPlayer
    rooms: set[str]
    until: dict[str, float]


class Audience:
    """The sessions that look at each room, and the devices, which count as looking and are sent nothing.

    ``soft`` and ``hard`` are bytes unsent: past the first a session gets no more updates and, once it has
    drained, the newest ``room``; past the second its connection is cut. ``resend`` sends that ``room``.
    ``changed`` is told of a room at which somebody looks from now on, or no more, or in which somebody took a seat.
    """

    def __init__(self, soft: int, hard: int, resend: Callable[[Session, str], None]) -> None:
        self.soft = soft
        self.hard = hard
        self.resend = resend
        self.changed: Callable[[str], None] = lambda _: None
        # To each session, how many spectators of the room it has been told of.
        self._rooms: dict[str, dict[Session, int]] = {}
        self._devices: dict[str, dict[Device, None]] = {}
        self._players: Counter[tuple[str, str]] = Counter()

    def add(self, room_id: str, session: Session) -> None:
        """``session`` looks at the room from now on; doing so twice changes nothing."""
        members = self._rooms.setdefault(room_id, {})
        if session not in members:
            members[session] = UNTOLD
            session.rooms.add(room_id)
            self._players[room_id, session.player.id] += 1
            self.changed(room_id)

    def add_device(self, room_id: str, device: Device) -> None:
        """``device`` counts as looking at the room from now on; doing so twice changes nothing."""
        devices = self._devices.setdefault(room_id, {})
        if device not in devices:
            devices[device] = None
            device.rooms.add(room_id)
            self._players[room_id, device.player.id] += 1
            self.changed(room_id)

    def remove(self, room_id: str, session: Session) -> bool:
        """``session`` looks at the room no more. True when it did so until now."""
        members = self._rooms.get(room_id, {})
        if session not in members:
            return False
        del members[session]
        session.rooms.discard(room_id)
        session.behind.discard(room_id)
        if not members:
            del self._rooms[room_id]
        self._uncount(room_id, session.player.id)
        return True

    def remove_device(self, room_id: str, device: Device) -> bool:
        """``device`` looks at the room no more. True when it did so until now."""
        devices = self._devices.get(room_id, {})
        if device not in devices:
            return False
        del devices[device]
        device.rooms.discard(room_id)
        if not devices:
            del self._devices[room_id]
        self._uncount(room_id, device.player.id)
        return True

    def _uncount(self, room_id: str, player: str) -> None:
        key = (room_id, player)
        self._players[key] -= 1
        if not self._players[key]:
            del self._players[key]
        self.changed(room_id)

    def watches(self, room_id: str) -> bool:
        """Whether anybody looks at the room."""
        return room_id in self._rooms or room_id in self._devices

    def connections_of(self, player: str, room_id: str) -> int:
        """How many of a player's connections look at the room."""
        return self._players[room_id, player]

    def spectators(self, room: Room) -> int:
        """How many connections to this node look at the room without a seat."""
        seated = {seat.id for seat in (room.first, room.second) if seat is not None}
        looking = len(self._rooms.get(room.id, ())) + len(self._devices.get(room.id, ()))
        return looking - sum(self._players[room.id, player] for player in seated)

    def members(self, room_id: str) -> list[Session]:
        """The sessions that look at the room."""
        return list(self._rooms.get(room_id, ()))

    def devices(self, room_id: str) -> list[Device]:
        """The devices that look at the room."""
        return list(self._devices.get(room_id, ()))

    def tell(self, happening: RoomUpdate) -> None:
        """Send the update to everybody who looks at its room and keeps up."""
        soft = self.soft
        ready = []
        joined = happening.event.player.id if isinstance(happening.event, Joined) else None
        for session in self._rooms.get(happening.room.id, ()):
            if joined is not None and joined == session.player.id and happening.room.id in session.joining:
                # Who joins gets the room with its own joining in it instead, after its answer.
                self._hold(session, happening.room.id)
            elif session.behind or session.transport.get_write_buffer_size() > soft:
                self._hold(session, happening.room.id)
            else:
                ready.append(session.connection)
        if ready:
            broadcast(ready, happening.data, text=True)
        if joined is not None:
            self.changed(happening.room.id)

    def knows(self, room_id: str, session: Session, spectators: int) -> None:
        """``session`` was told that so many watch the room."""
        members = self._rooms.get(room_id, {})
        if session in members:
            members[session] = spectators

    def tell_spectators(self, room_id: str, count: int) -> bool:
        """Tell all who do not know it yet that so many watch the room; whether there was anybody to tell."""
        members = self._rooms.get(room_id, {})
        ready = []
        for session, known in members.items():
            if known == count:
                continue
            if self._is_slow(session):
                self._hold(session, room_id)
            else:
                members[session] = count
                ready.append(session.connection)
        if ready:
            broadcast(ready, to_json({"type": "spectators", "room": room_id, "count": count}), text=True)
        return bool(ready)

    def tell_side(self, room: Room, message: bytes, *, players: bool) -> None:
        """Tell those who have a seat, or those who have none, what nobody needs to hear who is behind."""
        seated = {seat.id for seat in (room.first, room.second) if seat is not None}
        ready = [
            session.connection
            for session in self._rooms.get(room.id, ())
            if (session.player.id in seated) is players and not self._is_slow(session)
        ]
        broadcast(ready, message, text=True)

    def _is_slow(self, session: Session) -> bool:
        return bool(session.behind) or session.transport.get_write_buffer_size() > self.soft

    def _hold(self, session: Session, room_id: str) -> None:
        if not session.behind:
            loop = asyncio.get_running_loop()
            loop.call_later(POLL_S, self._look_again, session, loop.time() + PATIENCE_S)
        session.behind.add(room_id)

    def _look_again(self, session: Session, until: float) -> None:
        loop = asyncio.get_running_loop()
        unsent = session.transport.get_write_buffer_size()
        if not session.open:
            return
        if unsent > self.hard or loop.time() > until:
            session.cut()
        elif unsent > self.soft // 4:
            loop.call_later(POLL_S, self._look_again, session, until)
        else:
            # Each stays behind until its ``room`` is sent: an update before it would leave a gap.
            for room_id in sorted(session.behind):
                self.resend(session, room_id)
            if session.behind:  # sending waits for the journal, and more may be held back meanwhile
                loop.call_later(POLL_S, self._look_again, session, until)
