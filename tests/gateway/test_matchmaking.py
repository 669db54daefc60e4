"""Two who seek the same meet, each player once, whatever becomes of connections, nodes and the journal's answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from noughts.app import make_gateway
from noughts.bus import Appended, Hint, Hub, Listed, MemoryBus, Watching
from noughts.gateway import lobby as lobby_module
from noughts.gateway import rounds, sought
from noughts.host import Host
from noughts.journal import Append, GameResult, JournalError, Seek, StoredRating
from noughts.journal.clock import system_time
from support.client import Client, Json, connected
from support.eventually import soon
from support.journals import MemoryJournal
from support.server import no_analysis, running_server, settings

GAMES = count(1)
BLITZ = {"initial_s": 180, "increment_s": 2}


class Journal(MemoryJournal):
    """A journal that several nodes may have open, and whose time stands still until it is put ``ahead``, in ms."""

    shared = True

    def __init__(self) -> None:
        self.ahead = 0
        began = system_time()
        super().__init__(lambda: began + self.ahead)

    async def lead(self) -> bool:
        return False


@dataclass(frozen=True)
class Node:
    url: str
    gateway: Gateway

    @property
    def host(self) -> Host:
        return self.gateway.services.host


@asynccontextmanager
async def node(journal: MemoryJournal, bus: MemoryBus | None = None, **overrides: object) -> AsyncIterator[Node]:
    """A node that pairs its clients, and in which nothing else goes on."""
    host = Host(journal, bus or MemoryBus("node"))
    host.bus.listeners.append(host.on_hint)
    gateway = make_gateway(settings(**overrides), host, no_analysis)
    async with gateway.serving() as server:
        keeping = asyncio.create_task(gateway.services.matchmaker.run())
        yield Node(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", gateway)
        keeping.cancel()
    await gateway.services.meeting.close()


@pytest.fixture
def quick_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "ROUND_S", 0.02)
    monkeypatch.setattr(rounds, "GATHER_S", 0.005)


async def seek(client: Client, game: str = "tictactoe", **more: Any) -> None:
    await client.ok(type="seek", game=game, **more)


async def room_of(*clients: Client) -> Json:
    """The room that these clients are brought to."""
    rooms = [await client.push("room") for client in clients]
    assert len({room["room"] for room in rooms}) == 1
    return rooms[0]


async def waits_on(*clients: Client) -> None:
    """Nobody is brought anywhere while some rounds go by."""
    await asyncio.sleep(0.15)
    for client in clients:
        await client.quiet()


def players(room: Json) -> set[str]:
    return {seat["id"] for seat in room["state"]["seats"].values()}


async def registered(client: Client, journal: MemoryJournal, rating: float | None = None) -> None:
    """Give the client's player its name for good, and a rating at blitz in tic-tac-toe."""
    await client.ok(type="register")
    if rating is not None:
        room, ended_at = f"of {client.id}", next(GAMES)
        finished = GameResult(room, "tictactoe", client.id, "p-other", "first", "line", True, "blitz", ended_at)
        await journal.results.replace({finished.room: finished})
        stored = StoredRating(client.id, "tictactoe", "blitz", rating, 60.0, 0.06, 1)
        assert await journal.results.rate(finished, stored, None)


async def test_two_who_want_the_same_are_brought_to_a_room() -> None:
    async with running_server() as url, connected(url, "player-1") as one, connected(url, "player-2", bot=True) as two:
        wish: Json = {"game": "reversi", "clock": BLITZ}
        await seek(one, **wish)
        await one.quiet()
        await seek(two, **wish)
        room = await room_of(one, two)
        assert (room["version"], room["game"], room["state"]["status"]) == (1, "reversi", "playing")
        assert room["options"] == {"private": False, "rated": False, "clock": BLITZ}
        assert players(room) == {one.id, two.id}
        assert [listed["room"] for listed in (await one.ok(type="lobby"))["rooms"]] == [room["room"]]
        for client in (one, two):
            await client.ok(type="watch", room=room["room"], since=0)
            assert (await client.push("update"))["event"]["kind"] == "opened"
        first, second = (one, two) if room["state"]["seats"]["first"]["id"] == one.id else (two, one)
        (move, *_) = room["state"]["legal_moves"]
        assert (await first.play(room["room"], 0, move))["type"] == "ok"
        assert (await second.push("update"))["event"]["move"] == move


