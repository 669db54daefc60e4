"""Rate limits. Pure: time is an argument.

A :class:`TokenBucket` is used in one of two ways. What costs the same every time is taken before it is done. Where the
cost is known only afterwards, such as the length of an answer, the bucket may be overdrawn once: ask ``overdrawn``
before, and ``spend`` what it cost.
"""

from __future__ import annotations

from collections import OrderedDict

KEYS = 10_000
"""How many addresses, or other keys, are remembered."""


class TokenBucket:
    """``rate`` requests, or bytes, a second on average, up to ``burst`` at once.

    ``refusals`` counts refused requests, less those accepted since. It grows for a client that goes on regardless, and
    stays near zero for one that waits for ``retry_after_s``.
    """

    __slots__ = ("burst", "full_at", "rate", "refusals")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self.full_at = 0.0
        self.refusals = 0

    def take(self, now: float, amount: float = 1) -> float:
        """Take ``amount`` at ``now``, in seconds of any clock that does not go back.

        Returns 0, or the seconds to wait when there is too little to take.
        """
        full_at = max(self.full_at, now) + amount / self.rate
        wait = full_at - now - self.burst / self.rate
        # Half a microsecond: sums of 1 / rate are not exact.
        if wait > 5e-7:
            self.refusals += 1
            return wait
        self.full_at = full_at
        self.refusals = max(0, self.refusals - 1)
        return 0.0

    def overdrawn(self, now: float) -> float:
        """The seconds until what was spent is made good, at ``now``; 0 if more may be spent."""
        wait = self.full_at - now - self.burst / self.rate
        return wait if wait > 5e-7 else 0.0

    def spend(self, now: float, amount: float) -> None:
        """Note that ``amount`` was spent at ``now``, which may overdraw the bucket."""
        self.full_at = max(self.full_at, now) + amount / self.rate


class TokenBuckets:
    """A :class:`TokenBucket` of ``rate`` and ``burst`` for each key, such as an address; the least recent are
    forgotten."""

    def __init__(self, rate: float, burst: float, keys: int = KEYS) -> None:
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
