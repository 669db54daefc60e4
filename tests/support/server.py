"""Real servers for tests: in this process on plain asyncio, or in another process on uvloop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from noughts import embed
from noughts.app import FEATURES, running
from noughts.bus import MemoryBus
from noughts.computer import Analyse, Computer, Review, Searches, Trace
from noughts.config import Settings
from noughts.engine import LEVELS, Analysis, Sampling, Tracing
from noughts.features import computers, game_log, rater
from noughts.gateway.gateway import Gateway
from noughts.gateway.server import Server
from noughts.host import Host
from noughts.journal import Journal
from noughts.timing import Timing
from noughts_client.page import FOLDER
from support.journals import MemoryJournal
from support.ports import free_port

QUICK = Timing(lobby_list_s=0, registry_s=0.05)
"""The usual times, but every request for the lobby gets a new list, and the operator's acts are noticed at once."""


def settings(**overrides: object) -> Settings:
    """Settings for a test: in memory, on a free port, with limits that no test reaches by accident."""
    chosen: dict[str, object] = {"computer_pace_s": 0, "drain_s": 5, "page": True, **overrides}
    return embed.settings(**chosen)  # type: ignore[arg-type]


def no_analysis(game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
    """For a gateway whose clients request no analyses."""
    raise AssertionError("no analysis was expected")


def no_trace(game: str, moves: tuple[str, ...], tracing: Tracing | Sampling, seconds: float) -> asyncio.Future[bytes]:
    """For a gateway whose clients request no traces."""
    raise AssertionError("no trace was expected")


@asynccontextmanager
async def running_server(*, timing: Timing = QUICK, **overrides: object) -> AsyncIterator[str]:
    """A server in this process; its URL."""
    async with running(settings(**overrides), timing=timing) as server:
        yield server.urls[0]


@asynccontextmanager
async def running_page(*, timing: Timing = QUICK, **overrides: object) -> AsyncIterator[str]:
    """A server in this process that serves the web page; its URL."""
    async with running(settings(**overrides), timing=timing, page=FOLDER) as server:
        yield server.urls[0]


P = TypeVar("P")


@dataclass(frozen=True)
class Node:
    """A gateway that listens in this process, at ``url``."""

    url: str
    gateway: Gateway

    @property
    def server(self) -> Server:
        """The parts that every client needs."""
        return self.gateway.server

    @property
    def host(self) -> Host:
        """The host of its rooms."""
        return self.server.host

    def part(self, kind: type[P]) -> P:
        """As :func:`part_of`."""
        return part_of(self.server, kind)


def part_of(server: Server, kind: type[P]) -> P:
    """The object of this kind to which a feature's handlers, listeners or loops belong."""
    for feature in server.features:
        for bound in (*feature.requests.values(), *feature.hints.values(), *feature.loops):
            if isinstance(owner := getattr(bound, "__self__", None), kind):
                return owner
    raise LookupError(kind)


def server_over(
    host: Host,
    *,
    timing: Timing = QUICK,
    analyse: Analyse = no_analysis,
    trace: Trace = no_trace,
    review: Review | None = None,
    **overrides: object,
) -> Server:
    """A server over ``host`` with the features of one on its own, but without computers, ratings and the log of games.

    Without ``review`` the positions of reviews are analysed by ``analyse``.
    """

    async def stop_answering() -> None: ...

    searches = Searches(1, LEVELS)
    by = review or (lambda game, moves, *_: analyse(game, moves))
    server = Server(
        settings(**overrides), host, Computer(searches, analyse, by, trace, searches.answer, stop_answering), timing
    )
    server.use(module.feature(server) for module in FEATURES if module not in (computers, rater, game_log))
    return server


@asynccontextmanager
async def running_gateway(
    journal: Journal | None = None,
    bus: MemoryBus | None = None,
    *,
    timing: Timing = QUICK,
    analyse: Analyse = no_analysis,
    trace: Trace = no_trace,
    review: Review | None = None,
    **overrides: object,
) -> AsyncIterator[Node]:
    """A gateway over ``journal``, by default a new one in memory. Nothing runs beside it but what the test starts."""
    host = Host(journal or MemoryJournal(), bus or MemoryBus("node"), timing)
    server = server_over(host, timing=timing, analyse=analyse, trace=trace, review=review, **overrides)
    gateway = Gateway(server)
    async with gateway.serving() as listening:
        yield Node(f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/ws", gateway)


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
        self.options = {
            key: json.dumps(value) if isinstance(value, list) else str(value)
            for key, value in settings(**options).model_dump(exclude={"journal", "port"}).items()
            if value is not None
        }
        self._begins_at = 0
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it listens."""
        arguments = [f"--{key.replace('_', '-')}={value}" for key, value in self.options.items()]
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

    @property
    def pid(self) -> int:
        """The process's id."""
        assert self._process is not None
        return self._process.pid

    def memory(self) -> int:
        """Its resident memory, in bytes."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    async def kill(self) -> None:
        """Kill it with kill -9."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """Stop it with SIGTERM. Returns the exit status."""
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
