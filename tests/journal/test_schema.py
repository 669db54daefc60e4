import json
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path

import pytest

from noughts.journal import JournalError, JournalInUse, SqliteJournal, StoredPlayer
from noughts.journal.sqlite import schema
from noughts.journal.sqlite.schema import Connections, open_file, open_unlocked
from noughts.players.names import guest_name
from support.rated_before import RATED_BEFORE, keeps_ratings_and_order
from support.scripts import start
from support.writes import OVER, player, result, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "directories" / "journal.db"


@contextmanager
def opened(path: Path) -> Iterator[Connections]:
    connections = open_file(path)
    try:
        yield connections
    finally:
        connections.close()


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_the_writer_is_as_durable_as_promised(path: Path) -> None:
    with opened(path) as connections:
        assert pragma(connections.writer, "journal_mode") == "wal"
        assert pragma(connections.writer, "synchronous") == 2  # FULL
        assert pragma(connections.writer, "fullfsync") == 1


def test_the_reader_cannot_write(path: Path) -> None:
    with opened(path) as connections, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connections.reader.execute("DELETE FROM records")


@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX")
def test_only_its_user_can_read_it(path: Path) -> None:
    before = os.umask(0)
    try:
        with opened(path) as connections:
            connections.writer.execute("DELETE FROM players")
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-lock"):
                assert stat.S_IMODE((path.parent / name).stat().st_mode) == 0o600
    finally:
        os.umask(before)
    path.chmod(0o644)
    with opened(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_migrations_are_numbered_from_1() -> None:
    names = sorted(file.name for file in (resources.files("noughts.journal.sqlite") / "migrations").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}_\w+\.sql", name) for name in names)
    assert len(schema.migrations()) == len(names)


def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    with opened(path) as connections:
        assert pragma(connections.writer, "user_version") == len(schema.migrations())


def test_a_migration_is_done_as_a_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = schema.migrations()
    good, bad = "CREATE TABLE added (x);", "CREATE TABLE half (x); SELECT nonsense;"
    monkeypatch.setattr(schema, "migrations", lambda: first)
    with opened(path) as connections:
        connections.writer.execute("INSERT INTO players (id, name, kind, seated) VALUES ('p-1', '1', 'human', TRUE)")
    monkeypatch.setattr(schema, "migrations", lambda: [*first, good, bad])
    with pytest.raises(JournalError, match="nonsense"):
        open_file(path)
    monkeypatch.setattr(schema, "migrations", lambda: [*first, good])
    with opened(path) as connections:
        assert pragma(connections.writer, "user_version") == len(first) + 1
        tables = {name for (name,) in connections.reader.execute("SELECT name FROM sqlite_master")}
        assert "added" in tables
        assert "half" not in tables
        assert connections.reader.execute("SELECT count(*) FROM players").fetchone() == (1,)


def test_players_of_the_first_schema_count_as_seated(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(schema.migrations()[0] + "PRAGMA user_version = 1;")
        connection.execute("INSERT INTO players VALUES ('p-1', 'player-1', 'human', x'00')")
        connection.commit()
    with opened(path) as connections:
        assert connections.reader.execute("SELECT id, seated, greeted FROM players").fetchall() == [("p-1", 1, None)]


def make_old(path: Path, version: int) -> None:
    """Make a journal of that schema, with a room and two players of the same name, one of them seated."""
    with closing(sqlite3.connect(path)) as connection:
        for script in schema.migrations()[:version]:
            connection.executescript(script)
        connection.executescript(f"""
            INSERT INTO rooms VALUES (1, 'a', 2, 7, 'tictactoe', 'p-1', 'playing', 1, NULL, 0, 0, x'7b7d');
            INSERT INTO records VALUES (1, 1, x'31'), (1, 2, x'32');
            INSERT INTO players (id, name, kind, token_hash, seated, greeted)
            VALUES ('p-1', 'Player', 'human', x'01', 1, NULL), ('p-2', 'PLAYER', 'bot', x'02', 0, 1);
            PRAGMA user_version = {version};
        """)


async def test_an_old_journal_with_rooms_and_players_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    make_old(path, 3)
    journal = await SqliteJournal.open(path)
    assert await journal.read("a") == [b"1", b"2"]
    assert await journal.append(write("a", 3, index=OVER, players=(player(3),), finished=result("a")))
    assert await journal.results.just_finished(None, -1, 9) == [b"{}"]
    assert await journal.people.find_by_token(b"\1") == StoredPlayer("p-1", "Player", "human", b"\1")
    assert [(token.hash, token.used) for token in await journal.tokens.of("p-2")] == [(b"\2", 0)]
    assert await journal.people.changed(0, ["p-1"]) == []
    assert await journal.people.register("p-1", "Player")
    assert await journal.people.find("p-2") == StoredPlayer("p-2", guest_name("p-2"), "bot", b"\2")
    assert await journal.people.find("player") == StoredPlayer("p-1", "Player", "human", b"\1", registered=True)
    await journal.forget(2)
    assert await journal.people.find("p-2") is None
    await journal.close()


async def test_games_rated_by_an_older_version_keep_their_ratings_and_order(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    make_old(path, 6)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(RATED_BEFORE)
    journal = await SqliteJournal.open(path)
    await keeps_ratings_and_order(journal)
    await journal.close()


async def test_tables_of_computers_sleep_after_a_migration(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        for script in schema.migrations()[:8]:
            connection.executescript(script)
        tables = [("computer:easy", "playing"), ("p-1", "playing"), ("computer:easy", "over")]
        for number, (first, status) in enumerate(tables):
            name = 'a"second":{"id":"computer:'
            seats = {"first": {"id": first, "name": name}, "second": {"id": "computer:best"}}
            connection.execute(
                "INSERT INTO rooms (room, changed, game, opened_by, status, public, due_at, thinking, attended,"
                " listing) VALUES (?, ?, 'tictactoe', 'p-1', ?, 1, 5, 1, 0, ?)",
                (str(number), number, status, json.dumps({"seats": seats}, separators=(",", ":")).encode()),
            )
            connection.execute("INSERT INTO records VALUES (?, 1, x'31')", (number + 1,))
        connection.execute("PRAGMA user_version = 8")
        connection.commit()
    journal = await SqliteJournal.open(path)
    assert await journal.unleased(9) == ["1"]
    assert await journal.index.due(9, 9) == ["1", "2"]
    assert await journal.index.open_sleepers("p-1") == 1
    await journal.close()


def test_nothing_is_migrated_while_a_server_has_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, newest = tmp_path / "journal.db", schema.migrations()
    monkeypatch.setattr(schema, "migrations", lambda: newest[:-1])
    with opened(path):
        monkeypatch.setattr(schema, "migrations", lambda: newest)
        with pytest.raises(JournalError, match="older version of noughts, and a server of that version has it open"):
            open_unlocked(path)
    with closing(sqlite3.connect(path)) as connection:
        assert pragma(connection, "user_version") == len(newest) - 1
    beside = open_unlocked(path)  # no server has it open now
    assert pragma(beside.writer, "user_version") == len(newest)
    with opened(path):
        pass
    beside.close()
    monkeypatch.setattr(schema, "migrations", lambda: newest[:-1])
    with pytest.raises(JournalError, match="newer version"):
        open_unlocked(path)


def test_only_a_journal_is_opened_without_the_lock(tmp_path: Path) -> None:
    empty, other, notes = tmp_path / "empty.db", tmp_path / "other.db", tmp_path / "notes.txt"
    empty.touch()
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    notes.write_text("x" * 5000)
    for path, words in ((empty, "there is no journal"), (other, "not a journal"), (notes, r"notes\.txt")):
        before = path.read_bytes()
        with pytest.raises(JournalError, match=words):
            open_unlocked(path)
        assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [empty, notes, other]


def test_the_secret_is_created_once(path: Path, tmp_path: Path) -> None:
    with opened(path) as connections:
        secret = connections.secret
    with opened(path) as connections:
        assert connections.secret == secret
    with opened(tmp_path / "other.db") as connections:
        assert connections.secret != secret


def test_a_journal_of_a_newer_version_is_refused_and_not_changed(path: Path) -> None:
    with opened(path) as connections:
        connections.writer.execute("PRAGMA user_version = 999")
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"newer version.* 999"):
        open_file(path)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(schema.migrations())}")
    with opened(path):
        pass


def test_the_database_of_another_program_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="not a journal"):
        open_file(path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("x" * 5000)
    with pytest.raises(JournalError, match=r"notes\.txt"):
        open_file(path)
    with pytest.raises(JournalError):
        open_file(tmp_path)
    with pytest.raises(JournalError):
        open_file(path / "journal.db")


def test_a_second_server_is_refused_by_any_link_to_the_file(path: Path) -> None:
    with opened(path):
        with pytest.raises(JournalInUse):
            open_file(path)
        link = path.with_name("link.db")
        link.symlink_to(path)
        with pytest.raises(JournalInUse):
            open_file(link)
        with pytest.raises(JournalInUse):  # a refusal has not let go of the first one's lock
            open_file(path)
    with opened(path):
        pass


OPENER = """
import os, pathlib, sys, time
from noughts.journal.sqlite.schema import open_file
connections = open_file(pathlib.Path(sys.argv[1]))
child = os.fork()
if child:
    print(child, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills and forks are POSIX")
def test_the_lock_dies_with_its_process_even_if_a_child_lives_on(path: Path) -> None:
    with start(OPENER, path) as opener:
        assert opener.stdout
        child = int(opener.stdout.readline())
        try:
            with pytest.raises(JournalInUse):
                open_file(path)
            opener.kill()
            opener.wait()
            os.kill(child, 0)
            with opened(path):
                pass
        finally:
            opener.kill()
            os.kill(child, 9)


def test_an_older_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(JournalError, match=r"noughts needs 3\.35\.0 or newer"):
        open_file(path)


async def test_unfinished_rooms_of_an_older_version_are_found_by_their_players(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        for script in schema.migrations()[:9]:
            connection.executescript(script)
        ann, computer = {"id": "p-1", "kind": "human"}, {"id": "computer:easy", "kind": "computer"}
        for number, (first, second, status) in enumerate(
            [(ann, computer, "playing"), (None, ann, "waiting"), (computer, ann, "over")]
        ):
            connection.execute(
                "INSERT INTO rooms (room, changed, game, opened_by, status, public, thinking, attended, listing)"
                " VALUES (?, 1, 'tictactoe', 'p-1', ?, 1, 0, 0, ?)",
                (f"room-{number}", status, json.dumps({"seats": {"first": first, "second": second}}).encode()),
            )
        connection.execute("PRAGMA user_version = 9")
        connection.commit()
    journal = await SqliteJournal.open(path)
    assert [room for room, _ in await journal.games.unfinished("p-1", None, 9)] == ["room-1", "room-0"]
    assert await journal.games.unfinished("computer:easy", None, 9) == []
    await journal.close()
