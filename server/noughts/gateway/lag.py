"""How long messages to a client and back are on their way, by WebSocket pings."""

from __future__ import annotations

import asyncio

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

PING_S = 1.0
"""The least time between two pings."""

PONG_S = 5.0
"""After this time a pong tells nothing more of the way."""

NEWEST = 0.25
"""What the newest of the measured times counts for; those before count for the rest."""


def smoothed(before_s: float | None, sample_s: float) -> float:
    """The time to reckon with after ``sample_s`` was measured, in seconds: an exponentially weighted mean."""
    return sample_s if before_s is None else (1 - NEWEST) * before_s + NEWEST * sample_s


class Lag:
    """Measures the way to the other end of ``connection`` and back whenever it is asked to, at most once a second."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._seconds: float | None = None
        self._time = asyncio.get_running_loop().time
        self._not_before = 0.0
        self._measuring = False

    @property
    def ms(self) -> int:
        """There and back, in ms; 0 while nothing has been measured."""
        return 0 if self._seconds is None else round(self._seconds * 1000)

    @property
    def due(self) -> bool:
        """Whether it is time to measure."""
        return not self._measuring and self._time() >= self._not_before

    async def measure(self) -> None:
        """Ask for a pong and take the time; not while one is waited for."""
        self._measuring = True
        self._not_before = self._time() + PING_S
        try:
            async with asyncio.timeout(PONG_S):
                pong = await self._connection.ping()
                self._seconds = smoothed(self._seconds, await pong)
        except (ConnectionClosed, TimeoutError):
            pass
        finally:
            self._measuring = False
