"""QR codes of links, for the page and the terminal."""

from __future__ import annotations

from itertools import zip_longest

QUIET = 4
"""The number of light modules around a code."""


def qr_rows(link: str) -> list[str]:
    """The QR code of ``link``: rows of ``#`` for dark and ``.`` for light, without the quiet zone around it.

    It takes a few milliseconds: call it in a thread.
    """
    import segno  # noqa: PLC0415  takes a while, and few need it

    # One mask is as good as another to today's readers, and trying all of them takes four times as long.
    code = segno.make_qr(link, error="l", mask=0)
    return ["".join("#" if module else "." for module in row) for row in code.matrix]


def qr_text(rows: list[str]) -> list[str]:
    """Lines that draw a code with its quiet zone on a terminal, two rows in each: dark is ink, light the ground.

    Print it in black on white, or few cameras read it.
    """
    side = "." * QUIET
    margin = ["." * (len(rows[0]) + 2 * QUIET)] * QUIET
    lines = [*margin, *(f"{side}{row}{side}" for row in rows), *margin]
    pairs = zip_longest(lines[::2], lines[1::2], fillvalue=margin[0])
    return ["".join(_HALVES[two] for two in zip(*pair, strict=True)) for pair in pairs]


_HALVES = {("#", "#"): "\u2588", ("#", "."): "\u2580", (".", "#"): "\u2584", (".", "."): " "}

_BLACK_ON_WHITE = "\x1b[30;107m"


def qr_terminal(rows: list[str]) -> list[str]:
    """:func:`qr_text` with the colours in which cameras read it, for a terminal."""
    return [f"{_BLACK_ON_WHITE}{line}\x1b[0m" for line in qr_text(rows)]
