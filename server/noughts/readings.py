"""What ``/metrics`` reads of a running server, and where it is served."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.computer import ComputerSeats, Searches
from noughts.config import Settings, UnusableSetting, address_of, metrics_token
from noughts.gateway.server import Gateway
from noughts.mqtt.devices import Devices
from noughts.mqtt.link import Link

if TYPE_CHECKING:  # it is imported only if somebody wants metrics: its library takes 0.1 s
    from noughts.gateway.metrics import Metrics

log = logging.getLogger(__name__)


def metrics_of(
    settings: Settings,
    gateway: Gateway,
    computers: ComputerSeats,
    searches: Searches,
    *,
    link: Link | None,
    devices: Devices | None,
) -> Metrics | None:
    """The metrics, if the settings ask for them. Raises :class:`~noughts.config.UnusableSetting`."""
    token = metrics_token(settings)
    if settings.metrics is None and token is None:
        return None
    # The library takes 0.1 s to import.
    from noughts.gateway.metrics import Metrics, Reading  # noqa: PLC0415

    services = gateway.services
    host = services.host
    readings = [
        Reading("connections", "Open WebSockets.", lambda: gateway.connections),
        Reading("sockets", "Open connections, those for plain HTTP among them.", lambda: gateway.sockets),
        Reading("players", "Connected players.", lambda: len(services.sessions)),
        Reading("tasks", "Tasks of the event loop.", lambda: len(asyncio.all_tasks())),
        Reading(
            "work_waiting", "Connections and requests that wait for processor time.", lambda: services.work.waiting
        ),
        Reading("work_bytes", "Memory that unfinished requests take, by estimate.", lambda: services.work.held),
        Reading("chat_bytes", "Memory that remembered chat takes, by estimate.", lambda: services.chat.history.held),
        Reading("searches_waiting", "Moves that wait for a search.", lambda: computers.waiting),
        Reading("searches_running", "Searches for moves, analyses, reviews and traces.", lambda: searches.running),
        Reading("analyses_waiting", "Analyses and traces that wait for a search.", lambda: searches.analyses_waiting),
        Reading("reviews", "Reviews of finished games under way.", lambda: len(services.reviews)),
        Reading("journal_errors_total", "Calls of the journal that failed.", lambda: host.retry.failures),
        Reading("outages_total", "Outages that this node has found.", lambda: host.heartbeat.found),
        Reading("clock_jumps_total", "Jumps of the clock.", lambda: host.journal.clock_jumps),
    ]
    if link is not None and devices is not None:
        readings += [
            Reading("devices", "Players who use MQTT.", lambda: len(devices)),
            Reading("bus_up", "Whether the broker is connected.", lambda: link.connected),
            Reading("bus_dropped_total", "Messages to the broker that were not sent.", lambda: link.dropped),
        ]
    file = None if settings.journal == "memory" or "://" in settings.journal else Path(settings.journal)
    metrics = Metrics(host, readings, file)
    gateway.site.metrics, gateway.site.metrics_token = metrics.page, token
    return metrics


@asynccontextmanager
async def serving_metrics(settings: Settings, metrics: Metrics | None) -> AsyncIterator[str | None]:
    """Serve the metrics on their own address within the block, if they have one; where they are.

    Raises :class:`~noughts.config.UnusableSetting`.
    """
    if metrics is None or settings.metrics is None:
        yield None
        return
    from noughts.gateway.metrics import serving  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        try:
            server = await stack.enter_async_context(serving(metrics, *address_of(settings.metrics)))
        except OSError as error:
            raise UnusableSetting(f"--metrics: cannot listen on {settings.metrics}: {error.strerror}") from None
        host, port = server.sockets[0].getsockname()[:2]
        where = f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"
        log.info("metrics are at %s", where)
        yield where
