"""Seekers with the same terms are paired once, even if connections, nodes or the journal fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import Any

import pytest

from noughts.bus import Appended, Hint, Hub, Listed, MemoryBus, Watching
from noughts.features.matchmaking import LAPSE_MS, OVERDUE_MS, Matchmaker
from noughts.journal import GameResult, StoredRating
from noughts.journal.steady_clock import system_time
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import Node, running_gateway, running_server

GAMES = count(1)
BLITZ = {"initial_s": 180, "increment_s": 2}

QUICK = Timing(lobby_list_s=0, seek_round_s=0.02, seek_batch_s=0.005, lobby_changes_s=0.01)
NEVER = Timing(seek_round_s=3600)
RENEWING = Timing(seek_round_s=0.02, seek_batch_s=0.005, seek_renew_s=0.02)


class Journal(MemoryJournal):
    """A journal that several nodes share. Its time stands still unless ``ahead``, in ms, is changed."""

    shared = True

    def __init__(self) -> None:
        self.ahead = 0
        began = system_time()
        super().__init__(lambda: began + self.ahead)

    async def lead(self) -> bool:
        return False


@asynccontextmanager
async def matchmaking(
    journal: MemoryJournal | None = None, bus: MemoryBus | None = None, timing: Timing = QUICK, **overrides: Any
) -> AsyncIterator[Node]:
    """A node that pairs its clients."""
    async with running_gateway(journal, bus, timing=timing, **overrides) as node:
        running = asyncio.create_task(node.part(Matchmaker).run())
        yield node
        running.cancel()
    await node.server.tasks.close()


@asynccontextmanager
async def clients_of(url: str, number: int) -> AsyncIterator[list[Client]]:
    """Clients named player-0, player-1 and so on."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(connected(url, f"player-{n}")) for n in range(number)]


@asynccontextmanager
async def two_nodes(journal: Journal, timing: Timing = QUICK) -> AsyncIterator[tuple[Node, Node]]:
    """Two nodes that reach each other by the journal alone."""
    async with (
        matchmaking(journal, lonely_bus("one"), timing) as here,
        matchmaking(journal, lonely_bus("two"), timing) as there,
    ):
        yield here, there


def lonely_bus(name: str) -> MemoryBus:
    """A bus that reaches no other node."""
    return MemoryBus(name, alone=False)


def pending(node: Node) -> list[str]:
    """The players who seek on this node."""
    return list(node.part(Matchmaker)._seeks)


async def seek(client: Client, game: str = "tictactoe", **more: Any) -> None:
    await client.ok(type="seek", game=game, **more)


async def room_of(*clients: Client) -> Json:
    """The room that these clients enter together."""
    rooms = [await client.push("room") for client in clients]
    assert len({room["room"] for room in rooms}) == 1
    return rooms[0]


async def keep_waiting(*clients: Client) -> None:
    """Let some rounds of matchmaking pass. These clients must receive nothing."""
    await asyncio.sleep(0.1)
    for client in clients:
        await client.quiet()


def players(room: Json) -> set[str]:
    return {seat["id"] for seat in room["state"]["seats"].values()}


async def register(client: Client, journal: MemoryJournal, rating: float | None = None) -> None:
    """Register the client's name, and give it a rating at blitz in tic-tac-toe."""
    await client.ok(type="register")
    if rating is not None:
        room, ended_at = f"of {client.id}", next(GAMES)
        finished = GameResult(room, "tictactoe", client.id, "p-other", "first", "line", True, "blitz", ended_at)
        await journal.results.replace({room: finished})
        stored = StoredRating(client.id, "tictactoe", "blitz", rating, 60.0, 0.06, 1)
        assert await journal.results.rate([(finished, stored, None)])


# --- pairing


async def test_two_seekers_with_the_same_terms_are_paired() -> None:
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


async def test_the_first_seat_is_random() -> None:
    async with matchmaking() as node, clients_of(node.url, 2) as (one, two):
        firsts = []
        for _ in range(40):  # the chance that all are alike is one in 10 to the 12th
            await seek(one)
            await seek(two)
            firsts.append((await room_of(one, two))["state"]["seats"]["first"]["name"])
        assert set(firsts) == {"player-0", "player-1"}


