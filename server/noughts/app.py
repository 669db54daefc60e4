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
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, get_args

from noughts.bus import Bus, Drain, Hint, MemoryBus
from noughts.computer import Analyser, ComputerSeats, DrawAnswers, Reviewer, Searches
from noughts.config import Settings
from noughts.engine import LEVELS
from noughts.gateway.analyses import Analyse, Analyses
from noughts.gateway.bans import AddressBans
from noughts.gateway.chat import Chat
from noughts.gateway.costs import Costs
from noughts.gateway.dispatch import Dispatcher
from noughts.gateway.invitations import Invitations
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.lobby import Lobby
from noughts.gateway.lost_time import LostTime
from noughts.gateway.matchmaking import Matchmaker
from noughts.gateway.open_rooms import OpenRooms
from noughts.gateway.own_addresses import names_of
from noughts.gateway.page import Page
from noughts.gateway.presence import Presence
from noughts.gateway.registry import SessionRegistry
from noughts.gateway.replies import server_facts
from noughts.gateway.reviews import Reviews, ReviewSearch
from noughts.gateway.server import Gateway
from noughts.gateway.services import Services
from noughts.gateway.spectators import Spectators
from noughts.gateway.subscribers import Subscribers
from noughts.gateway.tasks import Tasks
from noughts.gateway.traces import Trace, Traces
from noughts.gateway.views import Views
from noughts.gateway.work import Work
from noughts.host import GameOver, Host, poll_journal, sweep
from noughts.host.game_log import note_game
from noughts.host.rater import Rater
from noughts.mqtt.bus import MqttBus
from noughts.mqtt.devices import Devices
from noughts.mqtt.view import PublicView
from noughts.opening import journal_of, link_of, within
from noughts.players.looks import edition
from noughts.readings import metrics_of, serving_metrics
from noughts.rooms import Disconnected, Event, Joined, Offered, Opened, Returned
from noughts.timing import Timing

log = logging.getLogger(__name__)


