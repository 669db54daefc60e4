"""The link to a real broker: messages, and recovery from failures."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiomqtt import Client, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from noughts.mqtt.broker import MESSAGES_PER_TURN
from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from noughts.timing import Timing
from support.broker import Broker, make_certificates, running_broker, security_plugin
from support.eventually import soon
from support.mqtt import FAST, FROZEN, screen

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True)
def _log_of_everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


@asynccontextmanager
async def linked(
    url: str,
    node: str = "a",
    *,
    prefix: str = "noughts/v1",
    password: str | None = None,
    timing: Timing = FAST,
) -> AsyncIterator[Link]:
    """A link that is up."""
    async with Link(url, node=node, prefix=prefix, password=password, timing=timing) as link:
        await soon(lambda: link.connected)
        yield link


def words(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    """The lines logged at ``level``. Nothing may be worse than a warning or have a traceback."""
    for record in caplog.records:
        assert record.levelno <= logging.WARNING, record.getMessage()
        assert record.exc_info is None, record.getMessage()
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def ignore(received: Received) -> None:
    """Do nothing."""


async def received_by(link: Link, topic_filter: str, **options: bool) -> list[Received]:
    """A list that fills with what matches the filter, once the broker knows the filter."""
    messages: list[Received] = []
    link.subscribe(topic_filter, messages.append, **options)
    await reaches(link)
    return messages


async def reaches(link: Link) -> None:
    """Wait until the broker has all subscriptions of ``link``; it takes them in order."""
    probe: list[Received] = []
    topic = f"probe/{time.monotonic_ns()}"
    link.subscribe(topic, probe.append, no_local=False)

    def answered() -> bool:
        link.publish(topic, b"")
        return bool(probe)

    await soon(answered)
    link.unsubscribe(topic)


async def test_messages_arrive_unchanged_and_in_order_without_the_prefix(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="one/two") as a, linked(broker.url, "b", prefix="one/two") as b:
        messages = await received_by(b, "rooms/+/state")
        for number in range(3000):
            a.publish("rooms/r/state", b"%d\x00\xff" % number)
        await soon(lambda: len(messages) == 3000)
        assert messages == [Received("rooms/r/state", b"%d\x00\xff" % number) for number in range(3000)]


@pytest.mark.parametrize("tls", [False, True])
async def test_messages_beyond_the_sockets_buffer_arrive_unchanged_and_in_order(*, tls: bool) -> None:
    with running_broker(tls=tls) as broker:
        ca = broker.directory / "ca.crt" if tls else None
        async with Link(broker.url, node="a", ca=ca, timing=FAST) as a, Link(broker.url, node="b", ca=ca) as b:
            await soon(lambda: a.connected and b.connected)
            messages = await received_by(b, "rooms/+/events")
            sent = [(f"rooms/r{number}/events", bytes([number]) * (number * 2000 + number % 3)) for number in range(80)]
            for number, (topic, payload) in enumerate(sent):
                a.publish(topic, payload, qos=1 if number % 20 == 0 else 0)
            a.subscribe("rooms/r/state", ignore)  # written by paho, between ours
            await soon(lambda: len(messages) == len(sent))
            assert [(one.topic, one.payload) for one in messages] == sent
            assert a.dropped == 0


async def test_links_of_two_prefixes_are_separate(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="one") as a, linked(broker.url, "b", prefix="two") as b:
        messages = await received_by(b, "lobby")
        a.publish("lobby", b"of one")
        a.publish("two/lobby", b"whole", absolute=True)
        await soon(lambda: bool(messages))
        assert messages == [Received("lobby", b"whole")]


async def test_an_answer_goes_to_the_response_topic_with_the_correlation_data(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="req") as a, linked(broker.url, "b", prefix="req") as b:
        answers = await received_by(b, "replies/b")

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


async def test_each_message_of_a_shared_subscription_goes_to_one_member(broker: Broker) -> None:
    prefix = "shared/v1"
    async with (
        linked(broker.url, "a", prefix=prefix) as a,
        linked(broker.url, "b", prefix=prefix) as b,
        linked(broker.url, "c", prefix=prefix) as c,
    ):
        at_a = await received_by(a, "$share/noughts/rooms/+/commands")
        at_b = await received_by(b, "$share/noughts/rooms/+/commands")
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


async def test_a_retained_message_reaches_later_subscribers_until_it_expires(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="kept") as a, linked(broker.url, "b", prefix="kept") as b:
        a.publish("rooms/short/state", b"short", retain=True, expiry_s=1)
        a.publish("rooms/long/state", b"long", retain=True)
        await reaches(a)

        async def kept() -> set[str]:
            async with screen(broker.port, "kept/rooms/+/state") as seen:
                await seen.until(lambda: "kept/rooms/long/state" in seen.now)
                return set(seen.now)

        async with asyncio.timeout(60):
            while await kept() != {"kept/rooms/long/state"}:  # noqa: ASYNC110  # the broker expires it unasked
                await asyncio.sleep(0.2)
        assert await received_by(b, "rooms/+/state", no_local=False) == [
            Received("rooms/long/state", b"long", retain=True)
        ]
        assert await received_by(b, "+/+/state") == []
        a.publish("rooms/long/state", b"", retain=True)


async def test_a_link_receives_its_own_messages_only_on_demand(broker: Broker) -> None:
    async with linked(broker.url, "a", prefix="echo") as a:
        silent, loud = await received_by(a, "silent"), await received_by(a, "loud", no_local=False)
        a.publish("silent", b"1")
        a.publish("loud", b"2")
        await soon(lambda: bool(loud))
        assert silent == []


async def test_a_link_survives_restarts_of_the_broker_with_one_log_line_each(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        async with linked(broker.url, "a") as a, linked(broker.url, "b") as b:
            ups: list[bool] = []
            b.on_connect.append(lambda: ups.append(True))
            b.on_disconnect.append(lambda: ups.append(False))
            messages = await received_by(b, "rooms/+/events")
            for round_ in range(3):
                caplog.clear()
                broker.kill()
                await soon(lambda: not a.connected and not b.connected)
                a.publish("rooms/r/events", b"lost")
                await asyncio.sleep(0.5)  # several attempts to connect
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


async def test_a_broker_killed_under_load_costs_one_log_line(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        async with linked(broker.url, "a") as a, linked(broker.url, "b") as b:
            answers: list[Received] = []
            a.subscribe("answers", answers.append)
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
                answers.clear()
                await soon(lambda: len(answers) > 50)
                broker.kill()
                await soon(lambda: not a.connected and not b.connected)
                broker.start()
            stop.set()
            await task
        assert len(words(caplog, logging.WARNING)) <= 10


async def test_a_frozen_broker_is_noticed_and_used_again_after_it_thaws(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        async with linked(broker.url, "a", timing=FROZEN) as a, linked(broker.url, "b", timing=FROZEN) as b:
            messages = await received_by(b, "lobby")
            caplog.clear()
            broker.freeze()
            frozen_at = time.monotonic()
            while a.connected or b.connected:
                a.publish("lobby", b"x" * 10_000)
                await asyncio.sleep(0.01)
            assert time.monotonic() - frozen_at < 20
            broker.thaw()
            await soon(lambda: a.connected and b.connected)
            assert len(words(caplog, logging.WARNING)) == 2

            def arrived() -> bool:
                a.publish("lobby", b"thawed")
                return messages[-1:] == [Received("lobby", b"thawed")]

            await soon(arrived)


@pytest.mark.parametrize("noticed", [False, True])
async def test_a_link_to_a_frozen_broker_can_be_closed(noticed: bool) -> None:
    with running_broker() as broker:
        open_before = len(os.listdir("/proc/self/fd"))
        async with linked(broker.url, timing=FROZEN) as link:
            broker.freeze()
            for _ in range(2000):
                link.publish("lobby", b"x" * 10_000)
            if noticed:
                await soon(lambda: not link.connected)
            async with asyncio.timeout(60):
                await link.close()
                await link.close()
        assert len(os.listdir("/proc/self/fd")) == open_before


async def test_messages_for_a_frozen_broker_wait_up_to_a_bound() -> None:
    with running_broker() as broker:
        async with linked(broker.url) as link:
            broker.freeze()
            for _ in range(30_000):
                link.publish("lobby", b"x" * 1000)
            assert link.dropped > 15_000
            broker.thaw()
            await reaches(link)


async def test_a_link_waits_for_a_broker_that_starts_later(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker() as broker:
        broker.kill()
        async with Link(broker.url, node="a", timing=FAST) as link:
            await soon(lambda: bool(words(caplog, logging.WARNING)))
            await asyncio.sleep(0.2)  # some more attempts
            assert not link.connected
            broker.start()
            await soon(lambda: link.connected)
        (line,) = words(caplog, logging.WARNING)
        assert "does not answer" in line


async def test_a_wrong_password_is_logged_in_one_clear_line(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    broker = Broker(tmp_path, ["allow_anonymous false", f"password_file {tmp_path / 'passwords'}"])
    broker.add_user("node", "right horse")
    broker.start()
    try:
        url = broker.url.replace("//", "//node@")
        async with Link(url, node="a", password="wrong horse", timing=FAST) as link:
            await soon(lambda: bool(words(caplog, logging.WARNING)))
            await asyncio.sleep(0.2)  # some more attempts
            assert not link.connected
        (line,) = words(caplog, logging.WARNING)
        assert "refuses this server (Not authorized)" in line
        assert "horse" not in caplog.text
        async with linked(url, password="right horse"), linked(url.replace("node@", "node:right%20horse@")):
            pass
    finally:
        broker.kill()


async def test_tls_works_with_a_trusted_broker_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    with running_broker(tls=True) as broker:
        async with Link(broker.url, node="a", ca=broker.directory / "ca.crt", timing=FAST) as link:
            await soon(lambda: link.connected)
            messages = await received_by(link, "lobby", no_local=False)
            for _ in range(200):
                link.publish("lobby", b"x" * 10_000)
            await soon(lambda: len(messages) == 200)
        assert words(caplog, logging.WARNING) == []
        async with Link(broker.url, node="a", timing=FAST) as link:
            await soon(lambda: bool(words(caplog, logging.WARNING)))
            await asyncio.sleep(0.2)  # some more attempts
            assert not link.connected
        gc.collect()
        (line,) = words(caplog, logging.WARNING)
        assert "cannot be trusted" in line
        assert "CERTIFICATE_VERIFY_FAILED" in line


@pytest.mark.parametrize("total", [1, 5000])
async def test_packets_that_share_tls_records_are_all_read_but_not_in_one_turn(total: int, tmp_path: Path) -> None:
    make_certificates(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "server.crt", tmp_path / "server.key")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(b"\x20\x03\x00\x00\x00")
        subscribe = await reader.read(1000)
        # The subscription's answer and messages, as one write. No more comes that would wake the reader.
        writer.write(b"\x90\x04" + subscribe[2:4] + b"\x00\x00" + b"\x30\x06\x00\x03p/t\x00" * total)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        url = f"mqtts://localhost:{server.sockets[0].getsockname()[1]}"
        async with Link(url, node="a", prefix="p", ca=tmp_path / "ca.crt") as link:
            messages: list[Received] = []
            link.subscribe("t", messages.append)
            most = seen = 0
            async with asyncio.timeout(20):
                while len(messages) < total:
                    await asyncio.sleep(0)  # one turn
                    most, seen = max(most, len(messages) - seen), len(messages)
    assert most <= MESSAGES_PER_TURN


async def test_denied_publishes_are_logged_once_for_all_rooms(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "acl").write_text(
        "topic readwrite noughts/v1/lobby\ntopic readwrite noughts/v1/nodes/+\n"
        "topic readwrite noughts/v1/probe/+\ntopic read noughts/v1/bus/#\n"
    )
    broker = Broker(tmp_path, [f"acl_file {tmp_path / 'acl'}"])
    broker.start()
    try:
        async with linked(broker.url) as link:
            lobby = await received_by(link, "lobby", no_local=False)
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
            "publish to the response topics of clients: Not authorized",
        ]
    finally:
        broker.kill()


async def test_denied_subscriptions_are_logged_once(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    plugin = security_plugin()
    rights = {"publishClientSend": True, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}
    (tmp_path / "rights.json").write_text(json.dumps({"defaultACLAccess": rights}))
    broker = Broker(tmp_path, [f"plugin {plugin}", f"plugin_opt_config_file {tmp_path / 'rights.json'}"])
    broker.start()
    try:
        async with Link(broker.url, node="a", timing=FAST) as link:
            for number in range(500):
                link.subscribe(f"rooms/{number}/state", ignore)
            await soon(lambda: link.connected)  # by then all subscriptions are answered
            assert link.trouble == words(caplog, logging.WARNING)[0]
        (line,) = words(caplog, logging.WARNING)
        assert "does not let this server subscribe to noughts/v1/rooms/+/state: Not authorized" in line
    finally:
        broker.kill()


async def test_messages_arrive_in_order_whatever_their_qos(broker: Broker) -> None:
    """The first message of a sort goes at QoS 1, and those after it at QoS 0."""
    async with linked(broker.url) as one, linked(broker.url, "b") as two:
        seen = await received_by(two, "order/#")
        for number in range(100):
            one.publish("order/a", b"%d" % number, qos=1)
        for number in range(100, 200):
            one.publish("order/a", b"%d" % number, qos=0)
        await soon(lambda: len(seen) == 200)
        assert [int(each.payload) for each in seen] == list(range(200))
