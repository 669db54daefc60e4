"""When a player counts as gone, over real hosts, for players with connections here, elsewhere, or none."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from noughts.bus import Hint, Hub, MemoryBus
from noughts.gateway.presence import Presence
from noughts.gateway.subscribers import Subscribers
from noughts.host import Host
from noughts.rooms import Command, Disconnect, Join, Open, Options, Player
from noughts.timing import Timing
from support.eventually import settle, soon
from support.journals import MemoryJournal

ANN, BEN = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")
OPEN = Open("room", "tictactoe", "p-ann", ANN, None, Options())
QUICK = Timing(presence_answer_s=0.01, broker_silence_s=0.05, lead_s=0.01)
ROOMS = [f"room-{number}" for number in range(250)]


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open. All of them lead unless ``leader`` names another."""

    shared = True
    leader: object = None

    async def lead(self) -> bool:
        return self.leader is None


class ReadJournal(MemoryJournal):
    """A journal that knows which rooms were read, and whether it was asked for the attended ones."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms_read: list[str] = []
        self.asked = asyncio.Event()
        self._attended = self.index.attended
        setattr(self.index, "attended", self.attended)  # noqa: B010  # a method, as far as types go

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self.rooms_read.append(room)
        return await super().read(room, since)

    async def attended(self) -> list[str]:
        self.asked.set()
        return await self._attended()


class SharedReadJournal(ReadJournal):
    """The same, for several nodes, of which ``leader`` leads."""

    shared = True


class Node:
    """A host, its presence, and the kinds of events that happened in its room."""

    def __init__(self, journal: MemoryJournal, bus: MemoryBus, timing: Timing = QUICK, away_s: float = 0.02) -> None:
        self.subscribers = Subscribers()
        self.host = Host(journal, bus, timing)
        self.events: list[str] = []
        self.presence = Presence(self.host, self.subscribers, away_s, timing)
        self.host.watched = lambda _: True
        self.host.listen(self.presence.on_update)
        self.host.listen(lambda update: self.events.append(update.event.kind))
        bus.listeners += [self.host.on_hint, self.presence.on_hint]
        bus.on_node_left.append(self.presence.on_node_left)

    def set_connected(self, *players: str) -> None:
        """From now on these players, and no others, have a connection here that watches the room."""
        self.subscribers._players = Counter({("room", player): 1 for player in players})

    async def do(self, command: Command | None, room: str = "room") -> None:
        done = asyncio.Event()
        self.host.submit(room, command, lambda _: done.set())
        await done.wait()

    async def come_back(self, room: str) -> None:
        """Ann and Ben watch the room."""
        await self.do(None, room)
        self.subscribers._players.update([(room, "p-ann"), (room, "p-ben")])

    async def until(self, *events: str) -> None:
        await soon(lambda: self.events == list(events))


@pytest.fixture
def nodes() -> Iterator[list[Node]]:
    journal, hub = SharedJournal(), Hub()
    nodes = [Node(journal, MemoryBus(name, hub)) for name in ("one", "two")]
    yield nodes
    for node in nodes:
        node.presence.close()


async def test_a_player_who_never_watches_the_room_counts_as_gone() -> None:
    """This happens if the connection ends before the answer to ``create`` or ``join``."""
    node = Node(MemoryJournal(), MemoryBus("node"))
    await node.do(OPEN)
    await node.until("opened", "disconnected")
    await node.do(Join(BEN))
    await node.until("opened", "disconnected", "joined", "disconnected")
    node.presence.close()
    node.host.release("room")


async def test_a_player_who_went_to_another_node_is_not_gone(nodes: list[Node]) -> None:
    one, two = nodes
    one.set_connected("p-ann")
    await one.do(OPEN)
    await two.do(None)
    one.set_connected()
    two.set_connected("p-ann")
    room = one.host.room("room")
    assert room is not None
    one.presence.left(room, "p-ann")
    await settle(0.1)
    assert one.events == ["opened"]
    two.set_connected()
    two.presence.left(room, "p-ann")
    await one.until("opened", "disconnected")


async def test_a_player_wrongly_noted_as_gone_returns_at_once(nodes: list[Node]) -> None:
    """This happens if the nodes cannot reach each other."""
    one, two = nodes
    two.set_connected("p-ann")
    await one.do(OPEN)
    one.presence.close()
    await two.do(None)
    await one.do(Disconnect("p-ann"))
    await one.until("opened", "disconnected", "returned")


async def test_the_leader_notes_the_players_of_a_dead_node_as_gone(nodes: list[Node]) -> None:
    one, two = nodes
    one.set_connected("p-ann")
    two.set_connected("p-ben")
    running = asyncio.create_task(two.presence.run())
    await one.do(OPEN)
    await two.do(Join(BEN))
    await settle(0.1)
    assert two.events == ["joined"]
    one.presence.close()
    await one.host.bus.close()
    await two.until("joined", "disconnected")
    running.cancel()


async def test_only_the_leader_checks_the_players_of_other_nodes(nodes: list[Node]) -> None:
    one, two = nodes
    await one.do(OPEN)
    one.presence.close()
    journal = two.host.journal
    assert isinstance(journal, SharedJournal)
    journal.leader = "another"
    running = asyncio.create_task(two.presence.run())
    await settle(0.1)
    assert len(await journal.read("room")) == 1
    journal.leader = None
    await two.until("disconnected")
    running.cancel()


async def test_of_the_rooms_in_a_cluster_only_those_of_a_dead_node_are_loaded() -> None:
    journal, hub = SharedReadJournal(), Hub()
    dead, alive, leader = (Node(journal, MemoryBus(name, hub)) for name in ("dead", "alive", "leader"))
    for number, room in enumerate(ROOMS):
        node = dead if number % 50 == 0 else alive
        await node.do(replace(OPEN, room=room), room)
        await node.do(Join(BEN), room)
        node.subscribers._players.update([(room, "p-ann"), (room, "p-ben")])
    journal.rooms_read.clear()
    running = asyncio.create_task(leader.presence.run())
    await journal.asked.wait()
    dead.presence.close()
    await dead.host.bus.close()
    lost = ROOMS[::50]
    await soon(lambda: leader.events.count("disconnected") == 2 * len(lost))
    await settle(0.1)
    assert set(journal.rooms_read) == set(lost)
    assert leader.events.count("disconnected") == 2 * len(lost)
    running.cancel()
    for each in (alive, leader):
        each.presence.close()


async def restarted(timing: Timing = QUICK, away_s: float = 0.02) -> tuple[Node, ReadJournal]:
    """A server that has just started, with games between Ann and Ben from before in all of ROOMS."""
    journal = ReadJournal()
    before = Node(journal, MemoryBus("node"))
    before.presence.close()
    for room in ROOMS:
        await before.do(replace(OPEN, room=room), room)
        await before.do(Join(BEN), room)
    return Node(journal, MemoryBus("node"), timing, away_s), journal


async def test_after_a_restart_only_rooms_of_players_who_stay_away_are_loaded() -> None:
    node, journal = await restarted(away_s=1.0)
    gone, alone, *others = ROOMS
    journal.rooms_read.clear()
    running = asyncio.create_task(node.presence.run())
    for room in (alone, *others):
        await node.come_back(room)
    del node.subscribers._players[alone, "p-ben"]
    assert not journal.asked.is_set(), "players get their time to come back first"
    await node.until("disconnected", "disconnected", "disconnected")
    running.cancel()
    assert journal.rooms_read == [alone, *others, gone]
    assert [len(await journal.read(room)) for room in (gone, alone, *others)] == [4, 3, *(2 for _ in others)]


async def test_after_a_restart_players_have_as_long_to_come_back_as_ever() -> None:
    node, journal = await restarted(replace(QUICK, presence_answer_s=60), away_s=1.0)
    running = asyncio.create_task(node.presence.run())
    for room in ROOMS:
        await node.come_back(room)
    await journal.asked.wait()
    await settle(0.05)
    assert node.events == []
    running.cancel()


async def test_after_a_restart_players_may_take_longer_to_come_back_while_many_do() -> None:
    node, journal = await restarted(replace(QUICK, presence_answer_s=0.5))
    await asyncio.gather(*map(node.come_back, ROOMS[:50]))
    running = asyncio.create_task(node.presence.run())
    await journal.asked.wait()
    for room in ROOMS[50:]:
        await node.come_back(room)
        await asyncio.sleep(0.004)
    await settle(0.8)
    assert node.events == []
    running.cancel()


async def test_the_wait_for_players_who_come_back_ends() -> None:
    node, journal = await restarted(replace(QUICK, presence_answer_s=0.1, players_return_s=0))
    await asyncio.gather(*map(node.come_back, ROOMS[:50]))
    running = asyncio.create_task(node.presence.run())
    await journal.asked.wait()
    for room in ROOMS[50:-1]:
        await node.come_back(room)
        await asyncio.sleep(0.002)
    assert node.host.room(ROOMS[-1]) is not None, "it was loaded, because its players count as gone"
    running.cancel()


async def test_of_players_who_leave_at_once_only_some_are_looked_at_in_one_turn_of_the_loop() -> None:
    turn, turns = 0, []

    class RecordingBus(MemoryBus):
        def send(self, _: Hint) -> None:
            turns.append(turn)

    node = Node(MemoryJournal(), RecordingBus("node"), away_s=1.0)
    await asyncio.gather(*(node.do(replace(OPEN, room=room), room) for room in ROOMS))
    time.sleep(1.0)  # noqa: ASYNC251  # the loop is late, so all are due at once
    while len(turns) < len(ROOMS):
        turn += 1
        await asyncio.sleep(0)
    assert max(Counter(turns).values()) <= 100
    await soon(lambda: node.events.count("disconnected") == len(ROOMS))
