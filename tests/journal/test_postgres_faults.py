"""PostgreSQL killed, frozen and cut off: no acknowledged write is lost, and everything recovers by itself."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import urlsplit

import asyncpg
import pytest

from noughts.journal import JournalError
from noughts.journal.postgres import connect
from noughts.journal.postgres.journal import PostgresJournal
from support.postgres import Postgres, database
from support.proxy import Proxy, proxied
from support.scripts import start
from support.writes import player, write

pytestmark = [pytest.mark.services, pytest.mark.slow]

ROOMS = [f"room-{number}" for number in range(20)]


@pytest.fixture
async def url(postgres: Postgres) -> AsyncIterator[str]:
    async with database(postgres) as url:
        try:
            yield url
        finally:
            postgres.thaw()


async def until(holds: Callable[[], Awaitable[bool]], within_s: float = 30) -> None:
    """Wait until ``holds()``; raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while not await holds():  # noqa: ASYNC110 # there is no event to wait for
            await asyncio.sleep(0.02)


class Load:
    """Writes to rooms without a pause; ``acknowledged`` has the last version of each."""

    def __init__(self, journal: PostgresJournal, heads: Mapping[str, int] | None = None) -> None:
        self.acknowledged = dict.fromkeys(ROOMS, 0) | dict(heads or {})
        self.failures = 0
        self._journal = journal
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Load:
        self._tasks = [asyncio.create_task(self._play(room)) for room in ROOMS]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        assert [type(end) for end in ended] == [asyncio.CancelledError] * len(ended), ended

    async def _play(self, room: str) -> None:
        doubt = False
        while True:
            version = self.acknowledged[room] + 1
            record = f"{room} {version}".encode()
            try:
                if not await self._journal.append(write(room, version, record)):
                    assert doubt  # there is no other writer, so an earlier attempt has arrived after all
                    assert await self._journal.read(room, version - 1) == [record]
                self.acknowledged[room] = version
                doubt = False
            except JournalError:
                doubt = True
                self.failures += 1
                await asyncio.sleep(0.05)

    async def moves_on(self) -> None:
        """Wait until all rooms have advanced a little."""
        before = dict(self.acknowledged)

        async def moved() -> bool:
            return all(self.acknowledged[room] >= before[room] + 3 for room in ROOMS)

        await until(moved)


async def lost(journal: PostgresJournal, load: Load) -> int:
    """The number of lost acknowledged records. Checks that the others are whole and in order."""
    missing = 0
    for room, version in load.acknowledged.items():
        records = await journal.read(room)
        assert records == [f"{room} {number}".encode() for number in range(1, len(records) + 1)]
        missing += max(0, version - len(records))
    return missing


async def lost_by_kills(postgres: Postgres, url: str, kills: int) -> int:
    """The number of writes lost by repeated kills of the whole server under load. The journal recovers by itself."""
    journal = await PostgresJournal.open(url)
    missing = 0
    for _ in range(kills):
        if missing:
            break
        async with Load(journal, await _heads_when_up(journal)) as load:
            await load.moves_on()
            await asyncio.sleep(random.uniform(0, 0.3))
            postgres.kill()
        await asyncio.to_thread(postgres.start)
        reader = await PostgresJournal.open(url)
        missing += await lost(reader, load)
        await reader.close()
    await journal.close()
    return missing


async def _heads_when_up(journal: PostgresJournal) -> dict[str, int]:
    heads: dict[str, int] = {}

    async def read_heads() -> bool:
        try:
            heads.update(await journal.index.heads(ROOMS))
        except JournalError:
            return False
        return True

    await until(read_heads)
    return heads


