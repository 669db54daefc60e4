"""Who watches which room, what they are sent, and what happens to slow readers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from pydantic_core import to_json
from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection

from noughts.gateway.client import Subscriber
from noughts.host import RoomUpdate
from noughts.rooms import Joined, Room
from noughts.timing import Timing

UNKNOWN = -1


class Subscribers:
    """The subscribers of each room.

    ``soft`` and ``hard`` are bytes unsent. Past the first, a subscriber gets no more updates and, once it has caught
    up, the whole room by ``resend``; past the second, or when it takes too long, its connection is cut. ``on_change``
    is called with each room whose number of spectators may have changed.
    """

    def __init__(self, soft: int, hard: int, timing: Timing) -> None:
        self.resend: Callable[[Subscriber, str], None] = lambda _subscriber, _room: None
        self.on_change: Callable[[str], None] = lambda _room: None
        self._soft = soft
        self._hard = hard
        self._timing = timing
        # For each subscriber, the number of spectators that it was last sent.
        self._rooms: dict[str, dict[Subscriber, int]] = {}
        self._players: Counter[tuple[str, str]] = Counter()

    def add(self, room_id: str, subscriber: Subscriber) -> None:
        """``subscriber`` watches the room from now on. Adding it twice changes nothing."""
        members = self._rooms.setdefault(room_id, {})
        subscriber.behind.discard(room_id)
        if subscriber not in members:
            members[subscriber] = UNKNOWN
            subscriber.rooms.add(room_id)
            self._players[room_id, subscriber.player.id] += 1
            self.on_change(room_id)

    def remove(self, room_id: str, subscriber: Subscriber) -> bool:
        """``subscriber`` no longer watches the room. True if it did."""
        members = self._rooms.get(room_id, {})
        if subscriber not in members:
            return False
        del members[subscriber]
        subscriber.rooms.discard(room_id)
        subscriber.behind.discard(room_id)
        if not members:
            del self._rooms[room_id]
        key = (room_id, subscriber.player.id)
        self._players[key] -= 1
        if not self._players[key]:
            del self._players[key]
        self.on_change(room_id)
        return True

    def is_watched(self, room_id: str) -> bool:
        """Whether anybody watches the room."""
        return room_id in self._rooms

    def of(self, room_id: str) -> list[Subscriber]:
        """Everybody who watches the room."""
        return list(self._rooms.get(room_id, ()))

    def connections_of(self, player: str, room_id: str) -> int:
        """How many subscribers of the room are this player."""
        return self._players[room_id, player]

    def spectators(self, room: Room) -> int:
        """How many subscribers of the room have no seat, on this node."""
        seated = sum(self._players[room.id, player] for player in _seated(room))
        return len(self._rooms.get(room.id, ())) - seated

    def on_update(self, update: RoomUpdate) -> None:
        """Send the update to everybody who watches its room and keeps up."""
        room_id, soft = update.room.id, self._soft
        joined = update.event.player.id if isinstance(update.event, Joined) else None
        ready: list[ServerConnection] = []
        for subscriber in self._rooms.get(room_id, ()):
            connection = subscriber.connection
            if connection is None:
                continue
            # A client that joins gets the whole room after its answer instead.
            joins = joined is not None and joined == subscriber.player.id and room_id in subscriber.joining
            if joins or subscriber.behind or subscriber.unsent_bytes() > soft:
                self._hold_back(subscriber, room_id)
            else:
                ready.append(connection)
        if ready:
            broadcast(ready, update.data, text=True)
        if joined is not None:
            self.on_change(room_id)

    def spectators_sent(self, room_id: str, subscriber: Subscriber, count: int) -> None:
        """Note that ``subscriber`` was sent this number of spectators."""
        members = self._rooms.get(room_id, {})
        if subscriber in members:
            members[subscriber] = count

    def send_spectators(self, room_id: str, count: int) -> bool:
        """Send the number of spectators to every subscriber that knows a different one; False if there is none."""
        members = self._rooms.get(room_id, {})
        ready = []
        for subscriber, known in members.items():
            if known == count or subscriber.connection is None:
                continue
            if self._is_slow(subscriber):
                self._hold_back(subscriber, room_id)
            else:
                members[subscriber] = count
                ready.append(subscriber.connection)
        if ready:
            broadcast(ready, to_json({"type": "spectators", "room": room_id, "count": count}), text=True)
        return bool(ready)

    def send_to_side(self, room: Room, message: bytes, *, players: bool) -> None:
        """Send ``message`` to the players or to the spectators. Slow readers miss it."""
        seated = _seated(room)
        ready = [
            subscriber.connection
            for subscriber in self._rooms.get(room.id, ())
            if (subscriber.player.id in seated) is players
            and subscriber.connection is not None
            and not self._is_slow(subscriber)
        ]
        broadcast(ready, message, text=True)

    def _is_slow(self, subscriber: Subscriber) -> bool:
        return bool(subscriber.behind) or subscriber.unsent_bytes() > self._soft

    def _hold_back(self, subscriber: Subscriber, room_id: str) -> None:
        if not subscriber.behind:
            loop = asyncio.get_running_loop()
            give_up_at = loop.time() + self._timing.slow_reader_s
            loop.call_later(self._timing.slow_reader_poll_s, self._check, subscriber, give_up_at)
        subscriber.behind.add(room_id)

    def _check(self, subscriber: Subscriber, give_up_at: float) -> None:
        """See whether a slow reader has caught up."""
        if not subscriber.open:
            return
        loop = asyncio.get_running_loop()
        unsent = subscriber.unsent_bytes()
        if unsent > self._hard or loop.time() > give_up_at:
            subscriber.cut()
            return
        if unsent <= self._soft // 4:
            # A room stays held back until it is sent whole: an update before that would leave a gap.
            for room_id in sorted(subscriber.behind):
                self.resend(subscriber, room_id)
        if subscriber.behind:
            loop.call_later(self._timing.slow_reader_poll_s, self._check, subscriber, give_up_at)


def _seated(room: Room) -> set[str]:
    return {seat.id for seat in (room.first, room.second) if seat is not None}
