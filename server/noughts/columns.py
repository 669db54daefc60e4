"""Text in the columns of a terminal: what it can show, and tables. Pure; does no I/O.

A wide character, such as a Chinese one, takes two columns.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence

from wcwidth import ljust, rjust, width

LEFT_TO_RIGHT = "\u200e"


def printable(text: str) -> str:
    """``text`` with ``?`` for the characters that a terminal could take for commands. Tabs stay."""
    return "".join(character if character.isprintable() or character == "\t" else "?" for character in text)


def isolated(text: str) -> str:
    """``text`` as a terminal can show it within a line, with blanks for tabs.

    Text with letters that run from right to left is closed by a mark, so that what follows keeps its place.
    """
    shown = printable(text).replace("\t", " ")
    backwards = not shown.isascii() and any(unicodedata.bidirectional(each) in ("R", "AL") for each in shown)
    return shown + LEFT_TO_RIGHT if backwards else shown


def table(rows: Iterable[Sequence[str]], *, right: Collection[int] = (), least: Sequence[int] = ()) -> list[str]:
    """The lines of a table, a line for each of the ``rows``, which all have as many cells.

    The cells of the columns with the numbers in ``right``, from 0, end at the same place; the others begin there. Two
    blanks part two columns. ``least`` are the least widths of the first columns, for tables of which not all rows are
    known yet.
    """
    columns = [[isolated(cell) for cell in column] for column in zip(*rows, strict=True)]
    aligned = []
    for number, (column, wanted) in enumerate(zip(columns, [*least, *[0] * len(columns)], strict=False)):
        widest = max(wanted, *map(width, column))
        justify = rjust if number in right else ljust
        aligned.append([justify(cell, widest) for cell in column])
    return ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]
