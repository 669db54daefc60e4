"""The bus over MQTT: several nodes, one broker.

What a node has to tell in one turn of its loop goes out together: to all nodes, each of which picks what it follows.
While no other node is known, nothing is sent: a node that joins reads the journal.

The broker should let only nodes read and write ``bus/...``. Hints are signed in any case, so that a node ignores what
anybody else writes there.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable

from noughts.bus.base import Appended, Hint, topic_of
from noughts.mqtt.link import Link
from noughts.mqtt.membership import Membership, Status
from noughts.mqtt.signer import Rejected, Signer
from noughts.mqtt.subscriptions import Received
from noughts.timing import Timing

MAX_AGE_MS = 60_000  # more than any useful delay, and than the clocks of nodes differ
WARN_INTERVAL_S = 60

_ALL = "bus/hints"
"""The topic of hints that are not for one node alone."""

log = logging.getLogger(__name__)


class MqttBus:
    """A :class:`~noughts.bus.base.Bus` on ``link``, whose owner starts and closes it.

    ``key``: 32 random bytes that all nodes share. The owner calls ``start``, and ``on_connect`` and ``on_disconnect``
    when the link comes up and goes down. ``on_appended`` is called with each room to which another node appended,
    followed or not.
    """

    def __init__(self, link: Link, key: bytes, timing: Timing = Timing()) -> None:
        self.node = link.node
        self.listeners: list[Callable[[Hint], None]] = []
        self.on_node_left: list[Callable[[str], None]] = []
        self.on_appended: Callable[[str], None] = lambda _: None
        self._link = link
        self._signer = Signer(key)
        self._rejected: Counter[str] = Counter()
        self._warned_at = float("-inf")
        self._own_topic = f"bus/nodes/{self.node}"
        self._wanted = {"lobby", f"nodes/{self.node}"}
        self._outgoing: dict[str, list[Hint]] = {}
        self._open = False
        self._membership = Membership(link, self._node_left, timing)

    def start(self) -> None:
        """Subscribe to what all nodes and this one receive."""
        self._open = True
        for topic in (_ALL, self._own_topic):
            self._link.subscribe(topic, self._receive)
        self._membership.start()

    @property
    def connected(self) -> bool:
        return self._link.connected

    def send(self, hint: Hint) -> None:
        if self._membership.alone or not (self._open and self._link.connected):
            return
        if not self._outgoing:
            asyncio.get_running_loop().call_soon(self._flush)
        where = topic_of(hint)
        self._outgoing.setdefault(f"bus/{where}" if where.startswith("nodes/") else _ALL, []).append(hint)

    def follow(self, room: str) -> None:
        self._wanted.add(f"rooms/{room}")

    def unfollow(self, room: str) -> None:
        self._wanted.discard(f"rooms/{room}")

    def announce(self, status: Status) -> None:
        """Publish what this node is doing."""
        self._membership.announce(status)

    async def close(self) -> None:
        if self._open:
            self._flush()
            self._open = False
            for topic in (_ALL, self._own_topic):
                self._link.unsubscribe(topic)
            self._membership.close()

    def on_connect(self) -> None:
        """Announce this node, and find out what the broker denies it."""
        if not self._open:
            return
        # Hints go at QoS 0, for which the broker reports no denial. So send one message at QoS 1 to each sort of
        # topic; the link logs the denials.
        for topic in (_ALL, self._own_topic):
            self._link.publish(topic, self._signer.sign_empty(topic, self.node, _now()))
        self._membership.on_connect()

    def on_disconnect(self) -> None:
        """Report nobody as gone: this node cannot know."""
        self._membership.on_disconnect()

    def _flush(self) -> None:
        """Send what has gathered."""
        outgoing, self._outgoing = self._outgoing, {}
        for topic, hints in outgoing.items():
            for message in self._signer.sign(topic, hints, self.node, _now()):
                self._link.publish(topic, message, qos=0)

    def _receive(self, received: Received) -> None:
        try:
            hints, by, at = self._signer.verify(received.topic, received.payload)
            if abs(_now() - at) > MAX_AGE_MS:
                raise Rejected("of another time")
        except Rejected as rejected:
            self._count_rejected(str(rejected))
            return
        if not self._open or by == self.node:
            return
        for hint in hints:
            if topic_of(hint) in self._wanted:
                self._pass_on(hint)
            if isinstance(hint, Appended):
                self.on_appended(hint.room)

    def _pass_on(self, hint: Hint) -> None:
        for on_hint in self.listeners:
            try:
                on_hint(hint)
            except Exception:  # the other hints of the message must not be lost
                log.exception("a listener of hints failed")

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
