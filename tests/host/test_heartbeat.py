"""Heartbeats of one node: who waits for which, also over a PostgreSQL that is away."""

from __future__ import annotations

import asyncio
import gc
import re
import time
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from noughts.bus import MemoryBus
from noughts.host import Done, Failed, Host
from noughts.host.heartbeat import Heartbeat
from noughts.host.retry import Retry
from noughts.journal import JournalError
from noughts.journal.postgres.journal import PostgresJournal
from noughts.rooms import Fischer, Open, Options, Play, Player, Refused
from noughts.timing import Timing
from support.eventually import settle, soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.proxy import proxied

ANN, BEN = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")
QUICK = Timing(journal_retries_s=(0.01,) * 3)
GIVE_UP_S = 2.0
TABLES = 6


def heartbeat_of(journal: MemoryJournal) -> Heartbeat:
    return Heartbeat(journal, Retry(journal, QUICK), lambda: None, QUICK)


async def test_callers_share_the_next_heartbeat_that_begins_after_they_ask() -> None:
    journal = MemoryJournal()
    beat = Faulty(journal, "beat")
    heartbeat = heartbeat_of(journal)
    beat.gate.clear()
    first = asyncio.create_task(heartbeat.beat_soon())
    await soon(lambda: len(beat.calls) == 1)
    others = [asyncio.create_task(heartbeat.beat_soon()) for _ in range(9)]
    await settle(0.05)
    assert len(beat.calls) == 1
    beat.gate.set()
    await first
    assert not any(other.done() for other in others), "that heartbeat began before they asked"
    await asyncio.gather(*others)
    assert len(beat.calls) == 2


async def test_callers_share_an_attempt_that_fails_and_each_tries_again() -> None:
    journal = MemoryJournal()
    beat = Faulty(journal, "beat")
    heartbeat = heartbeat_of(journal)
    beat.faults += ["lost"] * 3
    await asyncio.gather(*(heartbeat.beat_soon() for _ in range(9)))
    # Callers whose pauses do not end in the same turn of the loop do not share an attempt. Alone they would make 12.
    assert 4 <= (before := len(beat.calls)) < 12
    beat.faults += ["lost"] * 99
    failed = await asyncio.gather(*(heartbeat.beat_soon() for _ in range(9)), return_exceptions=True)
    assert {type(outcome) for outcome in failed} == {JournalError}
    assert 4 <= len(beat.calls) - before < 36


async def test_a_caller_that_gives_up_does_not_end_the_heartbeat_of_others() -> None:
    journal = MemoryJournal()
    beat = Faulty(journal, "beat")
    heartbeat = heartbeat_of(journal)
    beat.gate.clear()
    one, other = (asyncio.create_task(heartbeat.beat_soon()) for _ in range(2))
    await soon(lambda: len(beat.calls) == 1)
    one.cancel()
    await settle(0.01)
    beat.gate.set()
    await other
    assert one.cancelled()


async def test_a_heartbeat_that_fails_after_all_callers_gave_up_is_no_error_in_the_log() -> None:
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    journal = MemoryJournal()
    beat = Faulty(journal, "beat")
    heartbeat = heartbeat_of(journal)
    beat.gate.clear()
    beat.faults += ["lost"]
    caller = asyncio.create_task(heartbeat.beat_soon())
    await soon(lambda: len(beat.calls) == 1)
    caller.cancel()
    await settle(0.01)
    beat.gate.set()
    await settle(0.05)
    gc.collect()  # a task whose failure nobody has seen says so now
    assert not failed


async def test_no_heartbeat_is_under_way_after_closing() -> None:
    journal = MemoryJournal()
    beat = Faulty(journal, "beat")
    heartbeat = heartbeat_of(journal)
    before = asyncio.all_tasks()
    beat.gate.clear()
    one, other = asyncio.create_task(heartbeat.beat_soon()), asyncio.create_task(heartbeat.run())
    await soon(lambda: len(beat.calls) == 1)
    third = asyncio.create_task(heartbeat.beat_soon())  # it waits for the next, which is not under way yet
    await settle(0.01)
    for caller in (one, other, third):
        caller.cancel()
    await heartbeat.close()
    assert asyncio.all_tasks() - {one, other, third} == before


@pytest.mark.parametrize(
    ("faults", "cause"),
    [([], "this server was stopped, or its machine slept"), (["lost"], "the journal did not answer")],
)
async def test_an_outage_is_counted_and_logged_with_its_cause(
    faults: list[str], cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    journal = MemoryJournal()
    beat = Faulty(journal, "beat")
    heartbeat = Heartbeat(journal, Retry(journal, QUICK), lambda: None, replace(QUICK, beat_gap_s=0.2))
    await heartbeat.start()
    await heartbeat.beat_soon()
    before = heartbeat.found
    beat.faults += faults
    await settle(0.5)
    await heartbeat.beat_soon()
    await heartbeat.beat_soon()
    assert heartbeat.found == before + 1
    assert re.search(rf"no clock ran for \d\.\d s: {cause}$", caplog.text, re.MULTILINE)


async def test_tables_with_a_clock_do_not_queue_for_a_database_that_is_away(postgres: Postgres) -> None:
    """Each of them waited for the attempts of those before it, and then made its own."""
    timing = Timing(journal_retries_s=(0.1,) * 99, journal_give_up_s=GIVE_UP_S, beat_gap_s=0.5)
    async with database(postgres) as url, proxied(url) as proxy:
        journal = await PostgresJournal.open(url.replace(f":{postgres.port}/", f":{urlsplit(proxy.url).port}/"))
        host = Host(journal, MemoryBus("node"), timing)
        host.watched = lambda _: True
        await host.heartbeat.start()
        rooms = [f"room-{number}" for number in range(TABLES)]
        for room in rooms:
            opening = Open(room, "tictactoe", "p-ann", ANN, BEN, Options(clock=Fischer(600_000, 0)))
            assert isinstance(await do(host, room, opening), Done)
            assert isinstance(await do(host, room, Play("p-ann", 0, "5")), Done)
            assert isinstance(await do(host, room, Play("p-ben", 1, "1")), Done)
        proxy.refusing = True
        proxy.cut()
        await settle(2 * timing.beat_gap_s)

        async def wait_of(room: str) -> float:
            began = time.monotonic()
            assert isinstance(await do(host, room, Play("p-ann", 2, "3")), Failed)
            return time.monotonic() - began

        waits = await asyncio.gather(*map(wait_of, rooms))
        assert GIVE_UP_S / 2 < max(waits) < GIVE_UP_S * TABLES / 2, waits
        proxy.refusing = False
        await host.close()
        await journal.close()


async def do(host: Host, room: str, command: Open | Play) -> Done | Refused | Failed:
    result: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
    host.submit(room, command, result.set_result)
    return await result
