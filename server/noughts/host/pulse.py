"""The pulse of a server: whether the event loop keeps up, and whether the process runs at all.

A loop with too much to do is late. A process that was stopped, by a signal or with its machine, is late too, but nobody
could play meanwhile. A thread tells them apart: it runs while the loop is busy, and stands still with the process. On a
busy machine the loop can keep even the thread from running; but then it uses processor time.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic

TICK_S = 0.1
"""The interval at which the loop and the thread show that they run."""

LATE_S = 0.05
"""A loop that is less late than this is on time."""

STOPPED_S = 1.0
"""A thread that is later than this was stopped, unless the loop was running."""

RUNNING = 0.02
"""A loop that used this part of the time was running, if the machine had others to serve, too."""

BACK_MS = 2000
"""The most time that one move is given back because the server was late."""

RECENTLY_MS = 600_000
"""So long after the loop was late, moves may have to be given time back."""

NEVER = sys.maxsize


class Pulse:
    """Notes when the event loop was late. ``now`` is the journal's time, in ms.

    ``on_tick`` is called ten times a second, or later if the loop ``is_late``. Once ``now`` is past ``check_at``, a
    move may have lost time: see :meth:`lost_since`.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self.on_tick: Callable[[], None] = lambda: None
        self.check_at = NEVER
        self.is_late = False
        self._now = now
        self._busy_s = self._late_s = 0.0
        self._late: deque[tuple[int, int]] = deque(
            maxlen=1000
        )  # until when, by the journal's time, and for how many ms
        self._due: float | None = None
        self._used_s: Callable[[], float] = time.process_time
        self._thread_at = self._used_before_s = 0.0
        self._stopped_s = 0.0
        self._stopped_before_s = 0.0

    async def run(self) -> None:
        """Watch the loop, for ever."""
        ended = threading.Event()
        self._used_s = _processor_time()
        self._thread_at, self._used_before_s = monotonic(), self._used_s()
        threading.Thread(target=self._watch, args=(ended,), name="pulse", daemon=True).start()
        try:
            while True:
                self._due = monotonic() + TICK_S
                self._stopped_before_s = self._stopped()
                await asyncio.sleep(TICK_S)
                self._tick()
        finally:
            ended.set()
            self._due, self.check_at = None, NEVER

    @property
    def late_s(self) -> float:
        """For how long in all the loop has not run in time, also while the process was stopped; it only grows."""
        overdue_s = 0.0 if self._due is None else monotonic() - self._due
        return self._late_s + (overdue_s if overdue_s > LATE_S else 0.0)

    @property
    def busy_ms(self) -> int:
        """For how long in all the loop was late although the process ran; it grows while the loop is late."""
        return round((self._busy_s + self._overdue()) * 1000)

    def lost_since(self, at: int) -> int:
        """For how many ms since ``at``, by the journal's time, the loop was late; at most :data:`BACK_MS`."""
        lost = min(round(self._overdue() * 1000), max(0, self._now() - at))
        for until, late_ms in reversed(self._late):
            if until <= at or lost >= BACK_MS:
                break
            lost += min(late_ms, until - at)
        return min(lost, BACK_MS)

    def _tick(self) -> None:
        late_s, now, self._late_s = self._overdue(), self._now(), self.late_s
        self.is_late = late_s > 0
        if self.is_late:
            self._busy_s += late_s
            self._late.append((now, round(late_s * 1000)))
        recently = bool(self._late) and now - self._late[-1][0] < RECENTLY_MS
        self.check_at = 0 if recently else now + round((TICK_S + LATE_S) * 1000)
        self.on_tick()

    def _overdue(self) -> float:
        """For how many seconds the loop is late now, not counting those in which the process was stopped."""
        if self._due is None:
            return 0.0
        late_s = monotonic() - self._due - (self._stopped() - self._stopped_before_s)
        return late_s if late_s > LATE_S else 0.0

    def _stopped(self) -> float:
        """For how many seconds in all the process was stopped, also if its thread has not run since."""
        standing_s = monotonic() - self._thread_at - TICK_S
        if standing_s <= STOPPED_S:
            return self._stopped_s
        # The last tick before it was stopped does not count.
        was_running = self._used_s() - self._used_before_s - TICK_S > RUNNING * standing_s
        return self._stopped_s + (0.0 if was_running else standing_s)

    def _watch(self, ended: threading.Event) -> None:
        while not ended.wait(TICK_S):
            stopped_s = self._stopped()
            self._thread_at, self._stopped_s, self._used_before_s = monotonic(), stopped_s, self._used_s()


def _processor_time() -> Callable[[], float]:
    """Tells how many seconds of processor time this thread has used, or where no other can ask that, the process."""
    if sys.platform == "win32" or not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    return partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
