"""The bus over MQTT, when the network, the broker or somebody on it means it ill."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from aiomqtt import Client, ProtocolVersion

from noughts.bus import Appended, Drain, Hint, Listed
from noughts.mqtt import membership as members_module
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.link import Link
from noughts.mqtt.signer import Seal
from support.broker import Broker, running_broker
from support.eventually import soon
from support.proxy import Proxy, proxied

KEY = bytes(range(32))


class Node:
    """A node on a bus: what it hears, and who it sees leave."""

    def __init__(self, link: Link, key: bytes) -> None:
        self.link = link
        self.bus = MqttBus(link, key)
        self.heard: list[Hint] = []
        self.left: list[str] = []
        self.bus.listeners.append(self.heard.append)
        self.bus.on_node_left.append(self.left.append)


@asynccontextmanager
async def node(url: str, name: str, prefix: str, key: bytes = KEY) -> AsyncIterator[Node]:
    """A node that is connected; it leaves in good order."""
    link = Link(url, node=name, prefix=prefix)
    node = Node(link, key)
    async with link:
        await soon(lambda: node.bus.connected)
        yield node
        await node.bus.close()


@asynccontextmanager
async def stranger(broker: Broker) -> AsyncIterator[Client]:
    """A client that is no node."""
    async with Client("127.0.0.1", broker.port, protocol=ProtocolVersion.V5) as client:
        yield client


async def hears(hearer: Node, sender: Node) -> None:
    """Wait until messages pass from one to the other, in all rooms that ``hearer`` follows."""
    room = secrets.token_hex(4)
    hearer.bus.follow(room)

    def passed() -> bool:
        sender.bus.send(Appended(room, 1, b""))
        return Appended(room, 1, b"") in hearer.heard

    await soon(passed)
    hearer.bus.unfollow(room)
    await asyncio.sleep(0.1)
    hearer.heard.clear()


@pytest.fixture
def prefix() -> str:
    return f"tests/{secrets.token_hex(8)}"


def now() -> int:
    return time.time_ns() // 1_000_000


async def test_what_is_forged_is_not_heard_and_told_once(
    broker: Broker, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        b.bus.follow("r")
        await hears(b, a)
        topic = f"{prefix}/bus/rooms/r"
        good = Seal(KEY).close("bus/rooms/r", Appended("r", 1, b"1"), "a", now())
        lies = [
            b"",
            b"nonsense",
            bytes(300_000),
            Seal(bytes(32)).close("bus/rooms/r", Appended("r", 1, b"1"), "a", now()),
            Seal(KEY).close("bus/rooms/other", Appended("r", 1, b"1"), "a", now()),
            Seal(KEY).close("bus/rooms/r", Appended("r", 1, b"1"), "a", now() - 61_000),
            Seal(KEY).close("bus/rooms/r", Appended("r", 1, b"1"), "b", now()),
            Seal(KEY).close("bus/rooms/r", Appended("r", 1, bytes(70_000)), "a", now()),
            Seal(KEY).close_raw("bus/rooms/r", {"kind": "sung", "by": "a", "at": now()}),
            good[:-1] + b"2",
        ]
        for lie in lies * 3:
            await mallory.publish(topic, lie, qos=1)
        await mallory.publish(topic, good, qos=1)
        await mallory.publish(topic, good, qos=1)
        await soon(lambda: len(b.heard) >= 2)
        assert b.heard == [Appended("r", 1, b"1")] * 2
        assert [one.levelno for one in caplog.records if one.levelno >= logging.WARNING] == [logging.WARNING]
        assert "not believed" in caplog.text
        assert "nonsense" not in caplog.text


async def test_a_node_with_another_secret_is_a_stranger(broker: Broker, prefix: str) -> None:
    async with (
        node(broker.url, "a", prefix) as a,
        node(broker.url, "b", prefix) as b,
        node(broker.url, "c", prefix, key=bytes(32)) as c,
    ):
        await hears(b, a)
        c.bus.send(Drain("b"))
        c.bus.send(Listed(b"1"))
        a.bus.send(Listed(b"2"))
        await soon(lambda: bool(b.heard))
        await asyncio.sleep(0.2)
        assert b.heard == [Listed(b"2")]


async def test_an_order_to_stop_from_the_past_is_not_followed(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        await hears(b, a)
        for at in (now() - 61_000, now() + 61_000, now()):
            order = Seal(KEY).close("bus/nodes/b", Drain("b"), "a", at)
            await mallory.publish(f"{prefix}/bus/nodes/b", order, qos=1)
        await soon(lambda: bool(b.heard))
        await asyncio.sleep(0.2)
        assert b.heard == [Drain("b")]


async def test_a_thousand_rooms_are_followed_again_when_the_broker_is_back(prefix: str) -> None:
    with running_broker() as broker:
        async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b:
            for number in range(1000):
                b.bus.follow(f"r{number}")
            await hears(b, a)
            broker.kill()
            await soon(lambda: not a.bus.connected and not b.bus.connected)
            for number in range(500):
                b.bus.unfollow(f"r{number}")
            broker.start()
            await soon(lambda: a.bus.connected and b.bus.connected)
            for number in range(1000):
                a.bus.send(Appended(f"r{number}", 1, b"1"))
            await soon(lambda: len(b.heard) >= 500)
            assert b.heard == [Appended(f"r{number}", 1, b"1") for number in range(500, 1000)]


@pytest.mark.parametrize("how", ["kill", "stop"])
async def test_nobody_has_left_because_the_broker_was_away(how: str, prefix: str) -> None:
    with running_broker() as broker:
        broker.kill()
        lines = ["persistence true", f"persistence_location {broker.directory}/"]
        kept = Broker(broker.directory, lines)
        kept.start()
        try:
            async with node(kept.url, "a", prefix) as a, node(kept.url, "b", prefix) as b:
                await hears(b, a)
                getattr(kept, how)()
                await soon(lambda: not a.bus.connected and not b.bus.connected)
                await asyncio.sleep(1)
                kept.start()
                await soon(lambda: a.bus.connected and b.bus.connected)
                await hears(b, a)
                await asyncio.sleep(6)
                assert (a.left, b.left) == ([], [])
        finally:
            kept.kill()


async def test_nobody_has_left_because_the_broker_was_frozen(prefix: str) -> None:
    with running_broker() as broker:
        async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b:
            await hears(b, a)
            broker.freeze()
            await soon(lambda: not a.bus.connected and not b.bus.connected)
            broker.thaw()
            await soon(lambda: a.bus.connected and b.bus.connected)
            await hears(b, a)
            await asyncio.sleep(6)
            assert (a.left, b.left) == ([], [])


async def test_a_node_that_dies_has_left_within_seconds(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, cut_off(broker) as proxy:
        async with node(proxy_url(proxy), "b", prefix) as b:
            await hears(a, b)
            proxy.refusing = True
            proxy.cut()
            await soon(lambda: a.left == ["b"], within_s=5)
            proxy.refusing = False
            await soon(lambda: b.bus.connected)
            await hears(a, b)
            assert (a.left, b.left) == (["b"], [])
        await soon(lambda: a.left == ["b", "b"], within_s=5)


async def test_who_was_cut_off_learns_who_left_in_the_meantime(broker: Broker, prefix: str) -> None:
    async with cut_off(broker) as proxy, node(proxy_url(proxy), "a", prefix) as a, node(broker.url, "c", prefix) as c:
        async with node(broker.url, "b", prefix) as b:
            await hears(a, b)
            await hears(a, c)
            proxy.refusing = True
            proxy.cut()
            await soon(lambda: not a.bus.connected)
        await asyncio.sleep(2)
        assert a.left == []
        proxy.refusing = False
        await soon(lambda: a.left == ["b"], within_s=10)
        await soon(lambda: sorted(c.left) == ["a", "b"])
        await asyncio.sleep(1)
        assert a.left == ["b"]


async def test_a_node_that_is_started_again_at_once_has_left_and_is_there(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a:
        async with node(broker.url, "b", prefix) as b:
            await hears(a, b)
            await asyncio.sleep(0.01)
        async with node(broker.url, "b", prefix) as b:
            await hears(a, b)
            await soon(lambda: a.left == ["b"])
            await asyncio.sleep(2)
            assert a.left == ["b"]


async def test_the_world_sees_which_nodes_are_there_and_which_drain(broker: Broker, prefix: str) -> None:
    async with stranger(broker) as dashboard, node(broker.url, "a", prefix) as a:
        await dashboard.subscribe(f"{prefix}/nodes/+")
        a.bus.status("draining")
        seen: list[bytes] = []

        async def look() -> None:
            async for message in dashboard.messages:
                assert str(message.topic) == f"{prefix}/nodes/a"
                seen.append(bytes(message.payload))

        task = asyncio.create_task(look())
        await soon(lambda: any(b'"draining"' in one for one in seen))
        assert b'"node":"a"' in seen[-1]
        await a.bus.close()
        await soon(lambda: seen[-1] == b"")
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_node_whose_presence_is_cleared_says_again_that_it_is_there(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        await hears(b, a)
        for lie in (b"", b"nonsense", b'{"node":"b","since":1,"status":"ready"}', b"x" * 5000, b""):
            await mallory.publish(f"{prefix}/nodes/a", lie, qos=1, retain=True)
        await asyncio.sleep(3)
        assert b.left == []


async def test_a_presence_that_is_not_told_again_ends(
    broker: Broker, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members_module, "LASTS_S", 2)
    monkeypatch.setattr(members_module, "TOLD_EVERY_S", 0.5)
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        await hears(a, b)
        ghost = b'{"node":"ghost","since":1,"status":"ready","more":[]}'
        await mallory.publish(f"{prefix}/nodes/ghost", ghost, qos=1, retain=True)
        await soon(lambda: a.left == ["ghost"])
        await asyncio.sleep(2)
        assert a.left == ["ghost"]
        await mallory.publish(f"{prefix}/nodes/ghost", b"", qos=1, retain=True)


async def test_two_servers_of_one_name_are_told_so(
    broker: Broker, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with node(broker.url, "a", prefix):
        await asyncio.sleep(0.01)
        async with node(broker.url, "a", prefix) as second:
            await soon(lambda: "another server calls itself a too" in caplog.text)
            second.bus.status("ready")
            await asyncio.sleep(0.2)
            assert caplog.text.count("another server") <= 2


async def test_a_bus_that_may_not_write_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as plain:
        plain.kill()
        (plain.directory / "acl").write_text("topic read noughts/v1/#\ntopic readwrite noughts/v1/nodes/+\n")
        broker = Broker(plain.directory, [f"acl_file {plain.directory / 'acl'}"])
        broker.start()
        try:
            async with node(broker.url, "a", "noughts/v1") as a:
                for _ in range(100):
                    a.bus.send(Appended("r", 1, b""))
                await soon(lambda: caplog.text.count("does not let this server") == 3)
            for topic in ("bus/rooms/+", "bus/nodes/+", "bus/lobby"):
                assert f"publish to noughts/v1/{topic}:" in caplog.text
            assert caplog.text.count("nodes need an account: --bus mqtt://USER@HOST and --bus-password-file") == 3
        finally:
            broker.kill()


@asynccontextmanager
async def cut_off(broker: Broker) -> AsyncIterator[Proxy]:
    """A proxy before ``broker``."""
    async with proxied(broker.url) as proxy:
        yield proxy


def proxy_url(proxy: Proxy) -> str:
    """Where a link finds it."""
    return proxy.url.replace("ws://", "mqtt://")
