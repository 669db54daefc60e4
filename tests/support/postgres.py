"""A private PostgreSQL server for tests, whose processes can be killed or frozen."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Protocol

import asyncpg

from support.ports import free_port
from support.programs import check_tier, missing

USER = "noughts"
GUARDED = "guarded"
"""The only role that needs a password. Tests that use it create it."""

_NAMES = count(1)
_CONFIGURATION = """
listen_addresses = '127.0.0.1'
max_connections = 100
shared_buffers = 64MB
min_wal_size = 256MB
dynamic_shared_memory_type = mmap
log_min_messages = warning
"""
_ACCESS = f"""
local all all trust
host replication all 127.0.0.1/32 trust
host all {GUARDED} 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


class Postgres:
    """A PostgreSQL server with its data in ``directory``. Use :func:`postgres_server` to get one.

    It listens on the same TCP port of 127.0.0.1 at every start, and on a Unix socket in ``directory``. Unless it
    ``syncs`` to disk as in production, it survives a kill, but not the machine's. If the tests run as root, it runs as
    the user ``postgres``, who must have access to ``directory``.
    """

    def __init__(self, directory: Path, *, syncs: bool = True) -> None:
        self.directory = directory
        self.port = free_port()
        self.log = directory / "log"
        self._data = directory / "data"
        self._user = "postgres" if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        if self._user:
            shutil.chown(directory, self._user)
        self._run("initdb", "--no-sync", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C").wait()
        self._configure("" if syncs else "fsync = off\nfull_page_writes = off\n")
        (self._data / "pg_hba.conf").write_text(_ACCESS)

    def url(self, database: str = "postgres", user: str = USER) -> str:
        """The address of ``database``, which need not exist."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def follow(self, primary: Postgres) -> None:
        """Replace all data by a copy of those of ``primary``, and start as its standby."""
        shutil.rmtree(self._data)
        if self._run(
            "pg_basebackup", "--write-recovery-conf", "--checkpoint=fast", "--no-sync", f"--dbname={primary.url()}"
        ).wait():
            raise RuntimeError(f"PostgreSQL cannot be copied: {self.log.read_text()}")
        self._configure()
        self.start()

    def promote(self) -> None:
        """Make a standby a primary."""
        if self._run("pg_ctl", "promote").wait():
            raise RuntimeError(f"PostgreSQL cannot be promoted: {self.log.read_text()}")

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        pid_file = self._data / "postmaster.pid"
        self._process = self._run("postgres")
        deadline = time.monotonic() + 60
        while not self._is_ready(pid_file):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not start: {self.log.read_text()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Shut it down: clients are disconnected, and the data are written to disk."""
        if self._process is not None:
            self.thaw()
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        """Kill all of its processes with SIGKILL at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)  # or it would restart its children
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Stop all of its processes (SIGSTOP)."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume all of its processes (SIGCONT), even those that were stopped individually."""
        self._signal(signal.SIGCONT)

    def fail_writes(self, database: str) -> None:
        """Let the processes that serve ``database`` write to no file any more, as if the disk were full."""
        for pid in self.backends(database):
            # Only its owner may limit a process. One that has ended needs no limit.
            self._start(["prlimit", f"--pid={pid}", "--fsize=0:"]).wait()

    def backends(self, database: str | None = None) -> list[int]:
        """The ids of the processes that serve clients, of ``database`` if given, the oldest first."""
        return [
            pid
            for pid in sorted(self._children())
            if (words := _title(pid))[:2] == ["postgres:", USER] and database in (None, *words[2:3])
        ]

    def _configure(self, lines: str = "") -> None:
        with (self._data / "postgresql.conf").open("a") as configuration:
            configuration.write(f"{_CONFIGURATION}port = {self.port}\n")
            configuration.write(f"unix_socket_directories = '{self.directory}'\n{lines}")

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        return self._start([programs() / program, "-D", self._data, *arguments])

    def _start(self, command: Sequence[str | Path]) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self._user,
                group=self._user,
                extra_groups=[] if self._user else None,
                start_new_session=True,  # Ctrl-C ends the tests, and they end it
            )

    def _is_ready(self, pid_file: Path) -> bool:
        assert self._process is not None
        with suppress(OSError):
            lines = pid_file.read_text().splitlines()
            return len(lines) >= 8 and lines[0] == str(self._process.pid) and lines[7].strip() in ("ready", "standby")
        return False

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        for pid in (self._process.pid, *self._children()):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _children(self) -> list[int]:
        assert self._process is not None
        return [
            int(pid) for pid in Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        ]


def _title(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").split()
    return []


def programs() -> Path:
    """The directory of ``initdb``, ``postgres`` and ``pg_dump``, as :func:`support.programs.program` finds others."""
    check_tier("PostgreSQL")
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return places[-1] if places else missing("PostgreSQL")


def postgres_version() -> str:
    """The name and version of the installed PostgreSQL."""
    output = subprocess.run([programs() / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return " ".join(output.replace("(PostgreSQL)", "").split()[:2]).replace("postgres", "PostgreSQL")


def _memory() -> str | None:
    with suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 4 * 2**30:
            return "/dev/shm"
    return None


@contextmanager
def postgres_server(directory: Path | None = None, *, syncs: bool = True) -> Iterator[Postgres]:
    """A running new PostgreSQL server; its data are in ``directory``, or in a temporary one.

    The temporary one is in memory if it need not sync and there is much: a new database takes a quarter of the time.
    """
    programs()
    with tempfile.TemporaryDirectory(prefix="pg-", dir=None if syncs else _memory()) as made:
        server = Postgres(directory or Path(made), syncs=syncs)
        try:
            server.start()
            yield server
        finally:
            server.kill()


class Addressed(Protocol):
    """One server, or several of which one is the primary."""

    def url(self, database: str = "postgres") -> str:
        """The address of ``database``."""
        ...


@asynccontextmanager
async def database(server: Addressed) -> AsyncIterator[str]:
    """The address of a new, empty database. It is dropped afterwards if ``server`` runs then."""
    name = f"test_{next(_NAMES)}"
    await _execute(server, f"CREATE DATABASE {name}")
    try:
        yield server.url(name)
    finally:
        with suppress(OSError):
            await _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _execute(server: Addressed, sql: str) -> None:
    connection = await asyncpg.connect(server.url(), timeout=10, command_timeout=60)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()
