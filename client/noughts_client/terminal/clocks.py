"""The time left on a clock, how it is displayed, and when the display changes next. Pure; does no I/O.

All times are in ms. ``now`` is the server's time since the epoch.
"""

from __future__ import annotations

from datetime import datetime

from noughts.protocol.room_messages import ClockInfo, SideName

TENTHS_MS = 10_000
"""Tenths of a second are displayed below this."""

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

LONG_MS = 3 * HOUR_MS
"""Above this there are no seconds."""


def since_epoch(timestamp: str) -> int:
    """A time as the protocol writes it, in ms since the epoch."""
    return round(datetime.fromisoformat(timestamp).timestamp() * 1000)


def left_ms(clock: ClockInfo, side: SideName, now: float) -> int:
    """The time that ``side`` has left, 0 or more."""
    given = clock["first_ms"] if side == "first" else clock["second_ms"]
    if clock["running"] != side or clock["since"] is None:
        return given
    # `since` may be in the future after an outage: the clock stands until then.
    return max(0, given - max(0, round(now - since_epoch(clock["since"]))))


def runs(clock: ClockInfo, now: float) -> bool:
    """True if one of the two clocks is running."""
    return clock["running"] is not None and clock["since"] is not None and now >= since_epoch(clock["since"])


def display(left: int) -> str:
    """``3 days``, ``1 day 4 h``, ``5 h 12 min``, ``1:02:41``, ``2:41`` or, below ten seconds, ``0:09.9``.

    More than three hours are rounded up, so that a clock of three days begins with ``3 days``. Less is rounded down, so
    that 0:00 never shows too early.
    """
    if left > LONG_MS:
        hours, minutes = divmod(-(-left // MINUTE_MS), 60)
        if hours < 24:
            return f"{hours} h" + (f" {minutes} min" if minutes else "")
        days, hours = divmod(-(-left // HOUR_MS), 24)
        return f"{days} day{'s' if days > 1 else ''}" + (f" {hours} h" if hours else "")
    minutes, ms = divmod(left, MINUTE_MS)
    if left < TENTHS_MS:
        return f"0:{ms // 1000:02}.{ms % 1000 // 100}"
    if left >= HOUR_MS:
        return f"{minutes // 60}:{minutes % 60:02}:{ms // 1000:02}"
    return f"{minutes}:{ms // 1000:02}"


def changes_in(left: int) -> int | None:
    """The time until :func:`display` changes; None once no time is left."""
    if left <= 0:
        return None
    if left > LONG_MS:
        return (left - 1) % (HOUR_MS if left > DAY_MS else MINUTE_MS) + 1
    return left % (100 if left < TENTHS_MS else 1000) + 1
