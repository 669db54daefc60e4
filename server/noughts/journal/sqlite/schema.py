"""Opens SQLite journals: locks the file, makes it private to its user, and migrates it to the newest schema."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from secrets import token_bytes

from noughts.journal.sqlite.file import OpenFile, remote_file_system
from noughts.journal.values import SECRET_BYTES, JournalError, JournalInUse

log = logging.getLogger(__name__)

REMOTE_RISK = "SQLite may lose moves there that were acknowledged; use a disk of this machine, or PostgreSQL"

OLDEST_SQLITE = (3, 35, 0)  # the first with RETURNING and DROP COLUMN
_APPLICATION_ID = 0x4E474854
_BUSY_S = 5.0  # how long to wait for another program that holds the file, such as a backup


@dataclass(frozen=True, slots=True)
class Connections:
    """The connections to a journal. Each may be used in any thread, but only in one at a time.

    ``lock`` is None for a journal that was opened without its lock. ``file`` goes with the writer. A journal in memory
    has neither, and one connection.
    """

    writer: sqlite3.Connection
    reader: sqlite3.Connection
    secret: bytes
    lock: sqlite3.Connection | None = None
    file: OpenFile | None = None

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
        self.reader.close()
        self.writer.close()
        if self.lock is not None:
            self.lock.close()


def open_file(path: Path) -> Connections:
    """Open the journal at ``path``, creating it and its directories if it is not there.

    Raises :class:`JournalInUse` if it is open already, here or in another process, and :class:`JournalError` if the
    file cannot be opened, is not a journal, or belongs to a newer version.
    """
    path = path.resolve()  # one lock, whatever link leads to the file
    if kind := remote_file_system(path):
        log.warning("the journal %s is on a file system of another machine (%s): %s", path, kind, REMOTE_RISK)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = lock_journal(path)
        try:
            if not path.exists():
                leftover = path.with_name(f"{path.name}-wal")
                if leftover.exists() and leftover.stat().st_size:  # SQLite would delete it, and the moves in it
                    raise JournalError(
                        f"there is no journal at {path}, but {leftover.name}, which belongs to one: put that back, or "
                        f"delete {leftover.name} to begin a new journal"
                    )
                log.info("there was no journal at %s: a new one was made", path)
            # Created after the lock was taken; SQLite gives the files beside it the same permissions.
            path.touch(mode=0o600)
            path.chmod(0o600)
            return _connections(path, lock)
        except BaseException:
            lock.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"cannot open the journal {path}: {error}") from error


def open_memory() -> Connections:
    """A new, empty journal in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _empty_journal().backup(connection)
    return Connections(connection, connection, token_bytes(SECRET_BYTES))


@cache
def _empty_journal() -> sqlite3.Connection:
    """The tables, made once: a copy takes a tenth of the time."""
    _check_version()
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(f"BEGIN; {' '.join(migrations())} COMMIT;")
    return connection


def _check_version() -> None:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise JournalError(f"this Python has SQLite {sqlite3.sqlite_version}; noughts needs {oldest} or newer")


def open_unlocked(path: Path) -> Connections:
    """Open the journal at ``path`` for a short while, even if a server has it open.

    SQLite's own locks make writes wait for each other. Raises :class:`JournalError` if there is no journal at ``path``,
    if it cannot be opened, and if its schema is newer. An older schema is migrated, unless a server has it open.
    """
    path = path.resolve()
    if not path.is_file():
        raise JournalError(f"there is no journal at {path}")
    try:
        with closing(_connect(path)) as connection:
            _check_kind(connection, path)
            schema = _schema(connection, path)
        if schema == 0:
            raise JournalError(f"there is no journal at {path}: the file is empty")
        if schema < len(migrations()):
            open_file(path).close()
        return _connections(path, None)
    except JournalInUse as error:
        raise JournalError(
            f"the journal {path} belongs to an older version of noughts, and a server of that version has it open;"
            " restart the server with this version first"
        ) from error
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"cannot open the journal {path}: {error}") from error


def _connections(path: Path, lock: sqlite3.Connection | None) -> Connections:
    writer = _open_writer(path)
    secret = _secret(writer)  # a write, so the log is there
    return Connections(writer, open_reader(path), secret, lock, OpenFile(writer, path))


def migrations() -> list[str]:
    """The scripts ``migrations/NNNN_*.sql`` in order; script n (from 1) migrates a journal to schema n."""
    directory = resources.files("noughts.journal.sqlite") / "migrations"
    scripts = sorted(directory.iterdir(), key=lambda script: script.name)
    return [script.read_text(encoding="utf-8") for script in scripts if script.name.endswith(".sql")]


def lock_journal(path: Path) -> sqlite3.Connection:
    """Lock the journal at ``path`` until the connection that is returned is closed. Raises :class:`JournalInUse`.

    The lock is SQLite's own, on an empty database next to the journal. The system releases it with the process, even
    after kill -9, and children do not inherit it as they would a ``flock``: worker processes can outlive a killed
    server. It works the same on every platform, and within one process. A lock on the journal itself would keep out
    readers and backups. The file stays when the lock is released: if it were deleted, a server could lock a new file
    of that name while another still held the old one.
    """
    lock = path.with_name(path.name + "-lock")
    lock.touch(mode=0o600)  # anyone who can read it could lock it
    connection = _connect(lock, busy_s=0)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")  # saves yet another file
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        raise JournalInUse(
            f"a server has the journal {path} open: stop that server first, or name another journal with --journal FILE"
        ) from error
    return connection


def _open_writer(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        _check_kind(connection, path)
        ((mode,),) = connection.execute("PRAGMA journal_mode = WAL")
        if mode != "wal":
            raise JournalError(f"the file system of {path} does not support SQLite's write-ahead log; use another")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on macOS a plain fsync stops at the drive's cache
        _migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that reads what is committed to the journal at ``path``, of which this process has a writer."""
    connection = _connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _secret(writer: sqlite3.Connection) -> bytes:
    writer.execute("INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT * FROM secret)", (token_bytes(SECRET_BYTES),))
    ((secret,),) = writer.execute("SELECT secret FROM secret")
    return bytes(secret)


def _connect(path: Path, busy_s: float = _BUSY_S) -> sqlite3.Connection:
    _check_version()
    return sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if kind != _APPLICATION_ID and (kind or tables):
        raise JournalError(f"{path} is a database of another program, not a journal of noughts")


def _schema(connection: sqlite3.Connection, path: Path) -> int:
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if schema > len(migrations()):
        raise JournalError(
            f"the journal {path} was written by a newer version of noughts:"
            f" its schema is {schema}, this version knows {len(migrations())}"
        )
    return int(schema)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    schema = _schema(connection, path)
    for number, script in enumerate(migrations()[schema:], schema + 1):
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;")
