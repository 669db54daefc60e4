"""The number of rooms that may be open: over all connections of a player, all guests of an address, and all nodes."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from websockets.asyncio.client import connect

from noughts.bus import Hub, MemoryBus
from noughts.gateway import open_rooms as open_rooms_module
from support.client import Client, Json, connected
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import Node, running_gateway

CREATE: Json = {"type": "create", "game": "tictactoe"}


async def create_all(clients: list[Client], each: int) -> int:
    """Have every client open ``each`` rooms, all at once. Returns how many were opened."""

    async def open_rooms(client: Client) -> int:
        for number in range(each):
            await client.send(id=f"create {number}", **CREATE)
        answers = [message for message in [await client.receive() for _ in range(each)] if "id" in message]
        while len(answers) < each:
            if "id" in (message := await client.receive()):
                answers.append(message)
        assert {answer.get("code", "room_limit") for answer in answers} == {"room_limit"}
        return sum(answer["type"] == "ok" for answer in answers)

    return sum(await asyncio.gather(*map(open_rooms, clients)))


async def test_a_player_may_open_only_so_many_over_all_connections() -> None:
    journal = MemoryJournal()
    asked = Faulty(journal.index, "open_rooms")
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(running_gateway(journal, rooms_per_player=20))
        one = await stack.enter_async_context(connected(node.url, "one"))
        twins = [await stack.enter_async_context(connected(node.url, token=one.token)) for _ in range(10)]
        assert await create_all([one, *twins], 10) == 20
        assert await journal.database.fetch("SELECT count(*) FROM rooms") == [(20,)]
        assert len(asked.calls) <= 2, "the journal is not asked for each room"
        assert node.host.monitor.limited == {"rooms_per_player": 90}


async def test_guests_of_an_address_may_open_only_so_many_together() -> None:
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(running_gateway(rooms_per_player=5, rooms_per_address=12))
        guests = [await stack.enter_async_context(connected(node.url, None)) for _ in range(6)]
        assert await create_all(guests, 5) == 12
        assert node.host.monitor.limited == {"rooms_per_address": 18}
        # Those that have ended make place for others.
        rooms = await journal_rooms(node)
        by = {guest.id: guest for guest in guests}
        for room, opener in rooms[:3]:
            await by[opener].ok(type="abort", room=room)
        assert await create_all(guests, 1) == 3


async def journal_rooms(node: Node) -> list[tuple[str, str]]:
    """The rooms in the journal, and who opened them."""
    return [(room, by) for room, by in node.host.journal.sql("SELECT room, opened_by FROM rooms")]  # type: ignore[attr-defined]


async def test_rematches_count_as_open_rooms_on_all_connections() -> None:
    async with (
        running_gateway(rooms_per_player=3) as node,
        connected(node.url, "one") as one,
        connected(node.url, "two") as two,
        connected(node.url, token=one.token) as twin,
    ):
        over = [await one.create() for _ in range(3)]
        for room in over:
            await two.join(room)
            await one.ok(type="resign", room=room)
            await two.ok(type="offer_rematch", room=room)
        assert await create_all([twin], 2) == 2
        await one.ok(type="accept_rematch", room=over[0])
        assert await one.refused(type="accept_rematch", room=over[1]) == "room_limit"
        assert await twin.refused(type="accept_rematch", room=over[1]) == "room_limit"


async def test_what_is_not_carried_out_is_not_counted() -> None:
    async with running_gateway(rooms_per_player=2) as node, connected(node.url, "one") as one:
        for _ in range(5):
            assert await one.refused(type="create", game="shogi") == "unknown_game"
            assert await one.refused(type="offer_rematch", room="unknown") == "unknown_room"
        assert await create_all([one], 3) == 2
        services = node.server
        assert services.open_rooms._reserved == {}
        assert all(player.reserved == player.users == 0 for player in services.open_rooms._players.values())


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes ask the journal again after 0.2 s."""
    monkeypatch.setattr(open_rooms_module, "FRESH_S", 0.2)


