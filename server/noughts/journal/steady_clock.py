"""The clock of a journal that has none of its own."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

JUMP_MS = 1000
"""A clock that is off by more than this between two readings was set, or its machine slept."""


def system_time() -> int:
    """The machine's time, ms since the epoch."""
    return time.time_ns() // 1_000_000


class SteadyClock:
    """Calling it returns the time of ``source`` in ms, by default the machine's, but never less than before.

    With ``monotonic``, a clock in seconds that nobody can set, time goes on by that when ``source`` is set back by more
    than :data:`JUMP_MS`, until it is set forward again; otherwise it stands still. Each jump is logged, and counted in
    ``jumps``.
    """

    def __init__(self, source: Callable[[], int] | None = None, monotonic: Callable[[], float] | None = None) -> None:
        self.jumps = 0
        self._source = source
        self._monotonic = monotonic
        self._ahead: int | None = None  # of the monotonic clock
        self._set_back = 0
        self._latest = 0

    def __call__(self) -> int:
        now = time.time_ns() // 1_000_000 if self._source is None else self._source()
        if self._monotonic is not None:
            ahead = now - round(self._monotonic() * 1000)
            if ahead != self._ahead:  # seldom, and every move asks for the time
                if self._ahead is not None and not -JUMP_MS <= ahead - self._ahead <= JUMP_MS:
                    self._jumped(ahead - self._ahead)
                self._ahead = ahead
            now += self._set_back
        self._latest = max(self._latest, now)
        return self._latest

    def _jumped(self, by_ms: int) -> None:
        self.jumps += 1
        self._set_back = max(0, self._set_back - by_ms)
        if by_ms < 0:
            log.warning("the clock was set back by %.1f s; games go on as if it had not been", -by_ms / 1000)
        else:
            log.warning("the clock jumped forward by %.1f s: it was set, or the machine slept", by_ms / 1000)
