"""The composition root: settings in, a running server out. The only wiring."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from noughts.bus import Bus, Drain, MemoryBus
from noughts.computer import computer_of
from noughts.config import Settings, UnusableSetting
from noughts.farm import FarmError, load
from noughts.features import (
    accounts,
    analyses,
    chat,
    classes,
    computers,
    game_log,
    invitations,
    lobby,
    my_games,
    profiles,
    puzzles,
    rater,
    replay,
    reviews,
    seeking,
    tables,
    tournaments,
    traces,
    your_move,
)
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.gateway.feature import Feature, Loop
from noughts.gateway.gateway import Gateway
from noughts.gateway.own_addresses import names_of
from noughts.gateway.page import Page
from noughts.gateway.server import Server
from noughts.host import Host
from noughts.opening import journal_of, link_of, within
from noughts.players.looks import edition
from noughts.readings import metrics_of, serving_metrics
from noughts.timing import Timing

log = logging.getLogger(__name__)


DEFAULT_TIMING = Timing()

FEATURES = (
    *(computers, tables, lobby, seeking, accounts, profiles, my_games, invitations),
    *(chat, your_move, analyses, reviews, traces, replay, puzzles, rater, game_log, tournaments, classes),
)
"""All features of a server on its own, in the order in which they hear of what happens."""


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


@asynccontextmanager
async def running(
    settings: Settings, *, timing: Timing = DEFAULT_TIMING, page: Path | None = None
) -> AsyncIterator[Running]:
    """Run a server within the block. At its end it is drained, within ``settings.drain_s`` and some 5 s.

    ``page`` is the folder with the files of the web page, None to serve none.

    Raises :class:`~noughts.journal.JournalInUse` if another server has the journal open,
    :class:`~noughts.journal.JournalError` if it cannot be opened, :class:`~noughts.config.UnusableSetting`,
    and OSError if the address cannot be used.
    """
    node = settings.node or made_up_name()
    for key in settings.offered_games:
        if key not in GAMES:
            raise UnusableSetting(f"--offered-games: {no_such_game(key, GAMES)}")
    if settings.embed_sites and settings.registration != "open" and not settings.guests_watch:
        raise UnusableSetting("--embed-sites shows games to everybody: not with --guests-watch false")
    if settings.farm is not None:
        try:
            load()  # now, as it would hold up the event loop
        except FarmError as error:
            raise UnusableSetting(str(error)) from None
    await asyncio.to_thread(edition)  # loads the table by which names are compared
    async with journal_of(settings, node=node) as journal, link_of(settings, node, timing) as link:
        if link is not None:  # so the extra "cluster" is installed
            from noughts.mqtt.bus import MqttBus  # noqa: PLC0415
            from noughts.mqtt.features import features as cluster_features  # noqa: PLC0415
        mqtt = None if link is None else MqttBus(link, journal.secret, timing)
        bus: Bus = mqtt or MemoryBus(node, alone=not journal.shared)
        server = Server(
            settings, Host(journal, bus, timing), computer_of(settings, timing), timing, page=page is not None
        )
        server.use(module.feature(server) for module in FEATURES)
        if link is not None and mqtt is not None:
            server.use(cluster_features(server, link, mqtt))
        draining = asyncio.Event()
        server.use([_draining(node, draining)])
        gateway = Gateway(server)
        gateway.site.page = None if page is None else Page(page, settings.embed_sites)
        metrics = metrics_of(gateway)
        try:
            await server.host.heartbeat.start()
            await server.bans.look()
            await server.operator.start()
            async with (
                serving_metrics(settings, metrics) as metrics_url,
                gateway.serving() as listening,
            ):
                port = listening.sockets[0].getsockname()[1]
                urls = tuple(f"ws://{name}:{port}/ws" for name in names_of(settings.host))
                loops = [*server.loops, *([] if metrics is None else [metrics.run])]
                tasks = [asyncio.create_task(_keep_running(loop)) for loop in loops]
                try:
                    yield Running(node, port, urls, metrics_url, draining)
                finally:
                    # First no new requests, by WebSocket or MQTT; then finish those under way.
                    await gateway.drain()
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    await within(settings.drain_s, server.close(), "the work under way")
        finally:
            await bus.close()


def _draining(node: str, drain: asyncio.Event) -> Feature:
    """Another node may tell this one to stop."""

    def on_drain(hint: Drain) -> None:
        if hint.to == node:
            drain.set()

    return Feature(hints={Drain: on_drain})


async def _keep_running(loop: Loop) -> None:
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
