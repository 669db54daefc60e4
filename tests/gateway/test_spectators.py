from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from noughts.bus import Hint, Hub, MemoryBus
from noughts.gateway.spectators import Spectators
from noughts.gateway.subscribers import Subscribers
from noughts.host import Host
from noughts.rooms import Open, Options
from noughts.timing import Timing
from support.broker import Broker, running_broker
from support.client import Client, connected
from support.eventually import soon
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.server import running_server
from support.subscriber import FakeSubscriber

QUICK = Timing(spectators_s=0.01)
OPEN = Open("room", "tictactoe", "p", None, None, Options())


async def counts(client: Client) -> list[int]:
    """The numbers of spectators that the client has got since the last call, in ``room`` or alone."""
    assert (await client.request(type="ping"))["type"] == "pong"
    messages, client.pushed = client.pushed, []
    return [
        message["count"] if message["type"] == "spectators" else message["presence"]["spectators"]
        for message in messages
        if message["type"] in ("room", "spectators")
    ]


async def until(client: Client, count: int, known: int | None = None) -> None:
    """Wait until the client, which was last sent ``known``, is sent ``count``."""
    while known != count:
        known = (await client.push("spectators"))["count"]


async def watch(client: Client, room: str) -> int:
    """Watch the room. Returns its number of spectators."""
    await client.ok(type="watch", room=room)
    count: int = (await client.push("room"))["presence"]["spectators"]
    return count


async def test_the_number_is_sent_to_the_room_when_it_changes() -> None:
    async with running_server(timing=QUICK) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        async with connected(url) as eve, connected(url) as fay:
            assert await watch(eve, room) == 1
            for client in (ann, ben):
                assert (await client.push("spectators")) == {"type": "spectators", "room": room, "count": 1}
            assert await watch(fay, room) == 2
            for client in (ann, ben, eve):
                assert (await client.push("spectators"))["count"] == 2
            # The newcomer has it from the room.
            assert await counts(fay) == []
            await fay.ok(type="leave", room=room)
            for client in (ann, ben, eve):
                assert (await client.push("spectators"))["count"] == 1
            assert await counts(fay) == []
        for client in (ann, ben):
            assert (await client.push("spectators"))["count"] == 0


async def test_moves_and_players_do_not_change_the_number() -> None:
    async with running_server(timing=QUICK) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        async with connected(url, token=ben.token) as also_ben:
            assert await watch(also_ben, room) == 0
            for turn, move in enumerate("14253"):
                await (ben if turn % 2 else ann).play(room, turn, move)
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)
        assert await counts(ann) == await counts(ben) == []


async def test_a_spectator_who_takes_a_seat_no_longer_counts() -> None:
    async with running_server(timing=QUICK) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        assert await watch(ben, room) == 1
        await until(ann, 1)
        await ben.ok(type="join", room=room)
        assert (await ben.push("room"))["presence"] == {"spectators": 0}
        await until(ann, 0)
        assert await counts(ben) == []


async def test_the_number_is_sent_at_most_once_per_interval() -> None:
    interval_s = 0.5
    timing = Timing(spectators_s=interval_s)
    async with running_server(timing=timing) as url, connected(url, "ann") as ann, AsyncExitStack() as stack:
        room = await ann.create()
        clock = asyncio.get_running_loop().time
        began = clock()
        for number in range(1, 31):
            client = await stack.enter_async_context(connected(url))
            assert await watch(client, room) == number
        sent: list[int] = []
        while 30 not in sent:
            sent.append((await ann.push("spectators"))["count"])
        assert sent[0] == 1, "the first change is sent at once"
        assert sent == sorted(set(sent))
        assert len(sent) <= 2 + (clock() - began) / interval_s


async def test_a_client_that_resumes_gets_the_number_after_the_missed_updates() -> None:
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


async def test_a_rematch_begins_with_the_right_number() -> None:
    async with running_server(timing=QUICK) as url, connected(url, "ann") as ann, AsyncExitStack() as stack:
        room = await ann.create(second="computer:easy")
        watching = [await stack.enter_async_context(connected(url)) for _ in range(5)]
        for client in watching:
            await watch(client, room)
        await until(ann, 5)
        await ann.ok(type="resign", room=room)
        await asyncio.gather(*(client.push("update") for client in (ann, *watching)))
        await asyncio.gather(*(counts(client) for client in (ann, *watching)))
        await ann.ok(type="offer_rematch", room=room)
        for client in (ann, *watching):
            assert (await client.push("room"))["presence"] == {"spectators": 5}
        await asyncio.sleep(0.05)
        for client in (ann, *watching):
            assert await counts(client) == []


@pytest.fixture
def own_broker() -> Iterator[Broker]:
    with running_broker() as broker:
        yield broker


