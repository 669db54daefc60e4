"""Time that a server has seen pass. Pure.

The journal's clock may jump ahead by weeks, or no server may be up for as long. Either leaves an outage between two
heartbeats, in which nobody could do anything. What cannot be undone waits for time that was not part of one. Times are
in ms since the epoch by the journal's clock.
"""

from __future__ import annotations

from collections.abc import Iterable

from noughts.rooms import Room


def missed_ms(outages: Iterable[tuple[int, int]], since: int, until: int) -> int:
    """The part of the time from ``since`` until ``until`` was part of ``outages``, which may overlap."""
    missed, counted_until = 0, since
    for begin, end in sorted(outages):
        missed += max(0, min(end, until) - max(begin, counted_until))
        counted_until = max(counted_until, min(end, until))
    return missed


def seen_since(outages: Iterable[tuple[int, int]], now: int, span_ms: int) -> int:
    """Since when a server has seen ``span_ms`` pass."""
    since = now - span_ms
    for begin, end in sorted(outages, key=lambda outage: outage[1], reverse=True):
        if end <= since:
            break
        since -= max(0, min(end, now) - begin)
    return since


def outlasts_outages(room: Room, now: int) -> bool:
    """True if the time of ``room`` is up at ``now``, unless part of it was an outage.

    In games with a clock, and while somebody is away, an outage is an event of the room and counts there.
    """
    due_at = room.due_at
    return due_at is not None and due_at <= now and (room.status == "waiting" or room.clocks is None)
