from __future__ import annotations

import segno

from noughts.protocol.qr import qr_rows, qr_text

LINK = "http://192.168.1.20:8765/rooms/i3met7a7pd6zz"


def test_the_rows_are_those_of_the_standard() -> None:
    rows = qr_rows(LINK)
    expected = segno.make(LINK, micro=False, mask=0)
    assert [[int(module == "#") for module in row] for row in rows] == [list(row) for row in expected.matrix]
    for corner in (rows[0][:7], rows[0][-7:], rows[-1][:7]):
        assert corner == "#######", "by which a camera finds it"


def test_a_terminal_shows_two_rows_in_a_line_with_a_margin() -> None:
    assert qr_text(["##.", ".#.", "###"]) == [
        " " * 11,
        " " * 11,
        "    \u2580\u2588     ",
        "    \u2580\u2580\u2580    ",
        " " * 11,
        " " * 11,
    ]