async def test_seekers_with_different_terms_are_not_paired() -> None:
    wishes: list[Json] = [
        {},
        {"game": "connect4"},
        {"clock": BLITZ},
        {"clock": {"initial_s": 180, "increment_s": 0}},
        {"clock": {"per_move_s": 180}},
    ]
    async with matchmaking() as node, clients_of(node.url, len(wishes)) as clients:
        for client, wish in zip(clients, wishes, strict=True):
            await seek(client, **wish)
        await keep_waiting(*clients)
        for client, wish in zip(clients, wishes, strict=True):
            async with connected(node.url) as other:
                await seek(other, **wish)
                assert players(await room_of(client, other)) == {client.id, other.id}


async def test_a_new_seek_wakes_the_matchmaking_of_its_terms_only() -> None:
    journal = Journal()
    async with matchmaking(journal, timing=NEVER) as node, clients_of(node.url, 4) as (one, *others):
        waiting = Faulty(journal.seeks, "waiting")
        for seconds, client in enumerate(others, 1):
            await seek(client, clock={"per_move_s": seconds})
        await soon(lambda: {terms for _, terms, *_ in waiting.calls} == {f"{n}000 ms a move" for n in (1, 2, 3)})
        waiting.calls.clear()
        await seek(one, clock={"per_move_s": 10})
        await soon(lambda: bool(waiting.calls))
        assert {terms for _, terms, *_ in waiting.calls} == {"10000 ms a move"}


async def test_seeks_that_wait_are_not_looked_at_again() -> None:
    journal = Journal()
    async with matchmaking(journal) as node, clients_of(node.url, 4) as (far, near, one, two):
        await register(far, journal, 1800.0)
        await register(near, journal, 1500.0)
        waiting = Faulty(journal.seeks, "waiting")
        await seek(far, clock=BLITZ, rated=True)
        await seek(near, clock=BLITZ, rated=True)
        await seek(one)
        await seek(two, "connect4")
        await soon(lambda: len({call[:2] for call in waiting.calls}) == 3)
        await keep_waiting(far, near, one, two)
        waiting.calls.clear()
        journal.ahead += 3_900  # the windows of the two meet after 4 s
        await keep_waiting(far, near, one, two)
        assert waiting.calls == []
        journal.ahead += 100
        await room_of(far, near)
        assert {game for game, *_ in waiting.calls} == {"tictactoe"}
        assert len({terms for _, terms, *_ in waiting.calls}) == 1


# --- rated


async def test_a_rated_game_needs_a_registered_name_and_a_clock() -> None:
    async with running_server() as url, connected(url, "player-1") as one:
        assert await one.refused(type="seek", game="shogi") == "unknown_game"
        assert await one.refused(type="seek", game="tictactoe", clock=BLITZ, rated=True) == "not_allowed"
        await one.ok(type="register")
        assert await one.refused(type="seek", game="tictactoe", rated=True) == "not_allowed"
        await one.ok(type="seek", game="tictactoe", clock=BLITZ, rated=True)


async def test_ratings_far_apart_are_paired_after_a_wait() -> None:
    journal = Journal()
    async with matchmaking(journal) as node, clients_of(node.url, 4) as (far, near, new, guest):
        for client, rating in ((far, 1800.0), (near, 1580.0), (new, None)):
            await register(client, journal, rating)
        wish: Json = {"clock": BLITZ, "rated": True}
        await seek(far, **wish)
        await seek(guest, clock=BLITZ)  # which is not rated
        journal.ahead += 10_000
        await seek(near, **wish)
        await keep_waiting(far, near)  # they are 220 apart, and one of them has just come
        journal.ahead += 2_000
        await keep_waiting(far, near)
        await seek(new, **wish)  # 80 from the one, 300 from the other
        room = await room_of(near, new)
        assert room["options"]["rated"] is True
        seats = {seat["name"]: seat for seat in room["state"]["seats"].values()}
        assert (seats["player-1"]["rating"], seats["player-1"].get("provisional")) == (1580, None)
        assert "rating" not in seats["player-2"]  # a newcomer is paired by a beginner's rating, which is not shown
        assert all(seat["registered"] for seat in seats.values())
        await keep_waiting(far, guest)
        # After long enough the two are paired all the same.
        await near.ok(type="abort", room=room["room"])
        await seek(near, **wish)
        journal.ahead += 2_300
        await keep_waiting(far, guest)
        journal.ahead += 200
        assert players(await room_of(far, near)) == {far.id, near.id}


