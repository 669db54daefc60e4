"""Games with days for each move, over a real server: they wait without anybody, and cost nothing while they do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts.protocol.words import DAY_S
from support.client import Client, connected
from support.eventually import settle, soon
from support.journals import MemoryJournal
from support.rated import registered
from support.server import ServerProcess, running_gateway, running_server

THREE = {"per_move_s": 3 * DAY_S}


class ReadJournal(MemoryJournal):
    """A journal that knows which rooms were read."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms_read: list[str] = []

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self.rooms_read.append(room)
        return await super().read(room, since)


async def begin(ann: Client, ben: Client, moves: int) -> str:
    """A game of days with so many moves."""
    room = await ann.create(clock=THREE)
    await ben.join(room)
    for turn in range(moves):
        assert (await (ann, ben)[turn % 2].play(room, turn, "51379"[turn]))["type"] == "ok"
    return room


async def test_games_that_wait_cost_nothing() -> None:
    """Neither a room in memory, nor a timer, nor anybody who is waited for, nor an event when players leave."""
    journal = ReadJournal()
    async with running_gateway(journal, away_s=0.01) as node:
        presence = node.server.presence
        async with connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
            rooms = [await begin(ann, ben, moves) for moves in (0, 1, 2, 3)]
            stored = {room: len(await journal.read(room)) for room in rooms}
            journal.rooms_read.clear()
        await soon(lambda: not node.host.in_memory())
        await settle(0.1)
        assert (presence._left, presence._asked, presence._timer) == ({}, {}, None)
        assert await journal.index.attended() == [], (
            "a node that starts, or takes over, looks for none of their players"
        )
        await presence._check_rooms()
        await settle(0.1)
        assert (journal.rooms_read, node.host.in_memory()) == ([], [])
        assert {room: len(await journal.read(room)) for room in rooms} == stored, "nobody counts as gone"
        assert not [each for each in timers() if each in (node.host.submit, presence._wake)]


def timers() -> list[object]:
    """The calls that the event loop has scheduled."""
    loop = asyncio.get_running_loop()
    return [each._callback for each in loop._scheduled if not each.cancelled()]  # type: ignore[attr-defined]


async def test_the_lobby_shows_an_open_seat_and_no_game_that_goes_on_for_days() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create(clock=THREE)
        assert [each["room"] for each in (await ben.ok(type="lobby"))["rooms"]] == [room]
        await ben.join(room)
        assert (await ben.ok(type="lobby"))["rooms"] == []


async def test_rated_games_and_seeks_may_have_days() -> None:
    async with running_server() as url, registered(url, url) as (ann, ben):
        terms = {"type": "seek", "game": "tictactoe", "clock": THREE, "rated": True}
        await ann.ok(**terms)
        await ben.ok(**terms)
        shown = await ann.push("room")
        assert shown["options"]["clock"] == THREE
        assert shown["options"]["rated"]
        assert (await ben.push("room"))["room"] == shown["room"]


@pytest.mark.slow
async def test_a_kill_and_a_restart_lose_no_deadline(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal.db", tmp_path / "log")
    async with server:
        async with connected(server.url, "ann") as ann, connected(server.url, "ben") as ben:
            room = await begin(ann, ben, 3)
            token, clock = ben.token, (await ben.request(type="games"))["games"][0]["clock"]
        await server.kill()
        await server.start()
        async with connected(server.url, None, token=token) as ben:
            game = (await ben.request(type="games"))["games"][0]
            assert (game["room"], game["to_move"]) == (room, "second")
            assert game["clock"]["since"] >= clock["since"], "while no server was up no clock ran"
            assert game["clock"]["second_ms"] == 3 * DAY_S * 1000
            assert (await ben.play(room, 3, "7"))["type"] == "ok"
