"""Who counts as left, over real hosts, for players with connections here, elsewhere, or none."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.gateway import presence as presence_module
from noughts.gateway.presence import Presence
from noughts.host import Host
from noughts.rooms import Command, Disconnect, Join, Open, Options, Player
from support.journals import MemoryJournal

ANN, BEN = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open, of which the first leads while it lives."""

    shared = True
    leader: object = None

    async def lead(self) -> bool:
        return self.leader is None


class Node:
    """A host, and who looks at its rooms."""

    def __init__(self, journal: MemoryJournal, bus: MemoryBus) -> None:
        self.audience = Audience(1, 1, lambda *_: None)
        self.host = Host(journal, bus)
        bus.listeners.append(self.host.on_hint)
        self.kinds: list[str] = []
        self.presence = Presence(self.host, self.audience, away_s=0.02)
        self.host.watched = lambda _: True
        self.host.listeners += [self.presence.on_update, lambda happening: self.kinds.append(happening.event.kind)]

    def has(self, *players: str) -> None:
        """From now on these have a connection here that looks at the room, and nobody else has."""
        self.audience._players = Counter({("room", player): 1 for player in players})

    async def do(self, command: Command | None) -> None:
        self.host.submit("room", command)
        await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence_module, "ANSWER_S", 0.01)
    monkeypatch.setattr(presence_module, "NOTICE_S", 0.05)
    monkeypatch.setattr(presence_module, "LEAD_S", 0.01)


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def nodes(hub: Hub) -> Iterator[list[Node]]:
    journal = SharedJournal()
    nodes = [Node(journal, MemoryBus(name, hub)) for name in ("one", "two")]
    yield nodes
    for node in nodes:
        node.presence.close()


async def test_who_never_looks_at_the_room_counts_as_left() -> None:
    """As when the connection ends before the answer to ``create`` or ``join``."""
    node = Node(MemoryJournal(), MemoryBus("node"))
    await node.do(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
    await asyncio.sleep(0.1)
    assert node.kinds == ["opened", "disconnected"]
    await node.do(Join(BEN))
    await asyncio.sleep(0.1)
    assert node.kinds[2:] == ["joined", "disconnected"]
    node.presence.close()
    node.host.release("room")


async def test_who_went_to_another_node_has_not_left(nodes: list[Node]) -> None:
    one, two = nodes
    one.has("p-ann")
    await one.do(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
    await two.do(None)
    one.has()
    two.has("p-ann")
    room = one.host.room("room")
    assert room is not None
    one.presence.left(room, "p-ann")
    await asyncio.sleep(0.1)
    assert one.kinds == ["opened"]
    two.has()
    two.presence.left(room, "p-ann")
    await asyncio.sleep(0.1)
    assert one.kinds == ["opened", "disconnected"]


async def test_who_was_noted_as_left_by_mistake_is_back_at_once(nodes: list[Node]) -> None:
    """As when the nodes could not ask each other."""
    one, two = nodes
    two.has("p-ann")
    await one.do(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
    one.presence.close()
    await two.do(None)
    await one.do(Disconnect("p-ann"))
    await asyncio.sleep(0.05)
    assert one.kinds == ["opened", "disconnected", "returned"]


async def test_the_players_of_a_dead_node_are_seen_to_by_the_leader(nodes: list[Node]) -> None:
    one, two = nodes
    one.has("p-ann")
    two.has("p-ben")
    watching = asyncio.create_task(two.presence.run())
    await one.do(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
    await two.do(Join(BEN))
    await asyncio.sleep(0.1)
    assert two.kinds == ["joined"]
    one.presence.close()
    await one.host.bus.close()
    await asyncio.sleep(0.2)
    assert two.kinds == ["joined", "disconnected"]
    watching.cancel()


async def test_who_does_not_lead_sees_to_its_own(nodes: list[Node]) -> None:
    one, two = nodes
    await one.do(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
    one.presence.close()
    journal = two.host.journal
    assert isinstance(journal, SharedJournal)
    journal.leader = "another"
    watching = asyncio.create_task(two.presence.run())
    await asyncio.sleep(0.1)
    assert len(await journal.read("room")) == 1
    journal.leader = None
    await asyncio.sleep(0.1)
    assert len(await journal.read("room")) == 2
    watching.cancel()
