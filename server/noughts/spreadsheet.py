"""Tables as CSV that no spreadsheet takes for formulas. Pure; does no I/O."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The characters that a spreadsheet may take for the beginning of a formula (OWASP, *CSV Injection*), also in full
width."""

TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of the text after them."""

Cell = str | int | float | None


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The table as CSV, comma-separated, with a line for each row.

    A text that could begin a formula gets a ``'`` in front; numbers stay as they are. Control characters become blanks,
    so that a cell is one line. None is an empty cell.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell(each) for each in row] for row in rows)
    return file.getvalue()


def cell(value: Cell) -> str:
    """The text of a cell."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return f"{value:.10g}"
    text = "".join(" " if unicodedata.category(each) in ("Cc", "Cs") else each for each in value if each not in TURNING)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
