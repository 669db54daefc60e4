"""The bus over MQTT when the network or the broker fails, and with forged messages."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiomqtt import Client, ProtocolVersion

from noughts.bus import Appended, Drain, Hint, Listed
from noughts.mqtt.bus import LINGER_S, MqttBus
from noughts.mqtt.link import Link
from noughts.mqtt.signer import MAX_HINTS, Signer
from noughts.timing import Timing
from support.broker import Broker, running_broker
from support.eventually import soon
from support.mqtt import FAST, FROZEN, screen
from support.proxy import Proxy, proxied

pytestmark = pytest.mark.services

KEY = bytes(range(32))
GHOST = b'{"node":"ghost","since":1,"status":"ready","more":[]}'


class Node:
    """A node on a bus: the hints that it received, and the nodes that it saw leave."""

    def __init__(self, link: Link, key: bytes, timing: Timing) -> None:
        self.link = link
        self.bus = MqttBus(link, key, timing)
        self.hints: list[Hint] = []
        self.left: list[str] = []
        self.bus.listeners.append(self.hints.append)
        self.bus.on_node_left.append(self.left.append)
        link.on_connect.append(self.bus.on_connect)
        link.on_disconnect.append(self.bus.on_disconnect)
        self.bus.start()


@asynccontextmanager
async def node(url: str, name: str, prefix: str, key: bytes = KEY, timing: Timing = FAST) -> AsyncIterator[Node]:
    """A connected node, which leaves properly at the end."""
    link = Link(url, node=name, prefix=prefix, timing=timing)
    node = Node(link, key, timing)
    async with link:
        await soon(lambda: node.bus.connected)
        yield node
        await node.bus.close()


@asynccontextmanager
async def stranger(broker: Broker) -> AsyncIterator[Client]:
    """A client that is not a node."""
    async with Client("127.0.0.1", broker.port, protocol=ProtocolVersion.V5) as client:
        yield client


class Follower:
    """A node that knows of rooms what it stored, what it was told, and what it read when it was told to read."""

    def __init__(self, node: Node, proxy: Proxy, stored: Counter[str]) -> None:
        self.node, self.proxy, self.stored = node, proxy, stored
        self.known: dict[str, int] = {}
        node.bus.listeners.append(self._on_hint)
        node.bus.on_followed.append(self._read)

    def follow(self, room: str) -> None:
        self.known[room] = self.stored[room]
        self.node.bus.follow(room)

    def unfollow(self, room: str) -> None:
        del self.known[room]
        self.node.bus.unfollow(room)

    def _on_hint(self, hint: Hint) -> None:
        if isinstance(hint, Appended) and hint.room in self.known:
            self.known[hint.room] = max(self.known[hint.room], hint.version)

    def _read(self, rooms: Sequence[str]) -> None:
        self.known.update((room, self.stored[room]) for room in rooms if room in self.known)


async def reaches(sender: Node, receiver: Node) -> None:
    """Wait until hints pass from one to the other, about all rooms that ``receiver`` follows."""
    room = secrets.token_hex(4)
    receiver.bus.follow(room)

    def arrived() -> bool:
        sender.bus.send(Appended(room, 1, b""))
        return Appended(room, 1, b"") in receiver.hints

    await soon(arrived)
    receiver.bus.unfollow(room)
    last = Listed(secrets.token_bytes(4))
    sender.bus.send(last)
    await soon(lambda: last in receiver.hints)
    receiver.hints.clear()


@pytest.fixture
def prefix() -> str:
    return f"tests/{secrets.token_hex(8)}"


def signed(topic: str, hint: Hint, by: str, at: int, key: bytes = KEY) -> bytes:
    (message,) = Signer(key).sign(topic, [hint], by, at)
    return message


def now() -> int:
    return time.time_ns() // 1_000_000


async def test_forged_messages_are_rejected_with_one_log_line_at_each_node(
    broker: Broker, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        a.bus.follow("r")
        b.bus.follow("r")
        await reaches(a, b)
        await reaches(b, a)
        topic = f"{prefix}/bus/rooms/r"
        stored = Appended("r", 1, b"1")
        good = signed("bus/rooms/r", stored, "a", now())
        lies = [
            b"",
            b"nonsense",
            bytes(300_000),
            signed("bus/rooms/r", stored, "a", now(), key=bytes(32)),
            signed("bus/nodes/b", stored, "a", now()),
            signed("bus/rooms/r", stored, "a", now() - 61_000),
            signed("bus/rooms/r", stored, "b", now()),
            signed("bus/rooms/r", Appended("r", 1, bytes(70_000)), "a", now()),
            signed("bus/rooms/r", Appended("other", 1, b"1"), "a", now()),
            Signer(KEY).sign_raw("bus/rooms/r", {"by": "a", "at": now(), "hints": [{"kind": "sung"}]}),
            Signer(KEY).sign_empty("bus/rooms/r", "a", now()),
            good[:-1] + b"2",
        ]
        for lie in lies * 3:
            await mallory.publish(topic, lie, qos=1)
        await mallory.publish(topic, good, qos=1)
        await mallory.publish(topic, good, qos=1)
        await soon(lambda: len(b.hints) >= 2)
        assert b.hints == [stored] * 2
        assert [one.levelno for one in caplog.records if one.levelno >= logging.WARNING] == [
            logging.WARNING
        ] * 2  # a, b
        assert "rejected messages on the bus" in caplog.text
        assert "nonsense" not in caplog.text


async def test_a_node_with_another_secret_is_a_stranger(broker: Broker, prefix: str) -> None:
    async with (
        node(broker.url, "a", prefix) as a,
        node(broker.url, "b", prefix) as b,
        node(broker.url, "c", prefix, key=bytes(32)) as c,
        screen(broker.port, f"{prefix}/bus/lobby", f"{prefix}/bus/nodes/b") as seen,
    ):
        await reaches(a, b)

        def by_c() -> int:
            return sum(b'"by":"c"' in payload for _, payload in seen.received)

        before = by_c()
        c.bus.send(Drain("b"))
        c.bus.send(Listed(b"1"))
        await seen.until(lambda: by_c() >= before + 2)
        a.bus.send(Listed(b"2"))
        await soon(lambda: bool(b.hints))
        assert b.hints == [Listed(b"2")]


async def test_hints_of_one_turn_about_one_room_go_in_few_messages(broker: Broker, prefix: str) -> None:
    async with (
        node(broker.url, "a", prefix) as a,
        node(broker.url, "b", prefix) as b,
        screen(broker.port, f"{prefix}/bus/rooms/r") as seen,
    ):
        b.bus.follow("r")
        await reaches(a, b)

        async def shown() -> int:
            marker = secrets.token_hex(4).encode()  # the screen may be behind the node
            a.link.publish("bus/rooms/r", marker)
            await seen.until(lambda: seen.received and seen.received[-1][1] == marker)
            return len(seen.received)

        before = await shown()
        sent: list[Hint] = [Appended("r", version, bytes(250)) for version in range(1, 201)]
        for hint in sent:
            a.bus.send(hint)
        await soon(lambda: len(b.hints) >= 200)
        assert b.hints == sent
        assert await shown() - before - 1 == 200 // MAX_HINTS


async def test_events_reach_the_nodes_that_follow_the_room_and_all_the_one_that_leads(
    broker: Broker, prefix: str
) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b:
        reached: list[str] = []
        verify, events = b.bus._signer.verify, list[Appended]()
        b.bus._signer.verify = lambda topic, signed: (reached.append(topic), verify(topic, signed))[1]  # type: ignore[method-assign, func-returns-value]
        b.bus.on_appended = events.append
        rooms = ("mine", "yours", "other")
        for room in rooms:
            a.bus.follow(room)
        for room in rooms[:2]:
            b.bus.follow(room)
        await soon(lambda: all("b" in a.bus._rooms[room] for room in rooms[:2]))
        sent = [Appended(room, number, b"1") for room in rooms for number in (1, 2, 3)]

        async def exchange(of_others: int) -> None:
            await asyncio.sleep(2 * FAST.view_gather_s)
            reached.clear()
            events.clear()
            last = Listed(secrets.token_bytes(4))
            for hint in sent:
                a.bus.send(hint)
            a.bus.send(last)
            await soon(lambda: last in b.hints and len(events) >= of_others)
            assert b.hints == [*sent[:6], last]
            b.hints.clear()

        await exchange(0)
        assert reached == ["bus/nodes/b", "bus/lobby"]
        a.bus.lead(leads=False)
        for _ in range(2):
            b.bus.lead(leads=True)
        await exchange(len(sent))
        assert reached == ["bus/nodes/b", "bus/lobby", "bus/appended"]
        assert events == sent
        b.bus.lead(leads=False)
        events.clear()
        b.bus.unfollow("yours")
        while "b" in a.bus._rooms["yours"]:  # b answers the first that it does not follow
            a.bus.send(Appended("yours", 4, b"1"))
            await asyncio.sleep(LINGER_S / 20)
        assert b.hints == events == []


@pytest.mark.parametrize("seed", range(6))
async def test_nodes_that_come_and_go_at_a_room_all_learn_its_last_event(
    broker: Broker, prefix: str, seed: int
) -> None:
    """Each stores events while others begin to follow, leave and are cut off. Nobody asks the journal by itself."""
    rng = random.Random(seed)
    stored: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        followers, rooms = [], [f"r{number}" for number in range(40)]
        for name in "abc":
            proxy = await stack.enter_async_context(proxied(broker.url))
            url = proxy.url.replace("ws://", "mqtt://")
            followers.append(Follower(await stack.enter_async_context(node(url, name, prefix)), proxy, stored))
        for _ in range(300):
            one, room = rng.choice(followers), rng.choice(rooms)
            if room not in one.known:
                one.follow(room)
            elif rng.random() < 0.1:
                one.unfollow(room)
            elif rng.random() < 0.01:
                one.proxy.cut()
            else:
                stored[room] += 1
                one.known[room] = stored[room]
                one.node.bus.send(Appended(room, stored[room], b""))
            await asyncio.sleep(rng.choice((0, 0, 0.001, 0.01)))
        await soon(lambda: all(stored[room] == version for one in followers for room, version in one.known.items()))


async def test_a_node_is_told_from_when_on_it_receives_the_hints_of_a_room(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b:
        await reaches(a, b)
        followed: list[str] = []
        b.bus.on_followed.append(followed.extend)
        for number in range(300):
            b.bus.follow(f"r{number}")
        await soon(lambda: len(followed) >= 300)
        sent: list[Hint] = [Appended(room, 1, b"1") for room in followed]
        for hint in sent:
            a.bus.send(hint)
        await soon(lambda: len(b.hints) >= 300)
        assert b.hints == sent
        b.bus.unfollow("r1")
        b.bus.follow("r1")  # it was not unsubscribed from yet
        a.bus.send(Appended("r1", 2, b"2"))
        await soon(lambda: b.hints[-1] == Appended("r1", 2, b"2"))


async def test_a_node_alone_subscribes_to_its_rooms_when_another_joins(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a:
        await soon(lambda: a.bus._membership.alone)
        a.bus.follow("r")
        followed: list[str] = []
        a.bus.on_followed.append(followed.extend)
        async with node(broker.url, "b", prefix) as b:
            await soon(lambda: followed == ["r"])
            b.bus.send(Appended("r", 1, b"1"))
            await soon(lambda: a.hints == [Appended("r", 1, b"1")])


async def test_a_node_alone_sends_nothing_until_another_joins(broker: Broker, prefix: str) -> None:
    async with screen(broker.port, f"{prefix}/#") as seen, node(broker.url, "a", prefix) as a:

        async def sends() -> bool:
            hint, probe = secrets.token_hex(4).encode(), secrets.token_hex(4).encode()
            a.bus.send(Listed(hint))
            await asyncio.sleep(0)  # hints go out at the end of the turn
            a.link.publish("probe", probe)
            await seen.until(lambda: any(payload == probe for _, payload in seen.received))
            return any(hint in payload for _, payload in seen.received)

        assert await sends()  # the others may not have shown themselves yet
        while await sends():  # noqa: ASYNC110  # nothing tells when the node is sure
            await asyncio.sleep(0.05)
        async with node(broker.url, "b", prefix) as b:
            await reaches(a, b)
            assert await sends()
        await soon(lambda: a.left == ["b"])
        assert not await sends()


async def test_an_old_drain_order_is_ignored(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        await reaches(a, b)
        for at in (now() - 61_000, now() + 61_000, now()):
            order = signed("bus/nodes/b", Drain("b"), "a", at)
            await mallory.publish(f"{prefix}/bus/nodes/b", order, qos=1)
        await soon(lambda: bool(b.hints))
        assert b.hints == [Drain("b")]


async def test_a_thousand_rooms_are_followed_again_after_a_broker_restart(prefix: str) -> None:
    with running_broker() as broker:
        async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b:
            for number in range(1000):
                b.bus.follow(f"r{number}")
            await reaches(a, b)
            broker.kill()
            await soon(lambda: not a.bus.connected and not b.bus.connected)
            for number in range(500):
                b.bus.unfollow(f"r{number}")
            broker.start()
            await soon(lambda: a.bus.connected and b.bus.connected)
            for number in range(1000):
                a.bus.send(Appended(f"r{number}", 1, b"1"))
            await soon(lambda: len(b.hints) >= 500)
            assert b.hints == [Appended(f"r{number}", 1, b"1") for number in range(500, 1000)]


@pytest.mark.parametrize("how", ["kill", "stop", "freeze"])
async def test_a_broker_outage_makes_no_node_leave(how: str, prefix: str) -> None:
    with running_broker() as plain:
        plain.kill()
        lines = ["persistence true", f"persistence_location {plain.directory}/"]
        broker = Broker(plain.directory, lines)
        broker.start()
        try:
            async with (
                node(broker.url, "a", prefix, timing=FROZEN) as a,
                node(broker.url, "b", prefix, timing=FROZEN) as b,
            ):
                await reaches(a, b)
                async with stranger(broker) as dashboard:
                    await dashboard.publish(f"{prefix}/nodes/ghost", GHOST, qos=1)
                getattr(broker, how)()
                await soon(lambda: not a.bus.connected and not b.bus.connected)
                broker.thaw() if how == "freeze" else broker.start()
                await soon(lambda: a.bus.connected and b.bus.connected)
                await reaches(a, b)
                # The ghost does not come back, and is reported when the time to come back is over.
                await soon(lambda: bool(a.left and b.left))
                assert (a.left, b.left) == (["ghost"], ["ghost"])
        finally:
            broker.kill()


async def test_a_node_that_dies_is_reported_within_seconds(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, proxied(broker.url) as proxy:
        async with node(proxy.url.replace("ws://", "mqtt://"), "b", prefix) as b:
            await reaches(b, a)
            proxy.refusing = True
            proxy.cut()
            await soon(lambda: a.left == ["b"])
            proxy.refusing = False
            await soon(lambda: b.bus.connected)
            await reaches(b, a)
            assert (a.left, b.left) == (["b"], [])
        await soon(lambda: a.left == ["b", "b"])


async def test_a_node_that_was_cut_off_learns_which_nodes_left(broker: Broker, prefix: str) -> None:
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(proxied(broker.url))
        a = await stack.enter_async_context(node(proxy.url.replace("ws://", "mqtt://"), "a", prefix))
        c = await stack.enter_async_context(node(broker.url, "c", prefix))
        async with node(broker.url, "b", prefix) as b:
            await reaches(b, a)
            await reaches(c, a)
            proxy.refusing = True
            proxy.cut()
            await soon(lambda: not a.bus.connected)
        await soon(lambda: sorted(c.left) == ["a", "b"])
        assert a.left == []
        proxy.refusing = False
        await soon(lambda: bool(a.left))
        assert a.left == ["b"]


async def test_a_node_restarted_at_once_is_reported_once(broker: Broker, prefix: str) -> None:
    async with node(broker.url, "a", prefix) as a, stranger(broker) as dashboard:
        async with node(broker.url, "b", prefix) as b:
            await reaches(b, a)
        async with node(broker.url, "b", prefix) as b:
            await reaches(b, a)
            await soon(lambda: a.left == ["b"])
            await dashboard.publish(f"{prefix}/nodes/ghost", GHOST, qos=1)
            await soon(lambda: len(a.left) > 1)
            assert a.left == ["b", "ghost"]


async def test_the_status_of_each_node_is_public(broker: Broker, prefix: str) -> None:
    topic = f"{prefix}/nodes/a"
    async with screen(broker.port, f"{prefix}/nodes/+") as seen, node(broker.url, "a", prefix) as a:
        await seen.until(lambda: b'"ready"' in seen.now.get(topic, b""))
        a.bus.announce("draining")
        await seen.until(lambda: b'"draining"' in seen.now[topic])
        assert b'"node":"a"' in seen.now[topic]
        await a.bus.close()
        await seen.until(lambda: topic not in seen.now)


async def test_a_node_stays_when_its_presence_is_overwritten_and_leaves_when_it_expires(
    broker: Broker, prefix: str
) -> None:
    async with node(broker.url, "a", prefix) as a, node(broker.url, "b", prefix) as b, stranger(broker) as mallory:
        await reaches(a, b)
        for lie in (b"", b"nonsense", b'{"node":"b","since":1,"status":"ready"}', b"x" * 5000, b""):
            await mallory.publish(f"{prefix}/nodes/a", lie, qos=1, retain=True)
        await mallory.publish(f"{prefix}/nodes/ghost", GHOST, qos=1)
        await soon(lambda: bool(b.left))
        assert b.left == ["ghost"]  # which expires later than the lies take effect


async def test_two_servers_of_one_name_log_it(broker: Broker, prefix: str, caplog: pytest.LogCaptureFixture) -> None:
    async with node(broker.url, "a", prefix):
        await asyncio.sleep(0.01)  # so that they differ in the time of their start
        async with node(broker.url, "a", prefix) as second:
            await soon(lambda: "another server is named a too" in caplog.text)
            for _ in range(3):
                second.bus.announce("ready")
            await asyncio.sleep(0.2)
            assert caplog.text.count("another server") <= 2


async def test_a_bus_that_may_not_write_logs_it(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as plain:
        plain.kill()
        (plain.directory / "acl").write_text("topic read noughts/v1/#\ntopic readwrite noughts/v1/nodes/+\n")
        broker = Broker(plain.directory, [f"acl_file {plain.directory / 'acl'}"])
        broker.start()
        try:
            async with node(broker.url, "a", "noughts/v1") as a:
                for _ in range(100):
                    a.bus.send(Appended("r", 1, b""))
                await soon(lambda: caplog.text.count("does not let this server") == 4)
            for topic in ("bus/nodes/+", "bus/lobby", "bus/appended", "bus/rooms/+"):
                assert f"publish to noughts/v1/{topic}:" in caplog.text
            assert caplog.text.count("nodes need an account: --bus mqtt://USER@HOST and --bus-password-file") == 4
        finally:
            broker.kill()
