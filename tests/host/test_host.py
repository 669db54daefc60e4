"""The host over a journal that fails, is slow, or is written by another host at the same time."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import pytest
from pydantic_core import to_json

from noughts.bus import Appended, Bus, Hub, MemoryBus
from noughts.games import Side
from noughts.host import Done, Failed, GameOver, Host, RoomUpdate, WithComputer, poll_journal, sweep
from noughts.journal import Append, JournalError, Outage, StoredPlayer
from noughts.journal.steady_clock import system_time
from noughts.projection import index_row
from noughts.protocol.records import to_record
from noughts.protocol.render import listing
from noughts.rooms import (
    AcceptRematch,
    Command,
    Disconnect,
    Join,
    OfferRematch,
    Open,
    Options,
    Play,
    Played,
    Player,
    Refused,
    Resign,
    Return,
)
from noughts.timing import Timing
from support.eventually import settle, soon
from support.journals import MemoryJournal

ANN = Player("p-ann", "ann", "human")
BEN = Player("p-ben", "ben", "human")


QUICK = Timing(journal_retries_s=(0.001, 0.001), sweep_s=0.02, room_recheck_s=0.02, poll_without_bus_s=0.01)


class FaultyJournal(MemoryJournal):
    """A journal that answers the next writes with an error, before or after storing them."""

    def __init__(self) -> None:
        self.ahead_ms = 0
        super().__init__(lambda: system_time() + self.ahead_ms)
        self.faults: list[str] = []
        self.attempts = 0
        self.reads: list[str] = []
        self.slow_s = 0.0
        self.store, self.put = self.put, self.put_with_faults

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self.reads.append(room)
        records = await super().read(room, since)
        await asyncio.sleep(self.slow_s)
        return records

    def put_with_faults(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
        self.attempts += 1
        fault = self.faults.pop(0) if self.faults else "none"
        if fault == "lost":
            asyncio.get_running_loop().call_soon(done, JournalError("no answer"))
        else:
            self.store(write, done if fault == "none" else lambda _: done(JournalError("no answer")))


class SharedJournal(FaultyJournal):
    """A journal that several nodes have open."""

    shared = True


class Table:
    """A host whose room is watched, and all updates that it published."""

    def __init__(self, journal: MemoryJournal, bus: Bus | None = None, timing: Timing = QUICK) -> None:
        self.published: list[RoomUpdate] = []
        self.host = Host(journal, bus or MemoryBus("node"), timing)
        self.host.bus.listeners.append(self.host.on_hint)
        self.watched = True
        self.host.watched = lambda _: self.watched
        self.host.listen(self.published.append)

    async def do(self, command: Command | None, room: str = "room", **more: Any) -> Done | Refused | Failed:
        reply: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
        self.host.submit(room, command, reply.set_result, **more)
        return await reply

    async def done(self, command: Command | None, **more: Any) -> Done:
        result = await self.do(command, **more)
        assert isinstance(result, Done), result
        return result

    async def code(self, command: Command | None, **more: Any) -> str:
        result = await self.do(command, **more)
        assert not isinstance(result, Done)
        return result.code

    async def open(self, second: Player | None = BEN) -> None:
        await self.done(Open("room", "tictactoe", "p-ann", ANN, second, Options()))

    @property
    def versions(self) -> list[int]:
        return [update.room.version for update in self.published]


async def test_an_unknown_room() -> None:
    table = Table(MemoryJournal())
    assert await table.code(None) == "unknown_room"
    assert await table.code(Resign("p-ann")) == "unknown_room"


@pytest.mark.parametrize("room", ["", "+", "#", "a/b", "a#b", "r" * 65, "\0"])
async def test_an_invalid_room_id_is_not_followed(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = MemoryBus("node")
    followed: list[str] = []
    monkeypatch.setattr(bus, "follow", followed.append)
    assert await Table(MemoryJournal(), bus).code(None, room=room) == "unknown_room"
    assert not followed


async def test_events_are_published_after_they_are_stored() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    stored: list[int] = []

    def check(happening: RoomUpdate) -> None:
        stored.append(len(journal.records()["room"]))
        assert happening.room.version <= stored[-1]

    table.host.listen(check)
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    assert stored == [1, 2]


async def test_a_write_without_an_answer_is_retried() -> None:
    journal = FaultyJournal()
    table = Table(journal)
    await table.open()
    for fault in ("lost", "answer lost"):
        journal.faults = [fault]
        turn = len(table.published) - 1
        assert (await table.done(Play(("p-ann", "p-ben")[turn % 2], turn, str(turn + 1)))).version == turn + 2
    assert table.versions == [1, 2, 3]
    assert len(await journal.read("room")) == 3


@pytest.mark.parametrize("fault", ["lost", "answer lost"])
async def test_an_unknown_outcome_is_reported_as_unknown_and_cleared_up_later(
    fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The sender gets an error; once the journal answers again, stored events are published."""
    journal = FaultyJournal()
    table = Table(journal)
    await table.open()
    journal.faults = [fault, "lost", "lost"]
    assert await table.code(Play("p-ann", 0, "5")) == "overloaded"
    assert table.versions == [1]
    await settle(0.1)
    assert table.versions == ([1] if fault == "lost" else [1, 2])
    # Sending the same move again is safe in both cases.
    assert (await table.done(Play("p-ann", 0, "5"))).version == 2
    assert table.versions == [1, 2]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_two_hosts_on_one_journal_take_turns() -> None:
    journal = MemoryJournal()
    one, two = Table(journal), Table(journal)
    await one.open()
    await two.done(None)
    await one.done(Play("p-ann", 0, "5"))
    # The second host does not know of the move until the journal refuses its own.
    assert await two.code(Play("p-ann", 0, "6")) == "stale"
    assert two.versions == [2]
    assert (await two.done(Play("p-ben", 1, "1"))).version == 3
    # The first does not know of that one; the same move is acknowledged, not played twice.
    assert (await one.done(Play("p-ben", 1, "1"))).version == 3
    assert (await one.done(Play("p-ann", 2, "2"))).version == 4
    assert [update.data for update in one.published[1:3]] == [update.data for update in two.published]
    assert one.versions == [1, 2, 3, 4]


