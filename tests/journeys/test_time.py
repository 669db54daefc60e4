"""Games with clocks, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from support.client import Client, Json, connected
from support.proxy import proxied
from support.server import ServerProcess, running_server

TEN_MINUTES = {"initial_s": 600, "increment_s": 0}


@asynccontextmanager
async def table(url: str, clock: Json | None = None) -> AsyncIterator[tuple[str, Client, Client]]:
    """A game in which each side has moved and received everything."""
    async with connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create(clock=clock)
        await ben.join(room)
        await ann.play(room, 0, "5")
        await ben.play(room, 1, "1")
        for client in (ann, ben):
            await client.request(type="ping")
            client.pushed.clear()
        yield room, ann, ben


async def test_a_flag_falls_without_a_move() -> None:
    async with running_server() as url, table(url, {"initial_s": 1, "increment_s": 0}) as (_, ann, ben):
        ended = await ann.push("update")
        assert await ben.push("update") == ended
        assert ended["event"] == {
            "kind": "ended",
            "side": None,
            "outcome": {"winner": "second", "reason": "time", "cells": []},
        }
        assert ended["state"]["clock"] == {"first_ms": 0, "second_ms": 1000, "running": None, "since": None}


@pytest.mark.slow
async def test_the_computer_does_not_lose_on_time_though_it_may_think_for_longer() -> None:
    async with running_server(think_s=60) as url, connected(url) as ann:
        seats = {"first": "computer:best", "second": "computer:best"}
        request = {"type": "create", "game": "gomoku", "seats": seats, "clock": {"initial_s": 20, "increment_s": 0}}
        await ann.ok(**request)
        while (update := await ann.push("update"))["state"]["ply"] < 14:
            assert update["state"]["status"] == "playing"


@pytest.mark.slow
async def test_clocks_do_not_run_while_the_server_restarts(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", away_s=60)
    async with server, table(server.url, {"initial_s": 5, "increment_s": 0}) as (room, ann, _):
        await asyncio.sleep(1)
        await server.kill()
        await asyncio.sleep(6)  # longer than the whole clock
        await server.start()
        async with connected(server.url, token=ann.token) as again:
            await again.ok(type="watch", room=room)
            snapshot = await again.push("room")
            assert snapshot["state"]["status"] == "playing"
            assert (await again.play(room, 2, "3"))["type"] == "ok"
            clock = (await again.push("update"))["state"]["clock"]
        # Thinking time before the kill counts up to the last heartbeat, at most a second earlier.
        assert 5000 - 3500 <= clock["first_ms"] <= 5000
        assert "Traceback" not in server.output()


@pytest.mark.slow
async def test_lag_is_compensated() -> None:
    """Two clients that answer at once, with a round trip of 300 ms: less than the quota refills for each move."""
    delay_s = 0.15
    async with running_server() as url, proxied(url) as near, proxied(url) as far, AsyncExitStack() as stack:
        ann, ben = [
            await stack.enter_async_context(connected(way.url, name)) for way, name in ((near, "ann"), (far, "ben"))
        ]
        near.delay_s = far.delay_s = delay_s
        answer = await ann.ok(type="create", game="gomoku", clock=TEN_MINUTES)
        room = answer["room"]
        await ben.ok(type="join", room=room)
        last: Json = {}
        events: list[Json] = []
        for turn in range(24):
            mover, other = (ben, ann) if turn % 2 else (ann, ben)
            answer = await mover.play(room, turn, f"{'acegikmo'[turn % 8]}{1 + turn // 8 * 2}")
            assert answer["type"] == "ok", answer
            while last.get("version") != answer["version"]:
                last = await other.push("update")
            events.append(last["event"])
    charged = [event for event in events[2:] if event["spent_ms"] >= 2000 * delay_s]
    assert len(charged) > 15, "the delay works"
    measured = events[4:]  # before these the lag may not have been measured yet
    lost = sum(event["thought_ms"] for event in measured)
    spent = sum(event["spent_ms"] for event in measured)
    assert spent >= len(measured) * 2000 * delay_s
    assert lost <= spent * 0.25, [(event["spent_ms"], event["compensated_ms"]) for event in events]
    for side in ("first", "second"):
        given_back = [event["compensated_ms"] for event in events if event["side"] == side]
        assert sum(given_back) <= 3000 + 500 * len(given_back)
        assert max(given_back) <= 1000
