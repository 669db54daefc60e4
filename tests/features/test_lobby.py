from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from websockets.asyncio.client import connect

from noughts.bus import Hint, Hub, Listed, MemoryBus
from noughts.features.lobby import PAGE, Lobby
from noughts.gateway.session import Session
from noughts.host import GameOver, Host
from noughts.protocol import requests
from noughts.rooms import Disconnected, Joined, Open, Opened, Options, Returned
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import running_gateway, running_server, server_over


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
    timing = Timing(lobby_list_s=0, lobby_finished_s=0)
    async with (
        running_server(timing=timing) as url,
        connected(url, "player-1") as one,
        connected(url, "player-2") as two,
    ):
        await finished(one, two)
        assert await rooms_of(two) == []


async def test_a_room_that_ends_while_the_list_is_made_is_listed_once() -> None:
    journal = MemoryJournal()
    listing = journal.index.lobby

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
        setattr(journal.index, "lobby", resign_after)  # noqa: B010  # a method, as far as types go
        (only,) = (await two.ok(type="lobby", watch=True))["rooms"]
        assert only["status"] == "playing"
        (change,) = (await two.push("lobby"))["rooms"]
        assert (change["room"], change["status"]) == (room, "over")


async def test_the_list_and_the_finished_rooms_in_it_are_limited() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "player-1") as one,
        connected(node.url, "player-2") as two,
    ):
        over = [await finished(one, two) for _ in range(5)]
        waiting = [await one.create() for _ in range(5)]
        rooms = await Lobby(node.server, page=7, finished=3).rooms(None)
        assert [room["room"] for room in rooms] == [*waiting[:0:-1], *over[:1:-1]]


async def test_one_address_cannot_push_the_rooms_of_others_out_of_the_list() -> None:
    timing = Timing(lobby_list_s=0, lobby_finished_s=0)
    async with running_gateway(trusted_proxies=["127.0.0.1"], timing=timing) as node, AsyncExitStack() as stack:

        async def client(address: str) -> Client:
            proxied = {"X-Forwarded-For": address}
            socket = await stack.enter_async_context(connect(node.url, additional_headers=proxied))
            await Client(socket).request(type="hello", protocol=1)
            return Client(socket)

        alone = await client("203.0.113.1")
        waiting = await alone.create()
        crowd = [await client("2001:db8:0:1::1"), await client("2001:db8:0:2::1")]
        quiet = await crowd[0].create()
        for _ in range(PAGE):
            await crowd[1].create()
        rooms = [room["room"] for room in await rooms_of(alone)]
        assert len(rooms) == PAGE
        assert rooms[-2:] == [quiet, waiting], "of another player at the address, and of another address"


async def test_the_newest_of_too_many_changes_are_sent() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "player-1") as one,
        connected(node.url, "player-2") as two,
    ):
        lobby = Lobby(node.server, page=4, changes=10)
        node.host.listen(lobby.on_update, Opened, Joined, Disconnected, Returned, GameOver)
        (watcher,) = node.server.sessions._sessions[two.id]
        assert isinstance(watcher, Session)
        lobby.show(watcher, requests.Lobby(type="lobby", id="list", watch=True, game="tictactoe"))
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
    listing = Faulty(journal.index, "lobby")
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


# --- one list for everybody


SHARED = Timing(lobby_list_s=60, lobby_changes_s=0.02)
"""A list is kept for as long as a test takes."""


async def test_a_list_is_made_once_for_everybody_and_once_for_each_game() -> None:
    journal = MemoryJournal()
    listing = Faulty(journal.index, "lobby")
    async with running_gateway(journal, timing=SHARED) as node, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(node.url)) for _ in range(10)]
        room = await clients[0].create()
        listing.slow_s = 0.05
        lists = await asyncio.gather(*(rooms_of(client) for client in clients))
        assert [[shown["room"] for shown in rooms] for rooms in lists] == [[room]] * 10
        assert await rooms_of(clients[0], "connect4") == await rooms_of(clients[1], "connect4") == []
        assert len(listing.calls) == 2


async def test_a_list_is_made_anew_after_a_while() -> None:
    async with running_gateway(timing=Timing(lobby_list_s=0.2)) as node, connected(node.url) as one:
        assert await rooms_of(one) == []
        room = await one.create()
        assert await rooms_of(one) == []
        await soon(lambda: not node.part(Lobby)._shown)
        assert [shown["room"] for shown in await rooms_of(one)] == [room]


