"""The host and time: flags that fall without a move, and outages during which no clock runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.games import Outcome, Reason, Side
from noughts.host import Done, Failed, Host, RoomUpdate, sweep
from noughts.host.sweeper import SEEK_MS
from noughts.journal import Append, JournalError, Outage
from noughts.rooms import (
    Claim,
    Command,
    Disconnect,
    Ended,
    Expire,
    Fischer,
    Open,
    Options,
    Paused,
    PerMove,
    Play,
    Player,
    Refused,
    Room,
    TimeControl,
)
from noughts.rooms.clock import DAY_MS
from noughts.timing import Timing
from support.eventually import settle, soon
from support.journals import MemoryJournal
from support.writes import player, seek

ANN = Player("p-ann", "ann", "human")
BEN = Player("p-ben", "ben", "human")


QUICK = Timing(
    sweep_s=0.02,
    room_recheck_s=0.02,
    alarm_min_s=0.01,
    journal_retries_s=(0.01,) * 5,
    beat_s=0.01,
    forget_seeks_s=0.02,
)
PATIENT = replace(QUICK, journal_retries_s=(0.01,) * 500)


class Journal(MemoryJournal):
    """A journal whose time advances only on demand, and that may be unavailable. ``seen``: there is no outage."""

    def __init__(self, *, shared: bool = False) -> None:
        self.time = 1_000_000
        super().__init__(lambda: self.time)
        self.shared = shared
        self.away = False
        self.seen = False
        self.store, self.put = self.put, self.put_if_there

    async def beat(self, gap_ms: int) -> list[Outage]:
        self._answer()
        return await super().beat(2**60 if self.seen else gap_ms)

    def put_if_there(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
        if self.away:
            asyncio.get_running_loop().call_soon(done, JournalError("no answer"))
        else:
            self.store(write, done)

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        self._answer()
        return await super().read(room, since)

    def _answer(self) -> None:
        if self.away:
            raise JournalError("no answer")


class Table:
    """A host whose room is watched, and all updates that it published."""

    def __init__(self, journal: Journal, bus: MemoryBus | None = None, timing: Timing = QUICK) -> None:
        self.journal = journal
        self.published: list[RoomUpdate] = []
        self.host = Host(journal, bus or MemoryBus("node"), timing)
        self.host.bus.listeners.append(self.host.on_hint)
        self.host.watched = lambda _: True
        self.host.listen(self.published.append)

    async def do(self, command: Command | None) -> Done | Refused | Failed:
        reply: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
        self.host.submit("room", command, reply.set_result)
        return await reply

    async def room(self, command: Command | None = None) -> Room:
        done = await self.do(command)
        assert isinstance(done, Done), done
        return done.room

    async def begin(self, clock: TimeControl | None) -> Room:
        """A game in which each side has moved."""
        await self.host.heartbeat.start()
        await self.room(Open("room", "tictactoe", "p-ann", ANN, BEN, Options(clock=clock)))
        await self.room(Play("p-ann", 0, "5"))
        return await self.room(Play("p-ben", 1, "1"))

    @property
    def kinds(self) -> list[str]:
        return [update.event.kind for update in self.published]


@contextmanager
def beating(*tables: Table, sweeping: bool = False) -> Iterator[None]:
    """The tables' hosts send a hundred heartbeats a second within the block. ``sweeping``: they end games, too."""
    tasks = [asyncio.create_task(table.host.heartbeat.run()) for table in tables]
    tasks += [asyncio.create_task(sweep(table.host)) for table in tables if sweeping]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def test_a_clock_in_memory_runs_out_on_time_without_the_sweeper() -> None:
    """In real time: for a room in memory, the host does not wait for the next sweep."""
    table = Table(Journal())
    table.host = Host(MemoryJournal(), MemoryBus("node"))
    table.host.watched = lambda _: True
    table.host.listen(table.published.append)
    room = await table.begin(Fischer(100, 0))
    assert room.due_at is not None
    await soon(lambda: table.kinds[-1] == "ended")
    ended = table.published[-1].event
    assert isinstance(ended, Ended)
    assert ended.outcome.reason == "time"
    assert room.due_at <= ended.at < room.due_at + 1000
    await table.host.close()


