"""From frames to handlers: the handler of each request, and errors for frames that are not requests."""

from __future__ import annotations

import asyncio
from typing import get_args

import pytest
from websockets.asyncio.client import connect

from noughts.protocol.requests import AnyRequest
from noughts.timing import Timing
from support.client import Client, connected, farewell
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import running_gateway, running_server


async def test_every_request_has_a_handler() -> None:
    union, *_ = get_args(AnyRequest)
    async with running_gateway() as node:
        assert set(node.server.dispatcher.handlers) == set(get_args(union))


async def test_hello_comes_first_and_once() -> None:
    async with running_server() as url, connect(url) as socket:
        client = Client(socket)
        assert await client.refused(type="ping") == "not_identified"
        assert await client.refused(type="hello", protocol=2) == "unsupported_protocol"
        assert (await client.request(type="hello", protocol=1))["type"] == "welcome"
        assert await client.refused(type="hello", protocol=1) == "not_allowed"
        assert (await client.request(type="ping"))["type"] == "pong"


async def test_a_frame_that_is_not_a_request_is_refused_with_its_id() -> None:
    async with running_server() as url, connected(url) as ann:
        for frame, code, request_id in (
            ("{", "bad_json", None),
            ("[]", "bad_message", None),
            ('{"type":"dance","id":7}', "bad_message", 7),
            ('{"type":"ping","id":"a","more":1}', "bad_message", "a"),
        ):
            await ann.socket.send(frame)
            answer = await ann.receive()
            assert (answer["type"], answer["code"], answer.get("id")) == ("error", code, request_id)


async def test_a_flood_is_refused_and_then_ends_the_connection() -> None:
    async with running_server(messages_per_s=0.001, burst=3) as url, connected(url) as ann:
        for number in range(20):
            await ann.send(type="ping", id=number)
        messages, close_code, reason = await farewell(ann)
        assert (close_code, reason) == (1008, "too many messages")
        answers = [(message["id"], message.get("code", "pong")) for message in messages]
        # hello took one of three; twice the burst of refusals is tolerated
        assert answers == [(0, "pong"), (1, "pong"), *((number, "rate_limited") for number in range(2, 8))]
        assert all(message["retry_after_s"] > 900 for message in messages[2:])


async def test_a_mistake_in_a_handler_is_logged_and_answered(caplog: pytest.LogCaptureFixture) -> None:
    async with running_gateway() as node, connected(node.url) as ann:

        async def fail(*_: object) -> None:
            raise ZeroDivisionError

        setattr(node.server.host.journal.people, "find", fail)  # noqa: B010  # a method, as far as types go
        assert await ann.refused(type="player", player=ann.id) == "internal"
        assert (await ann.request(type="ping"))["type"] == "pong"
    assert "a request failed" in caplog.text


async def test_a_mistake_in_a_handler_that_does_not_wait_is_logged_and_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_gateway() as node, connected(node.url) as ann:

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        setattr(node.server.host, "submit", fail)  # noqa: B010  # a method, as far as types go
        assert await ann.refused(type="resign", room="room") == "internal"
        assert (await ann.request(type="ping"))["type"] == "pong"
    assert "a request failed" in caplog.text


async def test_a_slow_handler_does_not_delay_other_requests() -> None:
    journal = MemoryJournal()
    find = Faulty(journal.people, "find")
    async with running_gateway(journal, timing=Timing()) as node, connected(node.url) as ann:
        find.gate.clear()
        await ann.send(type="player", id="slow", player=ann.id)
        assert (await ann.request(type="ping"))["type"] == "pong"
        find.gate.set()
        async with asyncio.timeout(20):
            assert (await ann.push("player"))["id"] == "slow"
