"""Another node takes over the work of a dead one, once."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.client import Client, Json, connected
from support.cluster import NOUGHTS, Cluster, cluster
from support.postgres import Postgres

pytestmark = pytest.mark.slow

TAKEOVER_S = 20.0
THINKER = ("-m", "support.endless_computer")


async def records(target: Cluster, room: str) -> list[Json]:
    """A room's records, read from the database."""
    sql = (
        "SELECT record FROM records JOIN rooms ON number = records.room WHERE rooms.room = $1 ORDER BY records.version"
    )
    return [json.loads(row["record"]) for row in await target.query(sql, room)]


async def within(seconds: float, true: Callable[[], Awaitable[bool]]) -> None:
    """Wait until ``true()`` holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def where_it_thinks(target: Cluster, client: Client) -> str:
    """A room whose computer is thinking at node-0, for longer than a lease lasts without renewal."""
    while True:
        room = await client.create(first="computer:perfect", second="me")
        await asyncio.sleep(4)
        thinking = await target.query("SELECT room FROM rooms WHERE claimed_by = 'node-0' AND claimed_version = 1")
        if room in [row["room"] for row in thinking]:
            return room


async def test_a_dead_nodes_search_is_taken_over(tmp_path: Path, postgres: Postgres) -> None:
    async with (
        cluster(tmp_path, postgres, nodes=2, programs=[THINKER, NOUGHTS]) as target,
        connected(target.entries[1]) as spectator,
        AsyncExitStack() as stack,
    ):
        player = await stack.enter_async_context(connected(target.entries[0]))
        room = await where_it_thinks(target, player)
        await spectator.ok(type="watch", room=room)
        await target.nodes[0].process.kill()
        async with asyncio.timeout(TAKEOVER_S):
            assert (await spectator.push("update"))["event"]["kind"] == "played"
        again = await stack.enter_async_context(connected(target.url, token=player.token))
        await again.ok(type="watch", room=room)
        state = (await again.push("room"))["state"]
        assert (await again.play(room, 1, state["legal_moves"][0]))["type"] == "ok"
        await asyncio.sleep(3)
        sides = [record["side"] for record in await records(target, room) if record["kind"] == "played"]
        assert sides == ["first", "second", "first"]


async def test_a_node_that_was_frozen_during_a_search_adds_no_second_move(tmp_path: Path, postgres: Postgres) -> None:
    async with (
        cluster(tmp_path, postgres, nodes=2) as target,
        connected(target.entries[0]) as player,
        connected(target.entries[1]) as spectator,
    ):
        rooms = [await player.create(first="computer:perfect", second="me") for _ in range(5)]
        target.nodes[0].process.send(signal.SIGSTOP)
        for room in rooms:
            await spectator.ok(type="watch", room=room)

        async def moved() -> bool:
            return all([len(await records(target, room)) == 2 for room in rooms])

        await within(2 * TAKEOVER_S, moved)  # five rooms, one after the other
        target.nodes[0].process.send(signal.SIGCONT)
        await asyncio.sleep(3)
        assert await moved()
        for room in rooms:
            move = (await records(target, room))[1]["move"]
            answer = await player.play(room, 1, "5" if move != "5" else "1")
            assert (answer["type"], answer["version"]) == ("ok", 3)
