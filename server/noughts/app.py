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

from noughts.bus import Bus, Drain, Hint, MemoryBus
from noughts.computer import Analyser, ComputerSeats, DrawAnswers, Searches
from noughts.config import Settings, UnusableSetting, password_in
from noughts.engine import LEVELS
from noughts.gateway.analyses import Analyse, Analyses
from noughts.gateway.chat import Chat
from noughts.gateway.dispatch import Dispatcher
from noughts.gateway.lobby import Lobby
from noughts.gateway.matchmaking import Matchmaker
from noughts.gateway.presence import Presence
from noughts.gateway.registry import SessionRegistry
from noughts.gateway.replies import server_facts
from noughts.gateway.server import Gateway
from noughts.gateway.services import Services
from noughts.gateway.spectators import Spectators
from noughts.gateway.subscribers import Subscribers
from noughts.gateway.tasks import Tasks
from noughts.gateway.views import Views
from noughts.host import GameOver, Host, poll_journal, sweep
from noughts.host.rater import Rater
from noughts.journal import Journal, JournalError, PostgresJournal, SqliteJournal
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.client import Devices
from noughts.mqtt.link import Link
from noughts.mqtt.view import PublicView
from noughts.rooms import Disconnected, Joined, Offered, Opened, Returned
from noughts.timing import Timing

log = logging.getLogger(__name__)


CLOSE_S = 1.0
"""How long the link to the broker, and then the journal, may take to close."""

DEFAULT_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens: its node's name, its port, and the addresses to connect to, the nearest first.

    ``drain`` is set when another node tells this one to stop; its owner may set it too.
    """

    node: str
    port: int
    urls: tuple[str, ...]
    drain: asyncio.Event = field(default_factory=asyncio.Event)

    def on_hint(self, hint: Hint) -> None:
        """Another node may tell this one to stop."""
        if hint == Drain(self.node):
            self.drain.set()


@asynccontextmanager
async def running(
    settings: Settings, *, timing: Timing = DEFAULT_TIMING, reuse_port: bool = False
) -> AsyncIterator[Running]:
    """Run a server within the block. At its end it is drained, within ``settings.drain_s`` and some 5 s.

    ``reuse_port``: other processes of the same user may listen on the port as well.

    Raises :class:`~noughts.journal.JournalInUse` if another server has the journal open,
    :class:`~noughts.journal.JournalError` if it cannot be opened, :class:`~noughts.config.UnusableSetting`,
    and OSError if the address cannot be used.
    """
    node = settings.node or made_up_name()
    async with journal_of(settings) as journal, link_of(settings, node, timing) as link:
        mqtt = None if link is None else MqttBus(link, journal.secret, timing)
        bus: Bus = mqtt or MemoryBus(node, alone=not journal.shared)
        host = Host(journal, bus, timing)
        searches = Searches(
            settings.search_workers or search_workers(1),
            {name: replace(level, seconds=settings.think_s) for name, level in LEVELS.items()},
            timing=timing,
        )
        computers = ComputerSeats(host, searches, settings.computer_pace_s, random.Random(), timing)
        analyser = Analyser(searches, settings.analyse_s, timing=timing)
        draws = DrawAnswers(host, analyser.analyse, timing)
        bus.listeners.append(host.on_hint)
        host.listen(computers.on_update)
        host.listen(draws.on_update, Offered)
        host.on_loaded.append(computers.on_loaded)
        gateway = make_gateway(settings, host, analyser.analyse, timing)
        services = gateway.services
        devices = None if link is None else Devices(services, gateway.dispatcher, link)
        view = None if link is None else PublicView(host, link, timing)
        rater = Rater(journal, timing)
        host.listen(rater.on_update, GameOver)
        if link is not None and mqtt is not None and view is not None:
            mqtt.start()
            host.listen(view.on_update)
            mqtt.on_appended = view.on_appended
            link.on_connect += [mqtt.on_connect, view.on_connect]
            link.on_disconnect += [mqtt.on_disconnect, view.on_disconnect]
        try:
            await host.heartbeat.start()
            async with gateway.serving(reuse_port=reuse_port) as server:
                port = server.sockets[0].getsockname()[1]
                running = Running(node, port, tuple(f"ws://{name}:{port}/ws" for name in _names(settings.host)))
                bus.listeners.append(running.on_hint)
                loops: list[Callable[[], Coroutine[Any, Any, None]]] = [
                    partial(sweep, host),
                    partial(poll_journal, host),
                    host.heartbeat.run,
                    computers.run,
                    services.presence.run,
                    services.lobby.run,
                    services.matchmaker.run,
                    services.sessions.run,
                    services.spectators.run,
                    rater.run,
                ]
                loops += [part.run for part in (view, devices) if part is not None]
                loops += [searches.warm_up] if settings.warm_up else []
                tasks = [asyncio.create_task(_keep_running(loop)) for loop in loops]
                try:
                    yield running
                finally:
                    if mqtt is not None:
                        mqtt.announce("draining")
                    # First no new requests, by WebSocket or MQTT; then finish those under way.
                    closing = [asyncio.create_task(devices.close())] if devices is not None else []
                    await gateway.drain()
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    answering: list[_Part] = [draws, analyser]
                    under_way = _finish(closing, answering, [computers, searches, services.tasks, host])
                    await _within(settings.drain_s, under_way, "the work under way")
        finally:
            await bus.close()


def make_gateway(settings: Settings, host: Host, analyse: Analyse, timing: Timing = DEFAULT_TIMING) -> Gateway:
    """A gateway over ``host``, connected with it and its bus. The lists are in the order in which parts are called."""
    tasks = Tasks()
    subscribers = Subscribers()
    spectators = Spectators(host, subscribers, timing)
    presence = Presence(host, subscribers, settings.away_s, timing)
    views = Views(host, subscribers, spectators, presence)
    services = Services(
        settings=settings,
        facts=server_facts(settings),
        timing=timing,
        time=asyncio.get_running_loop().time,
        host=host,
        tasks=tasks,
        subscribers=subscribers,
        spectators=spectators,
        presence=presence,
        views=views,
        lobby=Lobby(host, timing),
        analyses=Analyses(settings, host, analyse, timing),
        chat=Chat(host, subscribers),
        matchmaker=Matchmaker(host, settings, views, tasks, rng=random.Random(), timing=timing),
        sessions=SessionRegistry(host, timing),
    )

    host.watched = subscribers.is_watched
    host.lost = views.lose
    host.listen(subscribers.on_update)
    host.listen(views.on_update, Opened)
    host.listen(presence.on_update, Opened, Joined, Disconnected)
    host.listen(services.lobby.on_update, Opened, Joined, Disconnected, Returned, GameOver)
    host.bus.listeners += [
        presence.on_hint,
        services.lobby.on_hint,
        services.chat.on_hint,
        spectators.on_hint,
        services.matchmaker.on_hint,
        services.sessions.on_hint,
    ]
    host.bus.on_node_left += [presence.on_node_left, spectators.on_node_left]
    subscribers.resend = views.resend
    subscribers.on_change = spectators.on_change
    services.matchmaker.on_stored = services.sessions.changed
    return Gateway(services, Dispatcher(services))


class _Part(Protocol):
    """Something that is closed when the server stops."""

    async def close(self) -> None: ...


async def _finish(closing: list[asyncio.Task[None]], answering: Iterable[_Part], playing: Iterable[_Part]) -> None:
    for part in answering:
        await part.close()
    await asyncio.gather(*closing)
    for part in playing:
        await part.close()


async def _within(seconds: float, work: Coroutine[Any, Any, None], what: str) -> None:
    """Do ``work``, and give it up after ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        log.warning("%s did not finish within %g s", what, seconds)


