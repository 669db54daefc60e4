"""A client of the broker for tests, which keeps all that it hears."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiomqtt import Client, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PATIENCE_S = 20.0


@dataclass
class Screen:
    """``heard`` is each topic with its payload, in order; ``now`` what came last to each, until it is cleared.

    ``correlations`` are the correlation data of those that bear any.
    """

    client: Client
    heard: list[tuple[str, bytes]] = field(default_factory=list)
    now: dict[str, bytes] = field(default_factory=dict)
    correlations: list[bytes] = field(default_factory=list)

    def states(self, room: str) -> list[int]:
        """The versions of a room that were shown, in order; 0 for none."""
        return [version_of(payload) for topic, payload in self.heard if topic == f"noughts/v1/rooms/{room}/state"]

    def events(self, room: str) -> list[int]:
        """The versions of the updates of a room that were told, in order."""
        return [version_of(payload) for topic, payload in self.heard if topic == f"noughts/v1/rooms/{room}/events"]

    def shown(self, room: str) -> int:
        """The version of a room that is shown now, 0 for none."""
        return version_of(self.now.get(f"noughts/v1/rooms/{room}/state", b""))

    def rooms(self) -> set[str]:
        """The rooms that are shown now."""
        return {topic.split("/")[3] for topic in self.now if topic.endswith("/state")}

    def lobby(self) -> list[str]:
        """The rooms that the lobby lists now."""
        return [room["room"] for room in json.loads(self.now.get("noughts/v1/lobby", b'{"rooms":[]}'))["rooms"]]

    async def until(self, what: Callable[[], object]) -> None:
        """Wait until ``what`` is true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not what():  # noqa: ASYNC110  # all that is heard may make it true
                    await asyncio.sleep(0.01)
        except TimeoutError:
            last = [(topic, version_of(payload)) for topic, payload in self.heard[-20:]]
            raise AssertionError(f"that has not come; the last that was heard is {last}") from None

    async def publish(self, topic: str, payload: bytes | str, *, retain: bool = False, **properties: Any) -> None:
        """Write ``payload`` there; ``properties`` are MQTT 5's, by paho's names."""
        given: Any = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        for name, value in properties.items():
            setattr(given, name, value)
        await self.client.publish(topic, payload, qos=0, retain=retain, properties=given)


def version_of(payload: bytes) -> int:
    """The version in a message of a room, 0 where there is none."""
    try:
        return int(json.loads(payload).get("version", 0))
    except ValueError:
        return 0


@asynccontextmanager
async def screen(port: int, *topics: str, **options: Any) -> AsyncIterator[Screen]:
    """A client that hears ``topics``, by default all below the prefix."""
    client = Client("127.0.0.1", port, protocol=ProtocolVersion.V5, timeout=5, **options)
    async with client:
        watching = Screen(client)

        async def listen() -> None:
            async for message in client.messages:
                topic, payload = str(message.topic), bytes(message.payload)
                watching.heard.append((topic, payload))
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