# --- keys, and clients that come and go


async def test_a_seek_with_the_same_key_is_the_same_seek() -> None:
    async with matchmaking() as node, clients_of(node.url, 3) as (one, two, three):
        for _ in range(3):
            await seek(one, key="a")
        await seek(two)
        room = await room_of(one, two)
        await seek(three)
        await keep_waiting(one, two, three)
        await seek(one, key="a")
        assert (await room_of(one))["room"] == room["room"]
        await keep_waiting(three)
        await seek(one, key="b")
        assert players(await room_of(one, three)) == {one.id, three.id}


async def test_a_client_that_reconnects_with_the_key_goes_on_waiting_or_enters_the_room() -> None:
    async with matchmaking() as node, connected(node.url) as other:
        async with connected(node.url) as one:
            await seek(one, key="a")
            one.socket.transport.abort()
        async with connected(node.url, token=one.token) as again:
            await seek(again, key="a")
            async with connected(node.url, token=one.token) as third:  # while the second still counts as connected
                await seek(third, key="a")
                await again.socket.close()
                await soon(lambda: len(node.server.sessions._sessions[one.id]) == 1)
                await seek(other)
                room = await room_of(third, other)
        async with connected(node.url, token=one.token) as late:
            await seek(late, key="a")
            assert (await room_of(late))["room"] == room["room"]
            assert late.pushed == []


async def test_a_client_that_disconnects_is_not_paired() -> None:
    async with matchmaking() as node, clients_of(node.url, 2) as (two, three):
        async with connected(node.url) as one:
            await seek(one)
        await soon(lambda: not pending(node))
        await seek(two)
        await keep_waiting(two)
        await seek(three)
        assert players(await room_of(two, three)) == {two.id, three.id}


async def test_a_client_that_disconnects_before_the_answer_is_not_paired() -> None:
    journal = MemoryJournal()
    put = Faulty(journal.seeks, "put")
    async with matchmaking(journal) as node, clients_of(node.url, 2) as (one, two):
        put.gate.clear()
        await one.send(type="seek", game="tictactoe")
        await soon(lambda: bool(put.calls))
        one.socket.transport.abort()
        await soon(lambda: one.id not in node.server.sessions._sessions)
        put.gate.set()
        await seek(two)
        await keep_waiting(two)
        assert pending(node) == [two.id]


async def test_a_client_that_unseeks_is_not_paired() -> None:
    journal = MemoryJournal()
    open_rooms = Faulty(journal.index, "open_rooms")
    async with matchmaking(journal) as node, clients_of(node.url, 2) as (one, two):
        open_rooms.slow_s = 0.02
        for number in range(5):  # each in turn, however fast they come
            await one.send(type="seek", id=f"seek {number}", game="tictactoe")
            await one.send(type="unseek", id=f"unseek {number}")
        answers = [(await one.receive())["id"] for _ in range(10)]
        assert answers == [f"{kind} {number}" for number in range(5) for kind in ("seek", "unseek")]
        await one.ok(type="unseek")
        await seek(two)
        await keep_waiting(one, two)
        await seek(one)
        await room_of(one, two)


@asynccontextmanager
async def paired_elsewhere() -> AsyncIterator[tuple[Client, Client, str]]:
    """Two clients that the other node has paired without the first one's node knowing, and their room."""
    journal = Journal()
    async with (
        two_nodes(journal, Timing(seek_batch_s=0.005)) as (here, there),
        connected(here.url) as one,
        connected(there.url) as two,
    ):
        waiting = Faulty(journal.seeks, "waiting")
        await seek(one)
        await soon(lambda: bool(waiting.calls))  # its node has looked, and looks again in a second
        journal.ahead += 1
        await seek(two)
        yield one, two, (await room_of(two))["room"]


