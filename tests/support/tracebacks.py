"""Tracebacks as every Python prints them."""

from __future__ import annotations

import re


def unmarked(text: str) -> str:
    """``text`` without the lines that point at a part of the line above, for which each Python has its own rules."""
    return re.sub(r"\n +[~^]+(?=\n|\Z)", "", text)
