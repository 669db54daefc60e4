"""The round trip to a client, measured by WebSocket pings."""

from __future__ import annotations

import asyncio

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from noughts.timing import Timing

NEWEST = 0.25
"""The weight of the newest sample in the mean."""


def smoothed(before_s: float | None, sample_s: float) -> float:
    """The exponentially weighted mean after ``sample_s`` was measured, in seconds."""
    return sample_s if before_s is None else (1 - NEWEST) * before_s + NEWEST * sample_s


class Lag:
    """Measures the round trip over ``connection`` on request, at most every ``timing.ping_s``."""

    def __init__(self, connection: ServerConnection, timing: Timing) -> None:
        self._connection = connection
        self._timing = timing
        self._mean_s: float | None = None
        self._time = asyncio.get_running_loop().time
        self._not_before = 0.0
        self._measuring = False

    @property
    def ms(self) -> int:
        """The mean round trip in ms; 0 while nothing has been measured."""
        return 0 if self._mean_s is None else round(self._mean_s * 1000)

    @property
    def due(self) -> bool:
        """Whether it is time to measure again."""
        return not self._measuring and self._time() >= self._not_before

    async def measure(self) -> None:
        """Send a ping and time its pong. Call it when :attr:`due`. A pong that takes too long is ignored."""
        self._measuring = True
        self._not_before = self._time() + self._timing.ping_s
        try:
            async with asyncio.timeout(self._timing.pong_s):
                pong = await self._connection.ping()
                self._mean_s = smoothed(self._mean_s, await pong)
        except (ConnectionClosed, TimeoutError):
            pass
        finally:
            self._measuring = False
