"""An MQTT client for tests that keeps all it receives, and timings for tests against a private broker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiomqtt import Client, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from noughts.timing import Timing

PATIENCE_S = 20.0

FAST = Timing(
    mqtt_retry_s=0.02,
    mqtt_retry_max_s=0.2,
    presence_interval_s=0.5,
    presence_expiry_s=3,
    presence_check_s=0.05,
    presence_cleared_s=0.5,
    presence_return_s=2.0,
    retained_quiet_s=0.2,
    retained_doubt_s=0.4,
    view_publish_s=0.02,
    view_interval_s=0.1,
)
"""For tests in which something has to come back or to end. They still leave a busy machine time to answer."""

FROZEN = replace(FAST, mqtt_keepalive_s=1, presence_expiry_s=30)
"""For tests that freeze the broker."""


@dataclass
class Screen:
    """``received`` holds each topic with its payload, in order; ``now`` the last payload of each topic, until cleared.

    ``correlations`` holds the correlation data of messages that have any.
    """

    client: Client
    received: list[tuple[str, bytes]] = field(default_factory=list)
    now: dict[str, bytes] = field(default_factory=dict)
    correlations: list[bytes] = field(default_factory=list)

    def states(self, room: str) -> list[int]:
        """The versions of a room that its state had, in order; 0 for a cleared state."""
        return [version_of(payload) for topic, payload in self.received if topic == f"noughts/v1/rooms/{room}/state"]

    def events(self, room: str) -> list[int]:
        """The versions of a room's published events, in order."""
        return [version_of(payload) for topic, payload in self.received if topic == f"noughts/v1/rooms/{room}/events"]

    def shown(self, room: str) -> int:
        """The version that a room's state has now; 0 for none."""
        return version_of(self.now.get(f"noughts/v1/rooms/{room}/state", b""))

    def rooms(self) -> set[str]:
        """The rooms that have a state now."""
        return {topic.split("/")[3] for topic in self.now if topic.endswith("/state")}

    def lobby(self) -> list[str]:
        """The rooms that the lobby lists now."""
        return [room["room"] for room in json.loads(self.now.get("noughts/v1/lobby", b'{"rooms":[]}'))["rooms"]]

    async def until(self, what: Callable[[], object]) -> None:
        """Wait until ``what`` is true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not what():  # noqa: ASYNC110  # any message may make it true
                    await asyncio.sleep(0.01)
        except TimeoutError:
            last = [(topic, version_of(payload)) for topic, payload in self.received[-20:]]
            raise AssertionError(f"the condition did not become true; the last messages were {last}") from None

    async def publish(self, topic: str, payload: bytes | str, *, retain: bool = False, **properties: Any) -> None:
        """Publish ``payload``; ``properties`` are MQTT 5's, under paho's names."""
        given: Any = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        for name, value in properties.items():
            setattr(given, name, value)
        await self.client.publish(topic, payload, qos=0, retain=retain, properties=given)


def version_of(payload: bytes) -> int:
    """The version in a message about a room; 0 without one."""
    try:
        return int(json.loads(payload).get("version", 0))
    except ValueError:
        return 0


@asynccontextmanager
async def screen(port: int, *topics: str, **options: Any) -> AsyncIterator[Screen]:
    """A client that subscribes to ``topics``, by default to all below the prefix."""
    client = Client("127.0.0.1", port, protocol=ProtocolVersion.V5, timeout=5, **options)
    async with client:
        watching = Screen(client)

        async def listen() -> None:
            async for message in client.messages:
                topic, payload = str(message.topic), bytes(message.payload)
                watching.received.append((topic, payload))
                if (correlation := getattr(message.properties, "CorrelationData", None)) is not None:
                    watching.correlations.append(correlation)
                if payload:
                    watching.now[topic] = payload
                else:
                    watching.now.pop(topic, None)

        for topic in topics or ("noughts/v1/#",):
            await client.subscribe(topic, qos=0)  # of QoS 1 Mosquitto keeps a thousand messages and drops the rest
        listening = asyncio.create_task(listen())
        try:
            yield watching
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