DEFAULT_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens: its node's name, its port, and the addresses to connect to, the nearest first.

    ``metrics``: where Prometheus may read its metrics without a token.
    ``drain`` is set when another node tells this one to stop; its owner may set it too.
    """

    node: str
    port: int
    urls: tuple[str, ...]
    metrics: str | None = None
    drain: asyncio.Event = field(default_factory=asyncio.Event)

    def on_hint(self, hint: Hint) -> None:
        """Another node may tell this one to stop."""
        if hint == Drain(self.node):
            self.drain.set()


@asynccontextmanager
async def running(
    settings: Settings, *, timing: Timing = DEFAULT_TIMING, reuse_port: bool = False, page: Path | None = None
) -> AsyncIterator[Running]:
    """Run a server within the block. At its end it is drained, within ``settings.drain_s`` and some 5 s.

    ``reuse_port``: other processes of the same user may listen on the port as well. ``page`` is the folder with the
    files of the web page, None to serve none.

    Raises :class:`~noughts.journal.JournalInUse` if another server has the journal open,
    :class:`~noughts.journal.JournalError` if it cannot be opened, :class:`~noughts.config.UnusableSetting`,
    and OSError if the address cannot be used.
    """
    node = settings.node or made_up_name()
    await asyncio.to_thread(edition)  # loads the table by which names are compared
    async with journal_of(settings, node=node) as journal, link_of(settings, node, timing) as link:
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
        reviewer = Reviewer(searches, settings.review_s)
        draws = DrawAnswers(host, analyser.analyse, timing)
        bus.listeners.append(host.on_hint)
        host.listen(computers.on_update)
        host.listen(draws.on_update, Offered)
        host.on_loaded.append(computers.on_loaded)
        gateway = make_gateway(
            settings,
            host,
            analyser.analyse,
            timing,
            review=reviewer.analyse,
            trace=searches.trace,
            page=page is not None,
        )
        gateway.site.page = None if page is None else Page(page)
        services = gateway.services
        services.subscribers.on_watched = computers.on_watched
        devices = None if link is None else Devices(services, gateway.dispatcher, link)
        view = None if link is None else PublicView(host, link, timing)
        rater = Rater(journal, timing)
        host.listen(rater.on_update, GameOver)
        host.listen(partial(note_game, host), Opened, Joined, GameOver)
        metrics = metrics_of(settings, gateway, computers, searches, link=link, devices=devices)
        if link is not None and mqtt is not None and view is not None:
            mqtt.start()
            host.listen(view.on_update)
            mqtt.on_appended = view.on_appended
            link.on_connect += [mqtt.on_connect, view.on_connect]
            link.on_disconnect += [mqtt.on_disconnect, view.on_disconnect]
        try:
            await host.heartbeat.start()
            await services.bans.look()
            async with (
                serving_metrics(settings, metrics) as metrics_url,
                gateway.serving(reuse_port=reuse_port) as server,
            ):
                port = server.sockets[0].getsockname()[1]
                urls = tuple(f"ws://{name}:{port}/ws" for name in names_of(settings.host))
                running = Running(node, port, urls, metrics_url)
                bus.listeners.append(running.on_hint)
                loops: list[Callable[[], Coroutine[Any, Any, None]]] = [
                    partial(sweep, host),
                    partial(poll_journal, host),
                    host.pulse.run,
                    host.heartbeat.run,
                    computers.run,
                    services.presence.run,
                    services.lobby.run,
                    services.matchmaker.run,
                    services.sessions.run,
                    services.bans.run,
                    services.spectators.run,
                    rater.run,
                    journal.check,
                ]
                loops += [part.run for part in (view, devices, metrics) if part is not None]
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
                    answering: list[_Part] = [draws, analyser, services.reviews, reviewer]
                    under_way = _finish(closing, answering, [computers, searches, services.tasks, host])
                    await within(settings.drain_s, under_way, "the work under way")
        finally:
            await bus.close()


def make_gateway(
    settings: Settings,
    host: Host,
    analyse: Analyse,
    timing: Timing = DEFAULT_TIMING,
    *,
    trace: Trace,
    review: ReviewSearch | None = None,
    page: bool = False,
) -> Gateway:
    """A gateway over ``host``, connected with it and its bus. The lists are in the order in which parts are called.

    Without ``review`` the positions of reviews are analysed by ``analyse``. ``page``: clients learn that there is a
    web page.
    """
    tasks = Tasks()
    time = asyncio.get_running_loop().time
    costs = Costs(settings, host.monitor, time)
    work = Work(host.monitor.limit)
    open_rooms = OpenRooms(host, settings, time)
    subscribers = Subscribers()
    spectators = Spectators(host, subscribers, timing)
    presence = Presence(host, subscribers, settings.away_s, timing)
    views = Views(host, subscribers, spectators, presence)
    sessions = SessionRegistry(host, timing)
    services = Services(
        settings=settings,
        facts=server_facts(settings, page=page),
        timing=timing,
        time=time,
        host=host,
        tasks=tasks,
        work=work,
        costs=costs,
        open_rooms=open_rooms,
        subscribers=subscribers,
        spectators=spectators,
        presence=presence,
        views=views,
        lobby=Lobby(host, costs, timing),
        analyses=Analyses(settings, host, costs, analyse, timing),
        reviews=Reviews(settings, host, costs, review or (lambda game, moves, *_: analyse(game, moves))),
        traces=Traces(settings, costs, trace, timing),
        chat=Chat(host, subscribers, costs),
        matchmaker=Matchmaker(host, settings, views, tasks, rng=random.Random(), timing=timing),
        sessions=sessions,
        bans=AddressBans(host.journal, timing),
        invitations=Invitations(host, costs, sessions),
        lost_time=LostTime(host, work),
        codes=TokenBuckets(settings.codes_per_minute / 60, settings.codes_per_minute),
    )

    host.rated_pairs.limit = settings.rated_games_per_pair
    host.rated_pairs.same_address = settings.rated_same_address
    host.pulse.on_tick = services.lost_time.on_tick
    host.watched = subscribers.is_watched
    host.lost = views.lose
    # Nobody watches a room before it is opened. Whoever does so already was shown it.
    host.listen(subscribers.on_update, *(event for event in get_args(Event) if event is not Opened))
    host.listen(views.on_update, Opened)
    host.listen(open_rooms.on_update, Opened, GameOver)
    host.listen(presence.on_update, Opened, Joined, Disconnected)
    host.listen(services.lobby.on_update, Opened, Joined, Disconnected, Returned, GameOver)
    host.bus.listeners += [
        presence.on_hint,
        services.lobby.on_hint,
        services.chat.on_hint,
        spectators.on_hint,
        services.matchmaker.on_hint,
        services.sessions.on_hint,
        services.invitations.on_hint,
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
