"""The subscriptions of a link, and the handlers of what arrives. No I/O."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from paho.mqtt.client import topic_matches_sub
from paho.mqtt.properties import Properties

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Received:
    """A message from the broker. ``topic`` is without the prefix; ``response_topic`` is as the sender gave it.

    ``retain``: the broker had kept it, and sent it because we subscribed.
    """

    topic: str
    payload: bytes
    retain: bool = False
    response_topic: str | None = None
    correlation: bytes | None = None


Handler = Callable[[Received], None]


class Subscriptions:
    """The topic filters that a link wants, each with its handler, and which of them the broker knows.

    Filters are without ``prefix`` and may begin with ``$share/GROUP/``.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix + "/"
        self._no_local: dict[str, bool] = {}
        self._exact: dict[str, Handler] = {}
        self._wild: dict[str, Handler] = {}
        self._known: set[str] = set()
        self._changed: dict[str, None] = {}

    def add(self, topic_filter: str, handler: Handler, *, no_local: bool) -> None:
        """Give ``handler`` what matches ``topic_filter``. Filters should not overlap: a message has one handler."""
        # The protocol forbids "no local" for a shared subscription.
        self._no_local[topic_filter] = no_local and not topic_filter.startswith("$share/")
        self._handlers(topic_filter)[without_group(topic_filter)] = handler
        self._changed[topic_filter] = None

    def remove(self, topic_filter: str) -> None:
        """Drop ``topic_filter`` and its handler."""
        if self._no_local.pop(topic_filter, None) is not None:
            self._handlers(topic_filter).pop(without_group(topic_filter), None)
            self._changed[topic_filter] = None

    def take_changes(self, *, afresh: bool = False) -> tuple[list[tuple[str, bool]], list[str]]:
        """The changes to tell the broker since the last call, or ``afresh`` everything; filters with the prefix.

        First the filters to subscribe to, each with its "no local", then those to unsubscribe from.
        """
        if afresh:
            self._known.clear()
            self._changed = dict.fromkeys(self._no_local)
        changed, self._changed = self._changed, {}
        new = [one for one in changed if one in self._no_local and one not in self._known]
        old = [one for one in changed if one not in self._no_local and one in self._known]
        self._known.update(new)
        self._known.difference_update(old)
        return [(self._whole(one), self._no_local[one]) for one in new], [self._whole(one) for one in old]

    def dispatch(self, topic: str, payload: bytes, retain: bool, properties: Properties | None) -> None:
        """Call the handler of a message at ``topic``, which includes the prefix."""
        try:
            topic = topic.removeprefix(self._prefix)
            handler = (
                self._exact.get(topic)
                or next(filter(None, map(self._wild.get, _with_any_level(topic))), None)
                or _first_match(self._wild.items(), topic)
            )
            if handler is not None:
                handler(_received(topic, payload, retain, properties))
        except Exception:
            # Raised into paho it would end the connection, again and again.
            log.exception("a handler of MQTT messages failed")

    def _handlers(self, topic_filter: str) -> dict[str, Handler]:
        return self._wild if "+" in topic_filter or "#" in topic_filter else self._exact

    def _whole(self, topic_filter: str) -> str:
        inside = without_group(topic_filter)
        return topic_filter.removesuffix(inside) + self._prefix + inside


def without_group(topic_filter: str) -> str:
    """The filter of a shared subscription without its ``$share/GROUP/``; any other as it is."""
    return topic_filter.split("/", 2)[2] if topic_filter.startswith("$share/") else topic_filter


def _with_any_level(topic: str) -> Iterator[str]:
    """The filters that match ``topic`` and leave one level open: to look them up is cheaper than to match them."""
    levels = topic.split("/")
    return ("/".join((*levels[:at], "+", *levels[at + 1 :])) for at in reversed(range(len(levels))))


def _first_match(handlers: Iterable[tuple[str, Handler]], topic: str) -> Handler | None:
    return next((handler for topic_filter, handler in handlers if topic_matches_sub(topic_filter, topic)), None)


def _received(topic: str, payload: bytes, retain: bool, properties: Properties | None) -> Received:
    return Received(
        topic,
        payload,
        retain,
        getattr(properties, "ResponseTopic", None),
        getattr(properties, "CorrelationData", None),
    )
