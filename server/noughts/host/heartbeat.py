"""Heartbeats in the journal: gaps between them show when no server was up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from noughts.host.retry import Retry
from noughts.journal import Journal, JournalError, Outage
from noughts.timing import Timing


class Heartbeat:
    """Writes heartbeats to ``journal`` and knows the outages. ``on_outage`` is called when a new one is found."""

    def __init__(
        self, journal: Journal, retry: Retry, on_outage: Callable[[], None], timing: Timing = Timing()
    ) -> None:
        self._journal = journal
        self._retry = retry
        self._on_outage = on_outage
        self._interval_s = timing.beat_s
        self._gap_ms = round(timing.beat_gap_s * 1000)
        self._outages: list[Outage] = []
        self._beat_at: int | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Write the first heartbeat. Where nodes cannot share the journal, no server was up before it.

        Raises JournalError.
        """
        async with self._lock:
            await self._retry.call(lambda: self._beat(self._gap_ms if self._journal.shared else 0))

    async def run(self) -> None:
        """Write a heartbeat each second, for ever."""
        while True:
            with suppress(JournalError):  # it was logged; if it lasts, the next heartbeat finds an outage
                async with self._lock:
                    await self._retry.once(self._beat(self._gap_ms))
            await asyncio.sleep(self._interval_s)

    @property
    def late(self) -> bool:
        """Whether this node's heartbeat is late. Then there may be an outage that it does not know of."""
        return self._beat_at is None or self._journal.now() - self._beat_at > self._gap_ms

    async def catch_up(self) -> None:
        """Write a heartbeat that is late: the other nodes' may be late, too. Raises JournalError."""
        async with self._lock:
            if self.late:
                await self._retry.call(lambda: self._beat(self._gap_ms))

    def outages_since(self, at: int) -> tuple[tuple[int, int], ...]:
        """The known outages that ended after ``at``, ms since the epoch."""
        return tuple((outage.since, outage.until) for outage in self._outages if outage.until > at)

    async def beat_soon(self) -> None:
        """Write a heartbeat as soon as the journal answers, and so learn of an outage. Raises JournalError."""
        async with self._lock:
            await self._retry.call(lambda: self._beat(self._gap_ms))

    async def _beat(self, gap_ms: int) -> None:
        now = self._journal.now()
        outages = await self._journal.beat(gap_ms)
        self._beat_at = now
        if outages != self._outages:
            self._outages = outages
            self._on_outage()
