"""Connections by address and origin, readiness, draining, and the cleanup of closed sessions."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import socket
import struct
import time
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from noughts.bus import MemoryBus
from noughts.gateway.gateway import Gateway
from noughts.gateway.session import Session
from noughts.host import Host
from noughts.journal import StoredPlayer
from noughts.timing import Timing
from support.client import Client, connected
from support.eventually import soon
from support.faulty import FaultyPut
from support.journals import MemoryJournal
from support.server import running_gateway, running_server, server_over

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

HELLO = b'\x81\x9d\0\0\0\0{"type":"hello","protocol":1}'


async def get(url: str, path: str) -> tuple[int, str]:
    """The status and the body of a page."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split()[1]), body


async def rematch_room(client: Client) -> str:
    """The room of the rematch, once the client is in it."""
    while (message := await client.push("room"))["previous"] is None:
        pass
    return str(message["room"])


async def test_nothing_remains_of_closed_sessions() -> None:
    async with running_gateway() as node:
        url, host = node.url, node.host
        async with connected(url, "ann") as ann, connected(url, "ben") as ben, connected(url, "eve") as eve:
            room = await ann.create()
            await ben.join(room)
            await eve.ok(type="watch", room=room)
            await eve.ok(type="lobby", watch=True)
            await ann.ok(type="resign", room=room)
            await ann.ok(type="offer_rematch", room=room)
            await ben.ok(type="accept_rematch", room=room)
            rooms = {await rematch_room(client) for client in (ann, ben, eve)}
            assert len(host) == 1, "the old room is released"
            for client in (ann, ben, eve):
                await client.ok(type="leave", room=rooms.copy().pop())
            await ann.request(type="ping")
            assert len(host) == 0
            await ann.create()
        await soon(lambda: len(host) == 0)

        def sessions() -> int:
            gc.collect()
            return sum(isinstance(each, Session) for each in gc.get_objects())

        await soon(lambda: sessions() == 0)


async def refused_origin(url: str, origin: str) -> tuple[int, str]:
    """The status and the body for a page of ``origin`` that asks for a WebSocket."""
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, origin=Origin(origin))
    return refused.value.response.status_code, bytes(refused.value.response.body or b"").decode()


async def test_only_the_servers_own_pages_and_programs_may_connect(caplog: pytest.LogCaptureFixture) -> None:
    async with running_gateway() as node:
        own = node.url.replace("ws://", "http://").removesuffix("/ws")
        for origin in (own, own.replace("http", "https"), None):
            async with connect(node.url, origin=None if origin is None else Origin(origin)):
                pass
        for origin in ("https://evil.example", own.replace("127.0.0.1", "localhost"), f"{own}1", "null"):
            status, body = await refused_origin(node.url, origin)
            assert (status, "--origins" in body, "--public-url" in body) == (403, True, True)
        assert node.host.monitor.limited["origins"] == 4
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(
        "limit origins stopped 127.0.0.1: refused a page of the origin 'https://evil.example' (Host: "
    )


async def test_listed_origins_may_connect_too() -> None:
    async with running_server(origins=["https://example.org"], public_url="https://play.example.org") as url:
        for origin in ("https://example.org", "https://play.example.org"):
            async with connect(url, origin=Origin(origin)):
                pass
        assert (await refused_origin(url, "http://example.org"))[0] == 403


async def test_a_name_that_suddenly_means_this_machine_is_not_its_own() -> None:
    async with running_server(trusted_proxies=["127.0.0.1"]) as url:
        port = int(url.split(":")[2].split("/")[0])
        page = f"attacker.example:{port}"

        async def status(*headers: str) -> int:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            request = HANDSHAKE.replace(b"Host: x", "\r\n".join([f"Host: {page}", *headers]).encode())
            writer.write(request)
            line = await reader.readline()
            writer.transport.abort()
            return int(line.split()[1])

        assert await status(f"Origin: http://{page}") == 403
        assert await status() == 101
        assert await status(f"Origin: http://{page}", "X-Forwarded-For: 203.0.113.1") == 101


