"""What is particular to the SQLite journal; what every journal does is in contracts/test_journal.py."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from noughts.journal import Append, Journal, JournalError, JournalInUse, Outage
from noughts.journal import results as limits
from noughts.journal.sqlite import SqliteJournal
from noughts.journal.sqlite import results as sqlite_results
from support.scripts import start
from support.writes import OVER, PLAYING, player, rating, result, seek, write


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
        await journal.unleased(99),
        await journal.lease("b", 1, "node-1", 0),
        await journal.public(),
        await journal.lobby(None, 99),
        await journal.lobby("tictactoe", 99),
        await journal.open_rooms("p-1"),
        await journal.people.find_by_token(player(1).token_hash),
        await journal.people.find("player-2"),
        await journal.people.changed(0, ["p-1", "p-2"]),
        await journal.results.finished(private=True, limit=99),
        await journal.results.just_finished(None, 0, 99),
        await journal.results.last_of("p-1", 99),
        await journal.results.tally("p-2", 99),
        await journal.results.unrated(99),
        await journal.results.ratings(["p-1", "p-2"]),
        await journal.results.leaders("tictactoe", "blitz", 99, 99),
        await journal.results.rating_history("p-1", "tictactoe", "blitz", 99),
        await journal.results.over("", 99),
        await journal.seeks.waiting("tictactoe", "terms", 5, 99),
        journal.secret,
    ]


async def test_reopening_gives_everything(path: Path) -> None:
    first = await SqliteJournal.open(path)
    for one in (
        write("a", 1, b"a1", replace(PLAYING, due_at=5, listing=b"a"), (player(1),)),
        write("b", 1, b"b1", replace(PLAYING, thinking=True, listing=b"b")),
        write("c", 1, b"c\0\xff", OVER, (player(2),), finished=result("c", 1)),
        write("d", 1, b"d1", OVER, finished=result("d", 2)),
        write("a", 2, b"a2", replace(PLAYING, attended=True, due_at=7, listing=b"a")),
    ):
        assert await first.append(one)
    assert await first.people.register("p-2", "player-2")
    assert await first.results.rate(result("c", 1), rating(1, 1600, 1), rating(2, 1400, 1))
    assert await first.seeks.put(seek(1), 10) is None
    before = await everything(first)
    assert all(before[-13:])
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
    assert await journal.people.find_by_token(player(1).token_hash) == player(1)


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
    await use_all(journal)
    writer.set_trace_callback(None)
    plans = [
        step
        for sql in queries
        if sql.split()[0] in ("SELECT", "UPDATE", "DELETE")
        for *_, step in reader.execute(f"EXPLAIN QUERY PLAN {sql}")
    ]
    assert len(plans) >= 80
    sorting = re.compile("TEMP B-TREE FOR (?!GROUP BY)")  # a tally has some few groups
    small = ("SCAN (subquery", "SCAN heartbeat")
    unaided = [
        step
        for step in plans
        if sorting.search(step) or ("SCAN" in step and "INDEX" not in step and not step.startswith(small))
    ]
    assert unaided == []


async def use_all(journal: SqliteJournal) -> None:
    """Have it do each thing that it can write."""
    people, results, seeks = journal.people, journal.results, journal.seeks
    for number in (2, 3, 4):
        await people.add_guest(player(number))
    assert await people.register("p-2", "player-3")
    assert await people.change_token("p-2", player(2).token_hash, b"new")
    assert await people.mute("p-2", 1)
    assert await people.ban("p-2", 1)
    for number in (2, 3):
        await seeks.put(seek(number), 2**60)
    await seeks.renew([("p-2", "key")], 2**60)
    assert await seeks.pair(seek(2), seek(3), write("paired", index=OVER, finished=result("paired", 2)))
    assert not await seeks.withdraw("p-2")
    await journal.append(write("early", index=OVER, finished=result("early", 1)))
    assert await results.rate(result("paired", 2), rating(1, 1600, 1), rating(2, 1400, 1))
    assert await results.before(result("early", 1)) == (None, None)
    await results.put_anew([result("early", 1)])
    await results.forget_all()
    await journal.beat(0)
    await journal.forget(0)


BESIDE = """
import asyncio, pathlib, sys
from noughts.journal import SqliteJournal

async def main():
    journal = await SqliteJournal.open(pathlib.Path(sys.argv[1]), beside=True)
    print(len(await journal.results.finished(limit=99)), len(await journal.read("a")), flush=True)
    for number in range(200):
        assert await journal.people.mute("p-1", number)
    assert await journal.people.register("p-1", "player-1")
    await journal.close()
    print("done")