async def test_the_sweeper_ends_an_unwatched_game_whose_clock_ran_out() -> None:
    table = Table(Journal())
    room = await table.begin(Fischer(5000, 0))
    other = Table(table.journal)
    sweeping = asyncio.create_task(sweep(other.host))
    with beating(other):
        assert room.due_at is not None
        while table.journal.time < room.due_at:
            await settle(0.03)
            assert not other.published
            table.journal.time += 1000
        await soon(lambda: other.kinds == ["ended"])
    sweeping.cancel()


async def test_a_move_that_arrived_in_time_beats_a_clock_that_ran_out_while_it_waited() -> None:
    """Its frame arrived before the flag; the command of the flag is behind it in the room's queue."""
    table = Table(Journal())
    room = await table.begin(Fischer(5000, 0))
    with beating(table):
        for _ in range(5):
            table.journal.time += 1000
            await settle(0.03)
        arrived = table.journal.time - 1
        table.journal.time += 1100
        playing = asyncio.create_task(table.do(Play("p-ann", 2, "3", arrived)))
        expiring = asyncio.create_task(table.do(Expire()))
        assert isinstance(await playing, Done)
        assert isinstance(await expiring, Done)
    assert table.kinds[-1] == "played"
    assert (await table.room()).version == room.version + 1


async def test_neither_clock_runs_while_the_server_is_down() -> None:
    before = Table(Journal())
    room = await before.begin(Fischer(5000, 0))
    before.journal.time += 60_000
    again = Table(before.journal)
    await again.host.heartbeat.start()
    sweeping = asyncio.create_task(sweep(again.host))  # by the index the flag has fallen
    await soon(lambda: again.kinds == ["paused"])
    await settle(0.1)
    assert again.kinds == ["paused"]
    paused = again.published[0].event
    assert isinstance(paused, Paused)
    assert 60_000 <= paused.ms <= 62_000
    with beating(again):
        for _ in range(6):  # 2 s to come back, 4 s of thought
            before.journal.time += 1000
            await settle(0.03)
        after = await again.room(Play("p-ann", 2, "3"))
    assert room.clocks is not None
    assert after.clocks is not None
    assert after.clocks.first_ms == 1000
    sweeping.cancel()


async def test_a_pause_is_stored_once() -> None:
    before = Table(Journal())
    await before.begin(Fischer(5000, 0))
    before.journal.time += 60_000
    again = Table(before.journal)
    await again.host.heartbeat.start()
    assert (await again.room()).version == 4
    assert (await again.room()).version == 4
    third = Table(before.journal)
    await third.host.heartbeat.start()
    assert (await third.room()).version == 4


async def test_a_game_without_a_clock_is_paused_only_while_a_player_is_away() -> None:
    before = Table(Journal())
    await before.begin(None)
    before.journal.time += 60_000
    for version in (3, 5):
        again = Table(before.journal)
        await again.host.heartbeat.start()
        assert (await again.room()).version == version
        await again.room(Disconnect("p-ben"))
        before.journal.time += 60_000


async def test_watched_games_are_paused_as_soon_as_the_journal_is_back() -> None:
    table = Table(Journal())
    await table.begin(Fischer(5000, 0))
    with beating(table):
        table.journal.away = True
        for _ in range(8):
            table.journal.time += 1000
            await settle(0.02)
        assert table.kinds[-1] == "played"
        table.journal.away = False
        await soon(lambda: table.kinds[-1] == "paused")
        event = table.published[-1].event
        assert isinstance(event, Paused)
        assert event.ms == 8000 + 2000


@pytest.mark.parametrize("command", [Expire(), Claim("p-ann", "win")])
async def test_an_end_is_decided_again_after_an_outage_of_the_journal(
    command: Command,
) -> None:
    table = Table(Journal(), timing=PATIENT)
    await table.begin(Fischer(10_000 if isinstance(command, Expire) else 60_000, 0))
    room = await table.room(Disconnect("p-ben"))
    due_at = room.due_at if isinstance(command, Expire) else room.claimable_at(Side.SECOND)
    assert due_at is not None

    async def wait_until(time: int) -> None:
        while table.journal.time < time:
            table.journal.time += 1000
            await settle(0.03)

    with beating(table):
        await wait_until(due_at)
        table.journal.away = True
        ending = asyncio.create_task(table.do(command))
        await settle(0.05)
        table.journal.time += 3000
        table.journal.away = False
        await ending
        assert table.kinds[-2:] == ["disconnected", "paused"]
        await wait_until(table.journal.time + 7000)
        assert (await table.room(command)).status == "over"


