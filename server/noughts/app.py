"""The composition root: settings in, a running server out. The only wiring."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noughts.bus import MemoryBus
from noughts.computer import Computers, ProcessSearcher
from noughts.config import Settings
from noughts.gateway import Gateway
from noughts.host import Host
from noughts.journal import Journal, JournalError, MemoryJournal, SqliteJournal

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens: its port, and the addresses to connect to, the nearest first."""

    port: int
    urls: tuple[str, ...]


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Running]:
    """Run a server within the block.

    Raises :class:`~noughts.journal.JournalInUse` when another server has the journal open, and OSError when the
    address cannot be had.
    """
    journal = await open_journal(settings.journal)
    host = Host(journal, MemoryBus(settings.node or "node"))
    searcher = ProcessSearcher(workers=settings.search_workers or None)
    computers = Computers(host, searcher, settings.computer_pace_s, random.Random())
    gateway = Gateway(settings, host)
    try:
        async with gateway.serving() as server:
            tasks = [
                asyncio.create_task(_tend(work))
                for work in (host.sweep(), host.keep_up(), computers.sweep(), gateway.tend())
            ]
            port = server.sockets[0].getsockname()[1]
            try:
                yield Running(port, tuple(f"ws://{name}:{port}/ws" for name in _names(settings.host)))
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await computers.close()
        await searcher.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(settings.drain_s):
                await host.close()
        await journal.close()


async def _tend(work: Coroutine[Any, Any, None]) -> None:
    """Do what is done for as long as the server runs."""
    try:
        await work
    except Exception:
        log.exception("the server goes on without a part of it")


async def open_journal(where: str) -> Journal:
    """The journal that the setting ``journal`` names: ``memory``, or the path of an SQLite file.

    Raises :class:`~noughts.journal.JournalInUse` and :class:`~noughts.journal.JournalError`.
    """
    if "://" in where:
        raise JournalError(f"a journal is 'memory' or the path of a file, not {where}")
    if where == "memory":
        return MemoryJournal()
    return await SqliteJournal.open(Path(where))


def _names(host: str) -> list[str]:
    """How this machine can be reached when it listens on ``host``."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104  # compared, not bound
        return [f"[{host}]" if ":" in host else host]
    return ["[::1]"] if host == "::" else ["127.0.0.1", *_own_addresses()]


def _own_addresses() -> list[str]:
    """This machine's own IPv4 addresses but the loopback, the one that it would reach the world from first."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket sends nothing; the address is one set aside for documentation.
        probe.connect(("192.0.2.1", 9))
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [address for address in dict.fromkeys(found) if not address.startswith(("127.", "0."))]