async def test_a_client_that_unseeks_too_late_enters_the_room() -> None:
    async with paired_elsewhere() as (one, _, room):
        await one.ok(type="unseek")
        assert (await room_of(one))["room"] == room


async def test_a_client_that_seeks_something_else_too_late_enters_the_room() -> None:
    async with paired_elsewhere() as (one, two, room):
        await seek(one, "connect4")
        assert (await room_of(one))["room"] == room
        await seek(two, "connect4")
        assert (await room_of(one, two))["game"] == "connect4"


@pytest.mark.parametrize("nodes", [1, 2])
async def test_a_seek_that_another_connection_of_the_player_ends_is_announced(nodes: int) -> None:
    async with (
        two_nodes(Journal(), RENEWING) as both,
        clients_of(both[0].url, 2) as (one, stranger),
        connected(both[nodes - 1].url, token=one.token) as other,
    ):
        ended = {"type": "seek_ended", "key": "a", "game": "tictactoe"}
        await seek(one, key="a")
        await other.ok(type="unseek")
        assert await one.push() == ended
        await seek(stranger)
        await keep_waiting(one, other, stranger)
        await stranger.ok(type="unseek")
        await seek(one, key="a")
        await seek(other, "connect4")
        assert await one.push() == ended
        await seek(stranger, "connect4")
        await room_of(other, stranger)
        await keep_waiting(one)
        # A client that ends its own seek gets the answer alone.
        await seek(one, key="a")
        await seek(one, key="b")
        await one.ok(type="unseek")
        await keep_waiting(one)


async def test_a_guest_that_the_journal_has_forgotten_can_seek() -> None:
    journal = Journal()
    async with matchmaking(journal) as node, connected(node.url) as one, connected(node.url) as two:
        await journal.forget(journal.now() + 1)
        await two.ok(type="register", name="player-1")  # which was the name of both
        await seek(one)
        await seek(two)
        room = await room_of(one, two)
        assert players(room) == {one.id, two.id}
        names = {seat["name"] for seat in room["state"]["seats"].values()}
        assert names == {"player-1", f"guest-{one.id.removeprefix('p-')[:4]}"}
        assert node.host.retry.answering


# --- limits, and the computer


async def test_rooms_from_seeks_count_as_open() -> None:
    journal = Journal()
    async with matchmaking(journal, rooms_per_player=2) as node, clients_of(node.url, 2) as (one, two):
        await one.create()
        await seek(two, key="a")
        journal.ahead += 1  # the room counts as that of the later seek
        await seek(one, key="a")
        room = await room_of(one, two)
        assert await one.refused(type="seek", game="tictactoe") == "room_limit"
        assert await one.refused(type="create", game="tictactoe") == "room_limit"
        await seek(one, key="a")  # which needs no other room
        assert (await room_of(one))["room"] == room["room"]
        await one.ok(type="abort", room=room["room"])
        await seek(one)


async def test_a_client_that_watches_too_many_rooms_cannot_seek() -> None:
    async with running_server(rooms_per_connection=1) as url, connected(url) as one:
        room = await one.create()
        assert await one.refused(type="seek", game="tictactoe") == "room_limit"
        await one.ok(type="leave", room=room)
        await seek(one)


async def test_the_computer_is_offered_after_a_while() -> None:
    timing = Timing(seek_round_s=0.02, seek_batch_s=0.005, seek_offer_s=0.1)
    async with matchmaking(timing=timing) as node, clients_of(node.url, 2) as (one, two):
        await seek(one, "connect4", key="a")
        offer = await one.push()
        waited = offer.pop("waited_s")
        levels = ["perfect", "hard", "medium", "easy"]
        assert offer == {"type": "seek", "key": "a", "game": "connect4", "computer": levels}
        assert 0.1 <= waited < 20
        await one.create(second="computer:easy")  # which does not end the seek
        await keep_waiting(one)
        await seek(two, "connect4")
        await room_of(one, two)