async def test_a_move_that_is_late_because_of_an_outage_is_accepted() -> None:
    table = Table(Journal(shared=True), timing=PATIENT)
    await table.begin(Fischer(2000, 0))
    with beating(table):
        await settle(0.03)
        table.journal.away = True
        table.journal.time += 2100
        moving = asyncio.create_task(table.do(Play("p-ann", 2, "3")))
        await settle(0.05)
        table.journal.time += 1000
        table.journal.away = False
        assert isinstance(await moving, Done)
    assert table.kinds[-2:] == ["paused", "played"]


async def test_a_node_with_a_late_heartbeat_beats_before_it_decides() -> None:
    """Its event loop has stalled, and it receives a move before its own next heartbeat."""
    table = Table(Journal())
    await table.begin(Fischer(5000, 0))
    table.journal.time += 20_000
    room = await table.room(Play("p-ann", 2, "3"))
    assert table.kinds[-2:] == ["paused", "played"]
    assert room.clocks is not None
    assert room.clocks.first_ms == 5000


async def test_a_busy_node_is_not_down() -> None:
    """Its heartbeat is late by as much as its event loop was; a later one is an outage."""
    table = Table(Journal())
    busy_ms = 0
    table.host.heartbeat._busy_ms = lambda: busy_ms
    await table.begin(Fischer(60_000, 0))
    table.journal.time += 20_000
    busy_ms = 18_000
    room = await table.room(Play("p-ann", 2, "3"))
    assert table.kinds[-1] == "played"
    assert room.clocks is not None
    assert room.clocks.first_ms == 40_000
    await table.host.heartbeat.beat_soon()
    assert table.host.heartbeat.outages_since(0) == ()
    table.journal.time += 20_000
    await table.room(Play("p-ben", 3, "7"))
    assert table.kinds[-2:] == ["paused", "played"], "it was not busy a second time"


async def test_a_flag_waits_for_moves_that_a_late_loop_has_not_read() -> None:
    table = Table(Journal())
    room = await table.begin(Fischer(5000, 0))
    with beating(table, sweeping=True):
        for _ in range(6):
            table.journal.time += 1000
            await settle(0.06)
        assert room.due_at == table.journal.time
        assert table.kinds[-1] == "ended", "on time"
    late = Table(Journal())
    room = await late.begin(Fischer(5000, 0))
    with beating(late, sweeping=True):
        late.host.pulse.lost_since = lambda at: 1500 if at == room.moved_at else 0  # type: ignore[method-assign]
        for _ in range(7):
            late.journal.time += 1000
            await settle(0.06)
        assert late.kinds[-1] == "played"
        late.journal.time += 1000
        await soon(lambda: late.kinds[-1] == "ended")


COMPUTER = Player("computer:easy", "computer", "computer")


class Computers(Table):
    """A game in which it is a computer's turn."""

    async def begin(self, clock: TimeControl | None, *moves: str) -> Room:
        await self.host.heartbeat.start()
        players = (COMPUTER, ANN) if not moves else (ANN, COMPUTER)
        room = await self.room(Open("room", "tictactoe", "p-ann", *players, Options(clock=clock)))
        for turn, move in enumerate(moves):
            player = (ANN, COMPUTER)[turn % 2]
            room = await self.room(Play(player.id, turn, move))
        return room

    async def pass_time(self, seconds: int) -> None:
        for _ in range(seconds):
            self.journal.time += 1000
            await settle(0.06)


@pytest.mark.parametrize(
    ("moves", "seconds"), [pytest.param((), 75, marks=[pytest.mark.slow, pytest.mark.smoke]), (("5", "1", "3"), 30)]
)
async def test_a_computer_loses_nothing_while_nobody_searches(moves: tuple[str, ...], seconds: int) -> None:
    """Neither on time nor by a game aborted after a minute, on whatever node, and with few events."""
    table = Computers(Journal())
    room = await table.begin(Fischer(10_000, 0), *moves)
    with beating(table, sweeping=True):
        await table.pass_time(seconds)
        now = await table.room()
    assert now.status == "playing"
    assert now.clocks == room.clocks
    assert set(table.kinds[room.version :]) == {"paused"}
    assert len(table.kinds) - room.version <= seconds / 11 + 1
    waits = [update.event for update in table.published[room.version :]]
    assert sum(wait.ms for wait in waits if isinstance(wait, Paused)) <= seconds * 1000
    assert all(isinstance(wait, Paused) and wait.cause == "queue" for wait in waits)


