"""The contract of every bus, checked for each implementation."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from noughts.bus import (
    Altered,
    Appended,
    Bus,
    Drain,
    Hint,
    Hub,
    Invited,
    Listed,
    MemoryBus,
    Missing,
    Paired,
    Present,
    Said,
    Watching,
)
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.link import Link
from support.broker import Broker
from support.eventually import soon
from support.mqtt import FAST

NOBODY = "nobody"  # a player that only :func:`settled` uses


class Received:
    """The hints that one node received, and the nodes that left."""

    def __init__(self, bus: Bus) -> None:
        self.hints: list[Hint] = []
        self.left: list[str] = []
        bus.listeners.append(self._on_hint)
        bus.on_node_left.append(self.left.append)

    def _on_hint(self, hint: Hint) -> None:
        if not (isinstance(hint, Missing) and hint.player == NOBODY):
            self.hints.append(hint)


class Cluster:
    """Nodes on one bus of a kind."""

    def __init__(self, stack: AsyncExitStack, broker: Broker | None) -> None:
        self._stack = stack
        self._broker = broker
        self._hub = Hub()
        self._prefix = f"tests/{secrets.token_hex(8)}"
        self._key = secrets.token_bytes(32)

    async def node(self, name: str) -> Bus:
        """A node that is connected."""
        bus: Bus
        if self._broker is None:
            bus = MemoryBus(name, self._hub)
        else:
            link = Link(self._broker.url, node=name, prefix=self._prefix, timing=FAST)
            bus = MqttBus(link, self._key, FAST)
            bus.start()
            link.on_connect.append(bus.on_connect)
            link.on_disconnect.append(bus.on_disconnect)
            await self._stack.enter_async_context(link)
        self._stack.push_async_callback(bus.close)
        await soon(lambda: bus.connected)
        return bus

    async def nodes(self, *names: str) -> list[Bus]:
        """Several nodes that reach each other."""
        buses = [await self.node(name) for name in names]
        await settled(*buses)
        return buses


async def settled(*buses: Bus) -> None:
    """Wait until all of ``buses`` receive hints about the rooms that they follow now.

    Subscriptions take effect in order, so it is enough that all receive hints about one more room.
    """
    room = secrets.token_hex(4)
    reached: dict[str, set[str]] = {bus.node: set() for bus in buses}

    def listener(node: str) -> Callable[[Hint], None]:
        return lambda hint: reached[node].add(hint.node) if isinstance(hint, Missing) else None

    for bus in buses:
        bus.listeners.append(listener(bus.node))
        bus.follow(room)
    async with asyncio.timeout(20):
        while any(len(nodes) < len(buses) - 1 for nodes in reached.values()):
            for bus in buses:
                bus.send(Missing(room, NOBODY, bus.node))
            await asyncio.sleep(0.02)
    for bus in buses:
        bus.unfollow(room)
        bus.listeners.pop()


@pytest.fixture(params=["memory", pytest.param("mqtt", marks=pytest.mark.services)])
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    async with AsyncExitStack() as stack:
        yield Cluster(stack, request.getfixturevalue("broker") if request.param == "mqtt" else None)


async def test_followers_of_a_room_receive_its_hints_unchanged_and_in_order(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_b, at_c = Received(b), Received(c)
    b.follow("r")
    await settled(a, b, c)
    sent: list[Hint] = [Appended("r", version, bytes(range(256)) * (version % 3)) for version in range(1, 501)]
    sent.append(Missing("r", "p-é\U0001f600", "a"))
    sent += [
        Said("r", b'{"text":"h\xc3\xa9\\n"}\n'),
        Watching("r", "a", 0, asks=True),
        Watching("r", "a", 2**31, asks=False),
    ]
    for message in sent:
        a.send(message)
    await soon(lambda: len(at_b.hints) >= len(sent))
    assert at_b.hints == sent
    assert at_c.hints == []


async def test_an_unfollowed_room_sends_no_more_hints(cluster: Cluster) -> None:
    a, b = await cluster.nodes("a", "b")
    received = Received(b)
    for room in ("r", "s"):
        b.follow(room)
        b.follow(room)
    await settled(a, b)
    b.unfollow("r")
    b.unfollow("never")
    for message in (Appended("r", 1, b"1"), Watching("r", "a", 1, asks=True)):
        a.send(message)
    a.send(Appended("s", 1, b"1"))
    await soon(lambda: bool(received.hints))
    assert received.hints == [Appended("s", 1, b"1")]
    b.follow("r")
    await settled(a, b)
    a.send(Appended("r", 2, b"2"))
    await soon(lambda: len(received.hints) == 2)
    assert received.hints[1] == Appended("r", 2, b"2")


async def test_a_hint_for_one_node_reaches_only_that_node(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_b, at_c = Received(b), Received(c)
    c.follow("r")
    await settled(a, b, c)
    for_b: list[Hint] = [Present("r", "p", to="b"), Drain("b")]
    for_all: list[Hint] = [Listed(b'{"room":"r"}'), Paired("p-é", "r"), Altered("p-é"), Invited("p-é", b"{}")]
    for message in (*for_b, *for_all):
        a.send(message)
    await soon(lambda: len(at_b.hints) == 6 and len(at_c.hints) == 4)
    assert sorted(at_b.hints, key=repr) == sorted([*for_b, *for_all], key=repr)  # two topics, in any order
    assert at_c.hints == for_all


async def test_a_node_does_not_receive_its_own_hints(cluster: Cluster) -> None:
    a, b = await cluster.nodes("a", "b")
    at_a, at_b = Received(a), Received(b)
    for bus in (a, b):
        bus.follow("r")
    await settled(a, b)
    of_rooms: list[Hint] = [Appended("r", 1, b"1"), Said("r", b"1"), Watching("r", "a", 1, asks=True)]
    for message in (*of_rooms, Listed(b"{}"), Paired("p", "r"), Altered("p"), Present("r", "p", to="a"), Drain("a")):
        a.send(message)
    b.send(Missing("r", "p", "b"))
    await soon(lambda: bool(at_a.hints) and len(at_b.hints) == 6)
    assert at_a.hints == [Missing("r", "p", "b")]


async def test_a_node_that_leaves_is_reported_once(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_a, at_b, at_c = Received(a), Received(b), Received(c)
    await b.close()
    await soon(lambda: at_a.left == ["b"] and at_c.left == ["b"])
    await b.close()
    await asyncio.sleep(0.1)
    assert (at_a.left, at_b.left, at_c.left) == (["b"], [], ["b"])


async def test_a_node_that_left_receives_nothing(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_b, at_c = Received(b), Received(c)
    for bus in (b, c):
        bus.follow("r")
    await settled(a, b, c)
    await b.close()
    a.send(Appended("r", 1, b"1"))
    a.send(Drain("b"))
    await soon(lambda: bool(at_c.hints))
    await asyncio.sleep(0.1)
    assert at_b.hints == []


async def test_a_node_alone_may_send_anything(cluster: Cluster) -> None:
    a = await cluster.node("a")
    received = Received(a)
    a.follow("r")
    for message in (Appended("r", 1, b"1"), Listed(b"{}"), Drain("z"), Present("r", "p", to="z")):
        a.send(message)
    await asyncio.sleep(0.1)
    assert received.hints == []
    assert a.connected


async def test_a_bus_without_other_nodes_counts_as_connected_only_for_a_single_node() -> None:
    assert MemoryBus("node").connected
    assert not MemoryBus("node", alone=False).connected
