"""QR codes of links, for the page and the terminal."""

from __future__ import annotations


def qr_rows(link: str) -> list[str]:
    """The QR code of ``link``: rows of ``#`` for dark and ``.`` for light, without the quiet zone around it.

    It takes a few milliseconds: call it in a thread.
    """
    import segno  # noqa: PLC0415  takes a while, and few need it

    # One mask is as good as another to today's readers, and trying all of them takes four times as long.
    code = segno.make_qr(link, error="l", mask=0)
    return ["".join("#" if module else "." for module in row) for row in code.matrix]
