"""``/metrics``: what the server has counted, as Prometheus reads it.

Nothing here runs unless the operator wants metrics. Reading them takes the event loop half a millisecond at a time.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from http import HTTPStatus
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric
from websockets.http11 import Request, Response

from noughts.gateway.connection import Connection
from noughts.gateway.feature import Reading
from noughts.gateway.files import response, text
from noughts.gateway.http import build, in_slices
from noughts.gateway.pool import Listener, Pool
from noughts.gateway.port import listening
from noughts.host import Host
from noughts.host.live_room import LiveRoom
from noughts.monitor import Histogram

DELAY_EVERY_S = 0.1
"""The interval at which the delay of the event loop is measured."""

SAMPLES = 20
"""The number of values rendered without a look at the clock."""

Values = Mapping[tuple[str, ...], float]

REQUEST_S = 5.0
"""The time a request may take to arrive."""


class Metrics:
    """Collects what the host's monitor counts and what ``readings`` read. ``journal`` is the file of the journal."""

    def __init__(self, host: Host, readings: Iterable[Reading], journal: Path | None = None) -> None:
        self._host = host
        self._readings = list(readings)
        self._journal = journal
        self._build = build()
        self._rooms: Counter[tuple[str, ...]] = Counter()
        self._from_system: list[Metric] = []
        self._process = ProcessCollector(registry=None)
        self._registry = CollectorRegistry()
        self._registry.register(self)

    async def run(self) -> None:
        """Measure how late the event loop is, for ever."""
        await self.page()  # the first takes several milliseconds
        observe = self._host.monitor.loop_delay_s.observe
        while True:
            due = perf_counter() + DELAY_EVERY_S
            await asyncio.sleep(DELAY_EVERY_S)
            observe(max(0.0, perf_counter() - due))

    async def page(self) -> Response:
        """The answer to a scrape."""
        rooms: Counter[tuple[str, ...]] = Counter()
        await in_slices(_counting(self._host.live_rooms(), rooms))
        self._rooms = rooms
        self._from_system = await asyncio.to_thread(lambda: [*self._process.collect(), *_sizes(self._journal)])
        parts = await in_slices(piece for family in self._registry.collect() for piece in _rendered(family))
        return response(HTTPStatus.OK, CONTENT_TYPE_PLAIN_0_0_4, b"".join(parts))

    def collect(self) -> Iterator[Metric]:
        """All metrics; for the registry."""
        monitor, host = self._host.monitor, self._host
        yield _family("build_info", "What runs here.", {tuple(self._build.values()): 1}, *self._build)
        for each in self._readings:
            yield _family(each.name, each.meaning, {(): each.read()})
        yield _family("journal_up", "Whether the journal answers and stores.", {(): host.answering})
        yield _family("rooms", "Rooms in memory.", self._rooms, "game", "status")
        yield _family("connections_total", "WebSockets accepted.", {(): monitor.connections})
        yield _family("requests_total", "Requests of clients.", _single(monitor.requests), "type")
        yield _family("refusals_total", "Errors sent to clients.", _single(monitor.refusals), "code")
        yield _family("limited_total", "How often each limit stopped somebody.", _single(monitor.limited), "limit")
        yield _family("http_responses_total", "Answers over plain HTTP.", _single(monitor.responses), "status")
        yield _family("moves_total", "Moves stored by this node.", _single(monitor.moves), "game")
        yield _family("games_begun_total", "Games that began.", _single(monitor.begun), "game")
        yield _family("games_ended_total", "Games that ended.", monitor.ended, "game", "reason")
        yield _histogram("append_seconds", "Time to store a write durably.", {(): monitor.append_s})
        yield _histogram("loop_delay_seconds", "How late the event loop is.", {(): monitor.loop_delay_s})
        yield _histogram("search_wait_seconds", "How long a search waited.", {(): monitor.search_wait_s})
        searches: dict[tuple[str, ...], Histogram] = {(level,): times for level, times in monitor.search_s.items()}
        yield _histogram("search_seconds", "Time of a search for a move.", searches, ("level",))
        yield from self._from_system


def serving(metrics: Metrics, host: str, port: int) -> AbstractAsyncContextManager[asyncio.Server]:
    """Serve the page at ``/metrics``, without a token, on an address of its own. Raises OSError if it is taken."""

    async def respond(_: Connection, request: Request) -> Response:
        if request.method != "GET":
            return text(HTTPStatus.METHOD_NOT_ALLOWED, "")
        if request.path.partition("?")[0] != "/metrics":
            return text(HTTPStatus.NOT_FOUND, "Only /metrics is here.\n")
        return await metrics.page()

    def never(_: Connection) -> Listener:
        raise AssertionError("every request was answered")

    return listening(Pool(respond, never, hello_s=REQUEST_S), host, port)


class _Alone:
    """One family of metrics, for a function that wants a registry."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return (self._family,)


def _rendered(family: Metric) -> Iterator[bytes]:
    """The text of ``family``, in pieces that take some 0.2 ms each."""
    samples = family.samples
    for start in range(0, max(1, len(samples)), SAMPLES):
        family.samples = samples[start : start + SAMPLES]
        lines = generate_latest(_Alone(family))
        yield lines if start == 0 else lines.split(b"\n", 2)[2]  # the first two lines explain the family


def _counting(rooms: Iterable[LiveRoom], counts: Counter[tuple[str, ...]]) -> Iterator[None]:
    """Count ``rooms`` by game and status, one for each step."""
    for live in rooms:
        if live.room is not None:
            counts[live.room.game.key, live.room.status] += 1
        yield


def _sizes(journal: Path | None) -> Iterator[Metric]:
    """The size of the journal's file and what is free beside it. This may wait for the disk."""
    if journal is None:
        return
    with suppress(OSError):
        used = sum(os.stat(f"{journal}{end}").st_size for end in ("", "-wal"))
        yield _family("journal_bytes", "Size of the journal's file and its log.", {(): used})
        free = shutil.disk_usage(journal.parent).free
        yield _family("journal_free_bytes", "Free space where the journal is.", {(): free})


def _single(values: Mapping[Any, int]) -> Values:
    """``values`` of one label."""
    return {(str(key),): value for key, value in values.items()}


def _family(name: str, meaning: str, values: Values, *labels: str) -> Metric:
    """A counter or, unless it only grows, a gauge: one value for each combination of the values of its labels."""
    kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
    family = kind(f"noughts_{name}", meaning, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family


def _histogram(
    name: str, meaning: str, histograms: Mapping[tuple[str, ...], Histogram], labels: tuple[str, ...] = ()
) -> Metric:
    family = HistogramMetricFamily(f"noughts_{name}", meaning, labels=labels)
    for key, histogram in histograms.items():
        bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
        family.add_metric(key, list(zip(bounds, accumulate(histogram.counts), strict=True)), histogram.total)
    return family
