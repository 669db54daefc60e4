"""When a player counts as gone, over real hosts, for players with connections here, elsewhere, or none."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.gateway.presence import Presence
from noughts.gateway.subscribers import Subscribers
from noughts.host import Host
from noughts.rooms import Command, Disconnect, Join, Open, Options, Player
from noughts.timing import Timing
from support.eventually import soon
from support.journals import MemoryJournal

ANN, BEN = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")
OPEN = Open("room", "tictactoe", "p-ann", ANN, None, Options())
QUICK = Timing(presence_answer_s=0.01, broker_silence_s=0.05, lead_s=0.01)


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open. All of them lead unless ``leader`` names another."""

    shared = True
    leader: object = None

    async def lead(self) -> bool:
        return self.leader is None


class Node:
    """A host, its presence, and the kinds of events that happened in its room."""

    def __init__(self, journal: MemoryJournal, bus: MemoryBus) -> None:
        self.subscribers = Subscribers()
        self.host = Host(journal, bus, QUICK)
        self.events: list[str] = []
        self.presence = Presence(self.host, self.subscribers, 0.02, QUICK)
        self.host.watched = lambda _: True
        self.host.listen(self.presence.on_update)
        self.host.listen(lambda update: self.events.append(update.event.kind))
        bus.listeners += [self.host.on_hint, self.presence.on_hint]
        bus.on_node_left.append(self.presence.on_node_left)

    def set_connected(self, *players: str) -> None:
        """From now on these players, and no others, have a connection here that watches the room."""
        self.subscribers._players = Counter({("room", player): 1 for player in players})

    async def do(self, command: Command | None) -> None:
        done = asyncio.Event()
        self.host.submit("room", command, lambda _: done.set())
        await done.wait()

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
    await asyncio.sleep(0.1)
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
    await asyncio.sleep(0.1)
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
    await asyncio.sleep(0.1)
    assert len(await journal.read("room")) == 1
    journal.leader = None
    await two.until("disconnected")
    running.cancel()
