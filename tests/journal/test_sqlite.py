"""Behaviour that only the SQLite journal has; contracts/ tests what every journal must do."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from noughts.journal import Append, JournalError, JournalInUse, Outage, SqliteJournal
from noughts.journal.queries import UNFINISHED
from noughts.journal.sqlite.schema import Connections
from support.scripts import start
from support.usage import everything, use_all
from support.writes import OVER, PLAYING, player, rating, result, seek, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    journal = await SqliteJournal.open(path)
    yield journal
    await journal.close()


def connections_of(journal: SqliteJournal) -> Connections:
    return journal.database.connections


async def test_everything_is_there_after_reopening(path: Path) -> None:
    first = await SqliteJournal.open(path)
    for one in (
        write("a", 1, b"a1", replace(PLAYING, due_at=5, listing=b"a"), (player(1),)),
        write("b", 1, b"b1", replace(PLAYING, thinking=True, listing=b"b")),
        write("c", 1, b"c\0\xff", OVER, (player(2),), finished=result("c", 1)),
        write("d", 1, b"d1", OVER, (player(3),), finished=result("d", 2, second="p-3")),
        write("e", 1, b"e1", OVER, finished=result("e", 3)),
        write("f", 1, b"f1", OVER, finished=result("f", 4)),
        write("a", 2, b"a2", replace(PLAYING, attended=True, due_at=7, listing=b"a")),
    ):
        assert await first.append(one)
    assert await first.people.register("p-2", "player-2")
    assert await first.results.rate([(result("c", 1), rating(1, 1600, 1), rating(2, 1400, 1))])
    assert await first.results.rate([(result("d", 2, second="p-3"), rating(1, 1650, 2), rating(3, 1450, 1))])
    assert await first.results.rate([(result("e", 3), rating(1, 1700, 3), rating(2, 1350, 2))])
    assert await first.seeks.put(seek(1), 10) is None
    before = await everything(first)
    assert all(before[-18:])
    await first.close()
    assert not path.with_name("journal.db-wal").exists()
    second = await SqliteJournal.open(path)
    assert await everything(second) == before
    assert not await second.append(write("a", 2))
    assert await second.append(write("b", 2, index=replace(PLAYING, listing=b"b")))
    assert await second.index.lobby(None, 9) == [b"b", b"a"]
    await second.close()


async def test_an_outage_is_reported_after_a_restart_and_for_a_week(path: Path) -> None:
    now = 1_000_000
    first = await SqliteJournal.open(path, lambda: now)
    assert await first.beat(0) == []
    await first.close()
    now += 5000
    again = await SqliteJournal.open(path, lambda: now)
    assert await again.beat(0) == [Outage(1_000_000, 1_005_000)]
    await again.close()
    now += 7 * 86_400_000
    late = await SqliteJournal.open(path, lambda: now)
    assert await late.beat(0) == [Outage(1_005_000, now)]
    await late.close()


async def test_a_backup_made_during_writes_is_a_journal(path: Path) -> None:
    journal = await SqliteJournal.open(path)
    copy = path.with_name("copy.db")
    await asyncio.gather(*(journal.append(write(room, 1, players=(player(1),))) for room in "abc"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("VACUUM INTO ?", (str(copy),))
    restored = await SqliteJournal.open(copy)
    assert await everything(restored) == await everything(journal)
    assert await journal.append(write("a", 2))
    await restored.close()
    await journal.close()


async def test_a_second_server_is_refused_until_the_first_is_closed(path: Path) -> None:
    first = await SqliteJournal.open(path)
    with pytest.raises(JournalInUse):
        await SqliteJournal.open(path)
    assert await first.append(write("a", 1))
    await first.close()
    await (await SqliteJournal.open(path)).close()


async def test_waiting_writes_share_a_commit(journal: SqliteJournal) -> None:
    statements: Counter[str] = Counter()
    connections_of(journal).writer.set_trace_callback(lambda sql: statements.update([sql.split()[0]]))
    taken = await asyncio.gather(*(journal.append(write(f"room-{number}", 1)) for number in range(300)))
    assert taken == [True] * 300
    assert statements["COMMIT"] == statements["BEGIN"] <= 30


@pytest.mark.parametrize(
    "bad",
    [
        write("\ud800", 1),
        write("x", 1, index=replace(PLAYING, due_at=2**80)),
        write("x", 1, index=replace(PLAYING, listing=None)),  # type: ignore[arg-type] # what types do not stop
    ],
)
async def test_a_row_that_cannot_be_stored_does_not_fail_the_others(journal: SqliteJournal, bad: Append) -> None:
    assert await journal.append(write("old", 1))
    writes = [write("a", 1), write("old", 1), write("a", 2, players=(player(1),)), bad, write("b", 1)]
    outcomes = await asyncio.gather(*map(journal.append, writes), return_exceptions=True)
    assert [*outcomes[:3], outcomes[4]] == [True, False, True, True]
    assert isinstance(outcomes[3], JournalError)
    assert await journal.read("a") == [b"{}", b"{}"]
    assert await journal.read("x") == []
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)


async def test_reads_do_not_wait_for_a_writer_that_waits(journal: SqliteJournal, path: Path) -> None:
    assert await journal.append(write("a", 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(journal.append(write("a", 2)))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(20):
            assert await journal.read("a") == [b"{}"]
        assert not waiting.done()
        other.execute("ROLLBACK")
    assert await waiting


async def test_writes_fail_while_another_program_holds_the_file_and_work_afterwards(
    journal: SqliteJournal, path: Path
) -> None:
    connections_of(journal).writer.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="locked"):
            await journal.append(write("a", 1))
    assert await journal.append(write("a", 1))


async def test_a_statement_that_fails_leaves_nothing_behind(journal: SqliteJournal) -> None:
    writer = connections_of(journal).writer
    writer.execute("ALTER TABLE records RENAME TO mislaid")
    with pytest.raises(JournalError, match="no such table"):
        await journal.append(write("a", 1))
    writer.execute("ALTER TABLE mislaid RENAME TO records")
    assert await journal.append(write("a", 1))


FILL = """
import asyncio, pathlib, resource, sys
from noughts.journal import JournalError
from noughts.journal import SqliteJournal
from support.writes import write

