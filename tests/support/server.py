"""Real servers for tests: in this process on plain asyncio, or in another process on uvloop."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from noughts.app import running
from noughts.config import Settings
from noughts.engine import Analysis


def settings(**overrides: object) -> Settings:
    """Settings for a test: in memory, on a free port, with limits that no test reaches by accident."""
    chosen: dict[str, object] = {
        "journal": "memory",
        "port": 0,
        "messages_per_s": 10_000,
        "burst": 10_000,
        "connections_per_address": 10_000,
        "rooms_per_player": 10_000,
        "rooms_per_connection": 10_000,
        "analyses_per_s": 10_000,
        "computer_pace_s": 0,
        "warm_up": False,
        **overrides,
    }
    return Settings.model_validate(chosen)


def no_analysis(game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
    """The analyses of a gateway that gets no requests for any."""
    raise AssertionError("unexpected analysis")


@asynccontextmanager
async def running_server(**overrides: object) -> AsyncIterator[str]:
    """The URL of a server in this process."""
    async with running(settings(**overrides)) as server:
        yield server.urls[0]


def free_port() -> int:
    """A free port outside the range from which the system picks ports for connections."""
    while True:
        port = 15_000 + secrets.randbelow(17_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class ServerProcess:
    """``noughts serve`` in another process, on the same port and journal at every start.

    ``journal`` is as for ``--journal``; ``options`` are settings, such as ``bus`` and ``node``. ``program`` replaces
    ``-m noughts``. All output is appended to ``log``.
    """

    def __init__(
        self, journal: Path | str, log: Path, program: tuple[str, ...] = ("-m", "noughts"), **options: object
    ) -> None:
        self.journal = journal
        self.log = log
        self.port = free_port()
        self.url = f"ws://127.0.0.1:{self.port}/ws"
        self._program = program
        self._options = {
            key: json.dumps(value) if isinstance(value, list) else str(value)
            for key, value in settings(**options).model_dump(exclude={"journal", "port"}).items()
            if value is not None
        }
        self._begins_at = 0
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it listens."""
        arguments = [f"--{key.replace('_', '-')}={value}" for key, value in self._options.items()]
        self._begins_at = len(self.output())
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *self._program,
                "serve",
                f"--port={self.port}",
                f"--journal={self.journal}",
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
        async with asyncio.timeout(60):
            while "noughts play" not in self._printed():  # the last line of its welcome
                if self._process.returncode is not None:
                    raise RuntimeError(f"the server ended: {self.output()}")
                await asyncio.sleep(0.02)

    def _printed(self) -> str:
        """Its output since its last start."""
        return self.output()[self._begins_at :]

    async def kill(self) -> None:
        """Kill it with kill -9."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """Stop it by SIGTERM. Returns the exit status."""
        return await self._end(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    async def wait(self) -> int:
        """Wait until it has ended. Returns the exit status."""
        assert self._process is not None
        async with asyncio.timeout(60):
            return await self._process.wait()

    async def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(number)
        return await self.wait()

    def output(self) -> str:
        """All its output."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.returncode is None:
            await self.kill()
