"""A flood of MQTT commands, without a broker: what passes the limit, and what a refused command leaves behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from noughts.bus import MemoryBus
from noughts.gateway.guests import new_player
from noughts.host import Host
from noughts.mqtt.devices import Devices
from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from support.eventually import soon
from support.journals import MemoryJournal
from support.server import server_over

BURST = 10
COMMANDS = 300


class FakeLink:
    """A link to a broker that delivers what a test hands to ``deliver``, and collects what is published."""

    prefix = "noughts/v1"

    def __init__(self) -> None:
        self.deliver: Callable[[Received], None] = lambda _: None
        self.published: list[dict[str, Any]] = []

    def subscribe(self, _topic_filter: str, handler: Callable[[Received], None]) -> None:
        self.deliver = handler

    def publish(self, _topic: str, payload: bytes, **_more: object) -> None:
        self.published.append(json.loads(payload))


class FollowingBus(MemoryBus):
    """A bus that counts the rooms that are followed."""

    followed = 0

    def follow(self, room: str) -> None:
        self.followed += 1
        super().follow(room)


@pytest.mark.parametrize("request_type", ["chat", "resign", "nonsense"])
async def test_a_flood_of_commands_costs_no_more_than_the_limit_allows(request_type: str) -> None:
    bus, link = FollowingBus("node"), FakeLink()
    host = Host(MemoryJournal(), bus)
    devices = Devices(server_over(host, burst=BURST, messages_per_s=1), cast(Link, link))
    created = await new_player(host.journal, None, bot=True)
    assert created is not None
    token = created[1]

    def deliver(room: str, **request: object) -> None:
        payload = json.dumps({"token": token, "id": room, **request}).encode()
        link.deliver(Received(f"rooms/{room}/commands", payload, False, "noughts/v1/replies/x", b""))

    running = asyncio.create_task(devices.run())
    await asyncio.sleep(0)
    deliver("known", type="watch")  # from now on the token is known
    await soon(lambda: bool(link.published))
    before = bus.followed
    for number in range(COMMANDS):
        deliver(f"room-{number}", type=request_type, **({"text": "x"} if request_type == "chat" else {}))
    await soon(lambda: len(host) == 0)
    assert bus.followed - before <= BURST
    assert not any(message["type"] == "ok" for message in link.published)
    running.cancel()