asyncio.run(main())
"""


async def test_another_process_reads_and_writes_while_a_server_goes_on(journal: SqliteJournal, path: Path) -> None:
    await journal.append(write("a", players=(player(1),)))
    await journal.append(write("b", index=OVER, finished=result("b")))
    with start(BESIDE, path) as beside:
        assert beside.stdout
        version = 1
        reading = asyncio.create_task(asyncio.to_thread(beside.stdout.read))
        while not reading.done():
            version += 1
            assert await journal.append(write("a", version, index=replace(PLAYING, listing=b"a")))
        told, _, done = (await reading).partition("\n")
        assert told.startswith("1 ")
        assert done == "done\n"
        assert version > 2
    assert await journal.people.find("player-1") == replace(player(1), registered=True, muted_until=199)
    assert len(await journal.read("a")) == version
    assert await journal.append(write("c", index=replace(PLAYING, listing=b"c")))
    assert await journal.lobby(None, 9) == [b"c", b"a"]
    with pytest.raises(JournalInUse):  # who was beside it has taken nothing from it
        await SqliteJournal.open(path)


async def test_who_is_beside_a_server_sees_what_it_writes_and_is_seen(journal: SqliteJournal, path: Path) -> None:
    beside = await SqliteJournal.open(path, beside=True)
    assert beside.secret == journal.secret
    await journal.people.add_guest(player(1))
    assert await beside.people.find("p-1") == player(1)
    changes = (one.people.mute("p-1", until) for until in range(50) for one in (journal, beside))
    assert all(await asyncio.gather(*changes))
    assert await beside.people.ban("p-1", 7)
    changed = await journal.people.changed(0, ["p-1"])
    assert [one.banned_until for one in changed] == [7]
    await beside.close()
    await (await SqliteJournal.open(path, beside=True)).close()
    assert await journal.append(write("a"))


async def test_beside_is_where_a_journal_is_also_without_a_server(path: Path) -> None:
    with pytest.raises(JournalError, match=r"there is no journal at .*journal\.db"):
        await SqliteJournal.open(path, beside=True)
    with pytest.raises(JournalError, match="there is no journal at"):
        await SqliteJournal.open(path.parent / "nowhere" / "journal.db", beside=True)
    with pytest.raises(JournalError, match="there is no journal at"):
        await SqliteJournal.open(path.parent, beside=True)
    assert list(path.parent.iterdir()) == []
    await (await SqliteJournal.open(path)).close()
    beside = await SqliteJournal.open(path, beside=True)
    assert await beside.people.add_guest(player(1))
    server = await SqliteJournal.open(path)
    assert await server.people.find("p-1") == player(1)
    await server.close()
    await beside.close()


async def test_however_many_games_are_to_be_rated_anew_others_write_in_between(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNDONE", 5)
    games = [result(f"room-{number:03}", number) for number in range(100)]
    await journal.results.put_anew(games)
    for number, game in enumerate(games[1:], 1):
        assert await journal.results.rate(game, rating(1, 1600, number), rating(2, 1400, number))
    connection, undone = journal._storage.connections.writer, Counter[int]()
    began = 0

    def count(statement: str) -> None:
        nonlocal began
        began += statement.startswith("BEGIN")
        undone[began] += statement.startswith("UPDATE results SET rated = FALSE")

    connection.set_trace_callback(count)
    assert await journal.results.before(games[0]) == (None, None)
    connection.set_trace_callback(None)
    assert undone.total() == 99
    assert max(undone.values()) == 5
    assert await journal.results.unrated(999) == games


async def test_all_results_are_dropped_bit_by_bit(journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_results, "FORGOTTEN", 10)
    games = [result(f"room-{number:03}", number) for number in range(95)]
    await journal.results.put_anew(games)
    for number, game in enumerate(games, 1):
        assert await journal.results.rate(game, rating(1, 1600, number), rating(2, 1400, number))
    connection, changes = journal._storage.connections.writer, [journal._storage.connections.writer.total_changes]

    def note(statement: str) -> None:
        if statement == "COMMIT":
            changes.append(connection.total_changes)

    connection.set_trace_callback(note)
    await journal.results.forget_all()
    connection.set_trace_callback(None)
    dropped = [after - before for before, after in pairwise(changes)]
    assert sum(dropped) == 95 + 2 * 95 + 2 + 1, "results, courses, ratings, and until when all is rated"
    assert max(dropped) == 10
    assert await journal.results.finished(private=True, limit=9) == []
    assert await journal.results.ratings(["p-1", "p-2"]) == []


async def test_who_writes_beside_a_server_leaves_it_the_file_between_two_commits(
    journal: SqliteJournal, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("noughts.journal.sqlite.storage.time.sleep", pauses.append)
    await journal.people.add_guest(player(1))
    assert pauses == []
    beside = await SqliteJournal.open(path, beside=True)
    for number in (2, 3):
        await beside.people.add_guest(player(number))
    await beside.close()
    assert len(pauses) == 2
    assert min(pauses) > 0
