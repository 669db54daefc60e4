"""Pairs seekers for games. Pure; does no I/O.

Rated seeks pair the nearest ratings first, within a window that widens the longer a seeker waits. Unrated seeks pair
in order of arrival.
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from noughts.rooms.clock import Fischer, PerMove, TimeControl
from noughts.value import value

WINDOW = 100.0
"""The window of a new seeker: the greatest difference in rating, in points."""

WIDENING_PER_S = 50.0
"""The number of points each second of waiting adds to the window."""

UNBOUNDED_MS = 30_000
"""After this wait, any opponent will do."""


@value
class Seeker:
    """A player looking for an opponent since ``since``, ms since the epoch.

    Only seekers with equal ``terms`` are paired. ``rating`` is None for an unrated seek.
    """

    player: str
    terms: str
    since: int
    rating: float | None = None


def terms_of(clock: TimeControl | None, *, rated: bool) -> str:
    """Clock and rating as text. Seekers of a game can be paired if their terms are equal."""
    if clock is None:
        text = "no clock"
    elif isinstance(clock, Fischer):
        text = f"{clock.initial_ms}+{clock.increment_ms} ms"
    else:
        text = f"{clock.per_move_ms} ms a move"
    return f"rated, {text}" if rated else text


def read_terms(text: str) -> tuple[TimeControl | None, bool] | None:
    """The clock, and whether the game is rated, of the terms ``text``; None if these are no terms."""
    found = _TERMS.fullmatch(text)
    if found is None:
        return None
    rated, initial_ms, increment_ms, per_move_ms = found.groups()
    if initial_ms is not None:
        return Fischer(int(initial_ms), int(increment_ms)), rated is not None
    return None if per_move_ms is None else PerMove(int(per_move_ms)), rated is not None


_TERMS = re.compile(r"(rated, )?(?:no clock|(\d+)\+(\d+) ms|(\d+) ms a move)")


def window(waited_ms: int) -> float:
    """The greatest difference in rating, in points, for a seeker who has waited this long."""
    return math.inf if waited_ms >= UNBOUNDED_MS else WINDOW + WIDENING_PER_S * max(0, waited_ms) / 1000


def pairable_at(seekers: Iterable[Seeker]) -> int | None:
    """The time at which the first two of ``seekers`` can be paired, in ms since the epoch, rounded up; None if there
    are no two.

    ``seekers`` must have equal terms. The window of the later of two is the narrower one, so each seeker is compared
    with the nearest of those who came before it.
    """
    ratings: list[float] = []
    times = []
    for seeker in sorted(seekers, key=_order):
        rating = seeker.rating or 0.0
        place = bisect_left(ratings, rating)
        gaps = [abs(rating - near) for near in ratings[max(0, place - 1) : place + 1]]
        if gaps:
            wait_ms = max(0.0, min(gaps) - WINDOW) * 1000 / WIDENING_PER_S
            times.append(seeker.since + min(UNBOUNDED_MS, math.ceil(wait_ms)))
        ratings.insert(place, rating)
    return min(times, default=None)


def pairs(seekers: Iterable[Seeker], now: int) -> list[tuple[Seeker, Seeker]]:
    """The pairs at ``now``, ms since the epoch; the seeker who has waited longer comes first.

    ``seekers`` must be different players. The two of a pair have equal terms, and each is within the other's window. No
    two seekers are left over that could be paired. The order of ``seekers`` does not matter.
    """
    groups: dict[tuple[str, bool], list[Seeker]] = {}
    for seeker in seekers:
        groups.setdefault((seeker.terms, seeker.rating is None), []).append(seeker)
    found: list[tuple[Seeker, Seeker]] = []
    for (_, unrated), group in sorted(groups.items()):
        group.sort(key=_order)
        found += zip(group[::2], group[1::2], strict=False) if unrated else _nearest(group, now)
    return found


def _order(seeker: Seeker) -> tuple[int, str]:
    return seeker.since, seeker.player


def _rating(seeker: Seeker) -> float:
    assert seeker.rating is not None
    return seeker.rating


def _nearest(seekers: Sequence[Seeker], now: int) -> list[tuple[Seeker, Seeker]]:
    """Pair the two nearest seekers, then the two nearest of the rest, and so on; O(n log n).

    All windows widen at the same rate, so two seekers can be paired if they are within the window of the later one.
    The nearest neighbours by rating are tried first. If they cannot be paired, nobody is near enough for the later of
    the two, who is skipped.
    """
    line = sorted(seekers, key=lambda seeker: (_rating(seeker), *_order(seeker)))
    before, after = list(range(-1, len(line) - 1)), list(range(1, len(line) + 1))
    left = [True] * len(line)
    gaps: list[tuple[float, tuple[int, str], int, int]] = []

    def neighbours(lower: int, upper: int) -> None:
        if lower >= 0 and upper < len(line):
            one, other = line[lower], line[upper]
            heapq.heappush(gaps, (_rating(other) - _rating(one), min(_order(one), _order(other)), lower, upper))

    def remove(place: int) -> None:
        left[place] = False
        lower, upper = before[place], after[place]
        if lower >= 0:
            after[lower] = upper
        if upper < len(line):
            before[upper] = lower
        neighbours(lower, upper)

    for place in range(1, len(line)):
        neighbours(place - 1, place)
    found = []
    while gaps:
        gap, _, lower, upper = heapq.heappop(gaps)
        if not (left[lower] and left[upper]):
            continue
        earlier, later = sorted((lower, upper), key=lambda place: _order(line[place]))
        remove(later)
        if gap <= window(now - line[later].since):
            remove(earlier)
            found.append((line[earlier], line[later]))
    return found
