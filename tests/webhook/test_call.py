"""Calls over real sockets, to receivers that behave and to some that do not."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import pytest

from noughts.webhook.call import HEAD_BYTES, CallFailed, addresses_of, post
from noughts.webhook.destination import Destination, destination, is_callable
from support.certificates import certified

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Receiver:
    """The calls that a receiver got, and the number of connections."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.to = Destination(False, "", 0, "/x", "club.example")

    async def call(self, body: bytes = b"{}", **options: object) -> None:
        """Call it, as if its address were a public one."""
        given: dict[str, object] = {"allowed": lambda _: True, "timeout_s": 5.0, **options}
        await post(self.to, body, {"webhook-id": "m-1"}, **given)  # type: ignore[arg-type]


@asynccontextmanager
async def receiver(behave: Behaviour, context: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """A receiver on this machine that reads a request and then does as ``behave`` says."""
    it = Receiver()
    tasks: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        it.connections += 1
        tasks.append(cast("asyncio.Task[None]", asyncio.current_task()))
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(int(line[16:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length: "))
                it.requests.append(head + await reader.readexactly(length))
                await behave(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    it.to = Destination(False, "127.0.0.1", port, "/x?y=z", f"127.0.0.1:{port}")
    async with server:
        yield it
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def says(*parts: bytes, pause_s: float = 0.0) -> Behaviour:
    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return behave


async def failure(it: Receiver, **options: object) -> str:
    with pytest.raises(CallFailed) as failed:
        await it.call(**options)  # type: ignore[arg-type]
    return str(failed.value)


async def test_a_call_is_one_post() -> None:
    async with receiver(says(b"HTTP/1.1 204 No Content\r\n\r\n")) as it:
        await it.call(b'{"a":1}')
        (request,) = it.requests
        head, _, body = request.partition(b"\r\n\r\n")
        assert head.split(b"\r\n")[0] == b"POST /x?y=z HTTP/1.1"
        assert f"Host: {it.to.netloc}".encode() in head
        assert b"webhook-id: m-1" in head
        assert body == b'{"a":1}'


async def test_interim_answers_are_skipped_and_the_body_is_not_read() -> None:
    async def endless_body(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    async with receiver(endless_body) as it:
        await it.call()


@pytest.mark.parametrize("status", [b"302 Found", b"307 Temporary Redirect", b"308 Permanent Redirect"])
async def test_a_redirect_is_not_followed(status: bytes) -> None:
    async with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n")) as inside:
        where = f"http://127.0.0.1:{inside.to.port}/latest/meta-data".encode()
        async with receiver(says(b"HTTP/1.1 " + status + b"\r\nLocation: " + where + b"\r\n\r\n")) as it:
            assert await failure(it) == f"it was redirected, which is not followed ({status[:3].decode()})"
        assert inside.connections == 0


@pytest.mark.parametrize("status", [b"400", b"404", b"410", b"500"])
async def test_a_refusal_is_reported_and_gone_is_final(status: bytes) -> None:
    async with receiver(says(b"HTTP/1.1 " + status + b" No\r\n\r\n")) as it:
        with pytest.raises(CallFailed, match=f"it was refused .{status.decode()}") as failed:
            await it.call()
        assert failed.value.gone is (status == b"410")


async def test_a_receiver_that_never_answers_is_given_up() -> None:
    async def never(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with receiver(never) as it:
        began = time.monotonic()
        assert await failure(it, timeout_s=0.1) == "there was no answer within 0.1 s"
        assert time.monotonic() - began < 3


async def test_a_receiver_that_answers_byte_by_byte_is_given_up() -> None:
    async with receiver(says(*[b"H"] * 100, pause_s=0.02)) as it:
        assert await failure(it, timeout_s=0.1) == "there was no answer within 0.1 s"


async def test_endless_headers_are_not_read() -> None:
    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-Padding: " + b"x" * 1000 + b"\r\n")
            await writer.drain()

    async with receiver(endless) as it:
        assert await failure(it) == "its answer is too long"
    async with receiver(says(b"HTTP/1.1 200 OK\r\nX: " + b"x" * HEAD_BYTES + b"\r\n\r\n")) as it:
        assert await failure(it) == "its answer is too long"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "the connection failed"),
        (b"HTTP/1.1 200 OK\r\n", "the connection failed"),
        (b"220 mail.example ESMTP\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/2 200\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 9, "its answer is not HTTP"),
    ],
)
async def test_what_is_no_answer_is_a_failure(answer: bytes, why: str) -> None:
    async with receiver(says(answer)) as it:
        assert await failure(it) == why


async def test_nobody_there_is_a_failure() -> None:
    async with receiver(says(b"")) as it:
        pass
    assert await failure(it) == "the connection failed"


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    """A name that stands for something public when it is checked may mean this machine a moment later."""
    async with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n")) as it:
        asked: list[str] = []

        async def rebinding(host: str, _: int) -> list[str]:
            asked.append(host)
            return ["203.0.113.7"]

        to = Destination(False, "localhost", it.to.port, "/", "localhost")
        with pytest.raises(CallFailed):
            await post(to, b"{}", {}, resolve=rebinding, allowed=lambda each: each == "203.0.113.7", timeout_s=0.2)
        assert (asked, it.connections) == (["localhost"], 0)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["8.8.8.8", "127.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["::ffff:127.0.0.1"],
        ["2606:4700:4700::1111", "fe80::1"],
        [],
    ],
)
async def test_one_address_that_is_not_public_is_enough_to_call_none(addresses: list[str]) -> None:
    async with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n")) as it:

        async def resolve(*_: object) -> list[str]:
            return addresses

        assert await failure(it, resolve=resolve, allowed=is_callable) == "its address is not a public one"
        assert it.connections == 0


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0", "[::1]", "[::ffff:7f00:1]"]
)
async def test_this_machine_is_not_called_however_it_is_written(host: str) -> None:
    """By the system's own resolver."""
    async with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n")) as it:
        to = destination(f"http://{host}:{it.to.port}/", http=True)
        with pytest.raises(CallFailed, match=r"not a public one|the connection failed"):
            await post(to, b"{}", {})
        assert it.connections == 0


async def test_a_name_that_cannot_be_resolved_is_a_failure() -> None:
    with pytest.raises(CallFailed, match="the connection failed"):
        await post(destination(f"https://{'a' * 70}.invalid/", http=False), b"{}", {})
    assert "127.0.0.1" in await addresses_of("127.0.0.1", 443)


async def test_https_to_a_receiver_without_it_sends_nothing() -> None:
    async with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n")) as it:
        to = Destination(True, "127.0.0.1", it.to.port, "/", "x")
        with pytest.raises(CallFailed):
            await post(to, b"{}", {}, allowed=lambda _: True, timeout_s=0.5)
        assert it.requests == []


@pytest.mark.services
async def test_a_certificate_must_be_valid_for_the_name(tmp_path: Path) -> None:
    certificate, context = certified(tmp_path)  # for localhost
    trust = ssl.create_default_context(cafile=str(certificate))
    async with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n"), context) as it:

        async def call(name: str, trust: ssl.SSLContext | None) -> None:
            async def resolve(*_: object) -> list[str]:
                return ["127.0.0.1"]

            to = Destination(True, name, it.to.port, "/", name)
            await post(to, b"{}", {}, resolve=resolve, allowed=lambda _: True, trust=trust)

        await call("localhost", trust)
        for name, authorities in (("localhost", None), ("other.example", trust)):
            with pytest.raises(CallFailed, match="its certificate is not valid"):
                await call(name, authorities)
        assert len(it.requests) == 1
