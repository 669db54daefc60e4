"""Signs of life in the journal, by which it is found out afterwards that no server could take a move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from noughts.host.retry import Retry
from noughts.journal import Journal, JournalError, Outage

BEAT_S = 1.0
"""How often a server leaves a sign of life."""

GAP_S = 2.5
"""After how long without any the servers count as away."""


class Heartbeat:
    """Leaves signs of life in ``journal`` and knows the outages. ``found`` is called when there is a new one."""

    def __init__(self, journal: Journal, retry: Retry) -> None:
        self.found: Callable[[], None] = lambda: None
        self._journal = journal
        self._retry = retry
        self._outages: list[Outage] = []
        self._beat_at: int | None = None
        self._beating = asyncio.Lock()

    async def begin(self) -> None:
        """Leave the first sign. Nobody was there before if nobody else can be. Raises JournalError."""
        gap_ms = round(GAP_S * 1000) if self._journal.shared else 0
        async with self._beating:
            await self._retry.call(lambda: self._note(gap_ms))

    async def keep(self) -> None:
        """Leave one each second, for ever."""
        while True:
            with suppress(JournalError):  # it was logged; if it lasts, the next sign tells of an outage
                async with self._beating:
                    await self._retry.once(self._note())
            await asyncio.sleep(BEAT_S)

    async def outages_since(self, at: int) -> tuple[tuple[int, int], ...]:
        """The outages that ended after ``at``, ms since the epoch. Raises JournalError.

        Who has not been able to leave a sign for a while does so first: others may not have been, either.
        """
        if self._late:
            async with self._beating:
                if self._late:
                    await self._retry.call(self._note)
        return tuple((outage.since, outage.until) for outage in self._outages if outage.until > at)

    async def leave_sign(self) -> None:
        """Leave a sign as soon as the journal answers: then it is known what outage there has been.

        Raises JournalError.
        """
        async with self._beating:
            await self._retry.call(self._note)

    @property
    def _late(self) -> bool:
        return self._beat_at is None or self._journal.now() - self._beat_at > GAP_S * 1000

    async def _note(self, gap_ms: int = round(GAP_S * 1000)) -> None:
        now = self._journal.now()
        outages = await self._journal.beat(gap_ms)
        self._beat_at = now
        if outages != self._outages:
            self._outages = outages
            self.found()
