"""The link to a broker: what it carries, and what it survives."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiomqtt import Client, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from noughts.mqtt.link import Link, parse
from noughts.mqtt.subscriptions import Received
from support.broker import Broker, running_broker, security_plugin
from support.eventually import soon
from support.server import free_port


@pytest.fixture(autouse=True)
def _log_of_everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


@asynccontextmanager
async def linked(
    url: str, node: str = "a", *, prefix: str = "noughts/v1", password: str | None = None
) -> AsyncIterator[Link]:
    """A link that is up."""
    async with Link(url, node=node, prefix=prefix, password=password) as link:
        await soon(lambda: link.connected)
        yield link


def words(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    """What was logged at ``level``, after seeing to it that nothing was worse than a warning or bore a traceback."""
    for record in caplog.records:
        assert record.levelno <= logging.WARNING, record.getMessage()
        assert record.exc_info is None, record.getMessage()
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def ignore(received: Received) -> None:
    """Hear it, and do nothing."""


async def heard(link: Link, topic_filter: str, **options: bool) -> list[Received]:
    """A list that gets what matches the filter, once the broker knows of it."""
    messages: list[Received] = []
    link.subscribe(topic_filter, messages.append, **options)
    await reaches(link)
    return messages


async def reaches(link: Link) -> None:
    """Wait until the broker has all the subscriptions of ``link``: it settles them in order."""
    probe: list[Received] = []
    topic = f"probe/{time.monotonic_ns()}"
    link.subscribe(topic, probe.append, no_local=False)

    def answered() -> bool:
        link.publish(topic, b"")
        return bool(probe)

    await soon(answered)
    link.unsubscribe(topic)


async def test_messages_arrive_whole_without_the_prefix_and_in_order(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="one/two") as a, linked(broker.url, "b", prefix="one/two") as b:
        messages = await heard(b, "rooms/+/state")
        for number in range(3000):
            a.publish("rooms/r/state", b"%d\x00\xff" % number)
        await soon(lambda: len(messages) == 3000)
        assert messages == [Received("rooms/r/state", b"%d\x00\xff" % number) for number in range(3000)]


async def test_two_prefixes_do_not_meet(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="one") as a, linked(broker.url, "b", prefix="two") as b:
        messages = await heard(b, "lobby")
        a.publish("lobby", b"of one")
        a.publish("two/lobby", b"whole", absolute=True)
        await soon(lambda: bool(messages))
        assert messages == [Received("lobby", b"whole")]


async def test_a_request_is_answered_where_it_asks_with_what_it_gave(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="req") as a, linked(broker.url, "b", prefix="req") as b:
        answers = await heard(b, "replies/b")

        def answer(request: Received) -> None:
            assert request.response_topic
            a.publish(request.response_topic, request.payload[::-1], correlation=request.correlation, absolute=True)

        a.subscribe("rooms/+/commands", answer)
        await reaches(a)
        request = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        request.ResponseTopic, request.CorrelationData = "req/replies/b", b"\x00 7"
        async with Client("127.0.0.1", broker.port, protocol=ProtocolVersion.V5) as device:
            await device.publish("req/rooms/r/commands", b"abc", properties=request)
        await soon(lambda: bool(answers))
        assert answers == [Received("replies/b", b"cba", correlation=b"\x00 7")]


async def test_each_message_of_a_shared_subscription_goes_to_one(broker: Broker) -> None:
    prefix = "shared/v1"
    async with (
        linked(broker.url, "a", prefix=prefix) as a,
        linked(broker.url, "b", prefix=prefix) as b,
        linked(broker.url, "c", prefix=prefix) as c,
    ):
        at_a = await heard(a, "$share/noughts/rooms/+/commands")
        at_b = await heard(b, "$share/noughts/rooms/+/commands")
        for number in range(100):
            c.publish("rooms/r/commands", b"%d" % number)
        await soon(lambda: len(at_a) + len(at_b) == 100)
        assert {one.payload for one in at_a + at_b} == {b"%d" % number for number in range(100)}
        assert at_a
        assert at_b
        a.unsubscribe("$share/noughts/rooms/+/commands")
        await reaches(a)
        c.publish("rooms/r/commands", b"last")
        await soon(lambda: at_b[-1].payload == b"last")


async def test_what_is_retained_is_told_to_who_comes_later_until_it_expires(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="kept") as a, linked(broker.url, "b", prefix="kept") as b:
        a.publish("rooms/short/state", b"short", retain=True, expiry_s=1)
        a.publish("rooms/long/state", b"long", retain=True)
        await reaches(a)
        await asyncio.sleep(2.5)
        assert await heard(b, "rooms/+/state") == [Received("rooms/long/state", b"long", retain=True)]
        a.publish("rooms/long/state", b"", retain=True)


async def test_the_echo_of_what_one_says_is_heard_only_on_demand(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="echo") as a:
        silent, loud = await heard(a, "silent"), await heard(a, "loud", no_local=False)
        a.publish("silent", b"1")
        a.publish("loud", b"2")
        await soon(lambda: bool(loud))
        assert silent == []


async def test_a_handler_that_fails_does_not_end_the_link(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    async with linked(broker.url, "a", prefix="fails") as a:

        def fail(received: Received) -> None:
            raise RuntimeError("not this time")

        a.subscribe("bad", fail, no_local=False)
        good = await heard(a, "good", no_local=False)
        a.publish("bad", b"")
        a.publish("good", b"")
        await soon(lambda: bool(good))
        assert a.connected
        assert [record.levelno for record in caplog.records if record.exc_info] == [logging.ERROR]


async def test_a_broker_that_is_killed_is_found_again_and_nobody_is_bored_with_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with running_broker() as broker:
        async with linked(broker.url, "a") as a, linked(broker.url, "b") as b:
            ups: list[bool] = []
            b.on_connect.append(lambda: ups.append(True))
            b.on_disconnect.append(lambda: ups.append(False))
            messages = await heard(b, "rooms/+/events")
            for round_ in range(3):
                caplog.clear()
                broker.kill()
                await soon(lambda: not a.connected and not b.connected)
                a.publish("rooms/r/events", b"lost")
                await asyncio.sleep(3)
                broker.start()
                await soon(lambda: a.connected and b.connected)
                assert len(words(caplog, logging.WARNING)) == 2
                assert len(words(caplog, logging.INFO)) == 2
                assert "is lost (the connection ended)" in words(caplog, logging.WARNING)[0]
                a.publish("rooms/r/events", b"%d" % round_)
                await soon(lambda: messages[-1:] == [Received("rooms/r/events", b"%d" % round_)])  # noqa: B023
            assert [one.payload for one in messages] == [b"0", b"1", b"2"]
            assert ups == [False, True] * 3
            assert a.dropped == 3


async def test_a_broker_killed_under_load_leaves_nothing_but_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        async with linked(broker.url, "a") as a, linked(broker.url, "b") as b:
            await heard(b, "rooms/+/events")
            b.subscribe("rooms/+/events", lambda received: b.publish("answers", received.payload))
            stop = asyncio.Event()

            async def chatter() -> None:
                while not stop.is_set():
                    for number in range(50):
                        a.publish(f"rooms/{number}/events", b"x" * 1000, qos=number % 2)
                        a.subscribe(f"bus/rooms/{number}", ignore)
                        a.unsubscribe(f"bus/rooms/{number - 1}")
                    await asyncio.sleep(0.01)

            task = asyncio.create_task(chatter())
            for _ in range(5):
                await soon(lambda: a.connected and b.connected)
                await asyncio.sleep(0.2)
                broker.kill()
                await soon(lambda: not a.connected and not b.connected)
                broker.start()
            stop.set()
            await task
        assert len(words(caplog, logging.WARNING)) <= 10


async def test_a_frozen_broker_is_noticed_and_used_again_when_it_thaws(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        async with linked(broker.url, "a") as a, linked(broker.url, "b") as b:
            messages = await heard(b, "lobby")
            caplog.clear()
            broker.freeze()
            frozen_at = time.monotonic()
            while a.connected or b.connected:
                a.publish("lobby", b"x" * 10_000)
                await asyncio.sleep(0.01)
            assert time.monotonic() - frozen_at < 20
            await asyncio.sleep(5)
            broker.thaw()
            await soon(lambda: a.connected and b.connected)
            await asyncio.sleep(1)
            assert len(words(caplog, logging.WARNING)) == 2
            a.publish("lobby", b"thawed")
            await soon(lambda: messages[-1:] == [Received("lobby", b"thawed")])


@pytest.mark.parametrize("wait_s", [0, 12])
async def test_a_link_to_a_frozen_broker_can_be_closed(wait_s: float) -> None:
    with running_broker() as broker:
        open_before = len(os.listdir("/proc/self/fd"))
        async with linked(broker.url) as link:
            broker.freeze()
            for _ in range(2000):
                link.publish("lobby", b"x" * 10_000)
            await asyncio.sleep(wait_s)
            async with asyncio.timeout(10):
                await link.close()
                await link.close()
        assert len(os.listdir("/proc/self/fd")) == open_before


async def test_what_waits_for_a_frozen_broker_is_bounded_and_nobody_waits_for_it() -> None:
    with running_broker() as broker:
        async with linked(broker.url) as link:
            broker.freeze()
            for _ in range(30_000):
                link.publish("lobby", b"x" * 1000)
            assert link.dropped > 15_000
            broker.thaw()
            await reaches(link)


async def test_messages_do_not_wait_for_a_broker_that_is_not_there_yet(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        broker.kill()
        async with Link(broker.url, node="a") as link:
            link.subscribe("lobby", ignore)
            link.publish("lobby", b"")
            await asyncio.sleep(3)
            assert not link.connected
            broker.start()
            await soon(lambda: link.connected)
        assert len(words(caplog, logging.WARNING)) == 1
        assert "does not answer" in words(caplog, logging.WARNING)[0]


async def test_a_link_that_was_never_up_can_be_closed() -> None:
    link = Link(f"mqtt://127.0.0.1:{free_port()}", node="a")
    await link.close()
    await link.start()
    await link.close()


@pytest.mark.parametrize(
    "nonsense",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9,
        bytes(100),
        b"\xff" * 100,
        b"\x20\x03\x00\x63\x00",
        b"\x20\x03\x00\x00\x00" + b"\x90\x02\x00\x01" + b"\x90\x04\x00\x01\x00\x63",
        b"\x20\x03\x00\x00\x00" + b"\x30\x08\x00\x04\xff\xff\xff\xff\x00\x00" + b"\x40\x02\x00\x63",
    ],
)
async def test_a_server_that_speaks_no_mqtt_is_no_broker(nonsense: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(nonsense)
        await asyncio.sleep(0.5)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        async with Link(f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}", node="a") as link:
            link.subscribe("lobby", ignore)
            await asyncio.sleep(4)
            assert not link.connected
        gc.collect()
        assert len(words(caplog, logging.WARNING)) == 1


async def test_a_broker_that_goes_before_it_knows_all_subscriptions_leaves_nothing_but_a_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def take_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"\x20\x03\x00\x00\x00")
        while b"bus/rooms/0" not in await reader.read(65_536):
            pass
        writer.close()

    server = await asyncio.start_server(take_one, "127.0.0.1", 0)
    async with server:
        async with Link(f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}", node="a") as link:
            for number in range(1000):
                link.subscribe(f"bus/rooms/{number}", ignore)
            await soon(lambda: bool(words(caplog, logging.WARNING)))
            assert not link.connected
        gc.collect()
        assert len(words(caplog, logging.WARNING)) == 1


async def test_a_wrong_password_is_told_in_one_clear_line(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    broker = Broker(tmp_path, ["allow_anonymous false", f"password_file {tmp_path / 'passwords'}"])
    broker.add_user("node", "right horse")
    broker.start()
    try:
        url = broker.url.replace("//", "//node@")
        async with Link(url, node="a", password="wrong horse") as link:
            await asyncio.sleep(3)
            assert not link.connected
        (line,) = words(caplog, logging.WARNING)
        assert "refuses this server (Not authorized)" in line
        assert "horse" not in caplog.text
        async with linked(url, password="right horse"), linked(url.replace("node@", "node:right%20horse@")):
            pass
    finally:
        broker.kill()


async def test_tls_is_spoken_with_a_broker_that_can_be_trusted(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker(tls=True) as broker:
        async with Link(broker.url, node="a", ca=broker.directory / "ca.crt") as link:
            await soon(lambda: link.connected)
            messages = await heard(link, "lobby", no_local=False)
            for _ in range(200):
                link.publish("lobby", b"x" * 10_000)
            await soon(lambda: len(messages) == 200)
        assert words(caplog, logging.WARNING) == []
        async with Link(broker.url, node="a") as link:
            await asyncio.sleep(2)
            assert not link.connected
        (line,) = words(caplog, logging.WARNING)
        assert "cannot be trusted" in line
        assert "CERTIFICATE_VERIFY_FAILED" in line


async def test_what_the_broker_denies_is_told_once_for_all_rooms(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "acl").write_text(
        "topic readwrite noughts/v1/lobby\ntopic readwrite noughts/v1/nodes/+\n"
        "topic readwrite noughts/v1/probe/+\ntopic read noughts/v1/bus/#\n"
    )
    broker = Broker(tmp_path, [f"acl_file {tmp_path / 'acl'}"])
    broker.start()
    try:
        async with linked(broker.url) as link:
            lobby = await heard(link, "lobby", no_local=False)
            for number in range(50):
                link.publish(f"bus/rooms/{number}", b"")
                link.publish(f"someone/else/{number}", b"", absolute=True)
                link.publish("lobby", b"")
            await soon(lambda: len(lobby) == 50)
            await reaches(link)
        denials = sorted(line for line in words(caplog, logging.WARNING))
        assert [line.split("let this server ")[1] for line in denials] == [
            "publish to noughts/v1/bus/rooms/+: Not authorized;"
            " nodes need an account: --bus mqtt://USER@HOST and --bus-password-file",
            "publish to the topics that others ask to be answered at: Not authorized",
        ]
    finally:
        broker.kill()


async def test_a_subscription_that_the_broker_denies_is_told_once(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    plugin = security_plugin()
    rights = {"publishClientSend": True, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}
    (tmp_path / "rights.json").write_text(json.dumps({"defaultACLAccess": rights}))
    broker = Broker(tmp_path, [f"plugin {plugin}", f"plugin_opt_config_file {tmp_path / 'rights.json'}"])
    broker.start()
    try:
        async with linked(broker.url) as link:
            for number in range(500):
                link.subscribe(f"rooms/{number}/state", ignore)
            await soon(lambda: bool(words(caplog, logging.WARNING)))
            await asyncio.sleep(0.5)
            assert link.connected
        (line,) = words(caplog, logging.WARNING)
        assert "does not let this server subscribe to noughts/v1/rooms/+/state: Not authorized" in line
    finally:
        broker.kill()


@pytest.mark.parametrize("url", ["http://localhost", "mqtt://", "localhost", "mqtt://host/topic", "mqtt://host:port"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="MQTT"):
        parse(url)


@pytest.mark.parametrize("password", ["s3cr?et", "s3cr/et", "s3cr#et", "s3cr[et", "s3cr\u2100et", "12?34", "12#34"])
def test_a_password_that_is_not_encoded_is_refused_and_no_part_of_it_told(password: str) -> None:
    with pytest.raises(ValueError, match="percent-encoded") as caught:
        parse(f"mqtt://user:{password}@host")
    told = "".join(traceback.format_exception(caught.value)[1:])
    assert "s3cr" not in str(caught.value)
    assert "s3cr" not in told


def test_a_url_says_where_and_as_whom() -> None:
    plain = parse("mqtt://h")
    assert (plain.host, plain.port, plain.user, plain.password, plain.tls) == ("h", 1883, None, None, None)
    full = parse("mqtts://n%40x:p@[::1]:99", password="q")
    assert (full.host, full.port, full.user, full.password) == ("::1", 99, "n@x", "q")
    assert full.tls is not None
    assert parse("mqtts://h").port == 8883


@pytest.mark.parametrize("name", ["", "a/b", "a+", "#", "x" * 65, "a b", "é"])
def test_a_node_or_a_prefix_that_would_break_topics_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Link("mqtt://h", node=name)
