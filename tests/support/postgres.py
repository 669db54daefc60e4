"""A private PostgreSQL for tests, of which any process can be killed or frozen."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path

import asyncpg

from support.ports import free_port
from support.programs import check_tier, missing

USER = "noughts"
GUARDED = "guarded"
"""The one role that must give its password; a test that needs it makes it."""

_NAMES = count(1)
_CONFIGURATION = """
listen_addresses = '127.0.0.1'
max_connections = 100
shared_buffers = 64MB
min_wal_size = 256MB
log_min_messages = warning
"""
_ACCESS = f"""
local all all trust
host all {GUARDED} 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


class Postgres:
    """A PostgreSQL server with its data in ``directory``: have it from :func:`postgres_server`.

    It is on the same TCP port of 127.0.0.1 at every start, and on a Unix socket in ``directory``. It syncs to
    disk as in earnest. Run as root, it belongs to the user ``postgres``, who must be able to reach ``directory``.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_port()
        self.log = directory / "log"
        self._data = directory / "data"
        self._user = "postgres" if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        if self._user:
            shutil.chown(directory, self._user)
        self._run("initdb", "--no-sync", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C").wait()
        with (self._data / "postgresql.conf").open("a") as configuration:
            configuration.write(f"{_CONFIGURATION}port = {self.port}\nunix_socket_directories = '{directory}'\n")
        (self._data / "pg_hba.conf").write_text(_ACCESS)

    def url(self, database: str = "postgres", user: str = USER) -> str:
        """The address of ``database``, which need not be there."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        pid_file = self._data / "postmaster.pid"
        self._process = self._run("postgres")
        deadline = time.monotonic() + 60
        while not self._is_ready(pid_file):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not start: {self.log.read_text()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End it as its administrator would: who is connected is cut off, and the data are written out."""
        if self._process is not None:
            self.thaw()
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        """End all of its processes by SIGKILL, at once and without a farewell."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)  # or it would see its children die and start others
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Stop all of its processes where they are (SIGSTOP)."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let all of its processes go on, those frozen one by one too (SIGCONT)."""
        self._signal(signal.SIGCONT)

    def backends(self, database: str | None = None) -> list[int]:
        """The process ids of those that serve a client, in ``database`` if one is given, the oldest first."""
        return [
            pid
            for pid in sorted(self._children())
            if (words := _title(pid))[:2] == ["postgres:", USER] and database in (None, *words[2:3])
        ]

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [programs() / program, "-D", self._data, *arguments],
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
            return len(lines) >= 8 and lines[0] == str(self._process.pid) and lines[7].strip() == "ready"
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
    """Which PostgreSQL it is, in words."""
    told = subprocess.run([programs() / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return " ".join(told.replace("(PostgreSQL)", "").split()[:2]).replace("postgres", "PostgreSQL")


@contextmanager
def postgres_server(directory: Path | None = None) -> Iterator[Postgres]:
    """A new PostgreSQL server, started; its data are in ``directory``, or in one that goes with it."""
    programs()
    with tempfile.TemporaryDirectory(prefix="pg-") as made:
        server = Postgres(directory or Path(made))
        try:
            server.start()
            yield server
        finally:
            server.kill()


@asynccontextmanager
async def database(server: Postgres) -> AsyncIterator[str]:
    """A new, empty database, gone afterwards if ``server`` runs then; its address."""
    name = f"test_{next(_NAMES)}"
    await _execute(server, f"CREATE DATABASE {name}")
    try:
        yield server.url(name)
    finally:
        with suppress(OSError):
            await _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _execute(server: Postgres, sql: str) -> None:
    connection = await asyncpg.connect(server.url(), timeout=10, command_timeout=60)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()