async def test_nothing_is_missed_between_an_old_list_and_its_changes() -> None:
    async with (
        running_gateway(timing=SHARED) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
        connected(node.url, "eve") as eve,
    ):
        assert await rooms_of(ann) == []  # nobody watches the lobby yet
        first = await ann.create()
        second = await ann.create()
        await ben.join(second)
        await ben.ok(type="lobby", watch=True)
        told = {shown["room"]: shown["status"] for shown in (await ben.push("lobby"))["rooms"]}
        assert told == {first: "waiting", second: "playing"}
        third = await ann.create()
        await ann.ok(type="abort", room=first)
        while told.get(first) != "over" or third not in told:
            told |= {shown["room"]: shown["status"] for shown in (await ben.push("lobby"))["rooms"]}
        # A watcher that comes later gets what the others were told before, and what is about to be told once.
        fourth = await ann.create()
        assert (await eve.ok(type="lobby", watch=True))["rooms"] == []
        seen = [shown for _ in range(2) for shown in (await eve.push("lobby"))["rooms"]]
        statuses = {first: "over", second: "playing", third: "waiting", fourth: "waiting"}
        assert {shown["room"]: shown["status"] for shown in seen} == statuses
        assert len(seen) == 4
        await eve.quiet()


async def test_changes_on_other_nodes_are_not_missed_either() -> None:
    hub, journal = Hub(), MemoryJournal()
    journal.shared = True
    async with (
        running_gateway(journal, MemoryBus("here", hub), timing=SHARED) as here,
        running_gateway(journal, MemoryBus("there", hub), timing=SHARED) as there,
        connected(here.url, "ann") as ann,
        connected(there.url, "ben") as ben,
    ):
        assert await rooms_of(ann) == []
        room = await ben.create()
        assert (await ann.ok(type="lobby", watch=True))["rooms"] == []
        assert [shown["room"] for shown in (await ann.push("lobby"))["rooms"]] == [room]


async def test_changes_of_other_games_are_not_sent_after_the_list() -> None:
    async with running_gateway(timing=SHARED) as node, connected(node.url) as one:
        assert await rooms_of(one, "connect4") == []
        await one.create()
        await one.ok(type="lobby", watch=True, game="connect4")
        await one.quiet()


async def test_a_client_gets_one_list_at_a_time_and_may_stop_its_changes_meanwhile() -> None:
    journal = MemoryJournal()
    listing = Faulty(journal.index, "lobby")
    async with running_gateway(journal, timing=SHARED) as node, connected(node.url) as one:
        listing.gate.clear()
        await one.send(type="lobby", id="list", watch=True)
        answer = await one.request(type="lobby")
        assert (answer["code"], answer["retry_after_s"]) == ("rate_limited", 60)
        assert node.host.monitor.limited == {"lobby": 1}
        assert not node.part(Lobby)._watchers
        listing.gate.set()
        assert (await one.receive())["id"] == "list"
        await one.ok(type="lobby")


async def test_nothing_is_kept_for_a_client_that_is_gone() -> None:
    journal = MemoryJournal()
    listing = Faulty(journal.index, "lobby")
    async with running_gateway(journal, timing=SHARED) as node:
        listing.gate.clear()
        async with connected(node.url) as one:
            await one.send(type="lobby", id="list", watch=True)
            await soon(lambda: bool(listing.calls))
        lobby = node.part(Lobby)
        await soon(lambda: not lobby._waiting)
        (shown,) = lobby._shown.values()
        assert not shown.waiting
        assert not lobby._watchers
        listing.gate.set()


async def test_without_the_journal_those_who_wait_get_an_error_and_the_next_one_a_list() -> None:
    journal = MemoryJournal()
    listing = Faulty(journal.index, "lobby")
    listing.faults = ["lost"]
    async with running_gateway(journal, timing=SHARED) as node, connected(node.url) as one, connected(node.url) as two:
        assert await one.refused(type="lobby") == "overloaded"
        assert await rooms_of(two) == []


class AwayBus(MemoryBus):
    """A bus that is away."""

    def __init__(self) -> None:
        super().__init__("node", alone=False)


async def test_without_a_bus_changes_on_other_nodes_are_found_in_the_index() -> None:
    """A room is opened, begins and ends, and after its end there are no more changes."""
    journal = MemoryJournal()
    timing = Timing(lobby_list_s=0, lobby_changes_s=0.01, lobby_finished_s=0.5)
    async with (
        running_gateway(journal, AwayBus(), timing=timing) as here,
        running_gateway(journal, AwayBus(), timing=Timing(presence_answer_s=0.01), away_s=0.02) as there,
        connected(there.url, "player-1") as one,
        connected(there.url, "player-2") as two,
        connected(here.url, "player-3") as watcher,
    ):
        await watcher.ok(type="lobby", watch=True)
        listing = Faulty(journal.index, "lobby")
        running = asyncio.create_task(here.part(Lobby).run())
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
        server_over(host)
        host.submit("room", Open("room", "tictactoe", "p", None, None, Options()))
        await soon(lambda: len(host) == 0)  # noqa: B023
        assert [type(hint) for hint in sent if isinstance(hint, Listed)] == [Listed] * shared