async def test_chance_says_who_sits_first(quick_rounds: None) -> None:
    async with (
        node(MemoryJournal()) as here,
        connected(here.url, "player-1") as one,
        connected(here.url, "player-2") as two,
    ):
        firsts = []
        for _ in range(40):  # the chance that all are alike is one in 10 to the 12th
            await seek(one)
            await seek(two)
            firsts.append((await room_of(one, two))["state"]["seats"]["first"]["name"])
        assert set(firsts) == {"player-1", "player-2"}


async def test_who_wants_something_else_waits(quick_rounds: None) -> None:
    wishes: list[Json] = [
        {},
        {"game": "connect4"},
        {"clock": BLITZ},
        {"clock": {"initial_s": 180, "increment_s": 0}},
        {"clock": {"per_move_s": 180}},
    ]
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(MemoryJournal()))
        clients = [await stack.enter_async_context(connected(here.url)) for _ in wishes]
        for client, wish in zip(clients, wishes, strict=True):
            await seek(client, **wish)
        await waits_on(*clients)
        for client, wish in zip(clients, wishes, strict=True):
            async with connected(here.url) as other:
                await seek(other, **wish)
                assert players(await room_of(client, other)) == {client.id, other.id}


async def test_who_came_first_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "GATHER_S", 0.3)
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(MemoryJournal()))
        clients = [await stack.enter_async_context(connected(here.url)) for _ in range(5)]
        for client in reversed(clients):
            await seek(client)
            await asyncio.sleep(0.002)
        assert players(await room_of(*clients[3:])) == {client.id for client in clients[3:]}
        assert players(await room_of(*clients[1:3])) == {client.id for client in clients[1:3]}
        await clients[0].quiet()


# --- rated


async def test_a_rated_game_is_refused_to_whom_it_cannot_count_for() -> None:
    async with running_server() as url, connected(url, "player-1") as one:
        assert await one.refused(type="seek", game="chess") == "unknown_game"
        assert await one.refused(type="seek", game="tictactoe", clock=BLITZ, rated=True) == "not_allowed"
        await one.ok(type="register")
        assert await one.refused(type="seek", game="tictactoe", rated=True) == "not_allowed"
        await one.ok(type="seek", game="tictactoe", clock=BLITZ, rated=True)


async def test_ratings_far_apart_meet_when_both_have_waited(quick_rounds: None) -> None:
    journal = Journal()
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(journal))
        clients = [await stack.enter_async_context(connected(here.url, f"player-{n}")) for n in range(4)]
        far, near, new, guest = clients
        for client, rating in ((far, 1800.0), (near, 1580.0), (new, None)):
            await registered(client, journal, rating)
        wish: Json = {"clock": BLITZ, "rated": True}
        await seek(far, **wish)
        await seek(guest, clock=BLITZ)  # unrated is something else
        journal.ahead += 10_000
        await seek(near, **wish)
        await waits_on(far, near)  # 220 apart, and one of them has just come
        journal.ahead += 2_000
        await waits_on(far, near)
        await seek(new, **wish)  # 80 from the one, 300 from the other
        room = await room_of(near, new)
        assert room["options"]["rated"] is True
        seats = {seat["name"]: seat for seat in room["state"]["seats"].values()}
        assert (seats["player-1"]["rating"], seats["player-1"].get("provisional")) == (1580, None)
        assert "rating" not in seats["player-2"]  # who has no rating yet is taken for a beginner's, and shows none
        assert all(seat["registered"] for seat in seats.values())
        await waits_on(far, guest)
        # Far from all, it waits long enough.
        await near.ok(type="abort", room=room["room"])
        await seek(near, **wish)
        journal.ahead += 2_300
        await waits_on(far, guest)
        journal.ahead += 200
        assert players(await room_of(far, near)) == {far.id, near.id}


# --- keys, and coming back


async def test_the_same_seek_again_is_one_seek(quick_rounds: None) -> None:
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(MemoryJournal()))
        one, two, three = [await stack.enter_async_context(connected(here.url)) for _ in range(3)]
        for _ in range(3):
            await seek(one, key="a")
        await seek(two)
        room = await room_of(one, two)
        await seek(three)
        await waits_on(one, two, three)
        await seek(one, key="a")
        assert (await room_of(one))["room"] == room["room"]
        await waits_on(three)
        await seek(one, key="b")
        assert players(await room_of(one, three)) == {one.id, three.id}


