"""Rooms that were aborted before their first move, a day later: over real sockets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from noughts.host import sweep
from noughts.journal import Outage
from noughts.players.tokens import token_hash
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.eventually import settle, soon
from support.journals import MemoryJournal
from support.server import Node, running_gateway

QUICK = Timing(sweep_s=0.01, strip_s=0.01, forget_guests_s=0.01)
DAY_MS = 24 * 3_600_000


class Journal(MemoryJournal):
    """A journal whose time can be set forward, by ``ahead_ms``. Unless it ``jumps``, a server sees all of that pass."""

    def __init__(self, *, jumps: bool = False) -> None:
        self.ahead_ms = 0
        self.jumps = jumps
        super().__init__(lambda: time.time_ns() // 1_000_000 + self.ahead_ms)

    async def beat(self, gap_ms: int) -> list[Outage]:
        return await super().beat(gap_ms if self.jumps else 2**60)


@asynccontextmanager
async def swept(journal: Journal) -> AsyncIterator[Node]:
    """A gateway whose sweeper runs."""
    async with running_gateway(journal, timing=QUICK) as node:
        sweeping = asyncio.create_task(sweep(node.host))
        try:
            yield node
        finally:
            sweeping.cancel()


async def aborted(one: Client, two: Client, **more: Any) -> tuple[str, Json]:
    """A room that was aborted before its first move and that nobody watches, and how it was shown last."""
    room = await one.create(**more)
    await two.join(room)
    await one.ok(type="abort", room=room)
    shown = (await one.ok(type="watch", room=room)) and await one.push("room")
    for client in (one, two):
        await client.ok(type="leave", room=room)
        client.pushed.clear()
    return room, shown


async def test_its_records_are_deleted_after_a_day_and_it_is_shown_as_before() -> None:
    journal = Journal()
    async with swept(journal) as node, connected(node.url, "one") as one, connected(node.url, "two") as two:
        room, before = await aborted(one, two, key="k", clock={"initial_s": 180, "increment_s": 2}, private=True)
        journal.ahead_ms = DAY_MS - 60_000
        await settle(0.1)
        assert len(await journal.read(room)) == 3
        journal.ahead_ms = DAY_MS
        await soon(lambda: len(journal.records()[room]) == 1)
        # A repeated `create` with its key returns the room, as `watch` does.
        answer = await one.ok(type="create", game="tictactoe", key="k")
        assert (answer["room"], answer["seat"]) == (room, "first")
        shown = await one.push("room")
        assert shown["state"]["outcome"] == {"winner": None, "reason": "aborted", "cells": []}
        for field in ("version", "game", "options", "previous"):
            assert shown[field] == before[field]
        for field in ("status", "turn", "rows", "moves", "legal_moves", "seats", "next"):
            assert shown["state"][field] == before["state"][field]
        await one.ok(type="leave", room=room)
        # With the last version there is nothing to tell, with an earlier one there is the whole room.
        assert (await two.ok(type="watch", room=room, since=3))["version"] == 3
        assert (await two.push())["type"] == "spectators"
        await two.ok(type="watch", room=room, since=1)
        assert (await two.push("room"))["version"] == 3
        assert await two.refused(type="play", room=room, turn=0, move="5") == "game_over"
        assert await two.refused(type="join", room=room, seat="first") == "not_allowed"


async def test_a_rematch_is_still_possible_and_then_nothing_is_deleted() -> None:
    journal = Journal()
    async with swept(journal) as node, connected(node.url, "one") as one, connected(node.url, "two") as two:
        room, _ = await aborted(one, two)
        journal.ahead_ms = DAY_MS
        await soon(lambda: len(journal.records()[room]) == 1)
        await one.ok(type="watch", room=room)
        await one.push("room")
        await one.ok(type="offer_rematch", room=room)
        await two.ok(type="accept_rematch", room=room)
        rematch = await one.push("room")
        assert rematch["previous"] == room
        assert [seat["name"] for seat in rematch["state"]["seats"].values()] == ["two", "one"]
        await one.ok(type="abort", room=rematch["room"])
        await one.ok(type="leave", room=rematch["room"])
        await two.ok(type="watch", room=room)
        assert (await two.push("room"))["state"]["next"] == rematch["room"]
        journal.ahead_ms = 3 * DAY_MS
        await settle(0.1)
        assert len(await journal.read(rematch["room"])) == 2, "a room that is a rematch is kept"
        assert len(await journal.read(room)) == 3


async def test_rooms_that_are_watched_or_have_a_move_or_a_rematch_keep_their_records() -> None:
    journal = Journal()
    async with swept(journal) as node, connected(node.url, "one") as one, connected(node.url, "two") as two:
        watched, _ = await aborted(one, two)
        await two.ok(type="watch", room=watched)
        linked = await one.create()
        await two.join(linked)
        await one.ok(type="abort", room=linked)
        await one.ok(type="offer_rematch", room=linked)
        await two.ok(type="accept_rematch", room=linked)
        moved = await one.create()
        await two.join(moved)
        await one.play(moved, 0, "5")
        await two.ok(type="abort", room=moved)
        for client in (one, two):
            await client.ok(type="leave", room=moved)
        spent, _ = await aborted(one, two)
        for days in (1, 2):  # what is watched is put off, not forgotten
            journal.ahead_ms = days * DAY_MS + 1000
            await soon(lambda: len(journal.records()[spent]) == 1)
            await settle(0.05)
            assert [len(await journal.read(room)) for room in (watched, linked, moved)] == [3, 5, 4]
        await two.ok(type="leave", room=watched)
        journal.ahead_ms = 4 * DAY_MS
        await soon(lambda: len(journal.records()[watched]) == 1)


async def test_a_clock_that_jumps_ahead_ends_no_game_and_deletes_nothing() -> None:
    """Neither do weeks without a server: what cannot be undone takes time that a server has seen."""
    journal = Journal(jumps=True)
    async with swept(journal) as node, connected(node.url, "one") as one, connected(node.url, "two") as two:
        slow = await one.create()
        await two.join(slow)
        assert (await one.play(slow, 0, "5"))["type"] == "ok"
        waiting = await one.create()
        timed = await one.create(clock={"initial_s": 180, "increment_s": 2})
        spent, _ = await aborted(one, two, key="k", clock={"initial_s": 180, "increment_s": 2})
        async with connected(node.url, "guest") as guest:
            token = token_hash(guest.token)

        async def seen() -> list[object]:
            """The rooms that there are once the sweeper has looked at all that is due."""
            await soon(lambda: node.host.heartbeat.found >= jumped)
            async with asyncio.timeout(60):
                while await journal.index.due(journal.now(), 9):  # noqa: ASYNC110 # no event tells
                    await asyncio.sleep(0.01)
            open_rooms = await journal.index.still_open([slow, waiting, timed])
            known = await journal.people.find_by_token(token)
            return [sorted(open_rooms) == sorted([slow, waiting, timed]), len(await journal.read(spent)), known is None]

        for jumped in range(3):
            journal.ahead_ms = jumped * 40 * DAY_MS
            assert await seen() == [True, 3, False]
        journal.jumps = False
        journal.ahead_ms += DAY_MS
        async with asyncio.timeout(60):
            while (await seen())[1:] != [1, True] or await journal.index.still_open([waiting, timed]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await journal.index.still_open([slow]) == [slow]
        journal.ahead_ms += 32 * DAY_MS
        async with asyncio.timeout(60):
            while await journal.index.still_open([slow]):  # noqa: ASYNC110 # no event tells
                await asyncio.sleep(0.01)
