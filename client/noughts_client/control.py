"""How much time the players have, as people write it: ``3+2``, ``10/move``. Pure; does no I/O."""

from __future__ import annotations

import re
from typing import cast

from noughts.protocol.messages import FischerInfo, PerMoveInfo

Control = FischerInfo | PerMoveInfo

_NUMBER = r"(\d{1,6}(?:\.\d{1,3})?)"
_FISCHER = re.compile(rf"{_NUMBER}\s*\+\s*{_NUMBER}")
_PER_MOVE = re.compile(rf"{_NUMBER}\s*/\s*move")


def time_control(text: str) -> Control | None:
    """The clock that ``text`` asks for: ``3+2`` is 3 minutes for each side and 2 s more with each of its moves,
    ``10/move`` 10 s for each move, and ``none`` or nothing no clock. Raises ValueError, also for a clock that the
    protocol has not.
    """
    wanted = text.strip().casefold()
    if wanted in ("", "none"):
        return None
    if found := _FISCHER.fullmatch(wanted):
        initial_s, increment_s = round(float(found[1]) * 60, 3), float(found[2])
        if 1 <= initial_s <= 10_800 and increment_s <= 180:
            return {"initial_s": initial_s, "increment_s": increment_s}
        raise ValueError("A clock has 1 second to 180 minutes for each side, and up to 180 s more a move.")
    if found := _PER_MOVE.fullmatch(wanted):
        if 1 <= float(found[1]) <= 3600:
            return {"per_move_s": float(found[1])}
        raise ValueError("A clock has 1 to 3600 s for each move.")
    raise ValueError("A clock is written as 3+2 (3 minutes and 2 s more a move), 10/move (10 s a move) or none.")


def as_written(control: Control) -> str:
    """``control`` as :func:`time_control` reads it."""
    seconds = cast(dict[str, float], control)
    if "per_move_s" in seconds:
        return f"{seconds['per_move_s']:g}/move"
    return f"{round(seconds['initial_s'] / 60, 3):g}+{seconds['increment_s']:g}"