async def test_a_computer_loses_on_time_by_its_own_search() -> None:
    table = Computers(Journal())
    room = await table.begin(Fischer(10_000, 0), "5", "1", "3")
    with beating(table, sweeping=True):
        for _ in range(13):
            assert await table.journal.lease("room", room.version, "node", 2500)
            await table.pass_time(1)
            assert table.kinds[-1] == "played", "its node may have died, so the flag waits for its lease"
        for _ in range(2):
            await table.journal.lease("room", room.version, "node", 2500)
            await table.pass_time(1)
    ended = table.published[-1].event
    assert isinstance(ended, Ended)
    assert ended.outcome.reason is Reason.TIME


async def test_a_computer_whose_node_died_loses_only_the_time_in_which_it_searched() -> None:
    table = Computers(Journal())
    room = await table.begin(Fischer(10_000, 0), "5", "1", "3")
    with beating(table, sweeping=True):
        assert await table.journal.lease("room", room.version, "dead", 4000)
        await table.pass_time(30)
        now = await table.room()
        assert now.status == "playing"
        assert now.due_at is not None
        charged = table.journal.time - now.moved_at
    assert 4000 <= charged <= 4000 + 11_000, "and what has passed since the last wait was noted"


async def test_a_computer_that_overran_its_clock_before_it_waits_has_lost() -> None:
    table = Computers(Journal())
    room = await table.begin(Fischer(3000, 0), "5", "1", "3")
    with beating(table, sweeping=True):
        assert await table.journal.lease("room", room.version, "dead", 3500)
        await table.pass_time(5)
        await soon(lambda: table.kinds[-1] == "ended")


async def test_a_deserted_game_is_closed_although_the_computer_waits() -> None:
    table = Computers(Journal())
    await table.begin(Fischer(3_600_000, 0), "5", "1", "3")
    with beating(table, sweeping=True):
        await table.room(Disconnect("p-ann"))
        await table.pass_time(20)
        table.journal.time += 600_000
        await table.host.heartbeat.beat_soon()
        room = await table.room(Expire())
    if room.status == "playing":  # paused for the outage, which the test has made of it
        table.journal.time = room.left_at[0] + 600_000
        table.host.heartbeat._busy_ms = lambda: 10**9
        room = await table.room(Expire())
    assert room.outcome is not None
    assert room.outcome.reason is Reason.ABANDONMENT


async def test_nothing_is_paused_while_one_node_is_up() -> None:
    journal, hub = Journal(shared=True), Hub()
    one, two = (Table(journal, MemoryBus(f"node-{number}", hub)) for number in range(2))
    await one.begin(Fischer(60_000, 0))
    with beating(two):
        for _ in range(10):
            journal.time += 1000
            await settle(0.03)
    third = Table(journal, MemoryBus("node-3", hub))
    await third.host.heartbeat.start()
    room = await third.room(Play("p-ann", 2, "3"))
    assert third.kinds == ["played"]
    assert room.clocks is not None
    assert room.clocks.first_ms == 50_000


async def test_an_outage_of_long_ago_counts_in_a_game_of_days() -> None:
    """A move may take longer than a heartbeat reports an outage."""
    before = Table(Journal())
    await before.begin(PerMove(14 * DAY_MS))
    before.journal.time += 3 * DAY_MS  # no server is up
    again = Table(before.journal)
    await again.host.heartbeat.start()
    before.journal.seen = True
    before.journal.time += 12 * DAY_MS
    await again.host.heartbeat.beat_soon()
    assert again.host.heartbeat.outages_since(0) == ()
    await again.room(Expire())
    room = await again.room(Play("p-ann", 2, "3"))
    assert again.kinds == ["paused", "played"]
    assert room.outcome is None


