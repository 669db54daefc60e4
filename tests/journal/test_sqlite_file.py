"""Files of a journal that somebody else touches, or that are damaged; over real files."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from noughts.journal import JournalError, SqliteJournal
from noughts.journal.sqlite import file
from noughts.journal.sqlite.file import remote_file_system
from support.writes import player, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    """An open journal, of which a part is in the file itself and another in its log."""
    await fill(path, "old", 40)
    journal = await SqliteJournal.open(path)
    for number in range(20):
        assert await journal.append(write(f"new-{number}", 1, b"x" * 3000))
    assert await journal.append(write("a"))
    yield journal
    await journal.close()


async def fill(path: Path, name: str, rooms: int) -> None:
    """Write ``rooms`` rooms to the journal at ``path``, and close it."""
    journal = await SqliteJournal.open(path)
    for number in range(rooms):
        assert await journal.append(write(f"{name}-{number}", 1, b"x" * 3000))
    await journal.close()


def beside(path: Path) -> Path:
    """The log."""
    return path.with_name(f"{path.name}-wal")


def replace_by_copy(path: Path) -> None:
    """As restoring a backup does."""
    copy = path.with_name("copy")
    with closing(sqlite3.connect(path)) as other:
        other.execute("VACUUM INTO ?", (str(copy),))
    copy.rename(path)


def copy_over(path: Path) -> None:
    """As ``cp BACKUP JOURNAL`` does: the file stays, with other content."""
    small = path.with_name("small")
    with closing(sqlite3.connect(small)) as other:
        other.execute("CREATE TABLE t (x)")
    path.write_bytes(small.read_bytes())


def size(path: Path) -> int:
    return path.stat().st_size


def spoil(path: Path) -> None:
    """Write nonsense into the middle."""
    with path.open("r+b") as file:
        file.seek(size(path) // 2)
        file.write(b"\xff" * 65_536)


def shorten(path: Path, by: int) -> None:
    os.truncate(path, size(path) - by)


HARM: dict[str, tuple[Callable[[Path], object], str]] = {
    "removed": (Path.unlink, "journal.db was removed"),
    "moved": (lambda path: path.rename(path.with_name("other")), "journal.db was removed"),
    "directory moved": (lambda path: path.parent.rename(path.parent.with_name("elsewhere")), "journal.db was removed"),
    "replaced": (replace_by_copy, "journal.db was replaced"),
    "copied over": (copy_over, "journal.db was truncated"),
    "emptied": (lambda path: os.truncate(path, 0), "journal.db was truncated"),
    "truncated": (lambda path: shorten(path, 4096), "journal.db was truncated"),
    "log removed": (lambda path: beside(path).unlink(), "journal.db-wal was removed"),
    "log replaced": (
        lambda path: (beside(path).rename(path.with_name("log")), beside(path).write_bytes(b"")),
        "journal.db-wal was replaced",
    ),
    "log emptied": (lambda path: os.truncate(beside(path), 0), "journal.db-wal was truncated"),
    "log truncated": (lambda path: shorten(beside(path), 4096), "journal.db-wal was truncated"),
}


@pytest.mark.parametrize("harm", HARM)
async def test_nothing_is_acknowledged_once_the_file_is_not_what_it_was(
    journal: SqliteJournal, path: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    do_harm, reason = HARM[harm]
    assert journal.trouble is None
    do_harm(path)
    outcomes = await asyncio.gather(
        journal.append(write("a", 2)),
        journal.append(write("b")),
        journal.people.add_guest(player(1)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [JournalError] * 3
    assert journal.trouble == f"the file is lost: {reason}"
    for call in (journal.read("a"), journal.beat(1), journal.append(write("c")), journal.lead()):
        with pytest.raises(JournalError, match=reason):
            await call
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert str(path) in line
    assert reason in line


async def test_a_file_that_is_lost_during_a_commit_is_noticed_before_the_answer(
    journal: SqliteJournal, path: Path
) -> None:
    writer = journal.database.connections.writer
    writer.set_trace_callback(lambda sql: path.unlink(missing_ok=True) if sql == "COMMIT" else None)
    with pytest.raises(JournalError, match="was removed"):
        await journal.append(write("a", 2))


async def test_what_other_programs_may_do_to_the_file_is_no_harm(journal: SqliteJournal, path: Path) -> None:
    """They may check the log into the file, empty it, and make the file shorter."""
    version = 1
    for number in range(20):
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            for pragma in ("PASSIVE", "FULL", "RESTART", "TRUNCATE")[number % 4 :]:
                version += 1
                assert await journal.append(write("a", version, b"x" * 5000))
                assert other.execute(f"PRAGMA wal_checkpoint({pragma})").fetchone()[0] == 0
            if number == 10:
                other.execute("DELETE FROM records WHERE length(record) = 3000")
                before = size(path)
                other.execute("VACUUM")
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                assert size(path) < before
                assert size(beside(path)) == 0
        version += 1
        assert await journal.append(write("a", version))
    assert journal.trouble is None
    await journal.check()
    assert journal.trouble is None
    assert len(await journal.read("a")) == version


async def test_a_busy_journal_is_not_disturbed_by_checkpoints_of_another_program(
    journal: SqliteJournal, path: Path
) -> None:
    stopped = False

    def check_in() -> None:
        with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as other:
            while not stopped:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    checking = asyncio.create_task(asyncio.to_thread(check_in))
    try:
        for version in range(2, 300):
            assert await journal.append(write("a", version, b"x" * 9000))
    finally:
        stopped = True
        await checking


async def test_a_damaged_file_is_found(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await fill(path, "old", 200)
    spoil(path)
    journal = await SqliteJournal.open(path)
    assert journal.trouble is None
    await journal.check()
    assert journal.trouble is not None
    assert journal.trouble.startswith("the file is damaged: ")
    assert [record.levelname for record in caplog.records if str(path) in record.getMessage()] == ["ERROR"]
    assert await journal.append(write("a")), "games go on"
    await journal.close()


async def test_a_check_leaves_a_file_alone_that_has_taken_the_journals_place(path: Path) -> None:
    journal = await SqliteJournal.open(path)
    assert await journal.append(write("a"))
    shutil.copy(path, f"{path}-other")
    shutil.move(f"{path}-other", path)
    await journal.check()  # SQLite would cut off the index that the open connections share
    assert len(await journal.read("a")) == 1
    await journal.close()


async def test_a_check_that_is_cancelled_ends_soon(path: Path) -> None:
    await fill(path, "old", 400)
    journal = await SqliteJournal.open(path)
    checking = asyncio.create_task(journal.check())
    await asyncio.sleep(0)
    checking.cancel()
    await asyncio.gather(checking, return_exceptions=True)
    assert checking.cancelled()
    assert journal.trouble is None
    await journal.close()


MOUNTS = """\
/dev/vda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/games /srv/games nfs4 rw,relatime,vers=4.2 0 0
/dev/vdb1 /srv/games/local xfs rw 0 0
user@host: /mnt/with\\040blank fuse.sshfs rw 0 0
/dev/vdc1 /mnt/stick fuseblk rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/noughts/journal.sqlite3", None),
        ("/srv/games/journal", "nfs4"),
        ("/srv/games/local/journal", None),
        ("/srv/gamesandmore/journal", None),
        ("/mnt/with blank/a/journal", "fuse.sshfs"),
        ("/mnt/stick/journal", None),
    ],
)
def test_the_file_systems_of_other_machines_are_known(path: str, kind: str | None) -> None:
    assert remote_file_system(Path(path), MOUNTS) == kind


async def test_the_log_warns_of_a_journal_on_another_machine(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    mounts = path.with_name("mounts")
    monkeypatch.setattr(file, "MOUNTS", mounts)
    for kind, warnings in (("ext4", 0), ("nfs4", 1)):
        mounts.write_text(f"somewhere / {kind} rw 0 0\n")
        await (await SqliteJournal.open(path)).close()
        assert len([line for line in caplog.messages if str(path) in line and "nfs4" in line]) == warnings


async def test_a_log_without_its_journal_is_not_thrown_away(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await (await SqliteJournal.open(path)).close()
    path.unlink()
    log = tmp_path / "journal.db-wal"
    log.write_bytes(b"moves")
    with pytest.raises(JournalError, match=r"journal\.db-wal, which belongs to one"):
        await SqliteJournal.open(path)
    assert log.read_bytes() == b"moves"
