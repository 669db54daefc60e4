"""The servers that are compared, each in a process of its own on a core of its own, and what they use."""

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
NOUGHTS += ["--messages-per-s", UNLIMITED, "--burst", UNLIMITED, "--warm-up=false"]
"""Our server, with limits raised and nothing else changed, but for a journal. The kernels, which no game here needs,
would count as memory of the connections during which they are loaded."""


def cpu_of(pid: int) -> float:
    """CPU time used by all threads of a process since it began, user and system, in seconds."""
    # What clock_getcpuclockid(3) gives on Linux; /proc/PID/stat has the same number in steps of 10 ms.
    return time.clock_gettime((~pid << 3) | 2)


@dataclass(frozen=True)
class ServerProcess:
    """A server that listens on ``port``."""

    pid: int
    port: int

    def cpu(self) -> float:
        """CPU time used by all of its threads since it began, user and system, in seconds."""
        return cpu_of(self.pid)

    def memory(self) -> int:
        """Its resident memory in bytes."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def commands(directory: Path) -> dict[str, list[str]]:
    """How each server is started, with a journal in ``directory``."""
    return {
        "plain websockets": ["-m", "bench.gateway.plain"],
        "noughts": [*NOUGHTS, "--journal", str(directory / "journal.sqlite3")],
        "noughts, in memory": [*NOUGHTS, "--journal", "memory"],
    }


@asynccontextmanager
async def started(command: list[str], cores: Iterable[int] = (SERVER_CORE,)) -> AsyncIterator[ServerProcess]:
    """Run a server within the block, on ``cores``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
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
