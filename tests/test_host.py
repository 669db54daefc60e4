"""The host over a journal that fails, is slow, or is written by another host at the same time."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from pydantic_core import to_json

from noughts import host as host_module
from noughts.games import Side
from noughts.host import Done, Failed, Happening, Host
from noughts.index import index_of
from noughts.journal import Append, JournalError, MemoryJournal, StoredPlayer
from noughts.protocol import listing, to_record
from noughts.rooms import Command, Disconnect, Join, Open, Options, Play, Player, Refused, Resign, Return

ANN = Player("p-ann", "ann", "human")
BEN = Player("p-ben", "ben", "human")


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "RETRIES_S", (0.001, 0.001))
    monkeypatch.setattr(host_module, "SWEEP_S", 0.02)


class FaultyJournal(MemoryJournal):
    """A journal that answers the next writes with an error, before or after storing them."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.attempts = 0

    async def append(self, write: Append) -> bool:
        self.attempts += 1
        fault = self.faults.pop(0) if self.faults else "none"
        if fault == "lost":
            raise JournalError("no answer")
        stored = await super().append(write)
        if fault == "answer lost":
            raise JournalError("no answer")
        return stored


class Table:
    """A host whose room is watched, and all that was told."""

    def __init__(self, journal: MemoryJournal) -> None:
        self.told: list[Happening] = []
        self.host = Host(journal)
        self.watched = True
        self.host.watched = lambda _: self.watched
        self.host.listeners.append(self.told.append)

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
        return [happening.room.version for happening in self.told]


async def test_an_unknown_room() -> None:
    table = Table(MemoryJournal())
    assert await table.code(None) == "unknown_room"
    assert await table.code(Resign("p-ann")) == "unknown_room"


async def test_nothing_is_told_before_it_is_stored() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    stored: list[int] = []

    def check(happening: Happening) -> None:
        stored.append(len(journal._records["room"]))
        assert happening.room.version <= stored[-1]

    table.host.listeners.append(check)
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    assert stored == [1, 2]


async def test_a_write_without_an_answer_is_tried_again() -> None:
    journal = FaultyJournal()
    table = Table(journal)
    await table.open()
    for fault in ("lost", "answer lost"):
        journal.faults = [fault]
        turn = len(table.told) - 1
        assert (await table.done(Play(("p-ann", "p-ben")[turn % 2], turn, str(turn + 1)))).version == turn + 2
    assert table.versions == [1, 2, 3]
    assert len(await journal.read("room")) == 3


@pytest.mark.parametrize("fault", ["lost", "answer lost"])
async def test_an_outcome_that_stays_unknown_is_no_refusal(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    """The sender is told that it is unknown; when the journal answers again, what was stored is told to all."""
    journal = FaultyJournal()
    table = Table(journal)
    await table.open()
    journal.faults = [fault, "lost", "lost"]
    assert await table.code(Play("p-ann", 0, "5")) == "overloaded"
    assert table.versions == [1]
    await asyncio.sleep(0.1)
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
    # The second host has not heard of the move; the journal refuses its own and tells it.
    assert await two.code(Play("p-ann", 0, "6")) == "stale"
    assert two.versions == [2]
    assert (await two.done(Play("p-ben", 1, "1"))).version == 3
    # The first has not heard of that one; the same move is acknowledged, not taken twice.
    assert (await one.done(Play("p-ben", 1, "1"))).version == 3
    assert (await one.done(Play("p-ann", 2, "2"))).version == 4
    assert [happening.data for happening in one.told[1:3]] == [happening.data for happening in two.told]
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


async def test_since_gives_what_was_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "REPLAYED", 20)
    table = Table(MemoryJournal())
    await table.open()
    for _ in range(10):
        await table.done(Disconnect("p-ann"))
        await table.done(Return("p-ann"))
    done = await table.done(None)
    assert done.since(done.version) == []
    assert done.since(done.version - 2) == table.told[-2:]
    assert done.since(done.version + 1) is None
    assert done.since(1) == table.told[1:]
    assert done.since(0) is None, "more than can be sent again"


async def test_a_room_that_nobody_watches_is_forgotten_and_found_again() -> None:
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


async def test_opening_a_room_that_is_there_gives_it() -> None:
    table = Table(MemoryJournal())
    await table.open()
    await table.done(Play("p-ann", 0, "5"))
    for watched in (True, False):
        table.watched = watched
        table.host.release("room")
        done = await table.done(Open("room", "tictactoe", "p-ann", ANN, None, Options()))
        assert done.room.version == 2
    assert table.versions.count(1) == 1 + 1, "told when it was opened, and when it was found"


async def test_the_lobby_shows_every_room_as_it_is() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    await table.open(second=None)
    join, leave = Join(BEN, None), Disconnect("p-ben")
    for command in (join, Play("p-ann", 0, "5"), leave, Return("p-ben"), Play("p-ben", 1, "1"), leave):
        room = (await table.done(command)).room
        assert await journal.lobby(None, 9) == [to_json(listing(room))]


async def test_a_record_of_a_newer_server_is_told_and_harms_no_other_room() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    await table.open()
    row = index_of((await table.done(None)).room)
    await journal.append(Append("newer", 1, b'{"schema":2,"kind":"opened"}', row))
    assert await table.code(None, room="newer") == "internal"
    unknown = to_record(table.told[0].event).replace(b'"opened"', b'"teleported"')
    await journal.append(Append("odd", 1, unknown, row))
    assert await table.code(None, room="odd") == "internal"
    assert (await table.done(Play("p-ann", 0, "5"))).version == 2


async def test_a_failing_listener_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    table = Table(MemoryJournal())

    def fail(_: Happening) -> None:
        raise ZeroDivisionError

    table.host.listeners.insert(0, fail)
    await table.open()
    assert table.versions == [1]
    assert "a listener failed" in caplog.text


async def test_what_is_due_is_done() -> None:
    now = 0
    table = Table(MemoryJournal(clock=lambda: now))
    await table.open(second=None)
    sweeping = asyncio.create_task(table.host.sweep())
    await asyncio.sleep(0.05)
    assert table.versions == [1]
    now = 3_600_000
    await asyncio.sleep(0.1)
    assert table.told[-1].room.status == "over"
    sweeping.cancel()


async def test_players_are_stored_with_their_first_seat_alone() -> None:
    journal = MemoryJournal()
    table = Table(journal)
    await table.open(second=None)
    ben = StoredPlayer("p-ben", "ben", "human", b"b" * 32)
    assert await table.code(Play("p-ben", 0, "5"), players=(ben,)) == "not_seated"
    assert await journal.player(b"b" * 32) is None
    await table.done(Join(BEN, Side.SECOND), players=(ben,))
    assert await journal.player(b"b" * 32) == ben
