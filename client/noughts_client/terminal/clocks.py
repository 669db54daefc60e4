"""What is left on a clock, how it is shown, and when that changes next. Pure; does no I/O.

All times are ms; ``now`` is the server's, since the epoch.
"""

from __future__ import annotations

from datetime import datetime

from noughts.protocol.messages import ClockInfo, SideName

TENTHS_MS = 10_000
"""Below this tenths of a second are shown."""

HOUR_MS = 3_600_000


def since_epoch(timestamp: str) -> int:
    """A time as the protocol writes it."""
    return round(datetime.fromisoformat(timestamp).timestamp() * 1000)


def left_ms(clock: ClockInfo, side: SideName, now: float) -> int:
    """What ``side`` has left, 0 or more."""
    given = clock["first_ms"] if side == "first" else clock["second_ms"]
    if clock["running"] != side or clock["since"] is None:
        return given
    # Before `since`, as after an outage, the clock stands.
    return max(0, given - max(0, round(now - since_epoch(clock["since"]))))


def runs(clock: ClockInfo, now: float) -> bool:
    """Whether time passes for somebody."""
    return clock["running"] is not None and clock["since"] is not None and now >= since_epoch(clock["since"])


def shown(left: int) -> str:
    """``2:41``, ``1:02:41`` or, when it is short, ``0:09.9``; cut, not rounded, so that 0:00 is never early."""
    minutes, ms = divmod(left, 60_000)
    if left < TENTHS_MS:
        return f"0:{ms // 1000:02}.{ms % 1000 // 100}"
    if left >= HOUR_MS:
        return f"{minutes // 60}:{minutes % 60:02}:{ms // 1000:02}"
    return f"{minutes}:{ms // 1000:02}"


def changes_in(left: int) -> int | None:
    """After how long something else is :func:`shown`; None when nothing is left to count down."""
    if left <= 0:
        return None
    return left % (100 if left < TENTHS_MS else 1000) + 1
