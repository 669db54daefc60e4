"""Rate limits. Pure: time is an argument.

A :class:`TokenBucket` is used in one of two ways. What costs the same every time is taken before it is done. Where the
cost is known only afterwards, such as the length of an answer, the bucket may be overdrawn once: ask ``overdrawn``
before, and ``spend`` what it cost.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakValueDictionary

from noughts.gateway.address import SITE_SHARE, site_of
from noughts.gateway.replies import Error, Problem
from noughts.monitor import Monitor

LEAST_WAIT_S = 5e-7
"""A shorter wait is none: sums of 1 / rate are not exact."""

KEYS = 10_000
"""The number of addresses, or other keys, that are remembered."""

TURN_FRAMES = 32
"""The number of frames of one connection that are taken in one turn of the event loop."""

PAUSE_S = 0.25
"""The time nothing is taken from a client that has spent its frames."""

FLOOD_S, FLOOD_WINDOW_S = 5.0, 30.0
"""A connection that was paused for so long within such a time is closed."""


class TokenBucket:
    """``rate`` requests, or bytes, a second on average, up to ``burst`` at once.

    ``refusals`` counts refused requests, less those accepted since. It grows for a client that goes on regardless, and
    stays near zero for one that waits for ``retry_after_s``. What is taken or spent here is also taken from ``shared``.
    """

    __slots__ = ("__weakref__", "_burst_s", "burst", "full_at", "rate", "refusals", "shared")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self._burst_s = burst / rate
        self.full_at = 0.0
        self.refusals = 0
        self.shared: TokenBucket | None = None

    def take(self, now: float, amount: float = 1) -> float:
        """Take ``amount`` at ``now``, in seconds of any clock that does not go back.

        Returns 0, or the seconds to wait when there is too little to take.
        """
        full_at = max(self.full_at, now) + amount / self.rate
        wait = full_at - now - self._burst_s
        if self.shared is not None and wait <= LEAST_WAIT_S:
            wait = self.shared.take(now, amount)
        if wait > LEAST_WAIT_S:
            self.refusals += 1
            return wait
        self.full_at = full_at
        if self.refusals:
            self.refusals -= 1
        return 0.0

    def overdrawn(self, now: float) -> float:
        """The seconds until what was spent is made good, at ``now``; 0 if more may be spent."""
        wait = self.full_at - now - self._burst_s
        if self.shared is not None:
            wait = max(wait, self.shared.overdrawn(now))
        return wait if wait > LEAST_WAIT_S else 0.0

    def spend(self, now: float, amount: float) -> None:
        """Note that ``amount`` was spent at ``now``, which may overdraw the bucket."""
        if self.shared is not None:
            self.shared.spend(now, amount)
        self.full_at = max(self.full_at, now) + amount / self.rate


class TokenBuckets:
    """A :class:`TokenBucket` of ``rate`` and ``burst`` for each key. The least recent that nobody keeps are forgotten.

    The addresses of a site share another one: see :func:`~noughts.gateway.address.site_of`.
    """

    def __init__(self, rate: float, burst: float, keys: int = KEYS) -> None:
        self._rate = rate
        self._burst = burst
        self._keys = keys
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._kept: WeakValueDictionary[str, TokenBucket] = WeakValueDictionary()

    def of(self, key: str) -> TokenBucket:
        """The bucket of ``key``."""
        bucket, site = self._of(key, 1), site_of(key)
        if site != key:
            bucket.shared = self._of(site, SITE_SHARE)
        return bucket

    def _of(self, key: str, share: int) -> TokenBucket:
        bucket = self._buckets.pop(key, None) or self._kept.get(key)
        if bucket is None:
            bucket = self._kept[key] = TokenBucket(share * self._rate, share * self._burst)
        self._buckets[key] = bucket
        if len(self._buckets) > self._keys:
            self._buckets.popitem(last=False)
        return bucket


class Limit:
    """A rate for each key, by the name that the metrics and the log know it; ``did``: what the log says beyond it."""

    def __init__(self, name: str, did: str, buckets: TokenBuckets, monitor: Monitor, time: Callable[[], float]) -> None:
        self._name = name
        self._did = did
        self._buckets = buckets
        self._monitor = monitor
        self._time = time

    def take(self, key: str, who: str, error: Error) -> None:
        """Take one of ``key``'s for ``who``, whom the log names. Raises ``error`` as a problem if there is none."""
        if wait_s := self._buckets.of(key).take(self._time()):
            self._monitor.limit(self._name, who, self._did)
            raise Problem(error, retry_after_s=wait_s)

    def give_back(self, key: str) -> None:
        """Take back the last :meth:`take` of ``key``."""
        self._buckets.of(key).spend(self._time(), -1)


class FrameBudget:
    """The frames of one client, which are taken in turns of :data:`TURN_FRAMES`. Times are in seconds.

    A turn is earned back in ``turn_s``, and turns worth ``burst_s`` may be taken at once. All of them are there again
    at ``full_at``.
    """

    __slots__ = ("_flood_began", "_paused_s", "full_at")

    def __init__(self, now: float) -> None:
        self.full_at = now
        self._flood_began = self._paused_s = 0.0

    def is_spent(self, now: float, turn_s: float, burst_s: float) -> bool:
        """True if no turn is left."""
        return max(self.full_at, now) + turn_s > now + burst_s + 1e-6  # sums are not exact

    def spend(self, now: float, turn_s: float) -> None:
        """Take a turn."""
        self.full_at = max(self.full_at, now) + turn_s

    def pause(self, now: float) -> bool:
        """Note that nothing is taken for :data:`PAUSE_S`. Whether that has happened so often that it is a flood."""
        if now >= self._flood_began + FLOOD_WINDOW_S:
            self._flood_began, self._paused_s = now, 0.0
        paused_s = self._paused_s
        self._paused_s += PAUSE_S
        return paused_s > FLOOD_S
