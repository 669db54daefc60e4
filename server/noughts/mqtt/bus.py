"""The bus over MQTT: several nodes, one broker.

Only nodes may read or write ``bus/...``; what they send is sealed, so that whoever does so all the same is not heard.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

from noughts.bus.base import Altered, Appended, Drain, Hint, Listed, Missing, Paired, Present, Said, Watching
from noughts.mqtt.link import Link
from noughts.mqtt.membership import Members, Status
from noughts.mqtt.signer import Rejected, Seal
from noughts.mqtt.subscriptions import Received

HEARD_FOR_MS = 60_000  # more than any delay worth hearing of, and than the clocks of nodes are apart
COMPLAIN_EVERY_S = 60

log = logging.getLogger(__name__)


class MqttBus:
    """A :class:`~noughts.bus.base.Bus` on ``link``, which is started and closed by who made it.

    ``key``: 32 random bytes that all nodes have, and nobody else.
    """

    def __init__(self, link: Link, key: bytes) -> None:
        self.node = link.node
        self.listeners: list[Callable[[Hint], None]] = []
        self.on_node_left: list[Callable[[str], None]] = []
        self._link = link
        self._seal = Seal(key)
        self._rejected: Counter[str] = Counter()
        self._complained_at = float("-inf")
        self._topics = {"bus/lobby", f"bus/nodes/{self.node}"}
        for topic in self._topics:
            link.subscribe(topic, self._hear)
        link.on_connect.append(self._ask_for_denials)
        self._members = Members(link, self._left)

    @property
    def connected(self) -> bool:
        return self._link.connected

    def send(self, message: Hint) -> None:
        topic = _topic(message)
        self._link.publish(topic, self._seal.close(topic, message, self.node, _now()), qos=0)

    def follow(self, room: str) -> None:
        topic = f"bus/rooms/{room}"
        if topic not in self._topics:
            self._topics.add(topic)
            self._link.subscribe(topic, self._hear)

    def unfollow(self, room: str) -> None:
        topic = f"bus/rooms/{room}"
        self._topics.discard(topic)
        self._link.unsubscribe(topic)

    def status(self, status: Status) -> None:
        """Tell everybody who looks at the nodes what this one is doing."""
        self._members.tell(status)

    async def close(self) -> None:
        if not self._topics:
            return
        self._link.on_connect.remove(self._ask_for_denials)
        for topic in self._topics:
            self._link.unsubscribe(topic)
        self._topics.clear()
        self._members.close()

    def _ask_for_denials(self) -> None:
        """Send a message that nobody need hear to each sort of topic, for the link to log what the broker answers.

        It says nothing to hints, which are sent at QoS 0.
        """
        for topic in (f"bus/rooms/{self.node}", f"bus/nodes/{self.node}", "bus/lobby"):
            head = {"kind": "hello", "by": self.node, "at": _now()}
            self._link.publish(topic, self._seal.close_raw(topic, head), qos=1)

    def _hear(self, received: Received) -> None:
        try:
            message, by, at = self._seal.open(received.topic, received.payload)
            if abs(_now() - at) > HEARD_FOR_MS:
                raise Rejected("not of this minute")
        except Rejected as rejected:
            self._complain(str(rejected))
            return
        if message is not None and by != self.node:
            for hearer in self.listeners:
                hearer(message)

    def _left(self, node: str) -> None:
        for leaver in self.on_node_left:
            leaver(node)

    def _complain(self, why: str) -> None:
        self._rejected[why] += 1
        if time.monotonic() - self._complained_at > COMPLAIN_EVERY_S:
            self._complained_at = time.monotonic()
            log.warning(
                "messages on the bus were not believed: %s (do all nodes have the same journal and the right time?)",
                ", ".join(f"{count} {why}" for why, count in self._rejected.items()),
            )
            self._rejected.clear()


def _now() -> int:
    return time.time_ns() // 1_000_000


def _topic(message: Hint) -> str:
    match message:
        case Appended(room=room) | Missing(room=room) | Said(room=room) | Watching(room=room):
            return f"bus/rooms/{room}"
        case Present(to=to) | Drain(to=to):
            return f"bus/nodes/{to}"
        case Listed() | Paired() | Altered():
            return "bus/lobby"
