"""How much a connection may ask for. Pure: time arrives as an argument."""

from __future__ import annotations


class TokenBucket:
    """``rate`` requests a second on average, up to ``burst`` at once.

    ``refusals`` counts the refused requests, less those that were taken since: it tells who goes on regardless. Who
    waits as told before each further request stays near zero.
    """

    __slots__ = ("burst", "full_at", "rate", "refusals")

    def __init__(self, rate: float, burst: int) -> None:
        self.rate = rate
        self.burst = burst
        self.full_at = 0.0
        self.refusals = 0

    def take(self, now: float) -> float:
        """Take one at ``now``, in seconds of any clock that does not go back.

        Returns 0, or the seconds to wait when there is none to take.
        """
        full_at = max(self.full_at, now) + 1 / self.rate
        wait = full_at - now - self.burst / self.rate
        # Half a microsecond: sums of 1 / rate are not exact.
        if wait > 5e-7:
            self.refusals += 1
            return wait
        self.full_at = full_at
        self.refusals = max(0, self.refusals - 1)
        return 0.0
