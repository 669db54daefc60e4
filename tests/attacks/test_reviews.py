"""Reviews of many games, and the moves of others."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from attacks.bystander import bystander
from attacks.victim import limits_in_log, loaded, victim
from support.client import Client, connected

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

GAMES = 20
ATTACK_S = 15.0


async def lost_games(client: Client, other: Client) -> list[str]:
    """So many games of Gomoku that were resigned after some moves."""
    rooms = []
    for _ in range(GAMES):
        room = (await client.ok(type="create", game="gomoku"))["room"]
        await other.ok(type="join", room=room)
        for turn, move in enumerate(["h8", "a1", "i9", "b1"]):
            await (client, other)[turn % 2].play(room, turn, move)
        await client.ok(type="resign", room=room)
        await asyncio.sleep(0.3)  # fewer messages than a player may send
        client.pushed.clear()
        other.pushed.clear()
        rooms.append(room)
    return rooms


async def ask(client: Client, rooms: list[str], until: float) -> int:
    """Ask for one review after the other, and leave each soon; how many were made for it."""
    granted = 0
    while time.monotonic() < until:
        for room in rooms:
            granted += (await client.request(type="review", room=room))["type"] == "review"
            await asyncio.sleep(0.3)
            await client.ok(type="leave", room=room)
            client.pushed.clear()
    return granted


async def test_one_player_who_asks_for_many_reviews_delays_no_move(tmp_path: Path) -> None:
    async with victim(tmp_path) as server, bystander(server.url) as quiet, AsyncExitStack() as stack:
        await loaded(server)
        one, other = [await stack.enter_async_context(connected(server.url, name)) for name in ("one", "other")]
        rooms = await lost_games(one, other)
        tabs = [await stack.enter_async_context(connected(server.url, None, token=one.token)) for _ in range(4)]
        await quiet.report()
        until = time.monotonic() + ATTACK_S
        granted = await asyncio.gather(*(ask(tab, rooms[index:], until) for index, tab in enumerate(tabs)))
        report = await quiet.report()
        figures: dict[str, object] = {}
        report.check(figures.__setitem__, "reviews of many games")
        assert report.computer_s, "the computer has played"
        assert sum(granted) > 5
        assert limits_in_log(server)["reviews_per_player"]
        assert "Traceback" not in server.output()
