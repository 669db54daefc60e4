"""Moves in sentences. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 20
"""How many moves a sentence lists."""


def listed(moves: Sequence[str]) -> str:
    """Such as ``a1, a2, a3 and 12 more``; ``none`` without any."""
    more = len(moves) - SHOWN
    return (", ".join(moves[:SHOWN]) or "none") + (f" and {more} more" if more > 0 else "")