async def test_another_seek_takes_its_place(quick_rounds: None) -> None:
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(MemoryJournal()))
        one, two, three = [await stack.enter_async_context(connected(here.url)) for _ in range(3)]
        await seek(one, "tictactoe", key="a")
        await seek(one, "connect4", key="a")  # under the same key, but it wants something else
        await seek(two, "tictactoe")
        await waits_on(one, two)
        await seek(three, "connect4")
        assert players(await room_of(one, three)) == {one.id, three.id}
        await seek(one, "tictactoe")
        assert players(await room_of(one, two)) == {one.id, two.id}


async def test_who_comes_back_with_the_key_waits_on_or_has_the_room(quick_rounds: None) -> None:
    async with node(MemoryJournal()) as here, connected(here.url) as other:
        async with connected(here.url) as one:
            await seek(one, key="a")
            one.socket.transport.abort()
        async with connected(here.url, token=one.token) as again:
            await seek(again, key="a")
            async with connected(here.url, token=one.token) as third:  # while the second counts as connected
                await seek(third, key="a")
                await again.socket.close()
                await asyncio.sleep(0.05)
                await seek(other)
                room = await room_of(third, other)
        async with connected(here.url, token=one.token) as late:
            await seek(late, key="a")
            assert (await room_of(late))["room"] == room["room"]
            assert late.pushed == []


async def test_who_has_gone_is_not_met(quick_rounds: None) -> None:
    async with node(MemoryJournal()) as here, connected(here.url) as two, connected(here.url) as three:
        async with connected(here.url) as one:
            await seek(one)
        await soon(lambda: not here.gateway.services.meeting._sought)
        await seek(two)
        await waits_on(two)
        await seek(three)
        assert players(await room_of(two, three)) == {two.id, three.id}


class SlowPut:
    """Has the first seek that is ``called`` to be put wait until it is to ``go_on``."""

    def __init__(self, journal: MemoryJournal) -> None:
        self.called = asyncio.Event()
        self.go_on = asyncio.Event()
        self._put = journal.seeks.put
        journal.seeks.put = self.put  # type: ignore[method-assign]

    async def put(self, seek: Seek, until: int) -> str | None:
        if not self.called.is_set():
            self.called.set()
            await self.go_on.wait()
        return await self._put(seek, until)


async def test_who_goes_before_the_answer_is_not_met(quick_rounds: None) -> None:
    journal = MemoryJournal()
    slow = SlowPut(journal)
    async with node(journal) as here, connected(here.url) as one, connected(here.url) as two:
        await one.send(type="seek", game="tictactoe")
        await slow.called.wait()
        one.socket.transport.abort()
        await asyncio.sleep(0.1)
        slow.go_on.set()
        await seek(two)
        await waits_on(two)
        assert list(here.gateway.services.meeting._sought) == [two.id]


async def test_who_seeks_no_more_is_not_met(quick_rounds: None) -> None:
    class Slow(MemoryJournal):
        async def open_rooms(self, by: str) -> int:
            await asyncio.sleep(0.02)
            return await super().open_rooms(by)

    async with node(Slow()) as here, connected(here.url) as one, connected(here.url) as two:
        for number in range(20):  # each in its turn, however fast they come
            await one.send(type="seek", id=f"s{number}", game="tictactoe")
            await one.send(type="unseek", id=f"u{number}")
        answers = [(await one.receive())["id"] for _ in range(40)]
        assert answers == [f"{what}{number}" for number in range(20) for what in "su"]
        await one.ok(type="unseek")
        await seek(two)
        await waits_on(one, two)
        await seek(one)
        await room_of(one, two)


@asynccontextmanager
async def found_elsewhere() -> AsyncIterator[tuple[Client, Client, str]]:
    """Two whom the other node has paired, which that of the first does not know yet; and their room."""
    journal = Journal()
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(node(journal, away_bus(name))) for name in ("one", "two")]
        one = await stack.enter_async_context(connected(here.url))
        two = await stack.enter_async_context(connected(there.url))
        await seek(one)
        await asyncio.sleep(0.05)  # this node has looked, and looks again in a second
        journal.ahead += 1
        await seek(two)
        yield one, two, (await room_of(two))["room"]


async def test_who_seeks_no_more_gets_the_room_that_was_found_before() -> None:
    async with found_elsewhere() as (one, _, room):
        await one.ok(type="unseek")
        assert (await room_of(one))["room"] == room


