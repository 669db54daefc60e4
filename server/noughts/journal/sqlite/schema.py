"""An SQLite journal file made ready: locked, private to its user, and at the newest schema."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from secrets import token_bytes

from noughts.journal.base import SECRET_BYTES, JournalError, JournalInUse

_APPLICATION_ID = 0x4E474854
_PATIENCE_S = 5.0  # with another program that holds the file for a moment, such as a backup


@dataclass(frozen=True, slots=True)
class Connections:
    """What a server holds of a journal file. Each may be used in any thread, but in one at a time.

    ``lock`` is None for who uses the file beside the server that holds it.
    """

    lock: sqlite3.Connection | None
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    secret: bytes

    def close(self) -> None:
        self.reader.close()
        self.writer.close()
        if self.lock is not None:
            self.lock.close()


def open_file(path: Path) -> Connections:
    """Open the journal at ``path``, made with its directories if it is not there.

    Raises :class:`JournalInUse` when it is open already, here or in another process, and
    :class:`JournalError` when the file cannot be opened, is not a journal, or is that of a newer version.
    """
    path = path.resolve()  # by whatever link it is reached, there is one lock
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = _lock(path)
        try:
            # Made after the lock was taken; SQLite gives the files beside it the same permissions.
            path.touch(mode=0o600)
            path.chmod(0o600)
            writer = _open_writer(path)
            return Connections(lock, writer, reader=_open_reader(path), secret=_secret(writer))
        except BaseException:
            lock.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"cannot open the journal {path}: {error}") from error


def open_beside(path: Path) -> Connections:
    """Open the journal at ``path`` for a short while, also while a server has it open.

    Writes wait for each other, by SQLite's own locks. Raises :class:`JournalError` when there is none at ``path``, when
    it cannot be opened or is not a journal, and when its schema is not the newest: an older one is brought up to date,
    unless a server has it open.
    """
    path = path.resolve()
    if not path.is_file():
        raise JournalError(f"there is no journal at {path}")
    try:
        with closing(_connect(path)) as connection:
            _check_kind(connection, path)
            schema = _schema(connection, path)
        if schema == 0:
            raise JournalError(f"there is no journal at {path}, but an empty file")
        if schema < len(migrations()):
            open_file(path).close()
        writer = _open_writer(path)
        return Connections(None, writer, reader=_open_reader(path), secret=_secret(writer))
    except JournalInUse as error:
        raise JournalError(
            f"the journal {path} is that of an older version of noughts, and a server of that version has it open;"
            " start the server anew with this version first"
        ) from error
    except sqlite3.Error as error:
        raise JournalError(f"cannot open the journal {path}: {error}") from error


def migrations() -> list[str]:
    """The scripts ``migrations/NNNN_*.sql`` in order; script n (from 1) takes a journal to schema n."""
    directory = resources.files("noughts.journal.sqlite") / "migrations"
    scripts = sorted(directory.iterdir(), key=lambda script: script.name)
    return [script.read_text(encoding="utf-8") for script in scripts if script.name.endswith(".sql")]


def _lock(path: Path) -> sqlite3.Connection:
    """Claim the journal at ``path`` until the connection that is returned is closed.

    The lock is SQLite's own, on an empty database beside the journal. The system drops it with the process,
    after kill -9 too, and no child inherits it, as it would a ``flock``: worker processes can outlive a
    killed server. It is the same on every platform, and holds within one process. A lock on the journal
    itself would keep out readers and backups. The file stays when the lock is dropped: were it deleted, a
    server could lock a new file of this name while another still held the old.
    """
    lock = path.with_name(path.name + "-lock")
    lock.touch(mode=0o600)  # who may read it could hold a lock of his own on it
    connection = _connect(lock, patience_s=0)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")  # or yet another file would lie there
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        raise JournalInUse(f"another server has the journal {path} open") from error
    return connection


def _open_writer(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        _check_kind(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on macOS a plain fsync stops at the drive's cache
        _migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_reader(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _secret(writer: sqlite3.Connection) -> bytes:
    writer.execute("INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT * FROM secret)", (token_bytes(SECRET_BYTES),))
    ((secret,),) = writer.execute("SELECT secret FROM secret")
    return bytes(secret)


def _connect(path: Path, patience_s: float = _PATIENCE_S) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=patience_s, isolation_level=None, check_same_thread=False)


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if kind != _APPLICATION_ID and (kind or tables):
        raise JournalError(f"{path} is a database, but not a journal of noughts")


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
