"""The nodes that are up: each keeps a retained message at ``nodes/{node}``, and the broker clears it when the node
dies.

Neither is certain. A broker brings back old messages after a crash, is away when a node dies, or clears what a node has
just published again. So a presence expires unless repeated, and a node has left only when it has not come back within
moments.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import TypedDict

from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from noughts.timing import Timing

MAX_NODES = 1000  # a bound on our memory, whatever anybody writes there

Status: TypeAlias = Literal["ready", "draining"]

log = logging.getLogger(__name__)


class _Presence(TypedDict):
    node: Annotated[str, Field(max_length=200)]
    since: int
    status: Annotated[str, Field(max_length=50)]


_PRESENCE = TypeAdapter(_Presence)


@dataclass(slots=True)
class _Member:
    since: int
    until: float
    """By the loop's clock."""
    confirmed: bool = True
    """Seen since the link came up."""


class Membership:
    """Announces this node, and calls ``on_left`` with the name of each other node that is gone.

    ``on_joined`` is called when another node is up that was not known.

    The owner calls ``start``, ``on_connect`` and ``on_disconnect``.
    """

    def __init__(
        self,
        link: Link,
        on_joined: Callable[[], None],
        on_left: Callable[[str], None],
        timing: Timing = Timing(),
    ) -> None:
        self._link = link
        self._on_joined = on_joined
        self._on_left = on_left
        self._timing = timing
        self._topic = f"nodes/{link.node}"
        self._since = time.time_ns() // 1_000_000
        self._status: Status = "ready"
        self._others: dict[str, _Member] = {}
        self._announced_at = 0.0
        self._sure_at = float("inf")
        self._sure = False
        self._timer: asyncio.TimerHandle | None = None
        self._warned = False

    @property
    def alone(self) -> bool:
        """True if no other node is up, as far as is known; False until the others have had time to show themselves."""
        return self._sure and not self._others

    @property
    def others(self) -> int:
        """The number of other nodes that are up, as far as is known."""
        return len(self._others)

    def start(self) -> None:
        """Subscribe to the presence of all nodes."""
        self._link.subscribe("nodes/+", self._receive, no_local=False)

    def announce(self, status: Status | None = None) -> None:
        """Publish that this node is up, with a new ``status`` or the last one."""
        self._status = status or self._status
        self._announced_at = asyncio.get_running_loop().time()
        presence = {"node": self._link.node, "since": self._since, "status": self._status}
        self._link.publish(self._topic, to_json(presence), retain=True, expiry_s=self._timing.presence_expiry_s)

    def close(self) -> None:
        """Publish that this node is gone, and stop watching the others."""
        self._link.unsubscribe("nodes/+")
        self.on_disconnect()
        self._link.publish(self._topic, b"", retain=True)

    def on_connect(self) -> None:
        """Announce this node, and give the others time to come back."""
        self._sure_at = until = asyncio.get_running_loop().time() + self._timing.presence_return_s
        for member in self._others.values():
            if not member.confirmed:
                member.until = until
        self.announce()
        self._check()

    def on_disconnect(self) -> None:
        """Nobody leaves while this node cannot know."""
        self._sure = False
        if self._timer is not None:
            self._timer.cancel()
        for member in self._others.values():
            member.confirmed = False

    def _check(self) -> None:
        """Report the nodes that are gone, and repeat this node's presence when due."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._timing.presence_check_s, self._check)
        self._sure = loop.time() >= self._sure_at
        if loop.time() - self._announced_at > self._timing.presence_interval_s:
            self.announce()
        for node in [node for node, member in self._others.items() if member.until < loop.time()]:
            del self._others[node]
            self._on_left(node)

    def _receive(self, received: Received) -> None:
        node = received.topic.removeprefix("nodes/")
        presence = _presence(node, received.payload)
        if node == self._link.node:
            self._receive_own(presence, received)
        elif not received.payload and node in self._others:
            member = self._others[node]
            member.until = min(member.until, asyncio.get_running_loop().time() + self._timing.presence_cleared_s)
        elif presence is not None:
            self._note(node, presence["since"])

    def _note(self, node: str, since: int) -> None:
        known = self._others.get(node)
        if known is None and len(self._others) == MAX_NODES:
            return
        self._others[node] = _Member(since, asyncio.get_running_loop().time() + self._timing.presence_expiry_s)
        if known is not None and known.since != since:
            self._on_left(node)  # it was restarted under the same name
        if known is None:
            self._on_joined()

    def _receive_own(self, presence: _Presence | None, received: Received) -> None:
        if not received.payload:
            self.announce()  # this was the will of a connection that we have given up
        elif presence is not None and presence["since"] != self._since and not received.retain and not self._warned:
            self._warned = True
            log.error("another server is named %s too: give each its own --node", self._link.node)


def _presence(node: str, payload: bytes) -> _Presence | None:
    try:
        presence = _PRESENCE.validate_json(payload) if len(payload) <= 1024 else None
    except ValidationError:
        return None
    return presence if presence and presence["node"] == node else None