async def test_two_hosts_race_for_a_seat_and_a_move() -> None:
    journal = MemoryJournal()
    one, two = Table(journal), Table(journal)
    await one.open(second=None)
    await two.done(None)
    eve = Player("p-eve", "eve", "human")
    results = await asyncio.gather(one.do(Join(BEN)), two.do(Join(eve)))
    assert sorted(type(result).__name__ for result in results) == ["Done", "Refused"]
    played = await asyncio.gather(*(table.do(Play("p-ann", 0, "5")) for table in (one, two)))
    assert [result.version for result in played if isinstance(result, Done)] == [3, 3]
    assert one.versions[-1] == two.versions[-1] == 3


async def test_commands_of_a_room_run_one_at_a_time_in_order() -> None:
    table = Table(MemoryJournal())
    await table.open()
    moves = "123546879"
    results = await asyncio.gather(
        *(table.do(Play(("p-ann", "p-ben")[turn % 2], turn, move)) for turn, move in enumerate(moves))
    )
    assert [result.version for result in results if isinstance(result, Done)] == list(range(2, 11))
    assert table.versions == list(range(1, 11))


async def test_since_returns_the_missed_updates() -> None:
    table = Table(MemoryJournal())
    await table.open()
    for _ in range(3):
        await table.done(Disconnect("p-ann"))
        await table.done(Return("p-ann"))
    done = await table.done(None)
    done = Done(done.version, done.room, deque(done.history, maxlen=6))
    assert done.since(done.version) == []
    assert done.since(done.version - 2) == table.published[-2:]
    assert done.since(done.version + 1) is None
    assert done.since(1) == table.published[1:]
    assert done.since(0) is None, "more than can be sent again"


async def test_an_unwatched_room_leaves_memory_and_can_be_loaded_again() -> None:
    table = Table(MemoryJournal())
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    before = (await table.done(None)).room
    assert table.host._rooms
    table.watched = False
    table.host.release("room")
    assert not table.host._rooms
    assert (await table.done(None)).room == before
    await asyncio.sleep(0)
    assert not table.host._rooms


async def test_one_room_is_replayed_in_a_turn_of_the_event_loop() -> None:
    table, turn, loaded = Table(MemoryJournal()), 0, dict[str, int]()
    rooms = [f"room{number}" for number in range(10)]
    for room in rooms:
        assert isinstance(await table.do(Open(room, "tictactoe", "p-ann", ANN, BEN, Options()), room), Done)
    table.watched = False
    for room in rooms:
        table.host.release(room)
    assert not table.host._rooms
    table.host.on_loaded.append(lambda room: loaded.update({room.id: turn}))
    asked = asyncio.gather(*(table.do(None, room) for room in rooms))
    while not asked.done():
        turn += 1
        await asyncio.sleep(0)
    assert all(isinstance(result, Done) for result in await asked)
    assert len(set(loaded.values())) == len(rooms)


