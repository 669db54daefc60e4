"""The moves that Renju forbids Black: the overline, the double four and the double three. Pure; does no I/O.

As in the rules of the Renju International Federation (renju.net/rifrules, section 9). A stone that makes exactly five
is never forbidden. A *four* lacks one stone to exactly five; a *straight four* has two such cells at its ends. A
*three* lacks one stone, which is not forbidden itself, to a straight four.

Stones are numbers with one bit for each cell, as :class:`~noughts.games.mnk.LineBoard` has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

FIVE = 5
REACH = 5
"""The cells of a line on each side of a stone that decide about it, as far as the sixth stone of an overline."""

OWN, FREE, BLOCKED = "b", ".", "#"

Directions = Sequence[int]
"""The steps from a cell's bit to that of its neighbour in each direction."""


def why_forbidden(own: int, other: int, everywhere: int, directions: Directions, bit: int) -> str | None:
    """The reason why Black, with the stones ``own``, must not place a stone on the empty cell ``bit``.

    It is ``"an overline"``, ``"a double four"`` or ``"a double three"``; None if the move is allowed.
    """
    own |= bit
    empty = everywhere & ~own & ~other
    lengths, fours, fillings = zip(*[_counted(_line(own, empty, bit, step)) for step in directions], strict=True)
    if FIVE in lengths:
        return None
    if max(lengths) > FIVE:
        return "an overline"
    if sum(fours) > 1:
        return "a double four"
    if sum(map(bool, fillings)) < 2:
        return None
    threes = sum(
        any(
            why_forbidden(own, other, everywhere, directions, _shifted(bit, step * (at - REACH))) is None
            for at in filling
        )
        for filling, step in zip(fillings, directions, strict=True)
    )
    return "a double three" if threes > 1 else None


def forbidden(own: int, other: int, everywhere: int, directions: Directions) -> int:
    """All empty cells on which Black must not place a stone."""
    found = 0
    if own.bit_count() < 4:  # a double three needs as many beside it
        return found
    empty = everywhere & ~own & ~other
    # Two lines with two own stones near the cell, or one with four: others need no look.
    once = twice = 0
    for step in directions:
        ones = many = 0
        for away in range(1, REACH):
            for near in (own << step * away, own >> step * away):
                many |= ones & near
                ones |= near
        twice |= once & many | _four_near(own, step)
        once |= many
    left = empty & twice
    while left:
        bit = left & -left
        left ^= bit
        if why_forbidden(own, other, everywhere, directions, bit) is not None:
            found |= bit
    return found


def _four_near(own: int, step: int) -> int:
    """The cells with at least four own stones as near in this direction as REACH."""
    counts = [0, 0, 0, 0]
    for away in range(1, REACH + 1):
        for near in (own << step * away, own >> step * away):
            for number in (3, 2, 1):
                counts[number] |= counts[number - 1] & near
            counts[0] |= near
    return counts[3]


def _shifted(bit: int, by: int) -> int:
    return bit << by if by >= 0 else bit >> -by


def _line(own: int, empty: int, bit: int, step: int) -> str:
    """The cells of a line through ``bit``, which is in the middle."""
    cells = [_shifted(bit, step * away) for away in range(-REACH, REACH + 1)]
    return "".join(OWN if cell & own else FREE if cell & empty else BLOCKED for cell in cells)


@lru_cache(maxsize=3**10)
def _counted(line: str) -> tuple[int, int, list[int]]:
    """The length of the row with the middle stone, the fours that it is in, and the cells that make a straight four.

    These are none if there is a four already. There are 3**10 lines, of which few occur.
    """
    fours = _fours(line)
    return _run(line, REACH), fours, [] if fours else _straight_fours(line)


def _run(line: str, at: int) -> int:
    """The number of own stones in a row with the one at ``at``."""
    before = len(line[:at]) - len(line[:at].rstrip(OWN))
    return before + len(line[at:]) - len(line[at:].lstrip(OWN))


def _with(line: str, at: int) -> str:
    return f"{line[:at]}{OWN}{line[at + 1 :]}"


def _fives(line: str) -> list[int]:
    """The cells of ``line`` on which a stone makes exactly five with the middle one."""
    found = []
    for at, cell in enumerate(line):
        if cell == FREE and _run(filled := _with(line, at), at) == FIVE and _run(filled, REACH) == FIVE:
            first, last = sorted((at, REACH))
            if FREE not in filled[first:last] and BLOCKED not in filled[first:last]:
                found.append(at)
    return found


def _fours(line: str) -> int:
    """The number of fours that the middle stone is part of. A straight four is one."""
    fives = _fives(line)
    return 1 if len(fives) == 2 and fives[1] - fives[0] == FIVE else len(fives)


def _straight_fours(line: str) -> list[int]:
    """The cells of ``line`` on which a stone makes a straight four with the middle one."""
    found = []
    for at, cell in enumerate(line):
        if cell == FREE and at != REACH:
            fives = _fives(filled := _with(line, at))
            if len(fives) == 2 and fives[1] - fives[0] == FIVE and fives[0] < at < fives[1] and _run(filled, at) == 4:
                found.append(at)
    return found
