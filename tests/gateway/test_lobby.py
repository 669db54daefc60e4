"""The lobby: which rooms it lists, and how much it tells of their changes."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app import make_gateway
from noughts.bus import MemoryBus
from noughts.gateway import lobby
from noughts.host import Host
from support.client import Client, Json, connected
from support.journals import MemoryJournal
from support.server import no_analysis, running_server, settings


async def listed(client: Client, game: str | None = None) -> list[Json]:
    rooms: list[Json] = (await client.ok(type="lobby", game=game))["rooms"]
    return rooms


async def ended(one: Client, two: Client, game: str = "tictactoe", **more: object) -> str:
    """A room whose game is over; its id."""
    answer = await one.ok(type="create", game=game, **more)
    await two.join(str(answer["room"]))
    await two.ok(type="resign", room=answer["room"])
    await asyncio.sleep(0.002)  # or its end would be at the same time as the next
    return str(answer["room"])


async def test_what_is_just_over_comes_after_what_is_not() -> None:
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2") as two:
        first, private, second = [await ended(one, two, private=private) for private in (False, True, False)]
        other = await ended(one, two, "connect4")
        waiting = await one.create()
        never_begun = await one.create()
        await one.ok(type="abort", room=never_begun)
        rooms = await listed(two)
        assert [room["room"] for room in rooms] == [waiting, other, second, first]
        assert private not in str(rooms)
        assert [room["room"] for room in await listed(two, "tictactoe")] == [waiting, second, first]
        assert "outcome" not in rooms[0]
        assert rooms[1]["outcome"] == {"winner": "first", "reason": "resignation", "cells": []}
        assert rooms[1]["seats"]["second"]["name"] == "player-2"


async def test_what_has_been_over_for_long_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "FINISHED_MS", 0)
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2") as two:
        await ended(one, two)
        await asyncio.sleep(0.002)
        assert await listed(two) == []


async def test_what_ends_while_the_list_is_made_is_in_it_once() -> None:
    class Journal(MemoryJournal):
        async def lobby(self, game: str | None, limit: int) -> list[bytes]:
            rows = await super().lobby(game, limit)
            await one.ok(type="resign", room=room)
            return rows

    gateway = make_gateway(settings(), Host(Journal(), MemoryBus("node")), no_analysis)
    async with gateway.serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        async with connected(url, "player-1") as one, connected(url, "player-2") as two:
            room = await one.create()
            await two.join(room)
            (only,) = await listed(two)
            assert only["status"] == "over"


async def test_a_page_holds_so_many_rooms_and_so_many_that_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "PAGE", 7)
    monkeypatch.setattr(lobby, "FINISHED", 3)
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2") as two:
        over = [await ended(one, two) for _ in range(5)]
        waiting = [await one.create() for _ in range(5)]
        assert [room["room"] for room in await listed(two)] == [*waiting[:0:-1], *over[:1:-1]]


async def test_of_more_changes_than_can_be_told_the_newest_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "CHANGES_S", 3600)
    monkeypatch.setattr(lobby, "PAGE", 4)
    monkeypatch.setattr(lobby, "CHANGES", 10)
    host = Host(MemoryJournal(), MemoryBus("node"))
    serving = make_gateway(settings(), host, no_analysis)
    async with serving.serving() as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        async with connected(url, "player-1") as one, connected(url, "player-2") as two:
            await two.ok(type="lobby", watch=True, game="tictactoe")
            rooms = [await one.create() for _ in range(13)]
            await one.ok(type="create", game="reversi")
            await one.ok(type="abort", room=rooms[0])  # an old room, but a new change
            serving.services.lobby._send()
            told = [await two.push("lobby") for _ in range(3)]
            assert [room["room"] for message in told for room in message["rooms"]] == [*rooms[4:], rooms[0]]
            assert [message.get("missed") for message in told] == [None, None, 3]
            assert [len(message["rooms"]) for message in told] == [4, 4, 2]
            await two.quiet()


class AwayBus(MemoryBus):
    """A bus that is away."""

    def __init__(self) -> None:
        super().__init__("node", alone=False)


async def test_without_a_bus_each_end_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index alone tells: of a room that was opened, of its end, and of nothing after it."""
    monkeypatch.setattr(lobby, "FINISHED_MS", 500)
    journal = MemoryJournal()
    watching, playing = (make_gateway(settings(away_s=0.02), Host(journal, AwayBus()), no_analysis) for _ in range(2))
    async with watching.serving() as here, playing.serving() as there:
        ports = [server.sockets[0].getsockname()[1] for server in (here, there)]
        urls = [f"ws://127.0.0.1:{port}/ws" for port in ports]
        async with (
            connected(urls[1], "player-1") as one,
            connected(urls[1], "player-2") as two,
            connected(urls[0], "player-3") as watcher,
        ):
            await watcher.ok(type="lobby", watch=True)
            monkeypatch.setattr(lobby, "CHANGES_S", 0.01)
            keeping = asyncio.create_task(watching.services.lobby.run())
            await asyncio.sleep(0.1)
            room = await one.create()
            (opened,) = (await watcher.push("lobby"))["rooms"]
            assert (opened["room"], opened["status"]) == (room, "waiting")
            await two.join(room)
            (started,) = (await watcher.push("lobby"))["rooms"]
            assert started["status"] == "playing"
            await one.ok(type="resign", room=room)
            (over,) = (await watcher.push("lobby"))["rooms"]
            assert (over["status"], over["outcome"]["winner"]) == ("over", "second")
            await two.socket.close()
            assert (await one.push("update"))["event"]["kind"] == "joined"
            assert (await one.push("update"))["event"]["kind"] == "ended"
            assert (await one.push("update"))["event"]["kind"] == "disconnected"
            (gone,) = (await watcher.ok(type="lobby", watch=True))["rooms"]
            assert gone["seats"]["second"]["online"] is False
            await asyncio.sleep(0.7)
            await watcher.quiet()
            assert await listed(watcher) == []
            keeping.cancel()