async def test_the_refusal_behind_an_untrusted_proxy_names_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.1"}
    async with running_server() as url:
        port, page = urlsplit(url).port, Origin("https://play.example.org")
        for _ in range(2):
            with pytest.raises(InvalidStatus) as refused:
                await connect(
                    "ws://play.example.org/ws", origin=page, additional_headers=forwarded, host="127.0.0.1", port=port
                )
            assert "--trusted-proxies" in bytes(refused.value.response.body or b"").decode()
    warning, refusal = [record.getMessage() for record in caplog.records]
    assert warning == "X-Forwarded-For from 127.0.0.1 is not trusted; see --trusted-proxies"
    assert refusal.endswith("(Host: 'play.example.org'); see --trusted-proxies, --origins and --public-url")


async def test_connections_that_are_reset_in_the_handshake_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with running_server() as url:
        port = int(url.split(":")[2].split("/")[0])
        for _ in range(50):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HANDSHAKE)
            writer.transport.abort()
        async with connected(url) as ann:
            assert (await ann.request(type="ping"))["type"] == "pong"
    assert caplog.records == []


async def test_connections_are_limited_by_client_behind_a_trusted_proxy() -> None:
    async with running_server(trusted_proxies=["127.0.0.0/8"], connections_per_address=1) as url:
        async with (
            connect(url, additional_headers={"X-Forwarded-For": "203.0.113.1"}),
            connect(url, additional_headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.2"}),
        ):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, additional_headers={"X-Forwarded-For": "198.51.100.2, 203.0.113.2"})
            assert refused.value.response.status_code == 429
        async with connect(url, additional_headers={"X-Forwarded-For": "203.0.113.2"}):
            pass


async def test_a_header_of_an_untrusted_peer_is_ignored() -> None:
    async with (
        running_server(connections_per_address=1) as url,
        connect(url, additional_headers={"X-Forwarded-For": "203.0.113.1"}),
    ):
        with pytest.raises(InvalidStatus) as refused:
            await connect(url, additional_headers={"X-Forwarded-For": "203.0.113.2"})
        assert refused.value.response.status_code == 429


