"""Which nodes are there: each keeps a retained message at ``nodes/{node}``, and the broker clears it when it dies.

None of that is certain. A broker brings old messages back after a crash, is away when a node dies, or clears what a
node has just told again. So a presence lasts a while and is told again and again, and a node has left only when it
has not come back within moments.
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

TOLD_EVERY_S = 10.0
LASTS_S = 30
CLEARED_S = 1.0  # from the end of a presence until the node counts as gone
RETURN_S = 4.0  # within which the others are back when the broker is; longer than a link's longest pause
LOOK_EVERY_S = 0.5
MOST = 1000  # nodes: who may write here cannot fill our memory

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
    """Heard of since the link is up."""


class Members:
    """Tells that this node is there, and calls ``left`` with the name of each that is there no more."""

    def __init__(self, link: Link, left: Callable[[str], None]) -> None:
        self._link = link
        self._left = left
        self._topic = f"nodes/{link.node}"
        self._since = time.time_ns() // 1_000_000
        self._status: Status = "ready"
        self._others: dict[str, _Member] = {}
        self._told_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._warned = False
        link.subscribe("nodes/+", self._hear, no_local=False)
        link.on_connect.append(self._up)
        link.on_disconnect.append(self._down)
        if link.connected:
            self._up()

    def tell(self, status: Status | None = None) -> None:
        """Tell that this node is there, with a new ``status`` or the last."""
        self._status = status or self._status
        self._told_at = asyncio.get_running_loop().time()
        presence = {"node": self._link.node, "since": self._since, "status": self._status}
        self._link.publish(self._topic, to_json(presence), retain=True, expiry_s=LASTS_S)

    def close(self) -> None:
        """Say that this node is there no more, and look at the others no longer."""
        self._link.unsubscribe("nodes/+")
        self._link.on_connect.remove(self._up)
        self._link.on_disconnect.remove(self._down)
        self._down()
        self._link.publish(self._topic, b"", retain=True)

    def _up(self) -> None:
        now = asyncio.get_running_loop().time()
        for member in self._others.values():
            if not member.confirmed:
                member.until = now + RETURN_S
        self.tell()
        self._look()

    def _down(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for member in self._others.values():
            member.confirmed = False

    def _look(self) -> None:
        """Find who is gone, and tell again that we are not."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(LOOK_EVERY_S, self._look)
        if loop.time() - self._told_at > TOLD_EVERY_S:
            self.tell()
        for node in [node for node, member in self._others.items() if member.until < loop.time()]:
            del self._others[node]
            self._left(node)

    def _hear(self, received: Received) -> None:
        node = received.topic.removeprefix("nodes/")
        presence = _presence(node, received.payload)
        if node == self._link.node:
            self._hear_own(presence, received)
        elif not received.payload and node in self._others:
            member = self._others[node]
            member.until = min(member.until, asyncio.get_running_loop().time() + CLEARED_S)
        elif presence is not None:
            self._greet(node, presence["since"])

    def _greet(self, node: str, since: int) -> None:
        known = self._others.get(node)
        if known is None and len(self._others) == MOST:
            return
        self._others[node] = _Member(since, asyncio.get_running_loop().time() + LASTS_S)
        if known is not None and known.since != since:
            self._left(node)  # and another has come in its name: it was started again

    def _hear_own(self, presence: _Presence | None, received: Received) -> None:
        if not received.payload:
            self.tell()  # the will of a connection that we have given up
        elif presence is not None and presence["since"] != self._since and not received.retain and not self._warned:
            self._warned = True
            log.error("another server calls itself %s too: give each its own --node", self._link.node)


def _presence(node: str, payload: bytes) -> _Presence | None:
    try:
        presence = _PRESENCE.validate_json(payload) if len(payload) <= 1024 else None
    except ValidationError:
        return None
    return presence if presence and presence["node"] == node else None
