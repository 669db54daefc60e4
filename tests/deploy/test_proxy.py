"""Caddy with our Caddyfile, in front of nodes that only report their clients, and of one that serves the page."""

from __future__ import annotations

import asyncio
import http
import json
import os
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request, Response
from websockets.typing import Origin

from deploy.stack import Caddy, listens, running, running_caddy, wait_until
from support.browser import chromium, expect, opened, pick, play_computer
from support.ports import free_port
from support.programs import program
from support.server import running_page, running_server

pytestmark = pytest.mark.services


REWRITING = """
{{
    admin off
}}
http://127.0.0.1:{port} {{
    reverse_proxy 127.0.0.1:{node} {{
        header_up Host {{upstream_hostport}}
    }}
}}
"""
"""A Caddyfile for a proxy that gives the node another Host."""


class Node:
    """Sends each client its name and the request headers, and then echoes everything."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.port = free_port()
        self.ready = True
        self.full = False

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Server]:
        async with serve(self._handle, "127.0.0.1", self.port, process_request=self._respond) as server:
            yield server

    async def _handle(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        await connection.send(json.dumps([self.name, list(connection.request.headers.raw_items())]))
        async for message in connection:
            await connection.send(message)

    def _respond(self, connection: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path == "/ws" and not self.full:
            return None
        ready = self.ready and path != "/ws"
        status = http.HTTPStatus.OK if ready else http.HTTPStatus.SERVICE_UNAVAILABLE
        return connection.respond(status, f"{request.path} of {self.name}\n")


@pytest.fixture(scope="module")
def nodes() -> list[Node]:
    return [Node("node1"), Node("node2")]


@pytest.fixture(scope="module")
def caddy(nodes: list[Node], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caddy]:
    with running_caddy(tmp_path_factory.mktemp("caddy"), [node.port for node in nodes]) as running:
        yield running


@asynccontextmanager
async def connected(caddy: Caddy, **more: Any) -> AsyncIterator[tuple[ClientConnection, str, dict[str, str]]]:
    """A connection through the proxy, with the node it reached and the headers that arrived there."""
    async with connect(caddy.url, ssl=caddy.tls(), compression=None, **more) as socket:
        name, headers = json.loads(await socket.recv())
        assert len({header.lower() for header, _ in headers}) == len(headers)
        yield socket, name, {header.lower(): value for header, value in headers}


async def echoes(socket: ClientConnection) -> bool:
    """True if a message makes a round trip."""
    await socket.send("still there?")
    return await socket.recv() == "still there?"


async def settled(caddy: Caddy, names: set[str]) -> None:
    """Wait until exactly the nodes ``names`` get connections."""
    async with asyncio.timeout(20):
        while True:
            async with AsyncExitStack() as stack:
                found = [(await stack.enter_async_context(connected(caddy)))[1] for _ in range(4)]
            if set(found) == names:
                return
            await asyncio.sleep(0.3)


async def test_connections_go_to_any_node(nodes: list[Node], caddy: Caddy) -> None:
    async with nodes[0].serving(), nodes[1].serving():
        await settled(caddy, {"node1", "node2"})


async def test_connections_for_one_room_go_to_one_node(nodes: list[Node], caddy: Caddy) -> None:
    reached: list[str] = []
    async with nodes[0].serving(), nodes[1].serving():
        await settled(caddy, {"node1", "node2"})
        for room in range(16):
            found = set()
            for _ in range(3):
                url = f"{caddy.url}?room=room-{room}"
                async with connect(url, ssl=caddy.tls(), compression=None) as socket:
                    found.add(json.loads(await socket.recv())[0])
            reached += found
    assert len(reached) == 16
    assert set(reached) == {"node1", "node2"}


async def test_a_node_sees_the_clients_own_address_and_host(nodes: list[Node], caddy: Caddy) -> None:
    invented = {"X-Forwarded-For": "198.51.100.7", "X-Forwarded-Host": "example.org", "X-Forwarded-Proto": "ftp"}
    async with nodes[0].serving(), connected(caddy, additional_headers=invented) as (_, _, headers):
        assert headers["x-forwarded-for"] in ("127.0.0.1", "::1")
        assert headers["x-forwarded-proto"] == "https"
        assert headers["host"] == f"localhost:{caddy.https_port}"


async def test_a_draining_node_keeps_its_connections_and_gets_no_new_ones(nodes: list[Node], caddy: Caddy) -> None:
    async with nodes[0].serving(), nodes[1].serving():
        await settled(caddy, {"node1", "node2"})
        async with connected(caddy) as (one, first, _), connected(caddy) as (two, second, _):
            assert {first, second} == {"node1", "node2"}
            nodes[0].ready = False
            try:
                await settled(caddy, {"node2"})
                assert await echoes(one)
                assert await echoes(two)
            finally:
                nodes[0].ready = True
            await settled(caddy, {"node1", "node2"})


async def test_a_dead_node_costs_no_new_connection(nodes: list[Node], caddy: Caddy) -> None:
    async with nodes[1].serving():
        async with nodes[0].serving():
            await settled(caddy, {"node1", "node2"})
        for _ in range(10):
            async with connected(caddy) as (_, name, _):
                assert name == "node2"


async def test_a_node_that_refuses_a_client_gets_no_more_for_a_while(nodes: list[Node], caddy: Caddy) -> None:
    async with nodes[0].serving(), nodes[1].serving():
        await settled(caddy, {"node1", "node2"})
        nodes[0].full = True
        try:
            turned_away = 0
            for _ in range(10):
                try:
                    async with connected(caddy) as (_, name, _):
                        assert name == "node2"
                except InvalidStatus:
                    turned_away += 1
            assert turned_away <= 2
        finally:
            nodes[0].full = False


@pytest.mark.slow
async def test_a_silent_connection_stays(nodes: list[Node], caddy: Caddy) -> None:
    async with nodes[0].serving(), connected(caddy, ping_interval=None) as (socket, _, _):
        await asyncio.sleep(12)  # longer than any limit in the Caddyfile
        assert await echoes(socket)


async def test_pages_need_tls(nodes: list[Node], caddy: Caddy) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    def get(url: str) -> tuple[int, str]:
        tls = urllib.request.HTTPSHandler(context=caddy.tls())
        try:
            with urllib.request.build_opener(Stay, tls).open(url, timeout=20) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Location"]

    async with nodes[0].serving():
        status, text = await asyncio.to_thread(get, f"https://localhost:{caddy.https_port}/healthz")
        assert (status, text) == (200, "/healthz of node1\n")
        status, location = await asyncio.to_thread(get, f"http://localhost:{caddy.http_port}/")
        assert (status, location.startswith("https://localhost")) == (308, True)


async def test_the_page_can_be_played_through_the_proxy(nodes: list[Node], caddy: Caddy) -> None:
    site = f"https://localhost:{caddy.https_port}"
    async with (
        running_page(port=nodes[0].port, trusted_proxies=["127.0.0.1"]),
        chromium() as browser,
        opened(browser, site, ignore_https_errors=True) as page,
    ):
        await play_computer(page, "tictactoe")
        await pick(page, "5")
        await expect(page.locator(".move")).to_have_count(2)
        assert page.url.startswith(f"{site}/rooms/")
        again = await page.reload()
        assert again is not None
        assert again.headers["content-security-policy"].startswith("default-src 'none'")
        await expect(page.locator(".move")).to_have_count(2)


async def test_a_page_may_connect_from_the_proxys_address_only(nodes: list[Node], caddy: Caddy) -> None:
    own = f"https://localhost:{caddy.https_port}"

    async def status(origin: str) -> int:
        try:
            async with connect(caddy.url, ssl=caddy.tls(), origin=Origin(origin)):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    async with running_server(port=nodes[0].port, trusted_proxies=["127.0.0.1"]):
        assert [await status(origin) for origin in (own, "https://localhost", "null")] == [101, 403, 403]


async def test_a_proxy_that_rewrites_the_host_needs_the_public_url(nodes: list[Node], tmp_path: Path) -> None:
    node, port = nodes[0], free_port()
    url, own = f"ws://127.0.0.1:{port}/ws", Origin(f"http://127.0.0.1:{port}")
    log, configuration = tmp_path / "caddy.log", tmp_path / "Caddyfile"
    configuration.write_text(REWRITING.format(port=port, node=node.port))
    command = [program("caddy"), "run", "--config", str(configuration)]
    with running(command, log, env={**os.environ, "HOME": str(tmp_path)}) as process:
        wait_until(lambda: listens(port), process, log)
        async with running_server(port=node.port, trusted_proxies=["127.0.0.1"]):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, origin=own)
            assert refused.value.response.status_code == 403
        public_url = f"https://127.0.0.1:{port}"
        async with (
            running_server(port=node.port, trusted_proxies=["127.0.0.1"], public_url=public_url),
            connect(url, origin=own),
        ):
            pass


async def test_the_contract_comes_through_the_proxy(nodes: list[Node], caddy: Caddy) -> None:
    url = f"https://localhost:{caddy.https_port}/asyncapi.json"

    def get(**headers: str) -> tuple[int, str, bytes]:
        request = urllib.request.Request(url, headers=headers)
        try:
            with urllib.request.urlopen(request, context=caddy.tls(), timeout=20) as response:
                return response.status, response.headers["ETag"], response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["ETag"], b""

    async with running_server(port=nodes[0].port, trusted_proxies=["127.0.0.1"]):
        status, etag, body = await asyncio.to_thread(get)
        assert (status, json.loads(body)["asyncapi"]) == (200, "3.0.0")
        assert await asyncio.to_thread(lambda: get(**{"If-None-Match": etag})) == (304, etag, b"")