# --- several nodes, and a journal that fails


class Recorder(MemoryBus):
    """A bus that records what is sent."""

    def __init__(self, name: str, hub: Hub) -> None:
        super().__init__(name, hub)
        self.sent: list[Hint] = []

    def send(self, message: Hint) -> None:
        self.sent.append(message)
        super().send(message)


async def test_two_nodes_pair_their_clients_at_once_by_the_bus() -> None:
    """Neither would check again by itself. Both players then count as present on their own node."""
    journal, hub = Journal(), Hub()
    timing = Timing(lobby_list_s=0, seek_round_s=3600, lobby_changes_s=0.01, presence_answer_s=0.05)
    bus = Recorder("one", hub)
    async with (
        matchmaking(journal, bus, timing, away_s=0.3) as here,
        matchmaking(journal, MemoryBus("two", hub), timing, away_s=0.3) as there,
        connected(here.url) as one,
        connected(there.url) as two,
        connected(here.url) as watcher,
    ):
        waiting = Faulty(journal.seeks, "waiting")
        await watcher.ok(type="lobby", watch=True)
        await seek(one)
        await soon(lambda: bool(waiting.calls))
        journal.ahead += 1  # the node of the later seek pairs them
        await seek(two)
        room = await room_of(one, two)
        assert [message for message in bus.sent if not isinstance(message, Appended | Watching)] == []
        assert [listed["room"] for listed in (await watcher.push("lobby"))["rooms"]] == [room["room"]]
        await asyncio.sleep(0.5)
        await one.quiet()
        await two.quiet()
        await one.ok(type="abort", room=room["room"])  # on the node that did not open the room
        assert [(await each.push("update"))["version"] for each in (one, two)] == [2, 2]
        assert (len(here.host), len(there.host)) == (1, 1)


async def test_a_seek_that_is_stored_late_does_not_wait_for_the_next_round() -> None:
    """It is the older seek, so the other node should pair the two; but that node has already checked."""
    journal, hub = Journal(), Hub()
    put = Faulty(journal.seeks, "put")
    async with (
        matchmaking(journal, MemoryBus("one", hub), NEVER) as here,
        matchmaking(journal, MemoryBus("two", hub), NEVER) as there,
        connected(here.url) as one,
        connected(there.url) as two,
    ):
        waiting = Faulty(journal.seeks, "waiting")
        put.gate.clear()
        await one.send(type="seek", game="tictactoe")
        await soon(lambda: bool(put.calls))
        held, put.gate = put.gate, asyncio.Event()
        put.gate.set()  # for the seeks to come
        journal.ahead += 10
        await seek(two)
        await soon(lambda: bool(waiting.calls))
        held.set()
        assert players(await room_of(one, two)) == {one.id, two.id}


async def test_a_seek_that_is_withdrawn_on_another_node_ends_at_once_by_the_bus() -> None:
    journal, hub = Journal(), Hub()
    async with (
        matchmaking(journal, MemoryBus("one", hub), NEVER) as here,
        matchmaking(journal, MemoryBus("two", hub), NEVER) as there,
        connected(here.url) as one,
        connected(there.url, token=one.token) as other,
    ):
        await seek(one, key="a")
        await other.ok(type="unseek")
        assert await one.push() == {"type": "seek_ended", "key": "a", "game": "tictactoe"}


async def test_a_node_that_is_late_leaves_the_pair_to_the_other() -> None:
    journal = Journal()
    async with (
        matchmaking(journal, lonely_bus("one")) as here,
        running_gateway(journal, lonely_bus("two")) as there,  # it stores seeks, but pairs nobody
        connected(here.url) as one,
        connected(there.url) as two,
    ):
        await seek(one)
        journal.ahead += 1
        await soon(lambda: not here.part(Matchmaker)._seeks[one.id].fresh)
        await seek(two)
        await keep_waiting(one)  # it is up to the node of the later seek
        journal.ahead += OVERDUE_MS
        assert players(await room_of(one)) == {one.id, two.id}


