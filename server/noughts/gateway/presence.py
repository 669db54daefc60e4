"""Which players of a room are connected. A player without a connection for some seconds counts as gone."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from noughts.bus import Hint, Missing, Present
from noughts.games import Side
from noughts.gateway.client import Result
from noughts.gateway.subscribers import Subscribers
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.rooms import Disconnect, Disconnected, Joined, Opened, Return, Room
from noughts.timing import Timing

log = logging.getLogger(__name__)


class Presence:
    """Turns the coming and going of connections into events of the room.

    A player may be connected to several nodes, so the others are asked before a player counts as gone. If they cannot
    be asked, a node that has the player says so afterwards. ``away_s`` is how long a player may be without a
    connection.
    """

    def __init__(self, host: Host, subscribers: Subscribers, away_s: float, timing: Timing) -> None:
        self._host = host
        self._subscribers = subscribers
        self._away_s = away_s
        self._timing = timing
        self._timers: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._asked: set[tuple[str, str]] = set()
        self._closed = False
        self._check_all = True

    def arrived(self, room: Room, player: str) -> None:
        """A connection of ``player`` watches ``room``."""
        self._stop_timer(room.id, player)
        side = room.side_of(player)
        if side is not None and side in room.away:
            self._host.submit(room.id, Return(player))

    def left(self, room: Room, player: str) -> None:
        """A connection of ``player`` no longer watches ``room``."""
        if room.next is None and room.side_of(player) is not None:
            self._start_timer(room, player, ask_twice=False)

    def on_update(self, update: RoomUpdate) -> None:
        """Note players who left before they had their seat, or came back just as they were noted as gone."""
        room = update.room
        match update.event:
            case Opened() | Joined() if update.ours:
                self._watch_seats(room, ask_twice=False)
            case Disconnected(side=side):
                seat = room.seat(side)
                if seat is not None and self._subscribers.connections_of(seat.id, room.id):
                    self._host.submit(room.id, Return(seat.id))

    def on_hint(self, hint: Hint) -> None:
        """Another node asks for a player, or has one."""
        match hint:
            case Missing(room=room, player=player, node=node):
                if self._subscribers.connections_of(player, room):
                    self._host.bus.send(Present(room, player, node))
            case Present(room=room, player=player) if (room, player) in self._asked:
                self._stop_timer(room, player)

    async def run(self) -> None:
        """Note the players whose node has died or was restarted, for ever. The leading node does it for all."""
        while True:
            with suppress(JournalError):
                # A node that cannot ask the others leaves the lead to one that can.
                if not self._host.bus.connected or not await self._host.journal.lead():
                    self._check_all = True
                elif self._check_all:
                    self._check_all = False
                    await self._check_rooms()
            await asyncio.sleep(self._timing.lead_s)

    def close(self) -> None:
        """Count nobody as gone any more: the server stops, not the players."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def on_node_left(self, _node: str) -> None:
        """Its players may be gone."""
        self._check_all = True

    async def _check_rooms(self) -> None:
        """See whether the players who count as connected are. What fails is done again later."""
        try:
            for room_id in await self._host.journal.attended():
                await self._check_room(room_id)
        except JournalError:
            self._check_all = True

    async def _check_room(self, room_id: str) -> None:
        done = asyncio.Event()

        def reply(result: Result) -> None:
            done.set()
            if isinstance(result, Done):
                self._watch_seats(result.room, ask_twice=self._host.journal.shared)
            elif isinstance(result, Failed) and result.code == "overloaded":
                self._check_all = True

        self._host.submit(room_id, None, reply)
        await done.wait()

    def _watch_seats(self, room: Room, *, ask_twice: bool) -> None:
        """Start the timers of players who do not watch the room."""
        for side in Side:
            seat = room.seat(side)
            if room.status != "over" and seat is not None and seat.kind != "computer" and side not in room.away:
                self._start_timer(room, seat.id, ask_twice=ask_twice)

    def _start_timer(self, room: Room, player: str, *, ask_twice: bool) -> None:
        key = (room.id, player)
        if self._closed or key in self._timers or self._subscribers.connections_of(player, room.id):
            return
        loop = asyncio.get_running_loop()
        self._timers[key] = loop.call_later(
            max(0, self._away_s - self._timing.presence_answer_s), self._ask, room, player, ask_twice
        )

    def _stop_timer(self, room_id: str, player: str) -> None:
        self._asked.discard((room_id, player))
        timer = self._timers.pop((room_id, player), None)
        if timer is not None:
            timer.cancel()

    def _ask(self, room: Room, player: str, ask_twice: bool) -> None:
        self._asked.add((room.id, player))
        self._host.bus.send(Missing(room.id, player, self._host.bus.node))
        loop = asyncio.get_running_loop()
        key = (room.id, player)
        if ask_twice:
            # The link to the broker may be dead without anybody having noticed.
            self._timers[key] = loop.call_later(self._timing.broker_silence_s, self._ask_again, room, player)
        else:
            self._timers[key] = loop.call_later(
                min(self._away_s, self._timing.presence_answer_s), self._note, room, player
            )

    def _ask_again(self, room: Room, player: str) -> None:
        if self._host.bus.connected:
            self._ask(room, player, ask_twice=False)
        else:
            self._stop_timer(room.id, player)
            self._check_all = True

    def _note(self, room: Room, player: str) -> None:
        self._stop_timer(room.id, player)
        # After the end it matters only to those who still watch: they may offer a rematch in vain.
        matters = room.status != "over" or self._subscribers.is_watched(room.id)
        if matters and not self._subscribers.connections_of(player, room.id):
            self._host.submit(room.id, Disconnect(player))
