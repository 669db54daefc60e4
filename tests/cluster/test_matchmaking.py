"""Seeks are paired across nodes, and the seeks of a killed node lapse."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.client import Client, Json, connected
from support.cluster import cluster
from support.postgres import Postgres

pytestmark = pytest.mark.slow

MANY = 200


def players(room: Json) -> set[str]:
    return {seat["id"] for seat in room["state"]["seats"].values()}


async def test_seeks_are_paired_once_across_nodes_and_those_of_a_dead_node_lapse(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with cluster(tmp_path, postgres, nodes=2) as nodes, AsyncExitStack() as stack:
        here, there = nodes.entries
        clients = [await stack.enter_async_context(connected((here, there)[n % 2], None)) for n in range(MANY)]
        await asyncio.gather(*(client.send(type="seek", game="tictactoe") for client in clients))
        rooms: dict[str, set[str]] = {}
        for client in clients:
            room = await client.push("room")
            rooms.setdefault(room["room"], set()).add(client.id)
            assert client.id in players(room)
        assert [len(seated) for seated in rooms.values()] == [2] * (MANY // 2)
        (counted,) = await nodes.query("SELECT count(*) FROM rooms")
        assert counted[0] == MANY // 2

        (lost, *_) = clients
        _, one, two, three, *_ = clients[1::2]
        await lost.ok(type="seek", game="reversi", key="a")
        await nodes.nodes[0].process.kill()
        await asyncio.sleep(17)
        await one.ok(type="seek", game="reversi")
        await waits(one)
        await two.ok(type="seek", game="reversi")
        assert players(await one.push("room")) == players(await two.push("room")) == {one.id, two.id}
        async with connected(there, token=lost.token) as back:
            await back.ok(type="seek", game="reversi", key="a")
            await waits(back)
            await three.ok(type="seek", game="reversi")
            assert players(await back.push("room")) == players(await three.push("room")) == {lost.id, three.id}
        assert nodes.logged_errors() == []


async def waits(client: Client) -> None:
    await asyncio.sleep(1.5)
    client.pushed.clear()  # from earlier games
    await client.request(type="ping")
    assert [message for message in client.pushed if message["type"] == "room"] == []
