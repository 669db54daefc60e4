"""Checks of a server's pages, at a server that answers with anything."""

from __future__ import annotations

import asyncio

import pytest

from noughts.conformance.report import Fault
from noughts.conformance.talk import publishes_its_contract


def page(body: bytes) -> bytes:
    """An answer of a server."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (page(b"["), "there is no AsyncAPI document"),
        (page(b"[" * 100_000), "there is no AsyncAPI document"),
        (page(b'{"asyncapi":"3.0.0","components":{"messages":[]}}'), "there is no AsyncAPI document"),
        (page(b'{"asyncapi":"3.0.0","components":{"messages":{"a":5}}}'), "there is no AsyncAPI document"),
        (b"nonsense\r\n\r\n", "no answer by HTTP"),
    ],
)
async def test_a_page_that_is_no_contract_is_a_fault(answer: bytes, problem: str) -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(respond, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Fault, match=problem):
            await publishes_its_contract(f"ws://127.0.0.1:{port}/ws")
