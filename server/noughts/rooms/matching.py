"""Who of those that look for an opponent are to play each other. Pure; does no I/O.

Where the result counts for ratings, the nearest ratings go together, and nobody gets an opponent too far away at
first: the window of each widens with the time waited. Elsewhere whoever has waited longest goes first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from noughts.rooms.clock import Fischer, TimeControl

WINDOW = 100.0
"""How far from its own rating a player is paired at first, in points."""

WIDENING_PER_S = 50.0
"""How many points are added to that for each second of waiting."""

UNBOUNDED_MS = 30_000
"""After so long anybody will do."""


@dataclass(frozen=True, slots=True)
class Seeker:
    """Somebody who looks for an opponent: the player's id, and since when, in ms since the epoch.

    ``terms`` are what both must want alike, game and all. ``rating`` is None where the result does not count.
    """

    player: str
    terms: str
    since: int
    rating: float | None = None


def terms_of(clock: TimeControl | None, *, rated: bool) -> str:
    """The text of what two players must want alike, beside the game: the same for whoever wants the same."""
    if clock is None:
        text = "no clock"
    elif isinstance(clock, Fischer):
        text = f"{clock.initial_ms}+{clock.increment_ms} ms"
    else:
        text = f"{clock.per_move_ms} ms a move"
    return f"rated, {text}" if rated else text


def window(waited_ms: int) -> float:
    """How far apart in points the rating of an opponent may be for who has waited for so long."""
    return math.inf if waited_ms >= UNBOUNDED_MS else WINDOW + WIDENING_PER_S * max(0, waited_ms) / 1000


def pairs(seekers: Iterable[Seeker], now: int) -> list[tuple[Seeker, Seeker]]:
    """Who is to play whom at ``now``, ms since the epoch; who has waited longer first in each pair.

    ``seekers`` are different players. All of a pair want the same, and each is within the other's window; nobody is
    left over who could have had somebody left over. The same seekers in any order give the same pairs.
    """
    alike: dict[tuple[str, bool], list[Seeker]] = {}
    for seeker in seekers:
        alike.setdefault((seeker.terms, seeker.rating is None), []).append(seeker)
    found: list[tuple[Seeker, Seeker]] = []
    for (_, unrated), group in sorted(alike.items()):
        group.sort(key=_order)
        found += zip(group[::2], group[1::2], strict=False) if unrated else _nearest(group, now)
    return found


def _order(seeker: Seeker) -> tuple[int, str]:
    return seeker.since, seeker.player


def _rating(seeker: Seeker) -> float:
    assert seeker.rating is not None
    return seeker.rating


def _nearest(seekers: Sequence[Seeker], now: int) -> list[tuple[Seeker, Seeker]]:
    """The nearest two who may be paired, then the nearest two of those left, and so on; O(n log n).

    Windows widen alike for all, so two may be paired when they are within the window of the later one. Of all
    neighbours by rating the nearest are looked at first: when these two may not be paired, nobody is near enough for
    the later one, who is passed over.
    """
    line = sorted(seekers, key=lambda seeker: (_rating(seeker), *_order(seeker)))
    before, after = list(range(-1, len(line) - 1)), list(range(1, len(line) + 1))
    left = [True] * len(line)
    gaps: list[tuple[float, tuple[int, str], int, int]] = []

    def neighbours(lower: int, upper: int) -> None:
        if lower >= 0 and upper < len(line):
            one, other = line[lower], line[upper]
            heapq.heappush(gaps, (_rating(other) - _rating(one), min(_order(one), _order(other)), lower, upper))

    def take_out(place: int) -> None:
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
        take_out(later)
        if gap <= window(now - line[later].since):
            take_out(earlier)
            found.append((line[earlier], line[later]))
    return found