async def test_who_seeks_something_else_gets_the_room_that_was_found_before() -> None:
    async with found_elsewhere() as (one, two, room):
        await seek(one, "connect4")
        assert (await room_of(one))["room"] == room
        await seek(two, "connect4")
        assert (await room_of(one, two))["game"] == "connect4"


@pytest.mark.parametrize("nodes", [1, 2])
async def test_another_connection_of_the_player_ends_a_seek_and_its_client_is_told(
    nodes: int, quick_rounds: None
) -> None:
    journal = Journal()
    async with AsyncExitStack() as stack:
        urls = [(await stack.enter_async_context(node(journal, away_bus(f"{n}")))).url for n in range(nodes)]
        one, stranger = [await stack.enter_async_context(connected(urls[0])) for _ in range(2)]
        other = await stack.enter_async_context(connected(urls[-1], token=one.token))
        ended = {"type": "seek_ended", "key": "a", "game": "tictactoe"}
        await seek(one, key="a")
        await other.ok(type="unseek")
        assert await one.push() == ended
        await seek(stranger)
        await waits_on(one, other, stranger)
        await stranger.ok(type="unseek")
        await seek(one, key="a")
        await seek(other, "connect4")
        assert await one.push() == ended
        await seek(stranger, "connect4")
        await room_of(other, stranger)
        await waits_on(one)
        # What one ends oneself is told by the answer alone.
        await seek(one, key="a")
        await seek(one, key="b")
        await one.ok(type="unseek")
        await waits_on(one)


async def test_a_guest_whom_the_journal_has_forgotten_can_seek(quick_rounds: None) -> None:
    journal = Journal()
    async with node(journal) as here, connected(here.url) as one, connected(here.url) as two:
        await journal.forget(journal.now() + 1)
        await two.ok(type="register", name="player-1")  # which was the name of both
        await seek(one)
        await seek(two)
        room = await room_of(one, two)
        assert players(room) == {one.id, two.id}
        names = {seat["name"] for seat in room["state"]["seats"].values()}
        assert names == {"player-1", f"guest-{one.id.removeprefix('p-')[:4]}"}
        assert here.host.retry.answering


async def test_who_comes_has_those_looked_at_who_want_the_same_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "GATHER_S", 0.005)
    journal, looked = Journal(), []
    waiting = journal.seeks.waiting

    async def counted(game: str, terms: str, now: int, limit: int) -> list[Seek]:
        looked.append(terms)
        return await waiting(game, terms, now, limit)

    journal.seeks.waiting = counted  # type: ignore[method-assign]
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(journal))
        clients = [await stack.enter_async_context(connected(here.url)) for _ in range(8)]
        for seconds, client in enumerate(clients, 1):
            await seek(client, clock={"per_move_s": seconds})
        await asyncio.sleep(1.5)
        assert set(looked) == {f"{seconds}000 ms a move" for seconds in range(1, 9)}
        looked.clear()
        for seconds in range(10, 50):
            await seek(clients[0], clock={"per_move_s": seconds})
            await asyncio.sleep(0.01)
        others = [terms for terms in looked if terms in {f"{seconds}000 ms a move" for seconds in range(2, 9)}]
        assert len(others) <= 7 * 5  # all are looked at once a second, and this takes less than five


# --- limits, and the computer


async def test_the_rooms_of_a_seek_count() -> None:
    async with running_server(rooms_per_player=2) as url, connected(url) as one, connected(url) as two:
        await one.create()
        await seek(two, key="a")
        await asyncio.sleep(0.005)  # the room counts as that of who came later
        await seek(one, key="a")
        room = await room_of(one, two)
        assert await one.refused(type="seek", game="tictactoe") == "room_limit"
        assert await one.refused(type="create", game="tictactoe") == "room_limit"
        await seek(one, key="a")  # which needs no other room
        assert (await room_of(one))["room"] == room["room"]
        await one.ok(type="abort", room=room["room"])
        await seek(one)


async def test_who_looks_at_too_many_rooms_cannot_seek() -> None:
    async with running_server(rooms_per_connection=1) as url, connected(url) as one:
        room = await one.create()
        assert await one.refused(type="seek", game="tictactoe") == "room_limit"
        await one.ok(type="leave", room=room)
        await seek(one)


