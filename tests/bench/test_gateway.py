"""The benchmark of the gateway runs, and the server that it compares with sends the same messages as ours."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support.benchmarks import pins_to_two_cores, quick
from support.client import Client, connected
from support.server import running_server

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"[\d,.]+")

pytestmark = pins_to_two_cores


@asynccontextmanager
async def plain_server() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.gateway.plain", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.communicate()


def but_for_chance(message: Any) -> Any:
    """A message without the fields that differ between runs: times, random ids and limits."""
    if isinstance(message, dict):
        changing = {"now", "at", "spent_ms", "thought_ms", "room", "token", "limits"}
        return {
            key: None if key in changing or (key == "id" and isinstance(value, str)) else but_for_chance(value)
            for key, value in message.items()
        }
    return [but_for_chance(item) for item in message] if isinstance(message, list) else message


async def conversation(url: str, moves: str) -> list[Any]:
    """All messages to two players and a spectator in one game."""
    received: list[Any] = []

    async def take(client: Client, messages: int) -> None:
        for _ in range(messages):
            while (message := await client.push())["type"] == "spectators":
                pass  # the plain server does not count them
            received.append(message)

    async with connected(url, "one") as first, connected(url, "two") as second, connected(url, "three") as spectator:
        players = (first, second)
        games = [{key: game[key] for key in game if key != "rules"} for game in first.welcome["games"]]
        played = [game for game in games if game["key"] == "tictactoe"]
        welcome = {key: first.welcome[key] for key in first.welcome if key != "words"}  # the plain server words nothing
        received += [{**welcome, "games": played}, await first.ok(type="create", game="tictactoe")]
        room = received[-1]["room"]
        received.append(await second.ok(type="join", room=room))
        received.append(await spectator.ok(type="watch", room=room))
        await take(first, 2)
        for client in (second, spectator):
            await take(client, 1)
        for turn, move in enumerate(moves):
            received.append(await players[turn % 2].play(room, turn, move))
            for client in (first, second, spectator):
                await take(client, 1)
        received.append(await first.ok(type="leave", room=room))
    return [but_for_chance(message) for message in received]


@pytest.mark.parametrize("moves", ["14253", "123547698"])
async def test_the_plain_server_sends_the_same_messages_as_ours(moves: str) -> None:
    async with plain_server() as plain, running_server() as ours:
        assert await conversation(plain, moves) == await conversation(ours, moves)


@pytest.mark.slow
async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.split("|")[1:-1] for row in await quick("gateway") if row.startswith("| noughts |")]
    assert [len(row) for row in rows] == [10, 10, 2], "W1, W2, and the memory of a connection"
    for row in rows[:2]:
        cost, floor, tutorial, plain, rate, p50, p99, *_ = (
            float(NUMBER.findall(cell)[0].replace(",", "")) for cell in row[1:]
        )
        assert 0 < cost < 10_000
        assert all(0.1 < ratio < 1000 for ratio in (floor, tutorial, plain))
        assert rate > 1
        assert 0 < p50 <= p99 < 10_000
    assert 1 < float(rows[2][1]) < 1000
