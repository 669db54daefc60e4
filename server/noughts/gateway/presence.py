"""Notes who of a room's players is there: a seat without any connection for some seconds counts as left."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from noughts.bus import Hint, Missing, Present
from noughts.games import Side
from noughts.gateway.audience import Audience
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.rooms import Disconnect, Disconnected, Joined, Opened, Refused, Return, Room

log = logging.getLogger(__name__)

ANSWER_S = 1.0
"""How long the other nodes have to say that they have a connection of somebody who left this one."""

NOTICE_S = 9.0
"""How long a link to the broker may be dead before that is noticed. A player whom any other node may have is asked for
once more after that time."""

LEAD_S = 1.0
"""How often a node asks whether it leads."""


class Presence:
    """Turns the coming and going of connections into events of the room.

    A player may be connected to several nodes, so the others are asked before anybody counts as left. Where they
    cannot be asked, whoever has the player there says so afterwards.
    """

    def __init__(self, host: Host, audience: Audience, away_s: float) -> None:
        self._host = host
        self._audience = audience
        self._away_s = away_s
        self._timers: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._asked: set[tuple[str, str]] = set()
        self._closed = False
        self._look_around = True
        host.bus.listeners.append(self.hear)
        host.bus.on_node_left.append(self._node_left)

    def arrived(self, room: Room, player: str) -> None:
        """A connection of ``player`` looks at ``room``."""
        self._stop_timer(room.id, player)
        side = room.side_of(player)
        if side is not None and side in room.away:
            self._host.submit(room.id, Return(player))

    def left(self, room: Room, player: str) -> None:
        """A connection of ``player`` looks at ``room`` no more."""
        if room.next is None and room.side_of(player) is not None:
            self._start_timer(room, player, again=False)

    def tell(self, happening: RoomUpdate) -> None:
        """See to those who were gone before they had their seat, or came back while they were noted as gone."""
        room = happening.room
        match happening.event:
            case Opened() | Joined() if happening.ours:
                self._found(room, again=False)
            case Disconnected(side=side):
                seat = room.seat(side)
                if seat is not None and self._audience.connections_of(seat.id, room.id):
                    self._host.submit(room.id, Return(seat.id))

    def hear(self, message: Hint) -> None:
        """Another node asks for a player, or has one."""
        match message:
            case Missing(room=room, player=player, node=node):
                if self._audience.connections_of(player, room):
                    self._host.bus.send(Present(room, player, node))
            case Present(room=room, player=player) if (room, player) in self._asked:
                self._stop_timer(room, player)

    async def watch_over(self) -> None:
        """See to the players whose node has died, or whose server was started anew, for ever.

        One node does it for all: the one that leads.
        """
        while True:
            with suppress(JournalError):
                # Who cannot ask the others leaves the lead to who can.
                if not self._host.bus.connected or not await self._host.journal.lead():
                    self._look_around = True
                elif self._look_around:
                    self._look_around = False
                    await self._look_at_all()
            await asyncio.sleep(LEAD_S)

    def close(self) -> None:
        """Count nobody as left any more: a stopping server is nobody's leaving."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _node_left(self, _: str) -> None:
        self._look_around = True

    async def _look_at_all(self) -> None:
        """Look whether the players are there who count as being there; again later where that could not be."""
        try:
            for room_id in await self._host.journal.attended():
                await self._look_at(room_id)
        except JournalError:
            self._look_around = True

    async def _look_at(self, room_id: str) -> None:
        looked = asyncio.Event()

        def reply(result: Done | Refused | Failed) -> None:
            looked.set()
            if isinstance(result, Done):
                self._found(result.room, again=self._host.journal.shared)
            elif isinstance(result, Failed) and result.code == "overloaded":
                self._look_around = True

        self._host.submit(room_id, None, reply)
        await looked.wait()

    def _found(self, room: Room, *, again: bool) -> None:
        """Those who do not look at the room will count as left."""
        for side in Side:
            seat = room.seat(side)
            if room.status != "over" and seat is not None and seat.kind != "computer" and side not in room.away:
                self._start_timer(room, seat.id, again=again)

    def _start_timer(self, room: Room, player: str, *, again: bool) -> None:
        key = (room.id, player)
        if self._closed or key in self._timers or self._audience.connections_of(player, room.id):
            return
        loop = asyncio.get_running_loop()
        self._timers[key] = loop.call_later(max(0, self._away_s - ANSWER_S), self._ask, room, player, again)

    def _stop_timer(self, room_id: str, player: str) -> None:
        self._asked.discard((room_id, player))
        timer = self._timers.pop((room_id, player), None)
        if timer is not None:
            timer.cancel()

    def _ask(self, room: Room, player: str, again: bool) -> None:
        self._asked.add((room.id, player))
        self._host.bus.send(Missing(room.id, player, self._host.bus.node))
        loop = asyncio.get_running_loop()
        key = (room.id, player)
        if again:
            self._timers[key] = loop.call_later(NOTICE_S, self._ask_again, room, player)
        else:
            self._timers[key] = loop.call_later(min(self._away_s, ANSWER_S), self._note, room, player)

    def _ask_again(self, room: Room, player: str) -> None:
        if self._host.bus.connected:
            self._ask(room, player, again=False)
        else:
            self._stop_timer(room.id, player)
            self._look_around = True

    def _note(self, room: Room, player: str) -> None:
        self._stop_timer(room.id, player)
        # After the end it matters to those alone who are still there, for whom a rematch may be offered in vain.
        matters = room.status != "over" or self._audience.watches(room.id)
        if matters and not self._audience.connections_of(player, room.id):
            self._host.submit(room.id, Disconnect(player))