@pytest.mark.services
async def test_two_nodes_send_the_same_number(own_broker: Broker, postgres: Postgres) -> None:
    """They do so even after a restart of the broker, and after one node has left."""
    async with database(postgres) as journal:
        shared: dict[str, Any] = {
            "journal": journal,
            "bus": own_broker.url,
            "timing": Timing(spectators_repeat_s=1.0),
        }
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


@pytest.mark.services
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


# --- several nodes in this process, without sockets


class CutBus(MemoryBus):
    """A bus whose broker can go away for this node: then it neither sends nor receives."""

    up = True

    @property
    def connected(self) -> bool:
        return self.up and super().connected

    def send(self, message: Hint) -> None:
        if self.up:
            super().send(message)

    def _receive(self, hint: Hint) -> None:
        if self.up:
            super()._receive(hint)


class Node:
    """A host, and subscribers of its one room."""

    def __init__(self, name: str, journal: MemoryJournal, hub: Hub, timing: Timing) -> None:
        self.bus = CutBus(name, hub)
        self.host = Host(journal, self.bus)
        self.subscribers = Subscribers()
        self.spectators = Spectators(self.host, self.subscribers, timing)
        self.subscribers.on_change = self.spectators.on_change
        self.bus.listeners += [self.host.on_hint, self.spectators.on_hint]
        self.bus.on_node_left.append(self.spectators.on_node_left)
        self.host.watched = self.subscribers.is_watched
        self.host.listen(self.subscribers.on_update)
        self.watching: list[FakeSubscriber] = []
        self.task = asyncio.create_task(self.spectators.run())

    async def watch(self) -> None:
        watched = asyncio.Event()

        def reply(_: object) -> None:
            self.watching.append(FakeSubscriber(connected=False))
            self.subscribers.add("room", self.watching[-1:])
            watched.set()

        self.host.submit("room", None, reply)
        await watched.wait()

    def unwatch(self) -> None:
        if self.watching:
            self.subscribers.remove("room", self.watching.pop())
            self.host.release("room")

    def count(self) -> int | None:
        """The number that it would send; None without a watcher here."""
        room = self.host.room("room")
        return None if room is None or not self.watching else self.spectators.count(room)


class SharedJournal(MemoryJournal):
    """A journal that several nodes have open."""

    shared = True


steps = st.tuples(st.integers(0, 2), st.sampled_from(["watch", "watch", "unwatch", "cut off", "back", "die", "wait"]))


@hypothesis_settings(max_examples=10)
@given(st.lists(steps, max_size=25))
@example([(0, "watch"), (1, "watch"), (0, "cut off"), (0, "unwatch")])
@example([(0, "watch"), (1, "cut off"), (1, "watch"), (1, "back")])
def test_all_nodes_end_up_with_the_same_number(todo: list[tuple[int, str]]) -> None:
    asyncio.run(_run_nodes(todo))


@pytest.mark.slow
@hypothesis_settings(max_examples=300)
@given(st.lists(steps, max_size=25))
def test_all_nodes_end_up_with_the_same_number_in_many_runs(todo: list[tuple[int, str]]) -> None:
    asyncio.run(_run_nodes(todo))


async def _run_nodes(todo: list[tuple[int, str]]) -> None:
    journal, hub = SharedJournal(), Hub()
    timing = Timing(spectators_s=0.002, spectators_repeat_s=0.01)
    nodes = [Node(name, journal, hub, timing) for name in "abc"]
    nodes[0].host.submit("room", OPEN)
    await asyncio.sleep(0.001)
    living = list(nodes)
    for number, step in todo:
        node = nodes[number]
        if node not in living:
            continue
        match step:
            case "watch":
                await node.watch()
            case "unwatch":
                node.unwatch()
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
    watching = sum(len(node.watching) for node in living)
    await soon(lambda: all(node.count() in (None, watching) for node in living))
    for node in living:
        node.task.cancel()


async def test_nodes_learn_each_others_numbers_at_once() -> None:
    """They do so long before any number is repeated."""
    journal, hub, timing = SharedJournal(), Hub(), Timing(spectators_repeat_s=3600)
    one, two = (Node(name, journal, hub, timing) for name in ("one", "two"))
    one.host.submit("room", OPEN)
    await soon(lambda: one.host.room("room") is None and len(one.host) == 0)
    for node in (one, two):
        await node.watch()
    await soon(lambda: one.count() == two.count() == 2)
    two.unwatch()
    await soon(lambda: one.count() == 1)
    await two.watch()
    await soon(lambda: one.count() == two.count() == 2)
    await two.bus.close()
    await soon(lambda: one.count() == 1)
    for node in (one, two):
        node.task.cancel()