async def test_who_has_waited_for_long_is_told_of_the_computer(
    quick_rounds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sought, "OFFER_S", 0.1)
    async with node(MemoryJournal()) as here, connected(here.url) as one, connected(here.url) as two:
        await seek(one, "connect4", key="a")
        told = await one.push()
        waited = told.pop("waited_s")
        levels = ["perfect", "hard", "medium", "easy"]
        assert told == {"type": "seek", "key": "a", "game": "connect4", "computer": levels}
        assert 0.1 <= waited < 20
        await one.create(second="computer:easy")  # neither ends the seek nor is ended by it
        await waits_on(one)
        await seek(two, "connect4")
        await room_of(one, two)


# --- several nodes, and an unsteady journal


def away_bus(name: str) -> MemoryBus:
    """A bus that reaches nobody."""
    return MemoryBus(name, alone=False)


class Recorder(MemoryBus):
    """A bus that keeps what is sent."""

    def __init__(self, name: str, hub: Hub) -> None:
        super().__init__(name, hub)
        self.sent: list[Hint] = []

    def send(self, message: Hint) -> None:
        self.sent.append(message)
        super().send(message)


async def test_two_nodes_bring_their_clients_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the bus, long before either would look again; and whoever is brought has not left."""
    monkeypatch.setattr(rounds, "ROUND_S", 3600)
    journal, hub = Journal(), Hub()
    buses = [Recorder(name, hub) for name in ("one", "two")]
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(node(journal, bus, away_s=1.5)) for bus in buses]
        one = await stack.enter_async_context(connected(here.url))
        two = await stack.enter_async_context(connected(there.url))
        watcher = await stack.enter_async_context(connected(here.url))
        await watcher.ok(type="lobby", watch=True)
        await seek(one)
        await asyncio.sleep(0.1)
        journal.ahead += 1  # who came later is paired by its node, at once
        await seek(two)
        room = await room_of(one, two)
        assert [message for message in buses[0].sent if not isinstance(message, Appended | Watching)] == []
        assert [listed["room"] for listed in (await watcher.push("lobby"))["rooms"]] == [room["room"]]
        await asyncio.sleep(2)
        await one.quiet()
        await two.quiet()
        await one.ok(type="abort", room=room["room"])  # on the node that did not open the room
        assert [(await each.push("update"))["version"] for each in (one, two)] == [2, 2]
        assert (len(here.host), len(there.host)) == (1, 1)


async def test_a_seek_that_is_stored_late_is_not_left_to_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """It came first, so that the other's node would pair them, which has looked already."""
    monkeypatch.setattr(rounds, "ROUND_S", 3600)
    journal, hub = Journal(), Hub()
    slow = SlowPut(journal)
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(node(journal, MemoryBus(name, hub))) for name in ("one", "two")]
        one = await stack.enter_async_context(connected(here.url))
        two = await stack.enter_async_context(connected(there.url))
        await one.send(type="seek", game="tictactoe")
        await slow.called.wait()
        journal.ahead += 10
        await seek(two)
        await asyncio.sleep(0.1)
        slow.go_on.set()
        assert players(await room_of(one, two)) == {one.id, two.id}


async def test_what_the_bus_does_not_tell_is_found_in_the_journal(quick_rounds: None) -> None:
    journal = Journal()
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(node(journal, away_bus(name))) for name in ("one", "two", "three")]
        for first, second in ((0, 1), (1, 2), (2, 0)):
            one = await stack.enter_async_context(connected(nodes[first].url))
            two = await stack.enter_async_context(connected(nodes[second].url))
            await seek(one)
            await seek(two)
            assert players(await room_of(one, two)) == {one.id, two.id}


async def test_another_connection_of_the_player_takes_the_seek_over(quick_rounds: None) -> None:
    """Its first node notices only later that the connection has broken; that does not end the seek."""
    journal = Journal()
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(node(journal, away_bus(name))) for name in ("one", "two")]
        old = await stack.enter_async_context(connected(here.url))
        await seek(old, key="a")
        new = await stack.enter_async_context(connected(there.url, token=old.token))
        await seek(new, key="a")
        old.socket.transport.abort()
        await soon(lambda: not here.gateway.services.meeting._sought)
        await asyncio.sleep(0.05)
        journal.ahead += 1
        other = await stack.enter_async_context(connected(here.url))
        await seek(other)
        assert players(await room_of(new, other)) == {old.id, other.id}


