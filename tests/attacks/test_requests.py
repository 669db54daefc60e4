"""Storms of requests that cost more than they look: the lobby, histories, and rooms that must be read first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from attacks.bystander import bystander
from attacks.storm import connections, storm, tokens
from attacks.victim import attacked_thrice, victim
from support.client import Client, Json, connected

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

STORM_S = 5.0

SIZE = 15
"""The side of a Gomoku board."""


async def long_game(one: Client, two: Client) -> str:
    """A game of Gomoku with more than 200 moves, in which nobody gets five in a row."""
    seats = {"first": "me", "second": "open"}
    room: str = (await one.ok(type="create", game="gomoku", seats=seats))["room"]
    await two.join(room)
    cells: dict[bool, list[str]] = {True: [], False: []}
    for row in range(SIZE):
        for column in range(SIZE):
            cells[(column + 2 * row) % 4 < 2].append(f"{chr(ord('a') + column)}{row + 1}")
    for turn in range(2 * min(map(len, cells.values()))):
        answer = await (two if turn % 2 else one).play(room, turn, cells[turn % 2 == 0][turn // 2])
        while answer.get("code") == "rate_limited":
            await asyncio.sleep(answer["retry_after_s"])
            answer = await (two if turn % 2 else one).play(room, turn, cells[turn % 2 == 0][turn // 2])
        assert answer["type"] == "ok", (turn, answer)
    return room


@pytest.mark.parametrize("reading", [True, False], ids=["reading", "not reading"])
async def test_a_hundred_connections_that_ask_for_the_lobby(
    reading: bool, tmp_path: Path, record_property: Record
) -> None:
    sent: list[int] = []

    async def attack() -> None:
        async with connections(server.url, guests, reading=reading) as attackers:
            await storm(attackers, STORM_S, {"type": "lobby"}, {"type": "lobby", "watch": True})
            sent.append(sum(attacker.received for attacker in attackers))

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        guests = await tokens(server.url, 90)
        async with connected(server.url) as one, connected(server.url) as two:
            for client in (one, two):
                for _ in range(50):
                    await client.create()
            await attacked_thrice(
                server,
                quiet,
                attack,
                name=f"the lobby, {'reading' if reading else 'not reading'}",
                limit="answer_bytes_per_address" if reading else "update_backlog_bytes",
                record=record_property,
            )
    record_property("bytes received", sent)
    assert max(sent) < 80_000_000  # 20 s at 2 MiB/s at once, and what comes in the 5 s


async def test_ten_connections_that_ask_for_a_long_history(tmp_path: Path, record_property: Record) -> None:
    sent: list[int] = []

    async def attack() -> None:
        async with connections(server.url, 10 * [guest]) as attackers:
            await storm(attackers, STORM_S, {"type": "watch", "room": room, "since": 1})
            sent.append(sum(attacker.received for attacker in attackers))

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        (guest,) = await tokens(server.url, 1)
        async with connected(server.url) as one, connected(server.url) as two:
            room = await long_game(one, two)
            await attacked_thrice(
                server, quiet, attack, name="watch since", limit="answer_bytes_per_player", record=record_property
            )
    record_property("bytes received", sent)
    assert max(sent) < 15_000_000


async def test_requests_about_a_long_game_that_must_be_read_first(tmp_path: Path, record_property: Record) -> None:
    """Nobody watches the room, so it is replayed for the requests, which are refused.

    Those that come while it is being read share that, and only the player of the first pays.
    """
    requests: list[Json] = [
        {"type": "resign", "room": "ROOM"},
        {"type": "play", "room": "ROOM", "turn": 0, "move": "a1"},
    ]

    async def attack() -> None:
        about = [{**request, "room": room} for request in requests]
        async with connections(server.url, guests) as attackers:
            await storm(attackers, STORM_S, *about)

    async with victim(tmp_path) as server, bystander(server.url) as quiet:
        guests = await tokens(server.url, 90)
        async with connected(server.url) as one, connected(server.url) as two:
            room = await long_game(one, two)
        await attacked_thrice(
            server, quiet, attack, name="replays", limit="answer_bytes_per_player", record=record_property
        )
