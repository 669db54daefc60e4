"""Tables of documents, for tests."""

from __future__ import annotations

import re


def table(text: str, heading: str) -> dict[str, list[str]]:
    """The first table after ``heading``: its rows as cells, by each name in backticks or number in the first cell."""
    rows = re.search(r"^\|-.*\n((?:\|.*\n)+)", text.partition(heading)[2], re.MULTILINE)
    if rows is None:
        raise ValueError(f"no table after {heading!r}")
    names = re.compile(r"(?<=`)\w+(?=`)|^\d+$")
    found: dict[str, list[str]] = {}
    for row in rows[1].splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        found |= dict.fromkeys(names.findall(cells[0]), cells)
    return found
