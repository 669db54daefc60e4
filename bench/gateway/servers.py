"""The servers to compare, each in its own process on its own core, and their resource usage."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER_CORE, LOAD_CORE = 0, 1
UNLIMITED = "1000000"
NOUGHTS = ["-m", "noughts", "serve", "--port=0", "--log-level=WARNING", "--connections-per-address", UNLIMITED]
NOUGHTS += ["--http-per-address", UNLIMITED, "--messages-per-s", UNLIMITED, "--burst", UNLIMITED, "--warm-up=false"]
NOUGHTS += ["--rooms-per-address", UNLIMITED]
NOUGHTS += [f"--{kind}-bytes-per-{whom}={10**15}" for kind in ("answer", "daily") for whom in ("player", "address")]
"""Our server, with raised limits and otherwise the default settings, except for the journal. It loads no kernels: these
games need none, and they would count as memory of the connections that are open while they load."""


def cpu_of(pid: int) -> float:
    """CPU time of all of a process's threads since it started, user and system, in seconds."""
    # As clock_getcpuclockid(3) does on Linux; /proc/PID/stat has the same number in steps of 10 ms.
    return time.clock_gettime((~pid << 3) | 2)


@dataclass(frozen=True)
class ServerProcess:
    """A server listening on ``port``."""

    pid: int
    port: int

    def cpu(self) -> float:
        """CPU time of all of its threads since it started, user and system, in seconds."""
        return cpu_of(self.pid)

    def memory(self) -> int:
        """Its resident memory in bytes."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def commands(directory: Path) -> dict[str, list[str]]:
    """The command that starts each server, with a journal in ``directory``."""
    return {
        "raw uvloop": ["-m", "bench.gateway.floor"],
        "tutorial": ["-m", "bench.gateway.tutorial"],
        "plain websockets": ["-m", "bench.gateway.plain"],
        "noughts": [*NOUGHTS, "--journal", str(directory / "journal.sqlite3")],
        "noughts, in memory": [*NOUGHTS, "--journal", "memory"],
    }


@asynccontextmanager
async def started(
    command: list[str], cores: Iterable[int] = (SERVER_CORE,), python: str = sys.executable
) -> AsyncIterator[ServerProcess]:
    """Run a server within the block, on ``cores``."""
    process = await asyncio.create_subprocess_exec(
        python, *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        os.sched_setaffinity(process.pid, cores)
        listening = re.compile(rb"ws://[^:]+:(\d+)")
        while not (found := listening.search(line := await process.stdout.readline())):
            assert line, f"the server did not start: {command}"
        yield ServerProcess(process.pid, int(found[1]))
    finally:
        process.kill()
        await process.communicate()
