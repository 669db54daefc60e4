"""Rate limits. Pure: time is an argument."""

from __future__ import annotations

from collections import OrderedDict

KEYS = 10_000
"""How many addresses, or other keys, are remembered."""


class TokenBucket:
    """``rate`` requests a second on average, up to ``burst`` at once.

    ``refusals`` counts refused requests, less those accepted since. It grows for a client that goes on regardless, and
    stays near zero for one that waits for ``retry_after_s``.
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


class TokenBuckets:
    """A :class:`TokenBucket` of ``rate`` and ``burst`` for each key, such as an address; the least recent are
    forgotten."""

    def __init__(self, rate: float, burst: int, keys: int = KEYS) -> None:
        self._rate = rate
        self._burst = burst
        self._keys = keys
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def of(self, key: str) -> TokenBucket:
        """The bucket of ``key``."""
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate, self._burst)
        self._buckets[key] = bucket
        if len(self._buckets) > self._keys:
            self._buckets.popitem(last=False)
        return bucket
