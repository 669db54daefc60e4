"""A bus within one process: for a single node, who is alone on it, and for several nodes in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from noughts.bus.base import Altered, Appended, Drain, Hint, Listed, Missing, Paired, Present, Said, Watching


class Hub:
    """What the memory buses of one process have in common."""

    def __init__(self) -> None:
        self.members: dict[str, MemoryBus] = {}


class MemoryBus:
    """A :class:`~noughts.bus.base.Bus` that reaches the others on its ``hub``.

    Without a hub it reaches nobody. That is no loss for a node that is ``alone``; otherwise it counts as away.
    """

    def __init__(self, node: str, hub: Hub | None = None, *, alone: bool = True) -> None:
        self.node = node
        self.listeners: list[Callable[[Hint], None]] = []
        self.on_node_left: list[Callable[[str], None]] = []
        self._hub = hub or Hub()
        self._reaches_all = alone or hub is not None
        self._rooms: set[str] = set()
        self._hub.members[node] = self

    @property
    def connected(self) -> bool:
        return self._reaches_all and self.node in self._hub.members

    def send(self, message: Hint) -> None:
        if len(self._hub.members) == 1:
            return
        loop = asyncio.get_running_loop()
        for member in self._hub.members.values():
            if member is not self and member._wants(message):
                loop.call_soon(member._hear, message)

    def follow(self, room: str) -> None:
        self._rooms.add(room)

    def unfollow(self, room: str) -> None:
        self._rooms.discard(room)

    async def close(self) -> None:
        if self._hub.members.pop(self.node, None):
            for member in self._hub.members.values():
                for leaver in member.on_node_left:
                    leaver(self.node)

    def _wants(self, message: Hint) -> bool:
        match message:
            case Appended(room=room) | Missing(room=room) | Said(room=room) | Watching(room=room):
                return room in self._rooms
            case Present(to=to) | Drain(to=to):
                return to == self.node
            case Listed() | Paired() | Altered():
                return True

    def _hear(self, message: Hint) -> None:
        for hearer in self.listeners:
            hearer(message)
