"""The composition root: settings in, a running server out. The only wiring."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from noughts.bus import Drain, Hint, MemoryBus
from noughts.computer import Analyst, Computers, Draws, Searches
from noughts.config import Settings, UnusableSetting, password_in
from noughts.engine import LEVELS
from noughts.gateway import Gateway
from noughts.host import Host, poll_journal, sweep
from noughts.host.rater import Rater
from noughts.journal import Journal, JournalError, MemoryJournal, PostgresJournal, SqliteJournal
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.client import Devices
from noughts.mqtt.link import Link
from noughts.mqtt.view import World

log = logging.getLogger(__name__)


CLOSE_S = 1.0
"""How long the bus, and then the journal, may take to say goodbye."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens: its node's name, its port, and the addresses to connect to, the nearest first.

    ``told`` is set when another node says that this one is to stop; who runs it may set it, too.
    """

    node: str
    port: int
    urls: tuple[str, ...]
    told: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def running(settings: Settings, *, reuse_port: bool = False) -> AsyncIterator[Running]:
    """Run a server within the block. At its end it is drained, within ``settings.drain_s`` and some 5 s.

    ``reuse_port``: other processes of the same user may listen on the port as well.

    Raises :class:`~noughts.journal.JournalInUse` when another server has the journal open,
    :class:`~noughts.journal.JournalError` when it cannot be had, :class:`~noughts.config.UnusableSetting`,
    and OSError when the address cannot be had.
    """
    node = settings.node or made_up_name()
    async with journal_of(settings) as journal, link_of(settings, node) as link:
        mqtt = None if link is None else MqttBus(link, journal.secret)
        bus = mqtt or MemoryBus(node, alone=not journal.shared)
        host = Host(journal, bus)
        searches = Searches(
            settings.search_workers or search_workers(1),
            {name: replace(level, seconds=settings.think_s) for name, level in LEVELS.items()},
        )
        computers = Computers(host, searches, settings.computer_pace_s, random.Random())
        analyst = Analyst(searches, settings.analyse_s)
        draws = Draws(host, analyst.analyse)
        gateway = Gateway(settings, host, analyst.analyse)
        devices = None if link is None else Devices(gateway.hall, link)
        world = None if link is None else World(host, link)
        rater = Rater(host)
        try:
            await host.heartbeat.begin()
            async with gateway.serving(reuse_port=reuse_port) as server:
                work: list[Callable[[], Coroutine[Any, Any, None]]] = [
                    partial(sweep, host),
                    partial(poll_journal, host),
                    host.heartbeat.keep,
                    computers.sweep,
                    gateway.hall.presence.watch_over,
                    gateway.hall.lobby.keep_up,
                    gateway.hall.meeting.keep_up,
                    gateway.hall.standing.keep_up,
                    rater.run,
                    gateway.hall.spectators.keep_up,
                ]
                work += [part.run for part in (world, devices) if part is not None]
                work += [searches.warm_up] if settings.warm_up else []
                tasks = [asyncio.create_task(_tend(each)) for each in work]
                port = server.sockets[0].getsockname()[1]
                running = Running(node, port, tuple(f"ws://{name}:{port}/ws" for name in _names(settings.host)))

                def hear(message: Hint) -> None:
                    if message == Drain(node):
                        running.told.set()

                bus.listeners.append(hear)
                try:
                    yield running
                finally:
                    if mqtt is not None:
                        mqtt.status("draining")
                    # Nobody is heard any more, over WebSockets or MQTT; then what was heard is finished.
                    deaf = [asyncio.create_task(devices.close())] if devices is not None else []
                    await gateway.drain()
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    under_way = _finish(deaf, (draws, analyst, gateway.hall.meeting), (computers, searches, host))
                    await _within(settings.drain_s, under_way, "what was under way")
        finally:
            await bus.close()


class _Part(Protocol):
    """Something that is closed when the server stops."""

    async def close(self) -> None: ...


async def _finish(before: list[asyncio.Task[None]], answering: Iterable[_Part], playing: Iterable[_Part]) -> None:
    for part in answering:
        await part.close()
    await asyncio.gather(*before)
    for part in playing:
        await part.close()


async def _within(seconds: float, work: Coroutine[Any, Any, None], what: str) -> None:
    """Do ``work``, and go on without it after ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        log.warning("%s could not be finished within %g s", what, seconds)


async def _tend(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do what is done for as long as the server runs, whatever mistake it meets with."""
    while True:
        try:
            await work()
        except Exception:
            log.exception("a part of the server failed and begins again")
            await asyncio.sleep(1)
        else:
            return


def made_up_name() -> str:
    """A name for a node that has none: the machine's, and what makes it the only one of that name."""
    host = re.sub("[^A-Za-z0-9._-]", "-", socket.gethostname())[:48]
    return f"{host}-{secrets.token_hex(3)}"


def search_workers(nodes: int) -> int:
    """How many searches each of ``nodes`` nodes on this machine runs by default: one core is left for moves."""
    return max(1, ((os.cpu_count() or 1) - 1) // nodes)


@asynccontextmanager
async def link_of(settings: Settings, node: str) -> AsyncIterator[Link | None]:
    """The link to the broker that the settings name, within the block; None where they name none.

    Raises :class:`~noughts.config.UnusableSetting`.
    """
    if settings.bus is None:
        yield None
        return
    password = password_in(settings.bus_password_file)
    try:
        link = Link(settings.bus, node=node, prefix=settings.bus_prefix, password=password, ca=settings.bus_ca)
    except ValueError as error:
        raise UnusableSetting(f"--bus: {error}") from None
    except OSError as error:
        raise UnusableSetting(f"--bus-ca: {error.strerror}") from None
    await link.start()
    try:
        yield link
    finally:
        await _within(CLOSE_S, link.close(), "the farewell to the bus")


@asynccontextmanager
async def journal_of(settings: Settings, *, beside: bool = False) -> AsyncIterator[Journal]:
    """The journal that the settings name, within the block. Raises what :func:`open_journal` does.

    ``beside``: as :func:`open_beside` opens it.
    """
    password = password_in(settings.journal_password_file)
    waiting = asyncio.get_running_loop().call_later(1, log.warning, "waiting for the journal")
    try:
        journal = await (open_beside if beside else open_journal)(settings.journal, password)
    finally:
        waiting.cancel()
    try:
        yield journal
    finally:
        await _within(CLOSE_S, journal.close(), "the farewell to the journal")


async def open_journal(where: str, password: str | None = None) -> Journal:
    """The journal that the setting ``journal`` names; ``password`` is for PostgreSQL.

    Raises :class:`~noughts.journal.JournalInUse` and :class:`~noughts.journal.JournalError`.
    """
    if where == "memory":
        return MemoryJournal()
    scheme, separator, _ = where.partition("://")
    if scheme == "postgresql":
        return await PostgresJournal.open(where, password)
    if separator:
        raise JournalError(f"a journal is 'memory', the path of a file or postgresql://..., not {scheme}://...")
    return await SqliteJournal.open(Path(where))


async def open_beside(where: str, password: str | None = None) -> Journal:
    """The journal, which must be there, for a short while and also when servers have it open.

    Raises :class:`~noughts.journal.JournalError`.
    """
    if where == "memory":
        raise JournalError("a journal in memory is its server's alone: name another by --journal")
    if "://" in where:
        return await open_journal(where, password)
    return await SqliteJournal.open(Path(where), beside=True)


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