async def test_rooms_are_replayed_in_rotation_for_those_who_ask() -> None:
    table, loaded = Table(MemoryJournal()), list[str]()
    rooms = [f"a{number}" for number in range(10)] + ["b0", "b1", "c0"]
    for room in rooms:
        assert isinstance(await table.do(Open(room, "tictactoe", "p-ann", ANN, BEN, Options()), room), Done)
    table.watched = False
    for room in rooms:
        table.host.release(room)
    table.host.on_loaded.append(lambda room: loaded.append(room.id))
    await asyncio.gather(*(table.do(None, room, asker=room[0]) for room in rooms))
    assert loaded == ["a0", "a1", "b0", "c0", "a2", "b1", *(f"a{number}" for number in range(3, 10))]


async def test_many_commands_that_waited_for_a_room_are_not_all_carried_out_in_one_turn() -> None:
    table, turn, turns = Table(MemoryJournal()), 0, list[tuple[int, int]]()
    await table.open()
    table.watched = False
    table.host.release("room")
    assert table.host.room("room") is None

    def reply(number: int, _: object) -> None:
        until = perf_counter() + 0.0005
        while perf_counter() < until:
            pass
        turns.append((number, turn))

    for number in range(30):
        table.host.submit("room", None, partial(reply, number))
    table.host.after("room", partial(reply, 30, None))
    closed = asyncio.create_task(table.host.close())
    while not closed.done():
        turn += 1
        await asyncio.sleep(0)
    assert [number for number, _ in turns] == list(range(31)), "in their order, and all before it is closed"
    assert max(Counter(turn for _, turn in turns).values()) <= 4


