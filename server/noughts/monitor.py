"""The counts of a server while it runs, in plain integers that ``/metrics`` shows."""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)

QUIET_S = 60.0
"""The time the log is silent about a client that stays at a limit after it has named it."""

NAMED = 1000
"""The number of clients at limits remembered; the log may name the others again sooner."""

NOBODY = "a client behind a proxy"
"""The log's name for a client whose address the proxy has not sent yet."""

APPEND_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SEARCH_S = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 60)
DELAY_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""The upper bounds of the buckets, in seconds."""


class Histogram:
    """Counts values in buckets: ``counts[i]`` are those up to ``bounds[i]``, and the last are above all bounds."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count ``value``."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Monitor:
    """Counts for one server. ``time`` is in seconds and never goes back.

    ``limited``: how often each limit stopped somebody. ``requests``: those carried out or refused, by type.
    ``refusals``: errors sent to clients, by code. ``responses``: answers over plain HTTP, by status.
    ``connections``: WebSockets accepted so far.
    ``moves``: those that this node stored, by game. ``begun`` and ``ended``: games, by game, and by game and reason.
    ``append_s``: how long a write takes, of one write at a time. ``loop_delay_s``: how late the event loop is.
    ``search_s``: the time of a search for a move, by level. ``search_wait_s``: how long it waited before.
    """

    def __init__(self, time: Callable[[], float] = time.monotonic) -> None:
        self.limited: Counter[str] = Counter()
        self.requests: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.responses: Counter[int] = Counter()
        self.connections = 0
        self.moves: Counter[str] = Counter()
        self.begun: Counter[str] = Counter()
        self.ended: Counter[tuple[str, ...]] = Counter()
        self.append_s = Histogram(APPEND_S)
        self.loop_delay_s = Histogram(DELAY_S)
        self.search_s: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(SEARCH_S))
        self.search_wait_s = Histogram(SEARCH_S)
        self._time = time
        self._named: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()
        self._warned: OrderedDict[str, None] = OrderedDict()

    def limit(self, name: str, who: str, did: str = "refused a request") -> None:
        """Count that ``who`` was stopped by the limit ``name``, and log it together with what the server ``did``.

        ``who`` is a player's id, an address, or both with ``at`` between; empty where nothing is known. A limit with a
        setting has its name. The log has one line a minute for each client and limit.
        """
        who = who or NOBODY
        self.limited[name] += 1
        now, key = self._time(), (name, who)
        quiet_until, silenced = self._named.get(key, (0.0, 0))
        if now < quiet_until:
            self._named[key] = quiet_until, silenced + 1
            return
        again = f", {silenced} more times since the last line" if silenced else ""
        fields = {"limit": name, **_parts(who), "did": did, "times": silenced + 1}
        log.warning("limit %s stopped %s: %s%s", name, who, did, again, extra={"fields": fields})
        self._named[key] = now + QUIET_S, 0
        self._named.move_to_end(key)
        if len(self._named) > NAMED:
            self._named.popitem(last=False)

    def warn(self, sentence: str) -> None:
        """Log ``sentence``, about how somebody has set the server up, once: the last :data:`NAMED` are remembered."""
        if sentence in self._warned:
            return
        log.warning("%s", sentence)
        self._warned[sentence] = None
        if len(self._warned) > NAMED:
            self._warned.popitem(last=False)


def _parts(who: str) -> dict[str, str]:
    """The player and the address in ``who``, as far as they are known."""
    player, _, address = who.rpartition(" at ")
    if not player and who.startswith("p-"):
        player, address = who.partition(" ")[0], ""
    return {name: text for name, text in (("player", player), ("address", address)) if text}
