"""The clock of a journal that has none of its own."""

from __future__ import annotations

import time
from collections.abc import Callable


def system_time() -> int:
    """The machine's time, ms since the epoch."""
    return time.time_ns() // 1_000_000


class SteadyClock:
    """Calling it returns the time of ``source``. It stands still while ``source`` is set back."""

    def __init__(self, source: Callable[[], int]) -> None:
        self._source = source
        self._latest = 0

    def __call__(self) -> int:
        self._latest = max(self._latest, self._source())
        return self._latest
