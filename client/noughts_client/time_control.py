"""Time controls as people write them: ``3+2``, ``30s+0.3``, ``10/move``, ``3d/move``. Pure; does no I/O."""

from __future__ import annotations

import re
from typing import cast

from noughts.protocol.room_messages import FischerInfo, PerMoveInfo
from noughts.protocol.words import DAY_S, MOST_DAYS

TimeControl = FischerInfo | PerMoveInfo

_NUMBER = r"(\d{1,6}(?:\.\d{1,3})?)"
_FISCHER = re.compile(rf"{_NUMBER}\s*(s?)\s*\+\s*{_NUMBER}")
_DAYS = re.compile(r"(\d{1,3})\s*(?:d|days?)(?:\s*/\s*move)?")
_PER_MOVE = re.compile(rf"{_NUMBER}\s*/\s*move")


def parse_time_control(text: str) -> TimeControl | None:
    """The time control that ``text`` names, or None for no clock.

    ``3+2`` is 3 minutes for each side and 2 more seconds with each of its moves, ``30s+0.3`` is 30 s and 0.3 s more,
    ``10/move`` is 10 seconds for each move, ``3d/move`` 3 days, and ``none`` or an empty text is no clock. Raises
    ValueError for anything else, and outside of the protocol's limits.
    """
    text = text.strip().casefold()
    if text in ("", "none"):
        return None
    if found := _FISCHER.fullmatch(text):
        initial_s = float(found[1]) if found[2] else round(float(found[1]) * 60, 3)
        increment_s = float(found[3])
        if 1 <= initial_s <= 10_800 and increment_s <= 180:
            return {"initial_s": initial_s, "increment_s": increment_s}
        raise ValueError("A clock has 1 second to 180 minutes for each side, and adds at most 180 s a move.")
    if found := _PER_MOVE.fullmatch(text):
        if 1 <= float(found[1]) <= 3600:
            return {"per_move_s": float(found[1])}
        raise ValueError("A clock has 1 to 3600 s for each move, or days: 3d/move.")
    if found := _DAYS.fullmatch(text):
        if 1 <= int(found[1]) <= MOST_DAYS:
            return {"per_move_s": float(int(found[1]) * DAY_S)}
        raise ValueError(f"A clock has 1 to {MOST_DAYS} days for each move.")
    if re.fullmatch(rf"{_NUMBER}\s*s", text):
        raise ValueError(f"Write {text}+0 for a clock of {text} for each side.")
    raise ValueError(
        "Write a clock as 3+2 (3 minutes, and 2 s more a move), 30s+0.3 (30 s), 10/move (10 s a move), 3d/move (3 days)"
        " or none."
    )


def format_time_control(control: TimeControl) -> str:
    """``control`` as :func:`parse_time_control` reads it."""
    seconds = cast(dict[str, float], control)
    if "per_move_s" in seconds:
        per_move_s = seconds["per_move_s"]
        return f"{per_move_s / DAY_S:g}d/move" if per_move_s >= DAY_S else f"{per_move_s:g}/move"
    minutes = round(seconds["initial_s"] / 60, 3)
    exact = round(minutes * 60, 3) == seconds["initial_s"]
    initial = f"{minutes:g}" if exact and minutes >= 1 else f"{seconds['initial_s']:g}s"
    return f"{initial}+{seconds['increment_s']:g}"
