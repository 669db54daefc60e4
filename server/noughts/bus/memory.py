"""A bus within one process: for a single node, and for several nodes in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from noughts.bus.base import Hint, topic_of


class Hub:
    """Connects the memory buses of one process."""

    def __init__(self) -> None:
        self.members: dict[str, MemoryBus] = {}


class MemoryBus:
    """A :class:`~noughts.bus.base.Bus` that reaches the other nodes of its ``hub``.

    Without a hub it reaches nobody. A node that is ``alone`` counts as connected all the same.
    """

    def __init__(self, node: str, hub: Hub | None = None, *, alone: bool = True) -> None:
        self.node = node
        self.listeners: list[Callable[[Hint], None]] = []
        self.on_node_left: list[Callable[[str], None]] = []
        self.on_followed: list[Callable[[Sequence[str]], None]] = []
        self._hub = hub or Hub()
        self._reaches_all = alone or hub is not None
        self._topics = {"lobby", f"nodes/{node}"}
        self._hub.members[node] = self

    @property
    def connected(self) -> bool:
        return self._reaches_all and self.node in self._hub.members

    def send(self, hint: Hint) -> None:
        if len(self._hub.members) == 1:
            return
        topic = topic_of(hint)
        loop = asyncio.get_running_loop()
        for member in self._hub.members.values():
            if member is not self and topic in member._topics:
                loop.call_soon(member._receive, hint)

    def follow(self, room: str) -> None:
        self._topics.add(f"rooms/{room}")

    def unfollow(self, room: str) -> None:
        self._topics.discard(f"rooms/{room}")

    async def close(self) -> None:
        if self._hub.members.pop(self.node, None):
            for member in self._hub.members.values():
                for on_node_left in member.on_node_left:
                    on_node_left(self.node)

    def _receive(self, hint: Hint) -> None:
        for on_hint in self.listeners:
            on_hint(hint)
