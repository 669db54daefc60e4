"""The bus over MQTT: several nodes, one broker.

The broker should let only nodes read and write ``bus/...``. Hints are signed in any case, so that a node ignores what
anybody else writes there.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

from noughts.bus.base import Hint, topic_of
from noughts.mqtt.link import Link
from noughts.mqtt.membership import Membership, Status
from noughts.mqtt.signer import Rejected, Signer
from noughts.mqtt.subscriptions import Received
from noughts.timing import Timing

MAX_AGE_MS = 60_000  # more than any useful delay, and than the clocks of nodes differ
WARN_INTERVAL_S = 60

log = logging.getLogger(__name__)


class MqttBus:
    """A :class:`~noughts.bus.base.Bus` on ``link``, whose owner starts and closes it.

    ``key``: 32 random bytes that all nodes share. The owner calls ``start``, and ``on_connect`` and ``on_disconnect``
    when the link comes up and goes down.
    """

    def __init__(self, link: Link, key: bytes, timing: Timing = Timing()) -> None:
        self.node = link.node
        self.listeners: list[Callable[[Hint], None]] = []
        self.on_node_left: list[Callable[[str], None]] = []
        self._link = link
        self._signer = Signer(key)
        self._rejected: Counter[str] = Counter()
        self._warned_at = float("-inf")
        self._topics = {"bus/lobby", f"bus/nodes/{self.node}"}
        self._membership = Membership(link, self._node_left, timing)

    def start(self) -> None:
        """Subscribe to what all nodes and this one receive. Rooms come with :meth:`follow`."""
        for topic in self._topics:
            self._link.subscribe(topic, self._receive)
        self._membership.start()

    @property
    def connected(self) -> bool:
        return self._link.connected

    def send(self, hint: Hint) -> None:
        topic = f"bus/{topic_of(hint)}"
        self._link.publish(topic, self._signer.sign(topic, hint, self.node, _now()), qos=0)

    def follow(self, room: str) -> None:
        topic = f"bus/rooms/{room}"
        if topic not in self._topics:
            self._topics.add(topic)
            self._link.subscribe(topic, self._receive)

    def unfollow(self, room: str) -> None:
        topic = f"bus/rooms/{room}"
        self._topics.discard(topic)
        self._link.unsubscribe(topic)

    def announce(self, status: Status) -> None:
        """Publish what this node is doing."""
        self._membership.announce(status)

    async def close(self) -> None:
        if self._topics:
            for topic in self._topics:
                self._link.unsubscribe(topic)
            self._topics.clear()
            self._membership.close()

    def on_connect(self) -> None:
        """Announce this node, and find out what the broker denies it."""
        if not self._topics:
            return
        # Hints go at QoS 0, for which the broker reports no denial. So send one message at QoS 1 to each sort of
        # topic; the link logs the denials.
        for topic in (f"bus/rooms/{self.node}", f"bus/nodes/{self.node}", "bus/lobby"):
            head = {"kind": "hello", "by": self.node, "at": _now()}
            self._link.publish(topic, self._signer.sign_raw(topic, head), qos=1)
        self._membership.on_connect()

    def on_disconnect(self) -> None:
        """Report nobody as gone: this node cannot know."""
        self._membership.on_disconnect()

    def _receive(self, received: Received) -> None:
        try:
            hint, by, at = self._signer.verify(received.topic, received.payload)
            if abs(_now() - at) > MAX_AGE_MS:
                raise Rejected("of another time")
        except Rejected as rejected:
            self._count_rejected(str(rejected))
            return
        if hint is not None and by != self.node:
            for on_hint in self.listeners:
                on_hint(hint)

    def _node_left(self, node: str) -> None:
        for on_node_left in self.on_node_left:
            on_node_left(node)

    def _count_rejected(self, why: str) -> None:
        self._rejected[why] += 1
        if time.monotonic() - self._warned_at > WARN_INTERVAL_S:
            self._warned_at = time.monotonic()
            log.warning(
                "rejected messages on the bus: %s (do all nodes share one journal, and are their clocks right?)",
                ", ".join(f"{count} {why}" for why, count in self._rejected.items()),
            )
            self._rejected.clear()


def _now() -> int:
    return time.time_ns() // 1_000_000
