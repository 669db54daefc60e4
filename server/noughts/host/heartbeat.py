"""Signs of life in the journal, by which it is found out afterwards that no server could take a move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from noughts.host.retry import Retry
from noughts.journal import Journal, JournalError, Outage
from noughts.timing import Timing


class Heartbeat:
    """Leaves signs of life in ``journal`` and knows the outages. ``on_outage`` is called when there is a new one."""

    def __init__(
        self, journal: Journal, retry: Retry, on_outage: Callable[[], None], timing: Timing = Timing()
    ) -> None:
        self._on_outage = on_outage
        self._timing = timing
        self._gap_ms = round(timing.beat_gap_s * 1000)
        self._journal = journal
        self._retry = retry
        self._outages: list[Outage] = []
        self._beat_at: int | None = None
        self._beating = asyncio.Lock()

    async def start(self) -> None:
        """Leave the first sign. Nobody was there before if nobody else can be. Raises JournalError."""
        gap_ms = self._gap_ms if self._journal.shared else 0
        async with self._beating:
            await self._retry.call(lambda: self._beat(gap_ms))

    async def run(self) -> None:
        """Leave one each second, for ever."""
        while True:
            with suppress(JournalError):  # it was logged; if it lasts, the next sign tells of an outage
                async with self._beating:
                    await self._retry.once(self._beat(self._gap_ms))
            await asyncio.sleep(self._timing.beat_s)

    async def outages_since(self, at: int) -> tuple[tuple[int, int], ...]:
        """The outages that ended after ``at``, ms since the epoch. Raises JournalError.

        Who has not been able to leave a sign for a while does so first: others may not have been, either.
        """
        if self._late:
            async with self._beating:
                if self._late:
                    await self._retry.call(lambda: self._beat(self._gap_ms))
        return tuple((outage.since, outage.until) for outage in self._outages if outage.until > at)

    async def leave_sign(self) -> None:
        """Leave a sign as soon as the journal answers: then it is known what outage there has been.

        Raises JournalError.
        """
        async with self._beating:
            await self._retry.call(lambda: self._beat(self._gap_ms))

    @property
    def _late(self) -> bool:
        return self._beat_at is None or self._journal.now() - self._beat_at > self._gap_ms

    async def _beat(self, gap_ms: int) -> None:
        now = self._journal.now()
        outages = await self._journal.beat(gap_ms)
        self._beat_at = now
        if outages != self._outages:
            self._outages = outages
            self._on_outage()
