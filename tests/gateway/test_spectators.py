"""How many watch: told when it changes and not too often, and the same on all nodes once they have heard each other."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from noughts.bus import Hint, Hub, MemoryBus
from noughts.gateway import spectators
from noughts.gateway.audience import Audience
from noughts.gateway.limits import TokenBucket
from noughts.gateway.spectators import Spectators
from noughts.host import Host
from noughts.journal import MemoryJournal, StoredPlayer
from noughts.mqtt.client import Device
from noughts.rooms import Open, Options
from support.broker import Broker, running_broker
from support.client import Client, connected
from support.eventually import soon
from support.postgres import Postgres, database
from support.server import running_server


async def told(client: Client) -> list[int]:
    """The numbers that the client has been told of until now, in ``room`` or alone."""
    assert (await client.request(type="ping"))["type"] == "pong"
    messages, client.pushed = client.pushed, []
    return [
        message["count"] if message["type"] == "spectators" else message["presence"]["spectators"]
        for message in messages
        if message["type"] in ("room", "spectators")
    ]


async def until(client: Client, count: int, known: int | None = None) -> None:
    """Wait until the client, who knows of ``known``, has been told of so many."""
    while known != count:
        known = (await client.push("spectators"))["count"]


async def watch(client: Client, room: str) -> int:
    """Watch the room; how many are said to do so."""
    await client.ok(type="watch", room=room)
    count: int = (await client.push("room"))["presence"]["spectators"]
    return count


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectators, "EVERY_S", 0.01)


async def test_all_are_told_when_somebody_comes_or_goes(quick: None) -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        async with connected(url) as eve, connected(url) as fay:
            assert await watch(eve, room) == 1
            for client in (ann, ben):
                assert (await client.push("spectators")) == {"type": "spectators", "room": room, "count": 1}
            assert await watch(fay, room) == 2
            for client in (ann, ben, eve):
                assert (await client.push("spectators"))["count"] == 2
            # Who comes is told once.
            assert await told(fay) == []
            await fay.ok(type="leave", room=room)
            for client in (ann, ben, eve):
                assert (await client.push("spectators"))["count"] == 1
            assert await told(fay) == []
        for client in (ann, ben):
            assert (await client.push("spectators"))["count"] == 0


async def test_moves_and_players_tell_nothing(quick: None) -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        async with connected(url, token=ben.token) as also_ben:
            assert await watch(also_ben, room) == 0
            for turn, move in enumerate("14253"):
                await (ben if turn % 2 else ann).play(room, turn, move)
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)
        assert await told(ann) == await told(ben) == []


async def test_who_takes_a_seat_is_no_spectator(quick: None) -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        assert await watch(ben, room) == 1
        await until(ann, 1)
        await ben.ok(type="join", room=room)
        assert (await ben.push("room"))["presence"] == {"spectators": 0}
        await until(ann, 0)
        assert await told(ben) == []


async def test_many_changes_are_told_at_most_once_a_second() -> None:
    async with running_server() as url, connected(url, "ann") as ann, AsyncExitStack() as stack:
        room = await ann.create()
        clock = asyncio.get_running_loop().time
        began = clock()
        for number in range(1, 31):
            client = await stack.enter_async_context(connected(url))
            assert await watch(client, room) == number
        counts: list[int] = []
        while 30 not in counts:
            counts.append((await ann.push("spectators"))["count"])
        assert counts[0] == 1, "the first change is told at once"
        assert counts == sorted(set(counts))
        assert len(counts) <= 2 + (clock() - began) / spectators.EVERY_S


async def test_who_takes_a_room_up_again_is_told_after_what_was_missed() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url) as eve:
        room = await ann.create(second="computer:easy")
        await watch(eve, room)
        async with connected(url, token=ann.token) as again:
            await again.ok(type="watch", room=room, since=0)
            assert (await again.push())["type"] == "update"
            assert await again.push() == {"type": "spectators", "room": room, "count": 1}
            await again.ok(type="watch", room=room, since=1)
            assert await again.push() == {"type": "spectators", "room": room, "count": 1}
            await again.quiet()


async def test_those_who_are_carried_over_to_a_rematch_are_told_once(quick: None) -> None:
    async with running_server() as url, connected(url, "ann") as ann, AsyncExitStack() as stack:
        room = await ann.create(second="computer:easy")
        watching = [await stack.enter_async_context(connected(url)) for _ in range(5)]
        for client in watching:
            await watch(client, room)
        await until(ann, 5)
        await ann.ok(type="resign", room=room)
        await asyncio.gather(*(client.push("update") for client in (ann, *watching)))
        await asyncio.gather(*(told(client) for client in (ann, *watching)))
        await ann.ok(type="offer_rematch", room=room)
        for client in (ann, *watching):
            assert (await client.push("room"))["presence"] == {"spectators": 5}
        await asyncio.sleep(0.05)
        for client in (ann, *watching):
            assert await told(client) == []


@pytest.fixture
def own_broker() -> Iterator[Broker]:
    with running_broker() as broker:
        yield broker


async def test_two_nodes_tell_the_same_number(
    own_broker: Broker, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a broker that was killed is back, and when one of them has gone."""
    monkeypatch.setattr(spectators, "AGAIN_S", 1.0)
    async with database(postgres) as journal:
        shared = {"journal": journal, "bus": own_broker.url}
        async with running_server(**shared) as one, connected(one, "ann") as ann, connected(one) as eve:
            room = await ann.create()
            await watch(eve, room)
            await until(ann, 1)
            async with running_server(**shared) as two, AsyncExitStack() as stack:
                ben = await stack.enter_async_context(connected(two, "ben"))
                await ben.join(room)
                await until(ben, 1)
                fay = await stack.enter_async_context(connected(two))
                assert await watch(fay, room) == 2
                for client in (ann, eve, ben):
                    await until(client, 2)
                await fay.ok(type="leave", room=room)
                for client in (ann, eve, ben):
                    await until(client, 1)
                own_broker.kill()
                gus, hal = [await stack.enter_async_context(connected(url)) for url in (one, two)]
                known = {gus: await watch(gus, room), hal: await watch(hal, room)}
                own_broker.start()
                for client in (ann, eve, ben, gus, hal):
                    await until(client, 3, known.get(client))
                await gus.ok(type="leave", room=room)
                for client in (ann, eve, ben, hal):
                    await until(client, 2)
            for client in (ann, eve):
                await until(client, 1)