async def _keep_running(loop: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run what runs for as long as the server does. A mistake in it is logged, and it starts again."""
    while True:
        try:
            await loop()
        except Exception:
            log.exception("a part of the server failed and starts again")
            await asyncio.sleep(1)
        else:
            return


def made_up_name() -> str:
    """A name for a node that has none: the machine's, and a random part that makes it unique."""
    host = re.sub("[^A-Za-z0-9._-]", "-", socket.gethostname())[:48]
    return f"{host}-{secrets.token_hex(3)}"


def search_workers(nodes: int) -> int:
    """How many searches each of ``nodes`` nodes on this machine runs by default. One core is left for moves."""
    return max(1, ((os.cpu_count() or 1) - 1) // nodes)


@asynccontextmanager
async def link_of(settings: Settings, node: str, timing: Timing = DEFAULT_TIMING) -> AsyncIterator[Link | None]:
    """The link to the broker that the settings name, within the block; None where they name none.

    Raises :class:`~noughts.config.UnusableSetting`.
    """
    if settings.bus is None:
        yield None
        return
    password = password_in(settings.bus_password_file)
    try:
        link = Link(
            settings.bus, node=node, prefix=settings.bus_prefix, password=password, ca=settings.bus_ca, timing=timing
        )
    except ValueError as error:
        raise UnusableSetting(f"--bus: {error}") from None
    except OSError as error:
        raise UnusableSetting(f"--bus-ca: {error.strerror}") from None
    await link.start()
    try:
        yield link
    finally:
        await _within(CLOSE_S, link.close(), "closing the link to the broker")


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
        await _within(CLOSE_S, journal.close(), "closing the journal")


async def open_journal(where: str, password: str | None = None) -> Journal:
    """The journal that the setting ``journal`` names; ``password`` is for PostgreSQL.

    Raises :class:`~noughts.journal.JournalInUse` and :class:`~noughts.journal.JournalError`.
    """
    if where == "memory":
        return SqliteJournal.in_memory()
    scheme, separator, _ = where.partition("://")
    if scheme == "postgresql":
        return await PostgresJournal.open(where, password)
    if separator:
        raise JournalError(f"a journal is 'memory', the path of a file or postgresql://..., not {scheme}://...")
    return await SqliteJournal.open(Path(where))


async def open_beside(where: str, password: str | None = None) -> Journal:
    """The journal, which must exist, for a short while, even if servers have it open.

    Raises :class:`~noughts.journal.JournalError`.
    """
    if where == "memory":
        raise JournalError("a journal in memory belongs to its server alone; name another with --journal")
    if "://" in where:
        return await open_journal(where, password)
    return await SqliteJournal.open(Path(where), exclusive=False)


def _names(host: str) -> list[str]:
    """The addresses of this machine when it listens on ``host``."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104  # compared, not bound
        return [f"[{host}]" if ":" in host else host]
    return ["[::1]"] if host == "::" else ["127.0.0.1", *_own_addresses()]


def _own_addresses() -> list[str]:
    """This machine's IPv4 addresses but the loopback; first the one that it reaches the internet from."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket sends nothing; the address is one set aside for documentation.
        probe.connect(("192.0.2.1", 9))
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [address for address in dict.fromkeys(found) if not address.startswith(("127.", "0."))]