async def test_nodes_do_not_let_a_player_open_more_and_more(fresh: None) -> None:
    hub, journal = Hub(), MemoryJournal()
    journal.shared = True
    async with (
        running_gateway(journal, MemoryBus("here", hub), rooms_per_player=5) as here,
        running_gateway(journal, MemoryBus("there", hub), rooms_per_player=5) as there,
        connected(here.url, "one") as one,
        connected(there.url, token=one.token) as twin,
    ):
        opened = await create_all([one, twin], 10)
        assert 5 <= opened <= 10, "at most as many on each as both would allow"
        await asyncio.sleep(0.25)
        assert await create_all([one, twin], 3) == 0
        # Rooms that end on the other node make place.
        rooms = [room for room, _ in await journal_rooms(here)]
        for room in rooms:
            await twin.ok(type="abort", room=room)
        await asyncio.sleep(0.25)
        assert await create_all([one], 6) == 5


async def test_rooms_opened_on_another_node_count_a_moment_later(fresh: None) -> None:
    hub, journal = Hub(), MemoryJournal()
    journal.shared = True
    async with (
        running_gateway(journal, MemoryBus("here", hub), rooms_per_player=5) as here,
        running_gateway(journal, MemoryBus("there", hub), rooms_per_player=5) as there,
        connected(here.url, "one") as one,
        connected(there.url, token=one.token) as twin,
    ):
        assert await create_all([twin], 1) == 1
        assert await create_all([one], 4) == 4
        await asyncio.sleep(0.25)
        assert await create_all([twin], 1) == 0


async def test_rooms_of_an_address_that_ended_elsewhere_are_forgotten(fresh: None) -> None:
    hub, journal = Hub(), MemoryJournal()
    journal.shared = True
    async with (
        running_gateway(journal, MemoryBus("here", hub), rooms_per_address=3) as here,
        running_gateway(journal, MemoryBus("there", hub)) as there,
        connected(here.url, "one") as one,
        connected(there.url, token=one.token) as twin,
    ):
        rooms = [await one.create() for _ in range(3)]
        for room in rooms:
            await one.ok(type="leave", room=room)
        one.pushed.clear()
        assert await one.refused(**CREATE) == "room_limit"
        for room in rooms:
            await twin.ok(type="abort", room=room)
        await asyncio.sleep(0.25)
        assert await create_all([one], 4) == 3


async def test_a_client_that_is_gone_opens_no_more_of_the_rooms_that_it_asked_for() -> None:
    journal = MemoryJournal()
    asked = Faulty(journal.index, "open_rooms")
    async with running_gateway(journal) as node:
        async with connected(node.url, "one") as one:
            asked.gate.clear()
            for _ in range(20):
                await one.send(**CREATE)
            await soon(lambda: bool(asked.calls))
            one.socket.transport.abort()
            await soon(lambda: one.id not in node.server.sessions._sessions)
            asked.gate.set()
        await soon(lambda: not node.server.tasks._tasks)
        assert journal.records() == {}


async def test_guests_of_an_ipv6_site_may_open_four_times_as_many() -> None:
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(running_gateway(rooms_per_address=2, trusted_proxies=["127.0.0.1"]))
        guests = []
        for number in range(6):
            proxied = {"X-Forwarded-For": f"2001:db8:1:{number}::7"}
            socket = await stack.enter_async_context(connect(node.url, additional_headers=proxied))
            guests.append(Client(socket))
            await guests[-1].request(type="hello", protocol=1)
        assert await create_all(guests, 2) == 8
        assert node.host.monitor.limited == {"rooms_per_address": 4}
        rooms = [room for room, _ in await journal_rooms(node)]
        assert len({await node.host.journal.index.opener(room) for room in rooms}) == 1, (
            "the site takes turns with others"
        )