async def test_a_seek_on_another_node_takes_its_place(quick_rounds: None) -> None:
    journal = Journal()
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(node(journal, away_bus(name))) for name in ("one", "two")]
        old = await stack.enter_async_context(connected(here.url))
        await seek(old, key="a")
        new = await stack.enter_async_context(connected(there.url, token=old.token))
        await seek(new, "connect4")
        assert await old.push() == {"type": "seek_ended", "key": "a", "game": "tictactoe"}
        await new.quiet()
        other, another = [await stack.enter_async_context(connected(here.url)) for _ in range(2)]
        await seek(other)
        await waits_on(old, other)
        await seek(another, "connect4")
        await room_of(new, another)


async def test_the_seeks_of_a_dead_node_lapse(quick_rounds: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "KEEP_S", 0.02)
    journal = Journal()
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(node(journal, away_bus("one")))
        dead = make_gateway(settings(), Host(journal, away_bus("two")), no_analysis)  # it never keeps a seek
        server = await stack.enter_async_context(dead.serving())
        lost = await stack.enter_async_context(connected(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"))
        await seek(lost)
        journal.ahead += rounds.LAPSE_MS - 1000
        one, two, three = [await stack.enter_async_context(connected(here.url)) for _ in range(3)]
        await seek(one)
        assert players(await room_of(one)) == {one.id, lost.id}  # it might have been there
        await seek(lost, "connect4")
        journal.ahead += 1
        await seek(two, "connect4", key="a")
        await room_of(two)
        await seek(lost, "reversi")
        journal.ahead += rounds.LAPSE_MS
        await seek(two, "reversi")
        await waits_on(two)
        journal.ahead += 2 * rounds.LAPSE_MS  # as long as its node lives, it waits on
        await asyncio.sleep(0.1)
        await seek(three, "reversi")
        assert players(await room_of(two, three)) == {two.id, three.id}


async def test_a_seek_is_kept_while_its_client_is_there(quick_rounds: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "KEEP_S", 0.02)
    journal = Journal()
    async with node(journal) as here, connected(here.url) as one:
        await seek(one)
        for _ in range(3):
            journal.ahead += rounds.LAPSE_MS - 1000
            waiting = await journal.seeks.waiting("tictactoe", "no clock", journal.now(), 9)
            assert [waits.player.id for waits in waiting] == [one.id]
            await asyncio.sleep(0.1)


class Faults:
    """Seeks whose pairings can be made to fail, one after the other: ``lost``, or ``answer lost``."""

    def __init__(self, journal: MemoryJournal) -> None:
        self.faults: list[str] = []
        self.pairings = 0
        self._pair = journal.seeks.pair
        journal.seeks.pair = self.pair  # type: ignore[method-assign]

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        self.pairings += 1
        fault = self.faults.pop(0) if self.faults else "none"
        if fault == "lost":
            raise JournalError("no answer")
        done = await self._pair(one, other, write)
        if fault == "answer lost":
            raise JournalError("no answer")
        return done


@pytest.mark.parametrize(
    ("faults", "attempts"), [(["lost", "lost"], 3), (["answer lost"], 1), (["lost", "answer lost"], 2)]
)
async def test_an_unknown_outcome_is_found_out(
    faults: list[str], attempts: int, quick_rounds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "CHANGES_S", 0.01)
    journal, hub = MemoryJournal(), Hub()
    unsteady = Faults(journal)
    unsteady.faults += faults
    bus, kinds = Recorder("one", hub), []
    MemoryBus("two", hub)
    async with node(journal, bus) as here, connected(here.url) as one, connected(here.url) as two:
        here.host.listen(lambda happening: kinds.append((happening.event.kind, happening.ours)))
        await seek(one)
        await seek(two)
        room = await room_of(one, two)
        assert players(room) == {one.id, two.id}
        assert unsteady.pairings == attempts
        assert kinds == [("opened", True)]  # once, to the lobby and whoever else listens
        assert len([message for message in bus.sent if isinstance(message, Listed)]) == 1
        await waits_on(one, two)


# --- many


async def test_a_thousand_at_once_are_paired_each_once(tmp_path: Any) -> None:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_server(journal=str(tmp_path / "journal")))
        clients = [await stack.enter_async_context(connected(url, None)) for _ in range(1000)]
        for client in clients:
            await client.send(type="seek", game="tictactoe", id="s")
        rooms: dict[str, set[str]] = {}
        for client in clients:
            assert (await client.receive())["type"] == "ok"
            room = await client.receive()
            assert client.id in players(room)
            rooms.setdefault(room["room"], set()).add(client.id)
            assert players(room) >= rooms[room["room"]]
        assert [len(seated) for seated in rooms.values()] == [2] * 500
        for client in clients[::100]:
            await client.quiet()
