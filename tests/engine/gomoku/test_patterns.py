"""The pattern tables, checked against their definition in plain Python and against the names in Gomoku's literature."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product

import pytest

from noughts.engine.gomoku import patterns
from noughts.engine.gomoku.patterns import FIVE, FOUR, NONE, ONE, OPEN_FOUR, OPEN_THREE, OPEN_TWO, THREE, TWO


def with_stone(line: str, cell: int) -> str:
    return line[:cell] + "x" + line[cell + 1 :]


@cache
def to_five(line: str) -> int:
    """The least number of stones that the line needs for a five, or 9 if it cannot have one."""
    needed = [line[start : start + 5].count(".") for start in range(5) if "#" not in line[start : start + 5]]
    return min(needed, default=9)


@cache
def is_open(line: str, needed: int) -> bool:
    """True if the line, which lacks ``needed`` stones for a five, is open: a four if two cells complete it, and a
    weaker line if one more stone can make it an open line of the next rank.
    """
    empty = [cell for cell in range(9) if line[cell] == "."]
    if needed == 1:
        return sum(to_five(with_stone(line, cell)) == 0 for cell in empty) > 1
    return any(
        to_five(with_stone(line, cell)) == needed - 1 and is_open(with_stone(line, cell), needed - 1) for cell in empty
    )


def pattern_of(line: str) -> int:
    needed = to_five(line)
    closed = {0: FIVE, 1: FOUR, 2: THREE, 3: TWO, 4: ONE, 9: NONE}[needed]
    opened = {1: OPEN_FOUR, 2: OPEN_THREE, 3: OPEN_TWO}
    return opened[needed] if needed in opened and is_open(line, needed) else closed


def code_of(line: str, own: int) -> int:
    """The code of a line of ``.``, ``x`` for ``own``, ``o`` for the opponent, and ``#`` for the border."""
    digits = {".": 0, "x": own, "o": 3 - own, "#": 3}
    return sum(digits[symbol] << 2 * place for place, symbol in enumerate(line[:4] + line[5:]))


def test_every_line_has_its_pattern_by_definition() -> None:
    table = patterns.pattern_table()
    assert table.shape == (1 << 16,)
    for sides in product(".xo#", repeat=8):
        line = "".join(sides[:4]) + "x" + "".join(sides[4:])
        expected = pattern_of(line.replace("o", "#"))
        assert table[code_of(line, 1)] & 15 == expected
        assert table[code_of(line, 2)] >> 4 == expected


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("..xxxxx..", FIVE),
        ("xxxxxxxxx", FIVE),
        ("..xxxx...", OPEN_FOUR),
        (".oxxxx...", FOUR),
        ("..xxx.x..", FOUR),
        ("x.xxx.x..", OPEN_FOUR),  # two ways to five, though neither is at an end
        ("...xxx...", OPEN_THREE),
        ("..x.xx...", OPEN_THREE),
        ("..oxxx...", THREE),
        ("#.xxx.o..", THREE),  # no room for an open four
        ("x...x...x", TWO),
        ("...xx....", OPEN_TWO),
        ("....x....", ONE),
        ("##.ox....", ONE),
        ("##.ox..o.", NONE),
    ],
)
def test_well_known_lines(line: str, made: int) -> None:
    assert patterns.pattern_table()[code_of(line, 1)] & 15 == made


def test_the_kind_of_a_cell_is_its_strongest_combination() -> None:
    table = patterns.kind_table()

    def kind(*four: int) -> int:
        kinds = {int(table[sum(p * 9**place for place, p in enumerate(turned))]) for turned in rotations(four)}
        assert len({found & 15 for found in kinds}) == 1  # in whichever direction
        return kinds.pop() & 15

    def rotations(four: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [four[place:] + four[:place] for place in range(4)]

    assert kind(FIVE, FOUR, FOUR, NONE) == patterns.FIVE_NOW
    assert kind(OPEN_FOUR, NONE, NONE, NONE) == kind(FOUR, FOUR, NONE, NONE) == patterns.WON
    assert kind(FOUR, OPEN_THREE, TWO, NONE) == patterns.FOUR_THREE
    assert kind(FOUR, THREE, TWO, NONE) == patterns.CUT_AND
    assert kind(FOUR, TWO, ONE, ONE) == patterns.CUT
    assert kind(OPEN_THREE, NONE, OPEN_THREE, NONE) == patterns.TWO_ALIVE
    assert kind(OPEN_THREE, OPEN_TWO, ONE, ONE) == patterns.ALIVE_AND
    assert kind(OPEN_THREE, TWO, ONE, ONE) == patterns.ALIVE
    assert kind(THREE, OPEN_TWO, ONE, ONE) == patterns.TWO_OF_THEM
    assert kind(THREE, TWO, ONE, ONE) == patterns.THREE_OR_TWO
    assert kind(TWO, ONE, ONE, ONE) == patterns.TWOS
    assert kind(ONE, ONE, ONE, ONE) == patterns.SOME
    assert kind(NONE, NONE, NONE, NONE) == patterns.NOTHING
    assert (table >> 4 < 2048).all()


def test_a_class_has_all_orders_of_four_patterns() -> None:
    classes = patterns.classes()
    members = defaultdict(set)
    for code in range(9**4):
        four = tuple(sorted(code // 9**place % 9 for place in range(4)))
        members[int(classes[code])].add(four if FIVE not in four else None)
    assert sorted(members) == list(range(patterns.CLASSES + 1))
    assert all(len(found) == 1 for found in members.values())
    assert members[patterns.CLASSES] == {None}