async def main():
    path = pathlib.Path(sys.argv[1])
    journal = await SqliteJournal.open(path)
    assert await journal.append(write("a", 1, b"before"))
    used = path.with_name(path.name + "-wal").stat().st_size
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (used + 8192, hard))
    writes = [write("a", 2, b"x" * 200_000), write("b", 1, b"y" * 200_000)]
    outcomes = await asyncio.gather(*map(journal.append, writes), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [JournalError, JournalError], outcomes
    assert await journal.read("a") == [b"before"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert await journal.append(write("a", 2, b"after"))
    await journal.close()
    print("done")

asyncio.run(main())
"""


async def test_writes_fail_on_a_full_disk_and_work_afterwards(path: Path) -> None:
    pytest.importorskip("resource")
    with start(FILL, path) as filling:
        assert filling.stdout
        assert await asyncio.to_thread(filling.stdout.read) == "done\n"
    journal = await SqliteJournal.open(path)
    assert await journal.read("a") == [b"before", b"after"]
    assert await journal.read("b") == []
    await journal.close()


async def test_every_query_finds_its_rows_by_an_index(journal: SqliteJournal) -> None:
    reader, writer = connections_of(journal).reader, connections_of(journal).writer
    queries: list[str] = []
    reader.set_trace_callback(queries.append)
    await everything(journal)
    reader.set_trace_callback(None)
    writer.set_trace_callback(queries.append)
    assert await journal.append(write("a", 1, players=(player(1),)))
    assert await journal.append(write("a", 2, index=None))
    await use_all(journal)
    writer.set_trace_callback(None)
    plans = [
        (sql, step)
        for sql in queries
        if sql.split()[0] in ("SELECT", "UPDATE", "DELETE", "INSERT")
        for *_, step in reader.execute(f"EXPLAIN QUERY PLAN {sql}")
    ]
    assert len(plans) >= 80
    found = ("SCAN (subquery", "SCAN games", "SCAN one", "SCAN other", "SCAN page")
    small = (*found, "SCAN heartbeat", "SCAN rated_until", "SCAN CONSTANT ROW", "SCAN written")
    dropped_whole = ("SCAN ratings", "SCAN rating_history")
    unaided = [
        (sql, step)
        for sql, step in plans
        # A tally has few groups, a player few tokens, and what "one" and "other" find is limited. Those who wait for a
        # search are sorted, and so are the operator's unfinished games.
        if "AS address_turn" not in sql
        and not sql.startswith(UNFINISHED.partition("LIMIT")[0])
        and (
            (re.search("TEMP B-TREE FOR (?!GROUP BY)", step) and "AS other" not in sql and "tokens" not in sql)
            or ("SCAN" in step and "INDEX" not in step and not step.startswith(small + dropped_whole))
        )
    ]
    assert unaided == []


UNLOCKED = """
import asyncio, pathlib, sys
from noughts.journal import SqliteJournal

async def main():
    journal = await SqliteJournal.open(pathlib.Path(sys.argv[1]), exclusive=False)
    print(len(await journal.results.finished(limit=99)), len(await journal.read("a")), flush=True)
    for number in range(40):
        assert await journal.people.mute("p-1", number)
    assert await journal.people.register("p-1", "player-1")
    await journal.close()
    print("done")

asyncio.run(main())
"""


async def test_another_process_reads_and_writes_while_a_server_runs(journal: SqliteJournal, path: Path) -> None:
    await journal.append(write("a", players=(player(1),)))
    await journal.append(write("b", index=OVER, finished=result("b")))
    with start(UNLOCKED, path) as other:
        assert other.stdout
        version = 1
        reading = asyncio.create_task(asyncio.to_thread(other.stdout.read))
        while not reading.done():
            version += 1
            assert await journal.append(write("a", version, index=replace(PLAYING, listing=b"a")))
        counts, _, done = (await reading).partition("\n")
        assert counts.startswith("1 ")
        assert done == "done\n"
        assert version > 2
    assert await journal.people.find("player-1") == replace(player(1), registered=True, muted_until=39)
    assert len(await journal.read("a")) == version
    assert await journal.append(write("c", index=replace(PLAYING, listing=b"c")))
    assert await journal.index.lobby(None, 9) == [b"c", b"a"]
    with pytest.raises(JournalInUse):  # the other process has not released the lock
        await SqliteJournal.open(path)


async def test_a_server_and_an_unlocked_journal_see_each_others_writes(journal: SqliteJournal, path: Path) -> None:
    other = await SqliteJournal.open(path, exclusive=False)
    assert other.secret == journal.secret
    await journal.people.add_guest(player(1))
    assert await other.people.find("p-1") == player(1)
    changes = (one.people.mute("p-1", until) for until in range(50) for one in (journal, other))
    assert all(await asyncio.gather(*changes))
    assert await other.people.ban("p-1", 7)
    changed = await journal.people.changed(0, ["p-1"])
    assert [one.banned_until for one in changed] == [7]
    await other.close()
    await (await SqliteJournal.open(path, exclusive=False)).close()
    assert await journal.append(write("a"))


async def test_an_unlocked_journal_must_exist_and_needs_no_server(path: Path) -> None:
    with pytest.raises(JournalError, match=r"there is no journal at .*journal\.db"):
        await SqliteJournal.open(path, exclusive=False)
    with pytest.raises(JournalError, match="there is no journal at"):
        await SqliteJournal.open(path.parent / "nowhere" / "journal.db", exclusive=False)
    with pytest.raises(JournalError, match="there is no journal at"):
        await SqliteJournal.open(path.parent, exclusive=False)
    assert list(path.parent.iterdir()) == []
    await (await SqliteJournal.open(path)).close()
    other = await SqliteJournal.open(path, exclusive=False)
    assert await other.people.add_guest(player(1))
    server = await SqliteJournal.open(path)
    assert await server.people.find("p-1") == player(1)
    await server.close()
    await other.close()


async def test_an_unlocked_journal_pauses_between_two_commits(
    journal: SqliteJournal, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    await journal.people.add_guest(player(1))
    assert pauses == []
    other = await SqliteJournal.open(path, exclusive=False)
    for number in (2, 3):
        await other.people.add_guest(player(number))
    await other.close()
    assert len(pauses) == 2
    assert min(pauses) > 0
