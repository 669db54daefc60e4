"""A link to servers that are not proper brokers: plain sockets, so no broker is needed."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from noughts.mqtt.link import Link
from support.eventually import soon
from support.mqtt import FAST
from support.ports import free_port

CONNACK = b"\x20\x03\x00\x00\x00"
HASTY = replace(FAST, mqtt_answer_s=0.05)


@asynccontextmanager
async def fake_broker(
    handle: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """A server that lets ``handle`` talk to each client, then waits for the client to hang up; its URL."""
    connections: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handle(reader, writer)
            while await reader.read(65_536):
                pass
        except ConnectionError:
            pass
        finally:
            writer.close()

    def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(asyncio.create_task(accept(reader, writer)))

    async with await asyncio.start_server(on_connection, "127.0.0.1", 0) as server:
        yield f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.gather(*connections)


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    gc.collect()  # asyncio logs leaked futures and sockets
    assert not [one.getMessage() for one in caplog.records if one.levelno > logging.WARNING or one.exc_info]
    return [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9, id="http"),
        pytest.param(bytes(100), id="zeros"),
        pytest.param(b"\xff" * 100, id="ones"),
        pytest.param(b"\x20\x03\x00\x63\x00", id="an unknown reason"),
        pytest.param(CONNACK + b"\x90\x02\x00\x01", id="an empty answer to a subscription"),
        pytest.param(CONNACK + b"\x90\x04\x00\x01\x00\x63", id="an unknown answer to a subscription"),
        pytest.param(CONNACK + b"\x30\x08\x00\x04\xff\xff\xff\xff\x00\x00", id="a topic that is not UTF-8"),
        pytest.param(CONNACK + b"\x40\x02\x00\x63", id="an acknowledgement of nothing"),
        pytest.param(CONNACK, id="no answer to a subscription"),
        pytest.param(b"", id="silence"),
    ],
)
async def test_a_server_that_does_not_speak_mqtt_is_not_a_broker(
    nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    accepted = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal accepted
        await reader.read(10)
        accepted += 1
        writer.write(nonsense)

    ups: list[bool] = []
    async with fake_broker(answer) as url, Link(url, node="a", timing=HASTY) as link:
        link.subscribe("lobby", print)
        link.on_connect.append(lambda: ups.append(True))
        await soon(lambda: accepted >= 2)
        assert not link.connected
        await link.close()
    assert ups == []
    assert len(warnings_of(caplog)) == 1


async def test_a_broker_that_hangs_up_before_it_knows_all_subscriptions_costs_one_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def take_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(CONNACK)
        while b"bus/rooms/0" not in await reader.read(65_536):
            pass
        writer.close()

    async with fake_broker(take_one) as url, Link(url, node="a", timing=FAST) as link:
        for number in range(1000):
            link.subscribe(f"bus/rooms/{number}", print)
        await soon(lambda: bool(warnings_of(caplog)))
        assert not link.connected
        await link.close()
    assert len(warnings_of(caplog)) == 1


async def test_a_broker_that_refuses_is_named_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"\x20\x03\x00\x87\x00")

    async with fake_broker(refuse) as url, Link(url, node="a", timing=FAST) as link:
        await soon(lambda: bool(warnings_of(caplog)))
        await link.close()
        assert link.trouble is not None
        assert link.trouble.endswith("refuses this server (Not authorized)")


async def test_a_link_without_a_broker_logs_it_once_and_can_be_closed(caplog: pytest.LogCaptureFixture) -> None:
    link = Link(f"mqtt://127.0.0.1:{free_port()}", node="a", timing=FAST)
    await link.start()
    link.publish("lobby", b"")
    await soon(lambda: bool(warnings_of(caplog)))
    await asyncio.sleep(0.1)  # some more attempts
    await link.close()
    await link.close()
    (line,) = warnings_of(caplog)
    assert "does not answer" in line
    assert link.dropped == 1


async def test_a_link_can_be_closed_before_it_was_up() -> None:
    link = Link(f"mqtt://127.0.0.1:{free_port()}", node="a", timing=FAST)
    await link.close()
    await link.start()
    await link.close()


@pytest.mark.parametrize("name", ["", "a/b", "a+", "#", "x" * 65, "a b", "é"])
def test_a_node_name_that_would_break_topics_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Link("mqtt://h", node=name)


@pytest.mark.parametrize("prefix", ["", "/", "a//b", "a/+", "#", "a/", "é"])
def test_a_prefix_that_would_break_topics_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        Link("mqtt://h", node="a", prefix=prefix)
