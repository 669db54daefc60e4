from __future__ import annotations

import asyncio

from noughts.bus import Hint, Listed, MemoryBus
from noughts.gateway.lobby import PAGE, Lobby
from noughts.gateway.session import Session
from noughts.host import GameOver, Host
from noughts.protocol import requests
from noughts.rooms import Disconnected, Joined, Open, Opened, Options, Returned
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import running_gateway, running_server


async def rooms_of(client: Client, game: str | None = None) -> list[Json]:
    rooms: list[Json] = (await client.ok(type="lobby", game=game))["rooms"]
    return rooms


async def finished(one: Client, two: Client, game: str = "tictactoe", **more: object) -> str:
    """A room whose game is over; its id."""
    answer = await one.ok(type="create", game=game, **more)
    await two.join(str(answer["room"]))
    await two.ok(type="resign", room=answer["room"])
    await asyncio.sleep(0.002)  # so that no two games end in the same millisecond
    return str(answer["room"])


async def test_rooms_that_are_just_over_come_last() -> None:
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2") as two:
        first, private, second = [await finished(one, two, private=private) for private in (False, True, False)]
        other = await finished(one, two, "connect4")
        waiting = await one.create()
        aborted = await one.create()
        await one.ok(type="abort", room=aborted)
        rooms = await rooms_of(two)
        assert [room["room"] for room in rooms] == [waiting, other, second, first]
        assert private not in str(rooms)
        assert [room["room"] for room in await rooms_of(two, "tictactoe")] == [waiting, second, first]
        assert "outcome" not in rooms[0]
        assert rooms[1]["outcome"] == {"winner": "first", "reason": "resignation", "cells": []}
        assert rooms[1]["seats"]["second"]["name"] == "player-2"


async def test_rooms_that_have_long_been_over_are_not_listed() -> None:
    timing = Timing(lobby_finished_s=0)
    async with (
        running_server(timing=timing) as url,
        connected(url, "player-1") as one,
        connected(url, "player-2") as two,
    ):
        await finished(one, two)
        assert await rooms_of(two) == []


async def test_a_room_that_ends_while_the_list_is_made_is_listed_once() -> None:
    journal = MemoryJournal()
    listing = journal.lobby

    async def resign_after(game: str | None, limit: int) -> list[bytes]:
        rows = await listing(game, limit)
        await one.ok(type="resign", room=room)
        return rows

    async with (
        running_gateway(journal) as node,
        connected(node.url, "player-1") as one,
        connected(node.url, "player-2") as two,
    ):
        room = await one.create()
        await two.join(room)
        setattr(journal, "lobby", resign_after)  # noqa: B010  # a method, as far as types go
        (only,) = await rooms_of(two)
        assert only["status"] == "over"


async def test_the_list_and_the_finished_rooms_in_it_are_limited() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "player-1") as one,
        connected(node.url, "player-2") as two,
    ):
        over = [await finished(one, two) for _ in range(5)]
        waiting = [await one.create() for _ in range(5)]
        rooms = await Lobby(node.host, Timing(), page=7, finished=3).rooms(None)
        assert [room["room"] for room in rooms] == [*waiting[:0:-1], *over[:1:-1]]


async def test_the_newest_of_too_many_changes_are_sent() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "player-1") as one,
        connected(node.url, "player-2") as two,
    ):
        lobby = Lobby(node.host, Timing(lobby_changes_s=3600), page=4, changes=10)
        node.host.listen(lobby.on_update, Opened, Joined, Disconnected, Returned, GameOver)
        (watcher,) = node.services.sessions._sessions[two.id]
        assert isinstance(watcher, Session)
        await lobby.handle_lobby(watcher, requests.Lobby(type="lobby", id="list", watch=True, game="tictactoe"))
        assert (await two.receive())["id"] == "list"
        rooms = [await one.create() for _ in range(13)]
        await one.ok(type="create", game="reversi")
        await one.ok(type="abort", room=rooms[0])  # an old room, but a new change
        lobby._send()
        messages = [await two.push("lobby") for _ in range(3)]
        assert [room["room"] for message in messages for room in message["rooms"]] == [*rooms[4:], rooms[0]]
        assert [message.get("missed") for message in messages] == [None, None, 3]
        assert [len(message["rooms"]) for message in messages] == [4, 4, 2]
        await two.quiet()


async def test_every_change_is_sent_on_pages() -> None:
    timing = Timing(lobby_changes_s=0.2)
    async with running_server(timing=timing) as url, connected(url, "ann") as ann, connected(url, "eve") as eve:
        await eve.ok(type="lobby", watch=True)
        rooms = {await ann.create() for _ in range(120)}
        changed: set[str] = set()
        while changed < rooms:
            message = await eve.push("lobby")
            assert len(message["rooms"]) <= PAGE
            changed |= {room["room"] for room in message["rooms"]}


async def test_the_list_comes_before_its_changes() -> None:
    journal = MemoryJournal()
    listing = Faulty(journal, "lobby")
    async with (
        running_gateway(journal, timing=Timing(lobby_changes_s=0.02)) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "eve") as eve,
    ):
        listing.gate.clear()
        await eve.send(type="lobby", id="list", watch=True)
        await soon(lambda: bool(listing.calls))
        room = await ann.create()
        await asyncio.sleep(0.1)  # until the change is due
        listing.gate.set()
        assert (await eve.receive())["id"] == "list"
        assert [listed["room"] for listed in (await eve.receive())["rooms"]] == [room]


class AwayBus(MemoryBus):
    """A bus that is away."""

    def __init__(self) -> None:
        super().__init__("node", alone=False)


async def test_without_a_bus_changes_on_other_nodes_are_found_in_the_index() -> None:
    """A room is opened, begins and ends, and after its end there are no more changes."""
    journal = MemoryJournal()
    timing = Timing(lobby_changes_s=0.01, lobby_finished_s=0.5)
    async with (
        running_gateway(journal, AwayBus(), timing=timing) as here,
        running_gateway(journal, AwayBus(), timing=Timing(presence_answer_s=0.01), away_s=0.02) as there,
        connected(there.url, "player-1") as one,
        connected(there.url, "player-2") as two,
        connected(here.url, "player-3") as watcher,
    ):
        await watcher.ok(type="lobby", watch=True)
        listing = Faulty(journal, "lobby")
        running = asyncio.create_task(here.services.lobby.run())
        await soon(lambda: bool(listing.calls))
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
        assert [(await one.push("update"))["event"]["kind"] for _ in range(3)] == ["joined", "ended", "disconnected"]
        (gone,) = (await watcher.ok(type="lobby", watch=True))["rooms"]
        assert gone["seats"]["second"]["online"] is False
        await asyncio.sleep(0.6)  # until the room is no longer listed
        await watcher.quiet()
        assert await rooms_of(watcher) == []
        running.cancel()


async def test_nodes_that_may_share_the_journal_hear_of_changes_and_nobody_else_does() -> None:
    class Recorder(MemoryBus):
        def send(self, hint: Hint) -> None:
            sent.append(hint)

    sent: list[Hint] = []
    for shared in (False, True):
        journal = MemoryJournal()
        journal.shared = shared
        host = Host(journal, Recorder("node"))
        host.listen(Lobby(host, Timing()).on_update)
        host.submit("room", Open("room", "tictactoe", "p", None, None, Options()))
        await soon(lambda: len(host) == 0)  # noqa: B023
        assert [type(hint) for hint in sent if isinstance(hint, Listed)] == [Listed] * shared