async def silent(url: str, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connections over which nothing was sent."""
    host, port = url.split("/")[2].split(":")
    return [await asyncio.open_connection(host, int(port)) for _ in range(count)]


async def test_connections_count_before_they_send_anything() -> None:
    async with running_gateway(http_per_address=5) as node:
        async with connected(node.url) as ann:
            held = await silent(node.url, 8)
            async with asyncio.timeout(20):
                assert [await reader.read() for reader, _ in held[5:]] == [b""] * 3
            assert node.gateway.entrance.connections == 6
            assert node.host.monitor.limited == {"http_per_address": 3}
            assert (await ann.request(type="ping"))["type"] == "pong"
            for _, writer in held:
                writer.close()
            await soon(lambda: node.gateway.entrance.connections == 1)
        await soon(lambda: node.gateway.entrance.connections == 0)


async def test_a_proxy_has_only_the_limit_for_all() -> None:
    async with running_gateway(http_per_address=5, connections=20, trusted_proxies=["127.0.0.1"]) as node:
        held = await silent(node.url, 26)
        async with asyncio.timeout(20):
            assert await held[25][0].read() == b""
        assert node.gateway.entrance.connections == 25
        assert node.host.monitor.limited == {"connections": 1}
        for _, writer in held:
            writer.close()


async def test_a_connection_that_sends_no_request_is_closed() -> None:
    async with running_gateway(hello_s=0.2) as node:
        ((reader, writer),) = await silent(node.url, 1)
        async with asyncio.timeout(20):
            assert await reader.read() == b""
        writer.close()
        await soon(lambda: node.host.monitor.limited == {"hello_s": 1})


async def test_nobody_is_cut_off_because_the_server_is_late() -> None:
    """Its clients send what they must before the server reads it, and find that their time is up."""
    async with running_gateway(hello_s=0.5) as node:
        pulse = asyncio.create_task(node.host.pulse.run())
        ((reader, writer),) = await silent(node.url, 1)
        await asyncio.sleep(0.2)
        time.sleep(1)  # noqa: ASYNC251  the server is late, and the request is not sent yet
        writer.write(HANDSHAKE)
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.2)
        time.sleep(1)  # noqa: ASYNC251
        writer.write(HELLO)
        assert b"welcome" in await reader.readuntil(b"welcome")
        await asyncio.sleep(1)
        assert not node.host.monitor.limited
        writer.close()
        pulse.cancel()


async def test_nobody_is_cut_off_while_its_hello_is_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_gateway(hello_s=0.2) as node:
        people, found = node.host.journal.people, asyncio.Event()
        find = people.find_by_token

        async def find_slowly(hashed: bytes) -> StoredPlayer | None:
            await asyncio.sleep(1)
            found.set()
            return await find(hashed)

        async with connected(node.url) as ann:
            pass
        monkeypatch.setattr(people, "find_by_token", find_slowly)
        async with connected(node.url, token=ann.token):
            assert found.is_set()
        assert not node.host.monitor.limited


async def test_plain_http_does_not_count_as_clients() -> None:
    async with running_gateway(connections_per_address=1, hello_s=60) as node:
        held = await silent(node.url, 10)
        for _, writer in held[5:]:
            writer.write(b"GET /healthz HTTP/1.1\r\n\r\n")  # it does not read the answer, and stays for a second
        async with connected(node.url) as ann:
            assert (await get(node.url, "/healthz"))[0] == 200
            with pytest.raises(InvalidStatus) as refused:
                await connect(node.url)
            assert refused.value.response.status_code == 429
            assert (await ann.request(type="ping"))["type"] == "pong"
        for _, writer in held:
            writer.close()


async def test_readiness_follows_the_journal() -> None:
    journal = MemoryJournal()
    append = FaultyPut(journal).faulty
    timing = Timing(journal_retries_s=(0.01, 0.01))
    async with running_gateway(journal, timing=timing) as node, connected(node.url) as ann:
        ready = {"ready": True, "node": "node", "journal": "ok", "bus": "none"}
        status, body = await get(node.url, "/readyz")
        assert (status, json.loads(body)) == (200, ready)
        append.faults = ["lost"] * 3
        assert await ann.refused(type="create", game="tictactoe") == "overloaded"
        assert not node.host.answering
        status, body = await get(node.url, "/readyz")
        assert (status, json.loads(body)) == (503, {**ready, "ready": False, "journal": "away"})
        assert await get(node.url, "/healthz") == (200, "ok\n")
        async with connected(node.url) as ben:
            await ben.create()
        assert (await get(node.url, "/readyz"))[0] == 200


class Cluster(MemoryBus):
    """A bus whose broker can go away."""

    up = True

    @property
    def connected(self) -> bool:
        return self.up


async def test_a_node_without_its_broker_is_ready_and_reports_it() -> None:
    broker = Cluster("node-7")
    host = Host(MemoryJournal(), broker)
    async with Gateway(server_over(host, bus="mqtt://broker")).serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        for up, state in ((True, "ok"), (False, "away")):
            broker.up = up
            status, body = await get(url, "/readyz")
            ready = {"ready": True, "node": "node-7", "journal": "ok", "bus": state}
            assert (status, json.loads(body)) == (200, ready)


async def test_a_draining_node_is_not_ready_and_refuses_clients() -> None:
    async with running_gateway() as node:
        async with connected(node.url) as ann:
            await ann.send(type="create", game="tictactoe")
            await node.gateway.drain()
            await ann.socket.wait_closed()
            assert ann.socket.close_code == 1012
        assert (await get(node.url, "/readyz"))[0] == 503
        assert (await get(node.url, "/healthz"))[0] == 200
        with pytest.raises(InvalidStatus) as refused:
            await connect(node.url)
        assert refused.value.response.status_code == 503
        await node.host.close()


async def test_a_draining_node_does_not_wait_for_clients_that_do_not_answer() -> None:
    loop = asyncio.get_running_loop()
    async with running_gateway(hello_s=60) as node:
        port = int(node.url.split(":")[2].split("/")[0])
        _, half_open = await asyncio.open_connection("127.0.0.1", port)
        half_open.write(b"GET /ws HTTP/1.1\r\n")
        _, deaf = await asyncio.open_connection("127.0.0.1", port)
        deaf.write(HANDSHAKE)
        await soon(lambda: node.gateway.entrance.clients == 1)
        for connection in node.gateway.pool.connections:
            connection.transport.write(bytes(50_000_000))  # so that the close frame has to wait behind it
        since = loop.time()
    assert loop.time() - since < 30, "it did not wait for the 60 s that a client may take to say hello"
    for writer in (half_open, deaf):
        writer.transport.abort()


@pytest.mark.both_loops
async def test_a_client_that_resets_its_connection_before_it_is_served_leaves_no_error_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_server() as url:
        address = urlsplit(url)
        for _ in range(5):  # the loop stands still until the client has gone
            with socket.create_connection((address.hostname, address.port)) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: noughts\r\n\r\n")
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await asyncio.sleep(0.05)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