async def test_a_beat_that_waited_for_the_database_has_the_time_when_it_was_back(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    assert await journal.beat(2000) == []
    postgres.freeze()
    await asyncio.sleep(1.5)
    beating = asyncio.create_task(journal.beat(2000))
    await asyncio.sleep(1)
    postgres.thaw()
    (outage,) = await beating
    assert outage.until - outage.since >= 2000
    await journal.close()


async def test_no_acknowledged_append_is_lost_by_kill_9_of_the_database(postgres: Postgres, url: str) -> None:
    assert await lost_by_kills(postgres, url, kills=5) == 0


async def test_the_test_detects_a_database_that_acknowledges_before_it_syncs(postgres: Postgres, url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"ALTER DATABASE {urlsplit(url).path[1:]} SET synchronous_commit = off")
    await connection.close()
    # Each kill has a good chance, not a certain one, to come between an answer and the disk.
    assert await lost_by_kills(postgres, url, kills=30) > 0


async def test_frozen_sessions_are_replaced_and_closing_does_not_wait_for_them(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    await asyncio.gather(*(journal.append(write(f"{number}")) for number in range(20)))
    await asyncio.gather(*(journal.read(f"{number}") for number in range(20)))
    sessions = postgres.backends(urlsplit(url).path[1:])
    assert len(sessions) > 1
    for pid in sessions:
        os.kill(pid, signal.SIGSTOP)
    async with asyncio.timeout(connect.ANSWER_S * 2):
        outcomes = await asyncio.gather(journal.append(write("a")), journal.read("a"), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [JournalError] * 2
    async with asyncio.timeout(connect.ANSWER_S):
        assert await journal.append(write("b"))
        assert await journal.read("b") == [b"{}"]
    for pid in set(postgres.backends(urlsplit(url).path[1:])):
        os.kill(pid, signal.SIGSTOP)
    doubtful = asyncio.create_task(journal.append(write("c")))
    await asyncio.sleep(0.1)
    async with asyncio.timeout(connect.ANSWER_S * 3):
        await journal.close()
    with pytest.raises(JournalError):
        await doubtful


async def test_a_session_frozen_during_a_write_loses_and_duplicates_nothing(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    async with Load(journal) as load:
        for _ in range(2):
            await load.moves_on()
            # It may hold what all wait for, such as the lock on the log, so that all wait until it goes on.
            os.kill(random.choice(postgres.backends(urlsplit(url).path[1:])), signal.SIGSTOP)
            await asyncio.sleep(connect.ANSWER_S + 1)
            postgres.thaw()
    assert await lost(journal, load) == 0
    await journal.close()


async def test_a_frozen_database_fails_calls_within_a_bound_and_is_used_again(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    assert await journal.lead()
    assert await journal.append(write("a"))
    postgres.freeze()
    try:
        async with asyncio.timeout(20):
            asked = [
                journal.append(write("a", 2)),
                journal.read("a"),
                journal.people.add_guest(player(1)),
                journal.lead(),
            ]
            outcomes = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [JournalError] * 3 + [bool]
        assert outcomes[3] is False
    finally:
        postgres.thaw()
    async with asyncio.timeout(30):
        heads = await _heads_when_up(journal)
        assert heads == {}
        while len(records := await journal.read("a")) < 2:  # the write may have been carried out after all
            assert records == [b"{}"]
            try:
                await journal.append(write("a", 2))
            except JournalError:
                await asyncio.sleep(0.05)
    await until(journal.lead)
    await journal.close()


async def test_a_write_that_no_standby_has_is_neither_acknowledged_nor_shown(url: str) -> None:
    """PostgreSQL shows it to all if its wait for the standby is cancelled, and a failover would lose it."""
    journal, operator = await PostgresJournal.open(url), await asyncpg.connect(url)
    assert await journal.append(write("a"))
    try:
        await operator.execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        await operator.execute("SELECT pg_reload_conf()")
        await asyncio.sleep(0.5)
        for _ in range(2):
            with pytest.raises(JournalError):
                await journal.append(write("a", 2))
            await asyncio.sleep(1)
            assert await journal.read("a") == [b"{}"]
    finally:
        await operator.execute("ALTER SYSTEM RESET synchronous_standby_names")
        await operator.execute("SELECT pg_reload_conf()")

    async def stored() -> bool:
        return len(await journal.read("a")) == 2

    await until(stored)
    await operator.close()
    await journal.close()


HOLD_ROOM_3 = """
BEGIN;
INSERT INTO rooms (room, changed, game, opened_by, status, public, thinking, attended, listing)
VALUES ('room-3', nextval('changes'), 'tictactoe', 'p-1', 'playing', TRUE, FALSE, FALSE, '')
"""


async def test_when_a_batch_is_split_each_write_gets_its_outcome_at_once(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    other = await asyncpg.connect(url)
    await other.execute(HOLD_ROOM_3)
    writes = [asyncio.create_task(journal.append(write(f"room-{number}"))) for number in range(10)]
    async with asyncio.timeout(connect.ANSWER_S):
        assert await asyncio.gather(*writes[:3]) == [True] * 3
    assert not any(writing.done() for writing in writes[3:])
    postgres.freeze()
    async with asyncio.timeout(connect.ANSWER_S * 3):
        outcomes = await asyncio.gather(*writes[3:], return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [JournalError] * 7
    postgres.thaw()
    other.terminate()
    await journal.close()


async def test_only_the_write_that_another_session_blocks_fails(url: str) -> None:
    journal = await PostgresJournal.open(url)
    other = await asyncpg.connect(url)
    await other.execute(HOLD_ROOM_3)
    appends = [journal.append(write(f"room-{number}")) for number in range(10)]
    async with asyncio.timeout(connect.ANSWER_S * 2):
        outcomes = await asyncio.gather(*appends, return_exceptions=True)
    assert isinstance(outcomes.pop(3), JournalError)
    assert outcomes == [True] * 9
    await other.close()
    await journal.close()


async def test_everything_recovers_after_a_restart(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    assert await journal.lead()
    async with Load(journal) as load:
        await load.moves_on()
        await asyncio.to_thread(postgres.stop)
        await asyncio.sleep(0.5)
        failures = load.failures
        assert failures > 0
        await asyncio.to_thread(postgres.start)
        await load.moves_on()
        assert await lost(journal, load) == 0
        await until(journal.lead)
    await journal.close()


WRITER = """
import asyncio, os, sys
from noughts.journal.postgres.journal import PostgresJournal
from support.writes import write

async def play(journal, room):
    version = len(await journal.read(room))
    while True:
        version += 1
        assert await journal.append(write(room, version, f"{room} {version}".encode() * 500))
        os.write(1, f"{room} {version}\\n".encode())

async def main():
    journal = await PostgresJournal.open(sys.argv[1])
    assert await journal.lead()
    await asyncio.gather(*(play(journal, f"room-{number}") for number in range(20)))

asyncio.run(main())
"""


def acknowledged_until_killed(url: str) -> dict[str, int]:
    with start(WRITER, url) as writer:
        assert writer.stdout
        lines = [writer.stdout.readline() for _ in range(random.randrange(1, 200))]
        writer.kill()
        lines += writer.stdout
    return {room: int(version) for room, version in map(str.split, lines)}


async def test_after_a_server_is_killed_others_continue_its_rooms_and_lead(postgres: Postgres, url: str) -> None:
    for _ in range(3):
        acknowledged = await asyncio.to_thread(acknowledged_until_killed, url)
        journal = await PostgresJournal.open(url)
        async with asyncio.timeout(20):
            for room, version in acknowledged.items():
                records = await journal.read(room)
                assert len(records) >= version
                assert records == [f"{room} {number}".encode() * 500 for number in range(1, len(records) + 1)]
                assert await journal.append(write(room, len(records) + 1, f"{room} {len(records) + 1}".encode() * 500))
        await until(journal.lead)
        await journal.close()


def by(proxy: Proxy, url: str) -> str:
    return f"postgresql://noughts@127.0.0.1:{urlsplit(proxy.url).port}{urlsplit(url).path}"


async def test_an_append_whose_answer_is_lost_has_an_unknown_outcome_and_is_stored_once(url: str) -> None:
    direct = await PostgresJournal.open(url)
    async with proxied(url) as proxy:
        journal = await PostgresJournal.open(by(proxy, url))
        stored = 0
        for version in range(1, 201):
            if stored and version > 20:
                break
            proxy.cut_after = random.randrange(200) if version % 2 else None
            try:
                assert await journal.append(write("a", version, b"first"))
            except JournalError:
                proxy.cut_after = None
                if await direct.read("a", version - 1):
                    stored += 1
                    assert not await _when_up(journal, version)
                else:
                    assert await _when_up(journal, version)
            assert len(await direct.read("a")) == version
        assert stored > 0
        await journal.close()
    await direct.close()


async def _when_up(journal: PostgresJournal, version: int) -> bool:
    async with asyncio.timeout(20):
        while True:
            try:
                return await journal.append(write("a", version, b"again"))
            except JournalError:
                await asyncio.sleep(0.05)


async def test_a_leader_that_is_cut_off_loses_the_lead_within_seconds_and_knows_it(url: str) -> None:
    other = await PostgresJournal.open(url)
    async with proxied(url) as proxy:
        journal = await PostgresJournal.open(by(proxy, url))
        assert await journal.lead()
        assert not await other.lead()
        proxy.frozen = True  # as when a cable is pulled: neither end is notified
        await until(other.lead, within_s=40)
        async with asyncio.timeout(40):
            assert not await journal.lead()
            with pytest.raises(JournalError):
                await journal.append(write("a"))
        proxy.cut()
        proxy.frozen = False
        async with asyncio.timeout(20):
            assert await _when_up(journal, 1)
        assert not await journal.lead()
        await other.close()
        assert await journal.lead()
        await journal.close()


async def test_a_session_that_connects_too_late_to_lead_is_ended(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url)
    async with proxied(url) as proxy:
        far = await PostgresJournal.open(by(proxy, url))
        await journal.close()
        await far.append(write("a"))
        sessions = len(postgres.backends(urlsplit(url).path[1:]))
        proxy.delay_s = 0.5
        assert not await far.lead()
        await asyncio.sleep(connect.CONNECT_S)
        assert len(postgres.backends(urlsplit(url).path[1:])) == sessions
        proxy.delay_s = 0
        await until(far.lead)
        await far.close()


async def test_a_leader_that_loses_its_session_asks_again(url: str) -> None:
    first, second = await PostgresJournal.open(url), await PostgresJournal.open(url)
    assert await first.lead()
    admin = await asyncpg.connect(url)
    await admin.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    await admin.close()
    await until(second.lead)
    assert not await first.lead()
    await second.close()
    assert await first.lead()
    await first.close()


async def test_a_cancelled_call_leaves_no_session_in_an_unknown_state(url: str) -> None:
    journal = await PostgresJournal.open(url)
    await journal.append(write("a"))
    for _ in range(30):
        left = [asyncio.create_task(journal.read("a")) for _ in range(10)]
        await asyncio.sleep(random.uniform(0, 0.005))
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        async with asyncio.timeout(40):
            assert await journal.read("a") == [b"{}"]
    await journal.close()
