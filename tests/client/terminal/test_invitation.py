"""The command that brings an opponent to an open seat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from noughts_client.address import room_link
from noughts_client.terminal.invitation import HERE_ONLY, with_invitation
from noughts_client.terminal.table import Table
from support.ports import free_port
from support.viewed import FIRST, room, seen


@asynccontextmanager
async def listening(host: str) -> AsyncIterator[int]:
    """A port at which somebody listens on ``host``."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), host, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def waiting(notice: str = "") -> Table:
    return seen(FIRST.id, room(second=None), notice=notice)


async def test_it_has_the_address_at_which_others_reach_the_server() -> None:
    async with listening("127.0.0.2") as port:
        table = await with_invitation(waiting(), f"ws://127.0.0.1:{port}/ws", lambda: ["127.0.0.3", "127.0.0.2"])
    assert table.invitation == f"noughts play --room room1 --url 127.0.0.2:{port}"
    assert table.notice == ""


async def test_it_says_so_if_only_this_machine_reaches_the_server() -> None:
    port = free_port()
    table = await with_invitation(waiting(), f"ws://127.0.0.1:{port}/ws", lambda: ["127.0.0.3"])
    assert table.invitation == f"noughts play --room room1 --url 127.0.0.1:{port}"
    assert table.notice == HERE_ONLY
    table = await with_invitation(waiting(notice="Own."), f"ws://localhost:{port}/ws", list)
    assert table.notice == "Own. Only this machine can reach it."


async def test_a_certificate_for_this_machine_allows_no_other_address() -> None:
    async with listening("127.0.0.2") as port:
        table = await with_invitation(waiting(), f"wss://localhost:{port}/ws", lambda: ["127.0.0.2"], page=True)
    assert table.link == f"https://localhost:{port}/rooms/room1"
    assert "certificate" in table.notice


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("ws://192.0.2.1:8765/ws", "http://192.0.2.1:8765/rooms/room1"),
        ("wss://example.org/ws", "https://example.org/rooms/room1"),
    ],
)
async def test_with_a_page_the_link_of_the_room_serves_browser_and_terminal(url: str, link: str) -> None:
    table = await with_invitation(waiting(), url, list, page=True)
    assert (table.link, table.invitation) == (link, f"noughts play {link}")
    assert room_link(link) == (url, "room1")


async def test_a_page_that_is_not_beside_the_websocket_has_no_link() -> None:
    table = await with_invitation(waiting(), "wss://example.org/noughts/ws", list, page=True)
    assert table.link is None
    assert table.invitation == "noughts play --room room1 --url wss://example.org/noughts/ws"


@pytest.mark.parametrize(
    ("url", "server"),
    [("wss://example.org/ws", " --url example.org"), ("ws://192.0.2.1:8765/ws", " --url 192.0.2.1")],
)
async def test_another_machine_is_named_as_it_was_reached(url: str, server: str) -> None:
    def addresses() -> list[str]:
        raise AssertionError("nobody needs the addresses of this machine")

    table = await with_invitation(waiting(), url, addresses)
    assert table.invitation == f"noughts play --room room1{server}"
    full = seen(FIRST.id, room())
    assert await with_invitation(full, url, addresses) == full
