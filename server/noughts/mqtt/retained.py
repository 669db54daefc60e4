"""Retained messages that are as one node wants them, whoever else has written there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received

SETTLE_S = 0.5
"""How long the broker must have been quiet until all that it retains counts as known."""

DOUBT_S = 1.0
"""How long a value may take to come back from the broker until it is in doubt."""

DOUBTED = 50_000
"""How many topics may be in doubt; those beyond are found when the link is made again."""


class Shelf:
    """Keeps what is retained under ``filters`` as it was ``put``.

    The broker is believed, and nobody else: what it retains is known by what it sends, one's own writes included, so
    that a write that was lost and a value that somebody else wrote are found alike. ``found`` is called with topic
    and payload while that is still being learned, after ``open`` and after each reconnect.
    """

    def __init__(self, link: Link, filters: Sequence[str], found: Callable[[str, bytes], None]) -> None:
        self._link = link
        self._filters = filters
        self._found = found
        self._time = asyncio.get_running_loop().time
        self._open = False
        self._wanted: dict[str, bytes] = {}
        self._doubted: dict[str, float] = {}
        self._settled_at = 0.0
        link.on_connect.append(self._unsettle)
        link.on_disconnect.append(self._doubt_all)

    @property
    def settled(self) -> bool:
        """Whether it is known what the broker retains, so that it makes sense to write."""
        return self._open and self._link.connected and self._time() >= self._settled_at

    def open(self) -> None:
        """Begin to learn what is retained."""
        self._open = True
        self._unsettle()
        for topic_filter in self._filters:
            self._link.subscribe(topic_filter, self._hear, no_local=False)

    def close(self) -> None:
        """Leave it all as it is."""
        self._open = False
        for topic_filter in self._filters:
            self._link.unsubscribe(topic_filter)
        self._wanted.clear()
        self._doubted.clear()

    def put(self, topic: str, payload: bytes) -> None:
        """Have ``payload`` retained there, or nothing where it is empty; unless it is so already."""
        if payload == self._wanted.get(topic, b"") and self._doubted.get(topic, self._time() + 1) > self._time():
            return
        if payload:
            self._wanted[topic] = payload
        else:
            self._wanted.pop(topic, None)
        self._doubted[topic] = self._time() + DOUBT_S
        self._link.publish(topic, payload, retain=True)

    def leave(self, topic: str) -> None:
        """Have no say in what is retained there."""
        self._wanted.pop(topic, None)
        self._doubted.pop(topic, None)

    def doubtful(self) -> list[str]:
        """The topics that hold something else than what was put there, as far as is known."""
        now = self._time()
        return [topic for topic, since in self._doubted.items() if since <= now]

    def _unsettle(self) -> None:
        self._settled_at = self._time() + SETTLE_S

    def _doubt_all(self) -> None:
        self._doubted = dict.fromkeys(self._wanted, 0.0)

    def _hear(self, received: Received) -> None:
        topic, payload = received.topic, received.payload
        if not self.settled:
            self._unsettle()
            self._found(topic, payload)
        if payload == self._wanted.get(topic, b""):
            self._doubted.pop(topic, None)
        elif len(self._doubted) < DOUBTED:
            # It may be what we have put ourselves and replaced since; then the next is on its way.
            self._doubted.setdefault(topic, self._time() + DOUBT_S)
