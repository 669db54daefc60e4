"""Retained messages that stay as one node wants them, whatever others write there."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping

from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from noughts.timing import Timing

MAX_DOUBTED = 50_000
"""The number of topics that may be in doubt; the next reconnect finds those beyond."""


class RetainedTopics:
    """Keeps what the broker retains under ``filters`` as it was ``put``.

    Each filter comes with another one for the same topics, by which the node need not hear of its own writes; or with
    None, where they are few. A second subscription by the same filter would not do: Mosquitto 2.0 keeps its options.

    Only the broker is believed: the node learns from it what is retained, and then hears of each value that somebody
    else writes. Its own writes are lost only with the connection, or when the link drops messages; then it learns
    afresh. ``on_found`` is called with topic and payload while it learns. The owner calls ``on_connect`` and
    ``on_disconnect``.
    """

    def __init__(
        self,
        link: Link,
        filters: Mapping[str, str | None],
        on_found: Callable[[str, bytes], None],
        timing: Timing = Timing(),
    ) -> None:
        self._link = link
        self._filters = filters
        self._on_found = on_found
        self._quiet_s, self._doubt_s = timing.retained_quiet_s, timing.retained_doubt_s
        self._time = asyncio.get_running_loop().time
        self._open = False
        self._learning = True
        self._dropped = 0
        self._tried: set[str] = set()
        self._wanted: dict[str, bytes] = {}
        self._doubted: dict[str, float] = {}
        self._quiet_at = 0.0

    @property
    def settled(self) -> bool:
        """True if the node knows what the broker retains, so that it may write."""
        return self._time() >= self.settled_at

    @property
    def settled_at(self) -> float:
        """The time of the loop from which on it is ``settled``, as far as is known: each message defers it."""
        return self._quiet_at if self._open and self._link.connected else math.inf

    def open(self) -> None:
        """Begin to learn what is retained."""
        self._open = True
        self.on_connect()
        self._listen(learning=True)

    def close(self) -> None:
        """Leave everything as it is."""
        self._open = False
        for topic_filter in filter(None, (*self._filters, *self._filters.values())):
            self._link.unsubscribe(topic_filter)
        self._wanted.clear()
        self._doubted.clear()

    def put(self, topic: str, payload: bytes) -> None:
        """Have the broker retain ``payload``, or nothing if it is empty. Publishes only what is not known to be so."""
        if payload == self._wanted.get(topic, b"") and self._doubted.get(topic, self._time() + 1) > self._time():
            return
        if payload:
            self._wanted[topic] = payload
        else:
            self._wanted.pop(topic, None)
        if not self._link.connected:
            self._doubted[topic] = 0.0  # the link would drop it, and learn of nothing when it is up again
            return
        self._doubted.pop(topic, None)
        if self._learning:
            self._listen(learning=False)
        # For QoS 0 the broker reports no denial, so it gets the first of each sort with QoS 1.
        sort = topic.rpartition("/")[2]
        self._link.publish(topic, payload, retain=True, qos=0 if sort in self._tried else 1)
        self._tried.add(sort)

    def adopt(self, topic: str, payload: bytes) -> None:
        """Take what was found there for what is wanted."""
        self._wanted[topic] = payload
        self._doubted.pop(topic, None)

    def ignore(self, topic: str) -> None:
        """Let anything be retained there."""
        self._wanted.pop(topic, None)
        self._doubted.pop(topic, None)

    def doubtful(self) -> list[str]:
        """The topics that, as far as is known, do not hold what was put there."""
        if self._link.dropped != self._dropped:
            self.on_disconnect()
            self.on_connect()
        now = self._time()
        return [topic for topic, since in self._doubted.items() if since <= now]

    def on_connect(self) -> None:
        """Learn afresh what is retained, until the broker has been quiet for a while."""
        self._quiet_at = self._time() + self._quiet_s
        self._dropped = self._link.dropped
        self._tried.clear()

    def on_disconnect(self) -> None:
        """Doubt everything: the broker may lose it."""
        self._doubted = dict.fromkeys(self._wanted, 0.0)
        if self._open:
            self._listen(learning=True)

    def _listen(self, *, learning: bool) -> None:
        """Subscribe to all values, or from now on to those of others."""
        self._learning = learning
        for of_all, of_others in self._filters.items():
            if learning or of_others is None:
                self._link.subscribe(of_all, self._receive, no_local=False)
            if of_others is not None and learning:
                self._link.unsubscribe(of_others)
            elif of_others is not None:
                self._link.subscribe(of_others, self._receive)
                self._link.unsubscribe(of_all)

    def _receive(self, received: Received) -> None:
        topic, payload = received.topic, received.payload
        if not self.settled:
            self._quiet_at = self._time() + self._quiet_s
            self._on_found(topic, payload)
        if payload == self._wanted.get(topic, b""):
            self._doubted.pop(topic, None)
        elif len(self._doubted) < MAX_DOUBTED:
            # It may be an earlier write of this node; then the latest is still on its way.
            self._doubted.setdefault(topic, self._time() + self._doubt_s)
