"""The number of spectators of each room, on all nodes together. Sent when it changes, stored nowhere."""

from __future__ import annotations

import asyncio

from noughts.bus import Hint, Watching
from noughts.gateway.subscribers import Subscribers
from noughts.host import Host
from noughts.rooms import Room
from noughts.timing import Timing

LASTS = 3
"""After how many repeat intervals without news the count of another node lapses."""

STEPS = 10
"""The rooms are gone through in so many steps per repeat interval."""

AT_ONCE = 20
"""The number of rooms of a step that are done before other tasks get a turn."""


class _Counts:
    """The spectators of a room that somebody watches on this node.

    ``elsewhere`` has the number on each other node, and until when it counts. ``said`` is the number here that the
    other nodes know, None before they were asked. ``timer`` is set while a change waits because one was sent just now;
    the next may be sent at ``not_before``.
    """

    __slots__ = ("elsewhere", "not_before", "said", "timer")

    def __init__(self) -> None:
        self.elsewhere: dict[str, tuple[int, float]] = {}
        self.said: int | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.not_before = 0.0

    def sum_elsewhere(self) -> int:
        return sum([count for count, _ in self.elsewhere.values()]) if self.elsewhere else 0


class Spectators:
    """Counts spectators. A move costs nothing here.

    A node that begins to watch a room asks the others for their numbers. Each node tells the others when its own number
    changes, and repeats it every ``timing.spectators_repeat_s``, because hints may be lost.
    """

    def __init__(self, host: Host, subscribers: Subscribers, timing: Timing) -> None:
        self._host = host
        self._subscribers = subscribers
        self._timing = timing
        self._rooms: dict[str, _Counts] = {}
        self._changed: dict[str, _Counts] = {}
        self._time = asyncio.get_running_loop().time

    def count(self, room: Room) -> int:
        """The number of spectators of ``room``, as far as is known here."""
        counts, here = self._rooms.get(room.id), self._subscribers.spectators(room)
        return here if counts is None else here + counts.sum_elsewhere()

    def on_hint(self, hint: Hint) -> None:
        """Take the number of another node, and answer with ours if it asks."""
        counts = self._rooms.get(hint.room) if isinstance(hint, Watching) else None
        if counts is None or not isinstance(hint, Watching):
            return
        before, _ = counts.elsewhere.get(hint.node, (0, 0.0))
        counts.elsewhere[hint.node] = (hint.count, self._time() + LASTS * self._timing.spectators_repeat_s)
        if hint.count != before:
            self._schedule(hint.room, counts)
        if hint.asks and counts.said:
            self._host.bus.send(Watching(hint.room, self._host.bus.node, counts.said, asks=False))

    async def run(self) -> None:
        """Repeat the numbers of this node, and drop those of nodes that fell silent, for ever."""
        while True:
            rooms = list(self._rooms)
            for step in range(STEPS):
                await asyncio.sleep(self._timing.spectators_repeat_s / STEPS)
                for number, room_id in enumerate(rooms[step::STEPS]):
                    if number % AT_ONCE == 0:
                        await asyncio.sleep(0)
                    if counts := self._rooms.get(room_id):
                        self._repeat(room_id, counts)

    def _repeat(self, room_id: str, counts: _Counts) -> None:
        for node in [node for node, (_, until) in counts.elsewhere.items() if until < self._time()]:
            del counts.elsewhere[node]
            self._schedule(room_id, counts)
        if counts.said and self._host.bus.connected:
            self._host.bus.send(Watching(room_id, self._host.bus.node, counts.said, asks=False))

    def on_change(self, room_id: str) -> None:
        """Somebody here began or stopped to watch the room, or took a seat."""
        counts = self._rooms.get(room_id)
        if not self._subscribers.is_watched(room_id):
            if counts is not None:
                self._forget(room_id, counts)
            return
        if counts is None:
            counts = self._rooms[room_id] = _Counts()
        self._schedule(room_id, counts)

    def _forget(self, room_id: str, counts: _Counts) -> None:
        del self._rooms[room_id]
        self._changed.pop(room_id, None)
        if counts.timer is not None:
            counts.timer.cancel()
        if counts.said:
            self._host.bus.send(Watching(room_id, self._host.bus.node, 0, asks=False))

    def on_node_left(self, node: str) -> None:
        for room_id, counts in self._rooms.items():
            if counts.elsewhere.pop(node, None):
                self._schedule(room_id, counts)

    def _schedule(self, room_id: str, counts: _Counts) -> None:
        """Send the number soon: after the current event, or later if one was sent just now."""
        if counts.timer is not None:
            return
        if counts.not_before and counts.not_before > self._time():
            loop = asyncio.get_running_loop()
            counts.timer = loop.call_at(counts.not_before, self._send, room_id, counts)
            return
        if not self._changed:
            asyncio.get_running_loop().call_soon(self._send_changed)
        self._changed[room_id] = counts

    def _send_changed(self) -> None:
        changed, self._changed = self._changed, {}
        for room_id, counts in changed.items():
            self._send(room_id, counts)

    def _send(self, room_id: str, counts: _Counts) -> None:
        counts.timer = None
        room = self._host.room(room_id)
        if room is None:  # it could not be loaded, and its subscribers are sent away
            return
        here, before = self._subscribers.spectators(room), counts.said
        counts.said = here
        if here != before:
            self._host.bus.send(Watching(room_id, self._host.bus.node, here, asks=before is None))
        sent = self._subscribers.send_spectators(room_id, here + counts.sum_elsewhere())
        if sent or before not in (None, here):
            counts.not_before = self._time() + self._timing.spectators_s
