"""Time that a late event loop takes from players, and who gets it back."""

from __future__ import annotations

import asyncio
import time

import pytest

from noughts.gateway.lost_time import _names
from support.client import Client, connected
from support.server import Node, running_gateway

CLOCK = {"initial_s": 60, "increment_s": 0}


async def begin(ann: Client, ben: Client) -> str:
    room = await ann.create(clock=CLOCK)
    await ben.join(room)
    await ann.play(room, 0, "5")
    await ben.play(room, 1, "1")
    return room


async def spent(ann: Client, room: str, node: Node, busy_s: float, noisy: Client | None = None) -> int:
    """The time a move took by the server, which is busy meanwhile. Before that, ``noisy`` sends very much."""
    pulse = asyncio.create_task(node.host.pulse.run())
    await asyncio.sleep(0.15)
    if noisy is not None:
        for _ in range(2):
            await noisy.socket.send("x" * 10_000)
    await ann.send(type="play", room=room, turn=2, move="3", id=99)
    time.sleep(busy_s)  # noqa: ASYNC251  the client is in this process, too
    while (message := await ann.receive()).get("id") != 99:
        if message["type"] == "update":
            ms = int(message["event"]["spent_ms"])
    pulse.cancel()
    return ms


async def test_a_move_gets_back_what_the_server_was_late() -> None:
    async with running_gateway() as node, connected(node.url) as ann, connected(node.url) as ben:
        room = await begin(ann, ben)
        began = time.monotonic()
        assert await spent(ann, room, node, 1.0) <= (time.monotonic() - began) * 1000 - 800


async def test_whoever_keeps_the_server_busy_gets_nothing_back() -> None:
    async with running_gateway() as node, connected(node.url) as ann, connected(node.url) as ben:
        room = await begin(ann, ben)
        assert await spent(ann, room, node, 1.0, noisy=ann) >= 1000


async def test_another_connection_of_the_player_counts_too() -> None:
    async with running_gateway() as node, connected(node.url) as ann, connected(node.url) as ben:
        room = await begin(ann, ben)
        async with connected(node.url, token=ann.token) as other:
            assert await spent(ann, room, node, 1.0, noisy=other) >= 1000


async def test_the_noise_of_others_costs_nothing() -> None:
    async with running_gateway() as node, connected(node.url) as ann, connected(node.url) as ben:
        room = await begin(ann, ben)
        began = time.monotonic()
        assert await spent(ann, room, node, 1.0, noisy=ben) <= (time.monotonic() - began) * 1000 - 800


async def test_a_server_that_is_on_time_gives_nothing_back() -> None:
    async with running_gateway() as node, connected(node.url) as ann, connected(node.url) as ben:
        room = await begin(ann, ben)
        await asyncio.sleep(0.3)
        assert await spent(ann, room, node, 0) >= 300


@pytest.mark.parametrize(
    ("address", "shared"),
    [
        ("127.0.0.1", True),
        ("192.168.1.7", True),
        ("8.8.8.8", False),
        ("2a00:1450:4001:829::/64", False),
        ("fd00::/64", True),
        ("mqtt", True),
        ("", True),
    ],
)
def test_a_public_address_counts_like_its_players(address: str, shared: bool) -> None:
    assert _names("p-1", address) == (["p-1"] if shared else ["p-1", address])
    assert _names("", address) == ([] if shared else [address])