async def test_one_of_two_nodes_ends_a_game_of_days_that_nobody_watches() -> None:
    journal, hub = Journal(shared=True), Hub()
    journal.seen = True
    tables = [Table(journal, MemoryBus(f"node-{number}", hub)) for number in range(2)]
    for table in tables:
        await table.host.heartbeat.start()
        table.host.watched = lambda _: False
    room = await tables[0].begin(PerMove(3 * DAY_MS))
    assert [table.host.in_memory() for table in tables] == [[], []]
    journal.time = room.moved_at + 3 * DAY_MS
    with beating(*tables, sweeping=True):
        await settle(0.1)
        assert len(await journal.read("room")) == room.version, "the last second is for lag"
        journal.time += 1000
        await soon(lambda: any(table.kinds[-1:] == ["ended"] for table in tables))
        await settle(0.1)
    records = await journal.read("room")
    assert [b'"ended"' in record for record in records[room.version :]] == [True]


async def test_after_an_outage_one_of_several_nodes_stores_the_pause() -> None:
    journal, hub = Journal(shared=True), Hub()
    tables = [Table(journal, MemoryBus(f"node-{number}", hub)) for number in range(3)]
    await tables[0].begin(Fischer(60_000, 0))
    for table in tables:
        await table.room()
    journal.time += 30_000
    outcomes = await asyncio.gather(*(table.do(Play("p-ann", 2, "3")) for table in tables))
    assert all(isinstance(outcome, Done) for outcome in outcomes)
    await settle(0.05)
    records = await journal.read("room")
    assert [b'"paused"' in record for record in records] == [False, False, False, True, False]
    assert len({tuple(update.data for update in table.published[-2:]) for table in tables}) == 1


async def test_a_game_can_be_claimed_on_any_node() -> None:
    journal, hub = Journal(shared=True), Hub()
    one, two = (Table(journal, MemoryBus(f"node-{number}", hub)) for number in range(2))
    await one.begin(None)
    await two.room()
    two.host.bus.unfollow("room")  # it receives no hints
    await one.room(Disconnect("p-ben"))
    with beating(one, two):
        for _ in range(29):
            journal.time += 1000
            await settle(0.02)
        refused = await two.do(Claim("p-ann", "win"))
        assert isinstance(refused, Refused)
        assert refused.code == "not_allowed"
        journal.time += 1000
        room = await two.room(Claim("p-ann", "win"))
    assert room.outcome == Outcome(Side.FIRST, Reason.ABANDONMENT)


async def test_nodes_divide_many_rooms_that_are_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an outage: all of them would otherwise try the same ones, and only one of them would succeed."""
    monkeypatch.setattr("noughts.host.sweeper.DUE_AT_ONCE", 100)
    journal = Journal(shared=True)
    before = Table(journal)
    for number in range(600):
        opening = Open(f"room-{number}", "tictactoe", "p-ann", ANN, None, Options(waiting_ms=1000))
        before.host.submit(opening.room, opening)
    await soon(lambda: len(before.published) == 600)
    journal.time += 2000
    hub, once = Hub(), replace(QUICK, sweep_s=3600)
    tables = [Table(journal, MemoryBus(f"node-{number}", hub), once) for number in range(3)]
    tried: Counter[str] = Counter()
    for table in tables:
        submit = table.host.submit

        def counted(room: str, *arguments: object, submit: Callable[..., None] = submit) -> None:
            tried[room] += 1
            submit(room, *arguments)

        table.host.submit = counted  # type: ignore[method-assign, assignment]
    sweeping = [asyncio.create_task(sweep(table.host)) for table in tables]
    await soon(lambda: tried.total() == 300)
    assert len(tried) > 200
    for task in sweeping:
        task.cancel()
    for table in tables:
        await table.host.close()


async def test_lapsed_seeks_are_deleted() -> None:
    journal = Journal()
    for number in (1, 2):
        await journal.people.add_guest(player(number))
    sweeping = asyncio.create_task(sweep(Host(journal, MemoryBus("node"), QUICK)))
    await settle(0.05)
    until = journal.now() + 15_000
    await journal.seeks.put(seek(1), until)
    await journal.seeks.put(seek(2), until + 1)
    journal.time = until + 10 * SEEK_MS
    await settle(0.1)
    assert await journal.seeks.renew([("p-1", "key"), ("p-2", "key")], until) == {"p-1": None, "p-2": None}
    await journal.seeks.put(seek(2), until := journal.now() + 15_000)
    journal.seen = True
    journal.time = until + SEEK_MS
    await settle(0.2)
    assert await journal.seeks.renew([("p-1", "key"), ("p-2", "key")], until) == {"p-2": None}
    sweeping.cancel()
