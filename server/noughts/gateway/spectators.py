"""How many watch each room without a seat, on all nodes together. Told when it changes, kept nowhere."""

from __future__ import annotations

import asyncio

from noughts.bus import Hint, Watching
from noughts.gateway.audience import Audience
from noughts.host import Host
from noughts.rooms import Room

EVERY_S = 1.0
"""How often a change is told, at most."""

AGAIN_S = 10.0
"""How often a node tells the others of its share again: what they were told may have been lost."""

LASTS_S = 3 * AGAIN_S
"""How long a node's share counts after it was told last."""

STEPS = 10
"""In how many parts that is done, one after the other."""

AT_ONCE = 20
"""Of how many rooms before anything else has its turn."""


class _Crowd:
    """Those who watch a room that somebody here looks at.

    ``elsewhere`` is how many do on each other node, and until when that counts; ``said`` is how many here, as the other
    nodes know it, None before they were asked. ``timer`` is set while a change is to be told, which is not done before
    ``not_before``.
    """

    __slots__ = ("elsewhere", "not_before", "said", "timer")

    def __init__(self) -> None:
        self.elsewhere: dict[str, tuple[int, float]] = {}
        self.said: int | None = None
        self.timer: asyncio.Handle | None = None
        self.not_before = 0.0


class Spectators:
    """Counts them, without doing anything for a move.

    A node that begins to look at a room asks the others, and each tells them when its own share changes, and now and
    then besides.
    """

    def __init__(self, host: Host, audience: Audience) -> None:
        self._host = host
        self._audience = audience
        self._crowds: dict[str, _Crowd] = {}
        self._time = asyncio.get_running_loop().time
        audience.changed = self._changed
        host.bus.listeners.append(self.hear)
        host.bus.on_node_left.append(self._node_left)

    def count(self, room: Room) -> int:
        """How many connections look at ``room`` without a seat, as far as is known."""
        crowd = self._crowds.get(room.id)
        elsewhere = () if crowd is None else crowd.elsewhere.values()
        return self._audience.spectators(room) + sum(count for count, _ in elsewhere)

    def hear(self, message: Hint) -> None:
        """Another node tells of its share, or asks for ours."""
        crowd = self._crowds.get(message.room) if isinstance(message, Watching) else None
        if crowd is None or not isinstance(message, Watching):
            return
        before, _ = crowd.elsewhere.get(message.node, (0, 0.0))
        crowd.elsewhere[message.node] = (message.count, self._time() + LASTS_S)
        if message.count != before:
            self._arrange(message.room, crowd)
        if message.asks and crowd.said:
            self._host.bus.send(Watching(message.room, self._host.bus.node, crowd.said, asks=False))

    async def keep_up(self) -> None:
        """Tell again what may have been lost, and let lapse what is not told again, for ever."""
        while True:
            rooms = list(self._crowds)
            for step in range(STEPS):
                await asyncio.sleep(AGAIN_S / STEPS)
                for number, room_id in enumerate(rooms[step::STEPS]):
                    if number % AT_ONCE == 0:
                        await asyncio.sleep(0)
                    if crowd := self._crowds.get(room_id):
                        self._tell_again(room_id, crowd)

    def _tell_again(self, room_id: str, crowd: _Crowd) -> None:
        for node in [node for node, (_, until) in crowd.elsewhere.items() if until < self._time()]:
            del crowd.elsewhere[node]
            self._arrange(room_id, crowd)
        if crowd.said and self._host.bus.connected:
            self._host.bus.send(Watching(room_id, self._host.bus.node, crowd.said, asks=False))

    def _changed(self, room_id: str) -> None:
        """Somebody here looks at the room, or does so no more, or has taken a seat."""
        crowd = self._crowds.get(room_id)
        if not self._audience.watches(room_id):
            if crowd is not None:
                self._forget(room_id, crowd)
            return
        if crowd is None:
            crowd = self._crowds[room_id] = _Crowd()
        self._arrange(room_id, crowd)

    def _forget(self, room_id: str, crowd: _Crowd) -> None:
        del self._crowds[room_id]
        if crowd.timer is not None:
            crowd.timer.cancel()
        if crowd.said:
            self._host.bus.send(Watching(room_id, self._host.bus.node, 0, asks=False))

    def _node_left(self, node: str) -> None:
        for room_id, crowd in self._crowds.items():
            if crowd.elsewhere.pop(node, None):
                self._arrange(room_id, crowd)

    def _arrange(self, room_id: str, crowd: _Crowd) -> None:
        """Have the change be told, after what is being done now; later where one was told just now."""
        if crowd.timer is None:
            wait_s, loop = crowd.not_before - self._time(), asyncio.get_running_loop()
            if wait_s > 0:
                crowd.timer = loop.call_later(wait_s, self._tell, room_id, crowd)
            else:
                crowd.timer = loop.call_soon(self._tell, room_id, crowd)

    def _tell(self, room_id: str, crowd: _Crowd) -> None:
        crowd.timer = None
        room = self._host.room(room_id)
        if room is None:  # it could not be had: whoever looks at it is sent to look anew
            return
        here, before = self._audience.spectators(room), crowd.said
        crowd.said = here
        if here != before:
            self._host.bus.send(Watching(room_id, self._host.bus.node, here, asks=before is None))
        told = self._audience.tell_spectators(room_id, self.count(room))
        if told or before not in (None, here):
            crowd.not_before = self._time() + EVERY_S
