"""What is particular to the SQLite journal; what every journal does is in contracts/test_journal.py."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from noughts.journal import Append, Journal, JournalError, JournalInUse, Outage
from noughts.journal.sqlite import SqliteJournal
from support.scripts import start
from support.writes import OVER, PLAYING, player, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    journal = await SqliteJournal.open(path)
    yield journal
    await journal.close()


async def everything(journal: Journal) -> list[object]:
    return [
        [await journal.read(room) for room in "abc"],
        await journal.due(99, 99),
        await journal.heads(["a", "b", "c"]),
        await journal.attended(),
        await journal.unclaimed(99),
        await journal.claim("b", 1, "node-1", 0),
        await journal.public(),
        await journal.lobby(None, 99),
        await journal.lobby("tictactoe", 99),
        await journal.open_rooms("p-1"),
        await journal.people.holder(player(1).token_hash),
        journal.secret,
    ]


async def test_reopening_gives_everything(path: Path) -> None:
    first = await SqliteJournal.open(path)
    for one in (
        write("a", 1, b"a1", replace(PLAYING, due_at=5, listing=b"a"), (player(1),)),
        write("b", 1, b"b1", replace(PLAYING, thinking=True, listing=b"b")),
        write("c", 1, b"c\0\xff", OVER),
        write("a", 2, b"a2", replace(PLAYING, attended=True, due_at=7, listing=b"a")),
    ):
        assert await first.append(one)
    before = await everything(first)
    await first.close()
    assert not path.with_name("journal.db-wal").exists()
    second = await SqliteJournal.open(path)
    assert await everything(second) == before
    assert not await second.append(write("a", 2))
    assert await second.append(write("b", 2, index=replace(PLAYING, listing=b"b")))
    assert await second.lobby(None, 9) == [b"b", b"a"]
    await second.close()


async def test_an_outage_is_told_of_after_a_restart_and_for_a_week(path: Path) -> None:
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


async def test_a_backup_made_while_it_is_written_to_is_a_journal(path: Path) -> None:
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


async def test_writes_that_wait_share_a_commit(journal: SqliteJournal) -> None:
    statements: Counter[str] = Counter()
    journal._storage.connections.writer.set_trace_callback(lambda sql: statements.update([sql.split()[0]]))
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
    assert await journal.people.holder(player(1).token_hash) == player(1)


async def test_reads_do_not_wait_for_a_writer_that_waits(journal: SqliteJournal, path: Path) -> None:
    assert await journal.append(write("a", 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(journal.append(write("a", 2)))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(1):
            assert await journal.read("a") == [b"{}"]
        assert not waiting.done()
        other.execute("ROLLBACK")
    assert await waiting


async def test_a_file_held_by_another_program_fails_the_writes_and_the_journal_goes_on(
    journal: SqliteJournal, path: Path
) -> None:
    journal._storage.connections.writer.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="locked"):
            await journal.append(write("a", 1))
    assert await journal.append(write("a", 1))


async def test_a_statement_that_fails_leaves_nothing_behind(journal: SqliteJournal) -> None:
    writer = journal._storage.connections.writer
    writer.execute("ALTER TABLE records RENAME TO mislaid")
    with pytest.raises(JournalError, match="no such table"):
        await journal.append(write("a", 1))
    writer.execute("ALTER TABLE mislaid RENAME TO records")
    assert await journal.append(write("a", 1))


FILL = """
import asyncio, pathlib, resource, sys
from noughts.journal import JournalError
from noughts.journal.sqlite import SqliteJournal
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


async def test_a_full_disk_fails_its_writes_and_the_journal_goes_on(path: Path) -> None:
    pytest.importorskip("resource")
    with start(FILL, path) as filling:
        assert filling.stdout
        assert await asyncio.to_thread(filling.stdout.read) == "done\n"
    journal = await SqliteJournal.open(path)
    assert await journal.read("a") == [b"before", b"after"]
    assert await journal.read("b") == []
    await journal.close()


async def test_every_query_finds_its_rows_by_an_index(journal: SqliteJournal) -> None:
    reader, writer = journal._storage.connections.reader, journal._storage.connections.writer
    queries: list[str] = []
    reader.set_trace_callback(queries.append)
    await everything(journal)
    reader.set_trace_callback(None)
    writer.set_trace_callback(queries.append)
    assert await journal.append(write("a", 1, players=(player(1),)))
    assert await journal.append(write("a", 2))
    await journal.people.greet(player(2))
    await journal.forget(0)
    writer.set_trace_callback(None)
    plans = [
        step
        for sql in queries
        if sql.split()[0] in ("SELECT", "UPDATE", "DELETE")
        for *_, step in reader.execute(f"EXPLAIN QUERY PLAN {sql}")
    ]
    assert len(plans) >= 15
    unaided = [step for step in plans if "TEMP B-TREE" in step or ("SCAN" in step and "INDEX" not in step)]
    assert unaided == []
