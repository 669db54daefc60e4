"""What docs/protocol.md shows: the messages of its transcripts, and its tables. Pure functions of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A message of a transcript: on which connections, ``>`` sent or ``<`` received, or ``!`` the connection breaks."""

    connections: str
    kind: str
    text: str


def transcript(text: str) -> list[Line]:
    """The messages, in order. Raises ValueError for a line that is neither a message nor goes on with one."""
    lines: list[Line] = []
    for block in re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            start = re.fullmatch(r"([\d,]+)([<>!]) ?(.*)", line)
            if start:
                lines.append(Line(start[1].replace(",", ""), start[2], start[3]))
            elif line.startswith("   ") and lines:
                last = lines.pop()
                lines.append(Line(last.connections, last.kind, last.text + line.strip()))
            else:
                raise ValueError(f"not a message: {line}")
    return lines


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