async def test_a_seek_that_had_lapsed_when_another_came_is_paired_with_it() -> None:
    journal = Journal()
    timing = Timing(seek_round_s=0.02, seek_batch_s=0.005, seek_renew_s=0.3)
    async with (
        matchmaking(journal, lonely_bus("one"), timing) as here,
        matchmaking(journal, lonely_bus("two"), NEVER) as there,
        connected(here.url) as one,
        connected(there.url) as two,
    ):
        renew = Faulty(journal.seeks, "renew")
        await seek(one)
        await soon(lambda: bool(renew.calls))
        renew.gate.clear()  # its node is held up
        journal.ahead += LAPSE_MS + 1
        await seek(two)
        await soon(lambda: not there.part(Matchmaker)._seeks[two.id].fresh)  # the other node has looked
        renew.gate.set()
        journal.ahead += OVERDUE_MS
        assert players(await room_of(one)) == {one.id, two.id}


async def test_without_a_bus_pairs_are_found_in_the_journal() -> None:
    journal = Journal()
    async with two_nodes(journal) as (here, there), matchmaking(journal, lonely_bus("three")) as third:
        nodes = (here, there, third)
        for first, second in ((0, 1), (1, 2), (2, 0)):
            async with connected(nodes[first].url) as one, connected(nodes[second].url) as two:
                await seek(one)
                await seek(two)
                assert players(await room_of(one, two)) == {one.id, two.id}


async def test_another_connection_takes_over_the_seek() -> None:
    """Its first node notices only later that the connection has broken, which must not end the seek."""
    journal = Journal()
    async with two_nodes(journal) as (here, there), connected(here.url) as old:
        await seek(old, key="a")
        async with connected(there.url, token=old.token) as new, connected(here.url) as other:
            await seek(new, key="a")
            old.socket.transport.abort()
            await soon(lambda: not pending(here))
            await here.server.tasks.close()
            journal.ahead += 1
            await seek(other)
            assert players(await room_of(new, other)) == {old.id, other.id}


async def test_a_seek_on_another_node_replaces_the_first() -> None:
    async with two_nodes(Journal()) as (here, there), connected(here.url) as old:
        await seek(old, key="a")
        async with connected(there.url, token=old.token) as new, clients_of(here.url, 2) as (other, another):
            await seek(new, "connect4")
            assert await old.push() == {"type": "seek_ended", "key": "a", "game": "tictactoe"}
            await new.quiet()
            await seek(other)
            await keep_waiting(old, other)
            await seek(another, "connect4")
            await room_of(new, another)


async def test_the_seeks_of_a_dead_node_lapse() -> None:
    journal = Journal()
    async with (
        matchmaking(journal, lonely_bus("one"), RENEWING) as here,
        running_gateway(journal, lonely_bus("two")) as dead,  # it never renews a seek
        connected(dead.url) as lost,
        clients_of(here.url, 3) as (one, two, three),
    ):
        await seek(lost)
        journal.ahead += LAPSE_MS - 1000
        await seek(one)
        assert players(await room_of(one)) == {one.id, lost.id}  # which could still have been alive
        await seek(lost, "connect4")
        journal.ahead += 1
        await seek(two, "connect4", key="a")
        await room_of(two)
        await seek(lost, "reversi")
        journal.ahead += LAPSE_MS
        await seek(two, "reversi")
        await keep_waiting(two)
        journal.ahead += 2 * LAPSE_MS  # a seek lasts as long as its node lives
        await asyncio.sleep(0.1)
        await seek(three, "reversi")
        assert players(await room_of(two, three)) == {two.id, three.id}


async def test_a_seek_is_renewed_while_its_client_is_connected() -> None:
    journal = Journal()
    async with matchmaking(journal, timing=RENEWING) as node, connected(node.url) as one:
        await seek(one)
        renew = Faulty(journal.seeks, "renew")
        for _ in range(3):
            journal.ahead += LAPSE_MS - 1000
            waiting = await journal.seeks.waiting("tictactoe", "no clock", journal.now(), 9)
            assert [found.player.id for found in waiting] == [one.id]
            renew.calls.clear()
            await soon(lambda: len(renew.calls) > 1)