async def test_without_a_bus_each_node_counts_its_own(postgres: Postgres) -> None:
    async with (
        database(postgres) as journal,
        running_server(journal=journal) as one,
        running_server(journal=journal) as two,
        connected(one) as ann,
        connected(one) as eve,
        connected(two) as fay,
    ):
        room = await ann.create()
        assert await watch(eve, room) == 1
        assert await watch(fay, room) == 1


class Unsteady(MemoryBus):
    """A bus whose broker can go away for this node: then it neither sends nor hears."""

    up = True

    @property
    def connected(self) -> bool:
        return self.up and super().connected

    def send(self, message: Hint) -> None:
        if self.up:
            super().send(message)

    def _wants(self, message: Hint) -> bool:
        return self.up and super()._wants(message)


class Node:
    """A host, and devices that look at its one room: all that is counted, and no sockets."""

    def __init__(self, name: str, journal: MemoryJournal, hub: Hub) -> None:
        self.bus = Unsteady(name, hub)
        self.host = Host(journal, self.bus)
        self.audience = Audience(1, 1, lambda *_: None)
        self.spectators = Spectators(self.host, self.audience)
        self.host.watched = self.audience.watches
        self.host.listeners.append(self.audience.tell)
        self.looking: list[Device] = []
        self.task = asyncio.create_task(self.spectators.keep_up())

    async def look(self, player: str) -> None:
        looked: asyncio.Future[object] = asyncio.get_running_loop().create_future()

        def reply(result: object) -> None:
            self.looking.append(Device(StoredPlayer(player, player, "human", b""), TokenBucket(1, 1), lambda _: None))
            self.audience.add_device("room", self.looking[-1])
            looked.set_result(result)

        self.host.submit("room", None, reply)
        await looked

    def look_away(self) -> None:
        if self.looking:
            self.audience.remove_device("room", self.looking.pop())
            self.host.release("room")

    def count(self) -> int | None:
        """How many it says are there; None where nobody would hear it."""
        room = self.host.room("room")
        return None if room is None or not self.looking else self.spectators.count(room)


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open."""

    shared = True


steps = st.tuples(st.integers(0, 2), st.sampled_from(["look", "look", "look away", "cut off", "back", "die", "wait"]))


@hypothesis_settings(deadline=None, max_examples=60)
@given(st.lists(steps, max_size=25))
@example([(0, "look"), (1, "look"), (0, "cut off"), (0, "look away")])
@example([(0, "look"), (1, "cut off"), (1, "look"), (1, "back")])
def test_whatever_happens_all_nodes_come_to_the_same_number(todo: list[tuple[int, str]]) -> None:
    asyncio.run(_come_to_the_same_number(todo))


async def _come_to_the_same_number(todo: list[tuple[int, str]]) -> None:
    journal, hub = SharedJournal(), Hub()
    nodes = [Node(name, journal, hub) for name in "abc"]
    nodes[0].host.submit("room", Open("room", "tictactoe", "p", None, None, Options()))
    await asyncio.sleep(0.001)
    living = list(nodes)
    with pytest.MonkeyPatch.context() as patch:
        for name, seconds in (("EVERY_S", 0.002), ("AGAIN_S", 0.01), ("LASTS_S", 0.03)):
            patch.setattr(spectators, name, seconds)
        for number, step in todo:
            node = nodes[number]
            if node not in living:
                continue
            match step:
                case "look":
                    await node.look(secrets.token_hex(4))
                case "look away":
                    node.look_away()
                case "cut off":
                    node.bus.up = False
                    await asyncio.sleep(0.005)
                case "back":
                    node.bus.up = True
                case "die":
                    living.remove(node)
                    node.task.cancel()
                    await node.bus.close()
                case "wait":
                    await asyncio.sleep(0.003)
        for node in living:
            node.bus.up = True
        there = sum(len(node.looking) for node in living)
        await soon(lambda: all(node.count() in (None, there) for node in living), within_s=5)
        for node in living:
            node.task.cancel()


async def test_nodes_learn_of_each_other_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before anything is told again."""
    monkeypatch.setattr(spectators, "AGAIN_S", 3600)
    journal, hub = SharedJournal(), Hub()
    one, two = (Node(name, journal, hub) for name in ("one", "two"))
    one.host.submit("room", Open("room", "tictactoe", "p", None, None, Options()))
    await asyncio.sleep(0.01)
    for node in (one, two):
        await node.look("p-eve")
    await soon(lambda: one.count() == two.count() == 2)
    two.look_away()
    await soon(lambda: one.count() == 1)
    await two.look("p-eve")
    await soon(lambda: one.count() == two.count() == 2)
    await two.bus.close()
    await soon(lambda: one.count() == 1)
    for node in (one, two):
        node.task.cancel()
