"""What every bus must do, asked of each implementation."""

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

NOBODY = "nobody"  # a player of whom only :func:`settled` speaks


class Heard:
    """What one node has heard, and who has left it."""

    def __init__(self, bus: Bus) -> None:
        self.messages: list[Hint] = []
        self.left: list[str] = []
        bus.listeners.append(self._hear)
        bus.on_node_left.append(self.left.append)

    def _hear(self, message: Hint) -> None:
        if not (isinstance(message, Missing) and message.player == NOBODY):
            self.messages.append(message)


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
            link = Link(self._broker.url, node=name, prefix=self._prefix)
            bus = MqttBus(link, self._key)
            await self._stack.enter_async_context(link)
        self._stack.push_async_callback(bus.close)
        await soon(lambda: bus.connected)
        return bus

    async def nodes(self, *names: str) -> list[Bus]:
        """Several, who know of each other."""
        buses = [await self.node(name) for name in names]
        await settled(*buses)
        return buses


async def settled(*buses: Bus) -> None:
    """Wait until each of ``buses`` hears the rooms that it follows now: it hears the others in one that comes last."""
    room = secrets.token_hex(4)
    heard: dict[str, set[str]] = {bus.node: set() for bus in buses}

    def hearer(node: str) -> Callable[[Hint], None]:
        return lambda message: heard[node].add(message.node) if isinstance(message, Missing) else None

    for bus in buses:
        bus.listeners.append(hearer(bus.node))
        bus.follow(room)
    async with asyncio.timeout(20):
        while any(len(nodes) < len(buses) - 1 for nodes in heard.values()):
            for bus in buses:
                bus.send(Missing(room, NOBODY, bus.node))
            await asyncio.sleep(0.02)
    for bus in buses:
        bus.unfollow(room)
        bus.listeners.pop()


@pytest.fixture(params=["memory", "mqtt"])
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    async with AsyncExitStack() as stack:
        yield Cluster(stack, request.getfixturevalue("broker") if request.param == "mqtt" else None)


async def test_who_follows_a_room_hears_of_it_in_order_and_whole(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_b, at_c = Heard(b), Heard(c)
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
    await soon(lambda: len(at_b.messages) >= len(sent))
    assert at_b.messages == sent
    assert at_c.messages == []


async def test_nobody_hears_of_a_room_that_is_not_followed_any_more(cluster: Cluster) -> None:
    a, b = await cluster.nodes("a", "b")
    heard = Heard(b)
    for room in ("r", "s"):
        b.follow(room)
        b.follow(room)
    await settled(a, b)
    b.unfollow("r")
    b.unfollow("never")
    for message in (Appended("r", 1, b"1"), Said("r", b"1"), Watching("r", "a", 1, asks=True)):
        a.send(message)
    a.send(Appended("s", 1, b"1"))
    await soon(lambda: bool(heard.messages))
    assert heard.messages == [Appended("s", 1, b"1")]
    b.follow("r")
    await settled(a, b)
    a.send(Appended("r", 2, b"2"))
    await soon(lambda: len(heard.messages) == 2)
    assert heard.messages[1] == Appended("r", 2, b"2")


async def test_what_is_for_one_node_is_heard_by_that_one(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_b, at_c = Heard(b), Heard(c)
    c.follow("r")
    await settled(a, b, c)
    for_b: list[Hint] = [Present("r", "p", to="b"), Drain("b")]
    for_all: list[Hint] = [Listed(b'{"room":"r"}'), Paired("p-é", "r"), Altered("p-é")]
    for message in (*for_b, *for_all):
        a.send(message)
    await soon(lambda: len(at_b.messages) == 5 and len(at_c.messages) == 3)
    assert sorted(at_b.messages, key=repr) == sorted([*for_b, *for_all], key=repr)  # two topics, in any order
    assert at_c.messages == for_all


async def test_nobody_hears_itself(cluster: Cluster) -> None:
    a, b = await cluster.nodes("a", "b")
    at_a, at_b = Heard(a), Heard(b)
    for bus in (a, b):
        bus.follow("r")
    await settled(a, b)
    of_rooms: list[Hint] = [Appended("r", 1, b"1"), Said("r", b"1"), Watching("r", "a", 1, asks=True)]
    for message in (*of_rooms, Listed(b"{}"), Paired("p", "r"), Altered("p"), Present("r", "p", to="a"), Drain("a")):
        a.send(message)
    b.send(Missing("r", "p", "b"))
    await soon(lambda: bool(at_a.messages) and len(at_b.messages) == 6)
    assert at_a.messages == [Missing("r", "p", "b")]


async def test_the_others_are_told_of_a_node_that_leaves_once(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_a, at_b, at_c = Heard(a), Heard(b), Heard(c)
    await b.close()
    await soon(lambda: at_a.left == ["b"] and at_c.left == ["b"])
    await b.close()
    await asyncio.sleep(0.1)
    assert (at_a.left, at_b.left, at_c.left) == (["b"], [], ["b"])


async def test_a_node_that_has_left_hears_nothing(cluster: Cluster) -> None:
    a, b, c = await cluster.nodes("a", "b", "c")
    at_b, at_c = Heard(b), Heard(c)
    for bus in (b, c):
        bus.follow("r")
    await settled(a, b, c)
    await b.close()
    a.send(Appended("r", 1, b"1"))
    a.send(Drain("b"))
    await soon(lambda: bool(at_c.messages))
    await asyncio.sleep(0.1)
    assert at_b.messages == []


async def test_a_node_alone_may_say_what_it_likes(cluster: Cluster) -> None:
    a = await cluster.node("a")
    heard = Heard(a)
    a.follow("r")
    for message in (Appended("r", 1, b"1"), Listed(b"{}"), Drain("z"), Present("r", "p", to="z")):
        a.send(message)
    await asyncio.sleep(0.1)
    assert heard.messages == []
    assert a.connected


async def test_a_bus_to_nobody_counts_as_away_where_there_may_be_others() -> None:
    assert MemoryBus("node").connected
    assert not MemoryBus("node", alone=False).connected
