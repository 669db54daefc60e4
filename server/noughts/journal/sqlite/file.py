"""A journal's file on the disk: whether it is still the one that is open, whole, and on a disk of this machine.

SQLite does not ask. It goes on writing to a file that was deleted, and says that it was stored.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
"""The file in which Linux lists what is mounted."""

REMOTE = {"9p", "afs", "ceph", "cifs", "davfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "sshfs", "s3fs"}
"""File systems of other machines, by the names that Linux gives them, without FUSE's ``fuse.``."""

_HEADER_BYTES = 32
_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
"""The beginning of the log (SQLite's file format, section 4.1)."""


class FileLost(Exception):
    """The journal's file is one that nobody will find, or lacks a part; the text says what happened."""


class OpenFile:
    """The journal at ``path`` and its log, ``-wal``, both open in ``connection``. For the connection's thread."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        (self._page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        self.path = path
        self._path, self._name = str(path), path.name
        self._file = os.stat(self._path)
        self._log_path, self._log_name = f"{path}-wal", f"{path.name}-wal"
        # The log only: closing a descriptor of the journal itself would drop SQLite's locks on it.
        self._log = os.open(self._log_path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._log_file = os.fstat(self._log)
        self._log_header = b""

    def look_before(self) -> None:
        """As :meth:`look`, before a commit, which may make up for what was cut off: so only the sizes matter.

        Each system call lets the event loop's thread take the interpreter, so there are as few as possible.
        """
        try:
            whole = os.fstat(self._log).st_size >= self._log_file.st_size
            whole = whole and os.stat(self._path).st_size >= self._file.st_size
        except OSError:
            whole = False
        if not whole:
            self.look()

    def look(self) -> None:
        """Raise :class:`FileLost` if anybody but SQLite has done something to the files since the last look."""
        try:
            file, log = os.stat(self._path), os.stat(self._log_path)
            header = self._header()
        except FileNotFoundError as error:
            raise FileLost(f"{Path(error.filename).name} was removed") from None
        except OSError as error:
            raise FileLost(f"{self._name} or its log cannot be read: {error.strerror}") from None
        if not os.path.samestat(file, self._file):
            raise FileLost(f"{self._name} was replaced")
        if not os.path.samestat(log, self._log_file):
            raise FileLost(f"{self._log_name} was replaced")
        if file.st_size < self._file.st_size and file.st_size < self._bytes_needed():
            raise FileLost(f"{self._name} was truncated")
        if header:  # SQLite empties the log, too, and then it begins with another header
            shorter = log.st_size < self._log_file.st_size
            if header[:4] not in _MAGIC or (shorter and header == self._log_header):
                raise FileLost(f"{self._log_name} was truncated")
            self._log_header = header
        self._file, self._log_file = file, log

    def _header(self) -> bytes:
        if sys.platform != "win32":
            return os.pread(self._log, _HEADER_BYTES, 0)
        os.lseek(self._log, 0, os.SEEK_SET)
        return os.read(self._log, _HEADER_BYTES)

    def is_in_place(self) -> bool:
        """True if the path still leads to the journal that is open. For any thread."""
        try:
            return os.path.samestat(os.stat(self._path), self._file)
        except OSError:
            return False

    def close(self) -> None:
        """Close what this has opened."""
        os.close(self._log)

    def _bytes_needed(self) -> int:
        """The length of the journal without its log. Another program may have made it shorter, by VACUUM."""
        try:
            (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        except sqlite3.Error as error:
            raise FileLost(f"{self._name} cannot be read: {error}") from None
        return int(pages) * int(self._page_bytes)


def damage(connection: sqlite3.Connection) -> str | None:
    """The first fault that SQLite finds in the file, in its words; None in a sound one. Closes the connection.

    This reads the whole file. :meth:`sqlite3.Connection.interrupt` ends it.
    """
    try:
        with closing(connection):
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.Error as error:
        return str(error)
    return None if found == "ok" else " ".join(str(found).split())


def remote_file_system(path: Path, mounts: str | None = None) -> str | None:
    """The type of the file system that ``path`` is on, if that is not on a disk of this machine; None elsewhere.

    ``mounts`` is a list like that at ``MOUNTS``; without one, where the system has none, nothing is known.
    """
    if mounts is None:
        try:
            mounts = MOUNTS.read_text(errors="replace")
        except OSError:
            return None
    kind, longest = "", -1
    for line in mounts.splitlines():
        _, point, of, *_ = line.split(" ")
        # The kernel writes blanks and backslashes as octal numbers.
        mounted = Path(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), point))
        if path.is_relative_to(mounted) and len(mounted.parts) >= longest:
            kind, longest = of, len(mounted.parts)
    return kind if kind.removeprefix("fuse.") in REMOTE else None
