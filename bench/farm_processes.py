"""A scheduler and workers of Dask on this machine, as processes of their own, and a job of tasks that do nothing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUIET = {"DASK_DISTRIBUTED__ADMIN__EVENT_LOOP_MONITOR__INTERVAL": "1h"}


class FarmProcesses:
    """A scheduler at ``address``, and its ``workers``, each a process without a nanny. Logs go into ``folder``."""

    def __init__(self, folder: Path, protocol: str = "tcp", port: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._count = 0
        self.workers: list[subprocess.Popen[bytes]] = []
        options = (f"--host={protocol}://127.0.0.1:{port}", f"--protocol={protocol}", f"--scheduler-file={self._file}")
        self.scheduler = self._start("scheduler", *options)
        self.address = ""

    def _start(self, what: str, *arguments: str, variables: Mapping[str, str] = {}) -> subprocess.Popen[bytes]:
        self._count += 1
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, "--no-dashboard"]
        with (self._folder / f"{what}-{self._count}.log").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **QUIET, **variables})

    async def begin(self) -> None:
        """Wait for the scheduler."""
        async with asyncio.timeout(60):
            while not self.address:  # the scheduler writes it into a file when it is ready
                await asyncio.sleep(0.05)
                with suppress(OSError, ValueError):  # the file is not there, or not whole
                    self.address = json.loads(self._file.read_text())["address"]

    def add(self, threads: int = 1, **variables: str) -> subprocess.Popen[bytes]:
        """Start a worker, with ``variables`` in its environment."""
        options = ("--no-nanny", f"--nthreads={threads}", f"--local-directory={self._folder}")
        self.workers.append(self._start("worker", self.address, *options, variables=variables))
        return self.workers[-1]

    async def has(self, count: int) -> None:
        """Wait until there are so many workers."""
        from distributed import Client  # noqa: PLC0415 - it takes half a second to load

        # Dask's client has no types.
        client: Any = Client(self.address, asynchronous=True, set_as_default=False)  # type: ignore[no-untyped-call]
        async with client, asyncio.timeout(120):
            while len(await client.nthreads()) != count:  # noqa: ASYNC110  # Dask can only wait for more
                await asyncio.sleep(0.05)

    def stop(self) -> None:
        """Kill everything."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@asynccontextmanager
async def farm_processes(
    folder: Path, workers: int, *, protocol: str = "tcp", port: int = 0, **options: Any
) -> AsyncIterator[FarmProcesses]:
    """A farm of so many workers, which runs within the block."""
    processes = FarmProcesses(folder, protocol, port)
    try:
        await processes.begin()
        for _ in range(workers):
            processes.add(**options)
        if protocol == "tcp":  # this process may have no certificate
            await processes.has(workers)
        yield processes
    finally:
        processes.stop()


@dataclass(frozen=True)
class Nothing:
    """A job whose tasks do nothing."""

    # A job is opened with both, of which this one needs neither.
    @asynccontextmanager
    async def open(self, folder: Path, threads: int) -> AsyncIterator[Callable[[Any], Awaitable[Any]]]:  # noqa: ARG002
        """The task is its result."""

        async def do(task: Any) -> Any:
            return task

        yield do