@pytest.mark.parametrize(
    ("faults", "attempts"), [(["lost", "lost"], 3), (["answer lost"], 1), (["lost", "answer lost"], 2)]
)
async def test_a_pairing_with_an_unknown_outcome_is_resolved(faults: list[str], attempts: int) -> None:
    journal, hub = MemoryJournal(), Hub()
    pair = Faulty(journal.seeks, "pair")
    pair.faults += faults
    bus, events = Recorder("one", hub), []
    MemoryBus("two", hub)
    async with matchmaking(journal, bus) as node, clients_of(node.url, 3) as (one, two, watcher):
        node.host.listen(lambda update: events.append((update.event.kind, update.ours)))
        await watcher.ok(type="lobby", watch=True)
        await seek(one)
        await seek(two)
        room = await room_of(one, two)
        assert players(room) == {one.id, two.id}
        assert len(pair.calls) == attempts
        assert events == [("opened", True)]  # the listeners got it once
        assert len([message for message in bus.sent if isinstance(message, Listed)]) == 1
        await keep_waiting(one, two)


def late_answer(journal: MemoryJournal) -> tuple[asyncio.Event, asyncio.Event]:
    """Let the answer to a pairing come late: an event for when it is stored, and one to set for the answer."""
    stored, answer, pair = asyncio.Event(), asyncio.Event(), journal.seeks.pair

    async def pair_late(*arguments: Any) -> bool:
        paired = await pair(*arguments)
        stored.set()
        await answer.wait()
        return paired

    journal.seeks.pair = pair_late  # type: ignore[method-assign, assignment]
    return stored, answer


async def test_a_late_answer_to_a_pairing_does_not_start_a_live_room_again() -> None:
    journal = Journal()
    stored, answer = late_answer(journal)
    async with matchmaking(journal) as node, clients_of(node.url, 3) as (one, two, watcher):
        await watcher.ok(type="lobby", watch=True)
        await seek(one, key="a")
        await seek(two, key="b")
        await stored.wait()
        async with connected(node.url, token=one.token) as again, connected(node.url, token=two.token) as also:
            await seek(again, key="a")
            await seek(also, key="b")
            room = await room_of(again, also)
            first, second = (again, also) if room["state"]["seats"]["first"]["id"] == again.id else (also, again)
            await watcher.ok(type="watch", room=room["room"])
            assert (await watcher.push("room"))["version"] == 1
            assert (await first.play(room["room"], 0, "1"))["type"] == "ok"
            answer.set()
            assert (await watcher.push("lobby"))["rooms"][0]["room"] == room["room"], "others must hear of the room"
            assert (await second.play(room["room"], 1, "5"))["type"] == "ok"
            assert (await first.play(room["room"], 2, "2"))["type"] == "ok"
            for client in (watcher, first, second):
                await client.request(type="ping")
                versions = [message["version"] for message in client.pushed if message["type"] == "update"]
                assert versions == [2, 3, 4][-len(versions) :]
            assert [message["version"] for message in watcher.pushed if message["type"] == "update"][-1] == 4


async def test_a_late_answer_to_a_pairing_does_not_disturb_a_room_that_is_being_read() -> None:
    journal = Journal()
    stored, answer = late_answer(journal)
    async with matchmaking(journal) as node, clients_of(node.url, 2) as (one, two):
        await seek(one, key="a")
        await seek(two, key="b")
        await stored.wait()
        async with connected(node.url, token=one.token) as again:
            read = Faulty(journal, "read")
            read.gate.clear()
            await seek(again, key="a")
            await soon(lambda: bool(read.calls))
            answer.set()
            await asyncio.sleep(0.05)
            read.gate.set()
            room = await room_of(again, two)
            first, second = (again, two) if room["state"]["seats"]["first"]["id"] == again.id else (two, again)
            assert (await first.play(room["room"], 0, "1"))["type"] == "ok"
            assert [(await each.push("update"))["version"] for each in (first, second)] == [2, 2]
