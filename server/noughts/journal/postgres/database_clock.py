"""The database's time, without a query for each reading."""

from __future__ import annotations

import asyncio
import logging
import time

from noughts.journal.postgres.connect import Connection, Pool
from noughts.journal.steady_clock import JUMP_MS, SteadyClock
from noughts.journal.values import JournalError

log = logging.getLogger(__name__)

EVERY_S = 5.0
_SAMPLES = 5
_TIME = "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000"


class DatabaseClock:
    """Calling it returns the database's time in ms since the epoch, as last measured; it never decreases.

    Its error is at most half of the fastest of some round trips, and the drift of this machine's clock within seconds.
    """

    def __init__(self) -> None:
        self.jumps = 0
        self._ahead = 0.0  # of this process's monotonic clock, in ms
        self._steady = SteadyClock(lambda: int(_monotonic_ms() + self._ahead))

    def __call__(self) -> int:
        return self._steady()

    async def measure(self, connection: Connection) -> None:
        """Compare the clocks."""
        samples = []
        for _ in range(_SAMPLES):
            before = _monotonic_ms()
            answer = await connection.fetchval(_TIME)
            after = _monotonic_ms()
            samples.append((after - before, answer - (before + after) / 2))
        ahead = min(samples)[1]
        if self._ahead and abs(ahead - self._ahead) > JUMP_MS:
            self.jumps += 1
            by_s = (ahead - self._ahead) / 1000
            log.warning("the database's clock jumped by %+.1f s, or this machine slept", by_s)
        self._ahead = ahead

    async def run(self, pool: Pool) -> None:
        """Compare the clocks again and again, for ever."""
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                await pool.use(self.measure)
            except JournalError:
                continue  # the last measurement is good for a while


def _monotonic_ms() -> float:
    return time.monotonic() * 1000
