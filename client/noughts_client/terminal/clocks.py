"""The time left on a clock, how it is displayed, and when the display changes next. Pure; does no I/O.

All times are in ms. ``now`` is the server's time since the epoch.
"""

from __future__ import annotations

from datetime import datetime

from noughts.protocol.room_messages import ClockInfo, SideName

TENTHS_MS = 10_000
"""Tenths of a second are displayed below this."""

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


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
    """``2 d 7 h``, ``1:02:41``, ``2:41`` or, below ten seconds, ``0:09.9``.

    Rounded down, so that 0:00 never shows too early.
    """
    minutes, ms = divmod(left, 60_000)
    if left >= DAY_MS:
        return f"{left // DAY_MS} d {left % DAY_MS // HOUR_MS} h"
    if left < TENTHS_MS:
        return f"0:{ms // 1000:02}.{ms % 1000 // 100}"
    if left >= HOUR_MS:
        return f"{minutes // 60}:{minutes % 60:02}:{ms // 1000:02}"
    return f"{minutes}:{ms // 1000:02}"


def changes_in(left: int) -> int | None:
    """The time until :func:`display` changes; None once no time is left."""
    if left <= 0:
        return None
    return left % (100 if left < TENTHS_MS else 1000 if left < DAY_MS else HOUR_MS) + 1
