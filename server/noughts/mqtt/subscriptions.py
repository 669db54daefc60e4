"""What a link is subscribed to, and who hears it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from aiomqtt import Client
from paho.mqtt.client import MQTTMessage, topic_matches_sub
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

CHUNK = 200  # topic filters in a packet

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Received:
    """A message from the broker. ``topic`` is without the prefix, ``response_topic`` whole, as the sender gave it.

    ``retain``: it was kept by the broker, and is sent because we subscribed.
    """

    topic: str
    payload: bytes
    retain: bool = False
    response_topic: str | None = None
    correlation: bytes | None = None


Handler = Callable[[Received], None]


class Subscriptions:
    """The topic filters that are wanted, each with its handler, and the broker brought to know them.

    Filters are without ``prefix`` and may begin with ``$share/GROUP/``. ``denied`` is called with a filter, without
    that beginning, and the broker's reason to refuse it.
    """

    def __init__(self, prefix: str, denied: Callable[[str, str], None]) -> None:
        self._prefix = prefix + "/"
        self._denied = denied
        self._wanted: dict[str, bool] = {}
        self._exact: dict[str, Handler] = {}
        self._wild: dict[str, Handler] = {}
        self._known: set[str] = set()
        self._changed: dict[str, None] = {}
        self._change = asyncio.Event()

    def add(self, topic_filter: str, handler: Handler, *, no_local: bool) -> None:
        """Want what matches ``topic_filter``. A message goes to one handler: filters should not overlap."""
        # The protocol forbids "no local" for a shared subscription.
        self._wanted[topic_filter] = no_local and not topic_filter.startswith("$share/")
        inside = _inside(topic_filter)
        (self._wild if _is_wild(inside) else self._exact)[inside] = handler
        self._note(topic_filter)

    def remove(self, topic_filter: str) -> None:
        """Want it no more."""
        if topic_filter in self._wanted:
            del self._wanted[topic_filter]
            inside = _inside(topic_filter)
            (self._wild if _is_wild(inside) else self._exact).pop(inside, None)
            self._note(topic_filter)

    def hear(self, message: MQTTMessage) -> None:
        """Hand ``message`` to its handler."""
        try:
            topic = message.topic.removeprefix(self._prefix)
            handler = self._exact.get(topic) or self._wild_one(topic)
            if handler is not None:
                handler(_received(topic, message))
        except UnicodeDecodeError:
            log.debug("a topic that is not UTF-8")
        except Exception:
            # paho would end the connection, over and over.
            log.exception("a handler of what came by MQTT failed")

    def settle(self, client: Client, *, afresh: bool = False) -> list[Coroutine[Any, Any, None]]:
        """What tells the broker of all that has changed, or ``afresh`` of everything; each may raise MqttError.

        They are to be begun in order. None need wait for the end of another: a room is followed a round trip
        sooner then, and that is where its first hints are lost.
        """
        if afresh:
            self._known.clear()
            self._changed = dict.fromkeys(self._wanted)
        changed, self._changed = self._changed, {}
        new = [one for one in changed if one in self._wanted and one not in self._known]
        old = [one for one in changed if one not in self._wanted and one in self._known]
        self._known.update(new)
        self._known.difference_update(old)
        return [
            *(self._subscribe(client, chunk) for chunk in _chunks(new)),
            *(client.unsubscribe([self._whole(one) for one in chunk]) for chunk in _chunks(old)),
        ]

    async def _subscribe(self, client: Client, filters: list[str]) -> None:
        # QoS 0: of QoS 1 Mosquitto keeps a thousand for us and drops the rest; so the rest waits in TCP.
        options = [(self._whole(one), SubscribeOptions(qos=0, noLocal=self._wanted.get(one, False))) for one in filters]
        for one, reason in zip(filters, await client.subscribe(options), strict=True):
            if isinstance(reason, ReasonCode) and reason.is_failure:
                self._denied(_inside(one), str(reason))

    async def changed(self) -> None:
        """Wait until there is something to settle."""
        await self._change.wait()
        self._change.clear()

    def _note(self, topic_filter: str) -> None:
        self._changed[topic_filter] = None
        self._change.set()

    def _wild_one(self, topic: str) -> Handler | None:
        for topic_filter, handler in self._wild.items():
            if topic_matches_sub(topic_filter, topic):
                return handler
        return None

    def _whole(self, topic_filter: str) -> str:
        """The filter as the broker is to have it."""
        inside = _inside(topic_filter)
        return topic_filter[: len(topic_filter) - len(inside)] + self._prefix + inside


def _inside(topic_filter: str) -> str:
    """The filter without the group that shares it."""
    return topic_filter.split("/", 2)[2] if topic_filter.startswith("$share/") else topic_filter


def _is_wild(topic_filter: str) -> bool:
    return "+" in topic_filter or "#" in topic_filter


def _chunks(topic_filters: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(topic_filters), CHUNK):
        yield topic_filters[start : start + CHUNK]


def _received(topic: str, message: MQTTMessage) -> Received:
    properties = message.properties
    return Received(
        topic,
        bytes(message.payload),
        message.retain,
        getattr(properties, "ResponseTopic", None),
        getattr(properties, "CorrelationData", None),
    )
