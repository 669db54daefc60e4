"""Heartbeats in the journal: gaps between them show when no server was up, and what a room has missed by that."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from noughts.host.retry import Retry
from noughts.host.seen_time import missed_ms, outlasts_outages
from noughts.journal import OUTAGES_MS, Journal, JournalError, Outage
from noughts.rooms import Room
from noughts.timing import Timing

log = logging.getLogger(__name__)


class Heartbeat:
    """Writes heartbeats to ``journal`` and knows the outages. ``on_outage`` is called when a new one is found.

    ``busy_ms`` says for how long in all the event loop was late. A heartbeat that is late by as much is no outage.
    ``found`` counts the outages found since the start.
    """

    def __init__(
        self,
        journal: Journal,
        retry: Retry,
        on_outage: Callable[[], None],
        timing: Timing = Timing(),
        busy_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        self.found = 0
        self._journal = journal
        self._retry = retry
        self._on_outage = on_outage
        self._interval_s = timing.beat_s
        self._gap_ms = round(timing.beat_gap_s * 1000)
        self._outages: list[Outage] = []
        self._beat_at: int | None = None
        self._busy_ms = busy_ms
        self._busy_before = 0
        self._failures_before = 0
        self._lock = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

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
                await self._retry.once(self._next_beat())
            await asyncio.sleep(self._interval_s)

    @property
    def late(self) -> bool:
        """True if this node's heartbeat is late. Then there may be an outage that it does not know of."""
        return self._beat_at is None or self.overdue

    @property
    def overdue(self) -> bool:
        """True if the journal has stored a heartbeat of this node, and none for too long since then."""
        if self._beat_at is None:
            return False
        silent_ms = self._journal.now() - self._beat_at
        return silent_ms > self._gap_ms and silent_ms > self._gap_ms + self._busy_ms() - self._busy_before

    async def catch_up(self) -> None:
        """Write a heartbeat that is late: the other nodes' may be late, too. Raises JournalError."""
        if self.late:
            await self._retry.call(self._next_beat)

    def outages_since(self, at: int) -> tuple[tuple[int, int], ...]:
        """The recent outages that ended after ``at``, ms since the epoch, as far as they are known."""
        return tuple((outage.since, outage.until) for outage in self._outages if outage.until > at)

    async def all_outages_since(self, at: int) -> list[tuple[int, int]]:
        """All outages that ended after ``at``, however long ago, and also one of just now. Raises JournalError."""
        await self.catch_up()
        outages = await self._retry.call(lambda: self._journal.outages(at))
        return [(outage.since, outage.until) for outage in outages]

    def may_have_stopped(self, room: Room) -> bool:
        """True if no server may have been up at some time since the room's last event."""
        return self.late or self._is_old(room) or bool(self.outages_since(room.at))

    async def outages_of(self, room: Room) -> tuple[tuple[int, int], ...]:
        """The outages that ended after the room's last event. Raises JournalError."""
        await self.catch_up()
        if self._is_old(room):
            return tuple(await self.all_outages_since(room.at))
        return self.outages_since(room.at)

    def _is_old(self, room: Room) -> bool:
        """True if its last event is older than the outages that are recent, as with days for each move."""
        return room.at < self._journal.now() - OUTAGES_MS

    async def missed_ms(self, room: Room) -> int:
        """For how long no server was up since the last move, if only that keeps the room's time from being up.

        Then the index lists the room for a later look. Raises JournalError.
        """
        if not outlasts_outages(room, self._journal.now()):
            return 0
        outages, due_at = await self.all_outages_since(room.moved_at), room.due_at
        now = self._journal.now()
        missed = missed_ms(outages, room.moved_at, now)
        if due_at is not None and due_at + missed > now:
            await self._retry.call(lambda: self._journal.index.postpone(room.id, room.version, due_at + missed))
        return missed

    async def beat_soon(self) -> None:
        """Write a heartbeat as soon as the journal answers, and so learn of an outage. Raises JournalError."""
        await self._retry.call(self._next_beat)

    async def close(self) -> None:
        """Give up the heartbeats that are under way. Call it before the journal is closed."""
        for beat in list(self._under_way):
            beat.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _next_beat(self) -> None:
        """Wait for the next heartbeat that begins after this call, which all who ask until then share.

        One that is under way may have begun before the outage that the caller has seen. Raises JournalError.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._begin())
            self._under_way.add(self._next)
            self._next.add_done_callback(self._end)
        await asyncio.shield(self._next)  # the others wait on if this caller gives up

    def _end(self, beat: asyncio.Task[None]) -> None:
        self._under_way.discard(beat)
        if not beat.cancelled():
            beat.exception()  # who waited for it has it; if all gave up, nobody needs it

    async def _begin(self) -> None:
        async with self._lock:
            self._next = None
            await self._beat(self._gap_ms)

    async def _beat(self, gap_ms: int) -> None:
        now, busy = self._journal.now(), self._busy_ms()
        outages = await self._journal.beat(gap_ms + busy - self._busy_before)
        if outages != self._outages:
            if self._beat_at is not None:  # those before the start are old, or a restart
                for outage in outages:
                    if outage not in self._outages:
                        self._note(outage)
            self._outages = outages
            self._on_outage()
        self._beat_at, self._busy_before, self._failures_before = now, busy, self._retry.failures

    def _note(self, outage: Outage) -> None:
        """Count and log an outage that has just ended."""
        self.found += 1
        failed = self._retry.failures > self._failures_before
        cause = "the journal did not answer" if failed else "this server was stopped, or its machine slept"
        log.warning("no clock ran for %.1f s: %s", (outage.until - outage.since) / 1000, cause)
