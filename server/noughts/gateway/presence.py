"""Notes who of a room's players is there: a seat without any connection for some seconds counts as left."""

from __future__ import annotations

import asyncio

from noughts.games import Side
from noughts.gateway.audience import Audience
from noughts.host import Happening, Host
from noughts.rooms import Disconnect, Disconnected, Joined, Opened, Return, Room


class Presence:
    """Turns the coming and going of connections into events of the room."""

    def __init__(self, host: Host, audience: Audience, away_s: float) -> None:
        self._host = host
        self._audience = audience
        self._away_s = away_s
        self._timers: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._closed = False

    def arrived(self, room: Room, player: str) -> None:
        """A connection of ``player`` looks at ``room``."""
        timer = self._timers.pop((room.id, player), None)
        if timer is not None:
            timer.cancel()
        side = room.side_of(player)
        if side is not None and side in room.away:
            self._host.submit(room.id, Return(player))

    def left(self, room: Room, player: str) -> None:
        """A connection of ``player`` looks at ``room`` no more."""
        key = (room.id, player)
        if self._closed or key in self._timers or room.next is not None or room.side_of(player) is None:
            return
        if not self._audience.connections_of(player, room.id):
            loop = asyncio.get_running_loop()
            self._timers[key] = loop.call_later(self._away_s, self._note, room, player)

    def tell(self, happening: Happening) -> None:
        """See to those who were gone before they had their seat, or came back while they were noted as gone."""
        room = happening.room
        match happening.event:
            case Opened() | Joined():
                self.found(room)
            case Disconnected(side=side):
                seat = room.seat(side)
                if seat is not None and self._audience.connections_of(seat.id, room.id):
                    self._host.submit(room.id, Return(seat.id))

    def found(self, room: Room) -> None:
        """The room came to be or was loaded: those who do not look at it will count as left."""
        for side in Side:
            seat = room.seat(side)
            if room.status != "over" and seat is not None and seat.kind != "computer" and side not in room.away:
                self.left(room, seat.id)

    def close(self) -> None:
        """Count nobody as left any more: a stopping server is nobody's leaving."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _note(self, room: Room, player: str) -> None:
        del self._timers[room.id, player]
        # After the end it matters to those alone who are still there, for whom a rematch may be offered in vain.
        matters = room.status != "over" or self._audience.watches(room.id)
        if matters and not self._audience.connections_of(player, room.id):
            self._host.submit(room.id, Disconnect(player))