async def test_opening_an_existing_room_returns_it() -> None:
    table = Table(MemoryJournal())
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    for watched in (True, False):
        table.watched = watched
        table.host.release("room")
        done = await table.done(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
        assert done.room.version == 2
    assert table.versions.count(1) == 1 + 1, "told when it was opened, and when it was found"


async def test_the_lobby_listing_follows_every_change() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    await table.open(second=None)
    join, leave = Join(BEN, None), Disconnect("p-ben")
    for command in (join, Play("p-ann", 0, "5"), leave, Return("p-ben"), Play("p-ben", 1, "1"), leave):
        room = (await table.done(command)).room
        assert await journal.index.lobby(None, 9) == [to_json(listing(room))]


async def test_a_room_of_a_newer_server_fails_alone() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    await table.open()
    row = index_row((await table.done(None)).room)
    await journal.append(Append("newer", 1, b'{"schema":2,"kind":"opened"}', row))
    assert await table.code(None, room="newer") == "internal"
    unknown = to_record(table.published[0].event).replace(b'"opened"', b'"teleported"')
    await journal.append(Append("odd", 1, unknown, row))
    assert await table.code(None, room="odd") == "internal"
    assert (await table.done(Play("p-ann", 0, "5"))).version == 2


async def test_a_failing_listener_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    table = Table(MemoryJournal())

    def fail(_: RoomUpdate) -> None:
        raise ZeroDivisionError

    later: list[RoomUpdate] = []
    table.host.listen(fail)
    table.host.listen(later.append)
    await table.open()
    assert table.versions == [1]
    assert len(later) == 1
    assert "a listener failed" in caplog.text


async def test_listeners_are_called_in_their_order_and_those_to_a_games_end_last() -> None:
    table, called = Table(MemoryJournal()), list[str]()
    table.host.listen(lambda _: called.append("over"), GameOver)
    table.host.listen(lambda _: called.append("with a computer"), WithComputer)
    table.host.listen(lambda _: called.append("all"))
    table.host.listen(lambda _: called.append("played"), Played)
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    await table.done(Resign("p-ann"))
    assert called == ["all", "all", "played", "all", "over"]
    called.clear()
    computer = Player("computer:easy", "Computer", "computer")
    await table.done(Open("other", "tictactoe", "p-ann", ANN, computer, Options()), room="other")
    await table.done(Play("p-ann", 0, "5"), room="other")
    assert called == ["with a computer", "all", "with a computer", "all", "played"]
    table.host.listen(lambda _: called.append("late"))
    called.clear()
    await table.done(Resign("p-ann"), room="other")
    assert called == ["with a computer", "all", "late", "over"]


async def test_the_sweeper_expires_rooms() -> None:
    class Watched(MemoryJournal):
        """A journal whose time is always seen to pass."""

        async def beat(self, _gap_ms: int) -> list[Outage]:
            return await super().beat(2**60)

    now = 0
    table = Table(Watched(clock=lambda: now))
    await table.open(second=None)
    sweeping = asyncio.create_task(sweep(table.host))
    await settle(0.05)
    assert table.versions == [1]
    now = 3_600_000
    await settle(0.1)
    assert table.published[-1].room.status == "over"
    sweeping.cancel()


async def test_players_are_stored_with_their_first_seat() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    await table.open(second=None)
    ben = StoredPlayer("p-ben", "ben", "human", b"b" * 32)
    assert await table.code(Play("p-ben", 0, "5"), players=(ben,)) == "not_seated"
    assert await journal.people.find_by_token(b"b" * 32) is None
    await table.done(Join(BEN, Side.SECOND), players=(ben,))
    assert await journal.people.find_by_token(b"b" * 32) == ben


# --- several nodes on one journal and one bus


def nodes(count: int = 2) -> tuple[SharedJournal, list[Table]]:
    """Nodes that share a journal and a bus."""
    journal, hub = SharedJournal(), Hub()
    return journal, [Table(journal, MemoryBus(f"node-{number}", hub)) for number in range(count)]


def data_of(table: Table) -> list[bytes]:
    return [update.data for update in table.published]


async def test_an_event_reaches_the_other_nodes_by_the_bus() -> None:
    journal, (one, two) = nodes()
    await one.open()
    await two.done(None)
    reads = len(journal.reads)
    await one.done(Play("p-ann", 0, "5"))
    await settle(0.01)
    assert data_of(two) == data_of(one)[1:]
    assert [update.ours for update in two.published] == [False]
    assert len(journal.reads) == reads, "the bus delivered every event"
    await two.done(Play("p-ben", 1, "1"))
    await settle(0.01)
    assert data_of(one)[1:] == data_of(two)


async def test_duplicate_reordered_and_lost_hints_publish_each_event_once_in_order() -> None:
    _, (one, two) = nodes()
    await one.open()
    two.host.refresh("room")
    await settle(0.01)
    bus = two.host.bus
    bus.unfollow("room")
    for turn, move in enumerate("51928"):
        await one.done(Play(("p-ann", "p-ben")[turn % 2], turn, move))
    messages = [Appended("room", update.room.version, to_record(update.event)) for update in one.published[1:]]
    for message in (messages[0], messages[0], messages[3], messages[1], messages[0], messages[4], messages[2]):
        two.host.on_hint(message)
        await asyncio.sleep(0)
    await settle(0.01)
    assert data_of(two) == data_of(one)[1:]


@pytest.mark.parametrize("in_memory", [False, True])
async def test_a_hint_during_a_read_is_not_lost(in_memory: bool) -> None:
    journal, (one, two) = nodes()
    await one.open()
    if in_memory:
        await two.done(None)
    journal.slow_s = 0.05
    looking = asyncio.create_task(two.done(None))
    await settle(0.02)
    await one.done(Play("p-ann", 0, "5"))
    await looking
    await settle(0.2)
    room = two.host.room("room")
    assert room is not None
    assert room.version == 2
    assert data_of(two) == data_of(one)[1:]


async def test_polling_finds_events_that_the_bus_lost() -> None:
    _, (one, two) = nodes()
    await one.open()
    await two.done(None)
    await two.host.bus.close()
    keeping = asyncio.create_task(poll_journal(two.host))
    await one.done(Play("p-ann", 0, "5"))
    await one.done(Play("p-ben", 1, "1"))
    await settle(0.1)
    assert data_of(two) == data_of(one)[1:]
    keeping.cancel()


async def test_what_was_lost_before_the_bus_followed_a_room_is_read_at_once() -> None:
    _, (one, two) = nodes()
    two.host.timing = replace(QUICK, poll_s=60, poll_followed_s=0)
    await one.open()
    await two.done(None)
    two.host.bus.unfollow("room")  # as if its subscription were under way
    keeping = asyncio.create_task(poll_journal(two.host))
    await one.done(Play("p-ann", 0, "5"))
    await settle(0.05)
    assert len(data_of(two)) == 0
    for on_followed in two.host.bus.on_followed:
        on_followed(["room", "another"])
    await soon(lambda: data_of(two) == data_of(one)[1:])
    keeping.cancel()


async def test_a_node_reads_the_journal_before_it_refuses() -> None:
    _, (one, two) = nodes()
    await one.open(second=None)
    await two.done(None)
    two.host.bus.unfollow("room")
    await one.done(Join(BEN))
    await one.done(Play("p-ann", 0, "5"))
    # The second node knows neither that the seat was taken nor that it is the other's turn.
    assert (await two.done(Play("p-ben", 1, "1"))).version == 4
    await settle(0.01)
    assert data_of(two) == data_of(one)[1:]
    # And what is refused then is refused by what the journal says.
    assert await two.code(Play("p-ann", 4, "2")) == "stale"


async def test_a_returning_client_gets_events_of_other_nodes() -> None:
    _, (one, two) = nodes()
    await one.open()
    await two.done(None)
    two.host.bus.unfollow("room")
    await one.done(Play("p-ann", 0, "5"))
    done = await two.done(None)
    assert done.version == 2
    assert done.since(2) == []


async def test_a_rematch_is_published_on_every_node() -> None:
    _, (one, two) = nodes()
    await one.open()
    await two.done(None)
    await one.done(Resign("p-ann"))
    await one.done(OfferRematch("p-ann", "unused"))
    await two.done(AcceptRematch("p-ben", "next"))
    await settle(0.05)
    for table in (one, two):
        assert [update.event.kind for update in table.published][-3:] == ["offered", "rematched", "opened"]
    assert [table.published[-1].ours for table in (one, two)] == [False, True]
    assert data_of(one)[-3:] == data_of(two)[-3:]


async def test_an_unknown_record_on_the_bus_makes_the_room_unreadable_here(caplog: pytest.LogCaptureFixture) -> None:
    journal, (one, two) = nodes()
    await one.open()
    await two.done(None)
    unknown = to_record(one.published[0].event).replace(b'"opened"', b'"teleported"')
    await journal.append(Append("room", 2, unknown, index_row((await one.done(None)).room)))
    two.host.on_hint(Appended("room", 2, unknown))
    await settle(0.05)
    assert await two.code(Play("p-ann", 0, "5")) == "internal"
    assert "cannot run here" in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_several_nodes_expire_a_room_once() -> None:
    journal, tables = nodes(3)
    await tables[0].open(second=None)
    for table in tables:
        await table.done(None)
    journal.ahead_ms = 3_600_000
    sweeping = [asyncio.create_task(sweep(table.host)) for table in tables]
    await settle(0.2)
    assert len(await journal.read("room")) == 2
    for table in tables:
        assert [update.event.kind for update in table.published][-1:] == ["ended"]
        assert len(table.published) == (2 if table is tables[0] else 1)
    for task in sweeping:
        task.cancel()


async def test_an_outage_of_the_journal_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    journal = FaultyJournal()
    table = Table(journal, timing=replace(QUICK, journal_steady_s=0.05))
    await table.open()
    journal.faults = ["lost"] * 2
    assert table.host.answering
    await table.done(Play("p-ann", 0, "5"))
    assert table.host.answering
    journal.faults = ["lost"]
    await table.done(Play("p-ben", 1, "1"))
    sweeping = asyncio.create_task(sweep(table.host))
    await settle(0.2)
    assert [record.getMessage() for record in caplog.records] == [
        "the journal does not answer: no answer",
        "the journal answers again",
    ]
    sweeping.cancel()


async def test_a_lost_race_in_a_room_that_nobody_watches_is_settled_once() -> None:
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    journal = SharedJournal()
    one, two = Table(journal), Table(journal)
    await one.open()
    await two.done(None)
    await one.done(Play("p-ann", 0, "5"))
    two.watched = False
    assert await two.code(Play("p-ann", 0, "6")) == "stale"
    await settle(0.01)
    gc.collect()  # a task whose failure nobody has seen says so now
    assert len(two.host) == 0
    assert not failed


async def test_a_room_is_busy_until_all_that_waited_for_the_journal_have_their_answer() -> None:
    journal = FaultyJournal()
    table = Table(journal)
    await table.open()
    journal.faults = ["lost"] * 3
    asked: list[object] = []

    def leave_and_ask_again(_: Done | Refused | Failed) -> None:
        table.watched = False
        table.host.release("room")
        assert len(table.host) == 1, "the room is kept until it has answered"
        table.host.submit("room", Play("p-ann", 0, "5"), asked.append)

    table.host.submit("room", Play("p-ann", 0, "5"))
    table.host.submit("room", Play("p-ann", 0, "6"), leave_and_ask_again)
    table.host.submit("room", None, lambda _: asked.append("before"))
    await soon(lambda: len(asked) == 2)
    assert asked[0] == "before"
    assert isinstance(asked[1], Done)


async def test_a_command_fails_with_the_pause_before_it() -> None:
    journal = SharedJournal()
    table = Table(journal)
    await table.host.heartbeat.start()
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    await table.done(Disconnect("p-ben"))
    unknown = to_record(table.published[0].event).replace(b'"opened"', b'"teleported"')
    await journal.append(Append("room", 4, unknown))  # by a newer server; then no server is up for a while
    journal.ahead_ms = 60_000
    assert await table.code(Play("p-ben", 1, "1")) == "internal"
    await table.host.close()
