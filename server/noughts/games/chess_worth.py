"""The worth of chess pieces, in hundredths of a pawn. Pure.

The tables are those of Tomasz Michniewski's "simplified evaluation function" (1995). The tables of the king for the
middle game and for the end are blended by what is left.
"""

from __future__ import annotations

from collections.abc import Mapping

WORTH = {"P": 100, "N": 320, "B": 330, "R": 500, "Q": 900, "K": 0}
LEFT = {"P": 0, "N": 1, "B": 1, "R": 2, "Q": 4, "K": 0}
FULL = 24
"""The sum of ``LEFT`` over all pieces at the start."""

UNIT = 625
"""That of 1 / (1 + exp(-0.00368208 * hundredths)), which Lichess fitted to games of people (lichess.org/page/accuracy).
It is in the intervals that ``python -m bench.units`` measures, see docs/engine.md.
"""

_TABLES = {
    "P": """
          0   0   0   0   0   0   0   0
         50  50  50  50  50  50  50  50
         10  10  20  30  30  20  10  10
          5   5  10  25  25  10   5   5
          0   0   0  20  20   0   0   0
          5  -5 -10   0   0 -10  -5   5
          5  10  10 -20 -20  10  10   5
          0   0   0   0   0   0   0   0""",
    "N": """
        -50 -40 -30 -30 -30 -30 -40 -50
        -40 -20   0   0   0   0 -20 -40
        -30   0  10  15  15  10   0 -30
        -30   5  15  20  20  15   5 -30
        -30   0  15  20  20  15   0 -30
        -30   5  10  15  15  10   5 -30
        -40 -20   0   5   5   0 -20 -40
        -50 -40 -30 -30 -30 -30 -40 -50""",
    "B": """
        -20 -10 -10 -10 -10 -10 -10 -20
        -10   0   0   0   0   0   0 -10
        -10   0   5  10  10   5   0 -10
        -10   5   5  10  10   5   5 -10
        -10   0  10  10  10  10   0 -10
        -10  10  10  10  10  10  10 -10
        -10   5   0   0   0   0   5 -10
        -20 -10 -10 -10 -10 -10 -10 -20""",
    "R": """
          0   0   0   0   0   0   0   0
          5  10  10  10  10  10  10   5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
         -5   0   0   0   0   0   0  -5
          0   0   0   5   5   0   0   0""",
    "Q": """
        -20 -10 -10  -5  -5 -10 -10 -20
        -10   0   0   0   0   0   0 -10
        -10   0   5   5   5   5   0 -10
         -5   0   5   5   5   5   0  -5
          0   0   5   5   5   5   0  -5
        -10   5   5   5   5   5   0 -10
        -10   0   5   0   0   0   0 -10
        -20 -10 -10  -5  -5 -10 -10 -20""",
    "K": """
        -30 -40 -40 -50 -50 -40 -40 -30
        -30 -40 -40 -50 -50 -40 -40 -30
        -30 -40 -40 -50 -50 -40 -40 -30
        -30 -40 -40 -50 -50 -40 -40 -30
        -20 -30 -30 -40 -40 -30 -30 -20
        -10 -20 -20 -20 -20 -20 -20 -10
         20  20   0   0   0   0  20  20
         20  30  10   0   0  10  30  20""",
}
_KING_LATE = """
        -50 -40 -30 -20 -20 -30 -40 -50
        -30 -20 -10   0   0 -10 -20 -30
        -30 -10  20  30  30  20 -10 -30
        -30 -10  30  40  40  30 -10 -30
        -30 -10  30  40  40  30 -10 -30
        -30 -10  20  30  30  20 -10 -30
        -30 -30   0   0   0   0 -30 -30
        -50 -30 -30 -30 -30 -30 -30 -50"""


def _placed(tables: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """By each piece, what it is worth to White on each square."""
    found = {}
    for letter, table in tables.items():
        worth = [WORTH[letter] + int(number) for number in table.split()]
        found[letter] = tuple(worth)
        found[letter.lower()] = tuple(-worth[square ^ 56] for square in range(64))
    return found


MIDDLE, LATE = _placed(_TABLES), _placed({**_TABLES, "K": _KING_LATE})
PHASES = {each: left for letter, left in LEFT.items() for each in (letter, letter.lower())}
