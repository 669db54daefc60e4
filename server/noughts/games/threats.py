"""A heuristic for games of lines: estimates and candidate moves. Pure; does no I/O.

A window is as many cells in a row as a line needs. A window without a stone of the opponent can still become a line. It
is a *four* if it lacks one stone, a *three* if it lacks two, by their names in Gomoku. All windows are counted at once,
by intersecting the board with shifted copies of itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from noughts.games.base import Grid, Heuristic, Side
from noughts.games.mnk import LineBoard, LinePosition, O, Rule, X

# By the number of stones that a window lacks. The side to move can use its threes at once, so they are worth more.
OWN_FOUR, OWN_THREE, OWN_TWO, OWN_ONE = 4000, 40, 7, 1
FOUR, THREE, TWO, ONE = 120, 20, 5, 1
LOST = 2000
UNIT = 300
"""Fitted to the results of 88 games, a tenth of their moves random, after the values that a 2-ply search had given."""

REACH = 2
"""The number of cells away from a stone a move is looked at."""


class Threats:
    """The heuristic of one board, for lines of ``length`` stones, 3 or more, and as many cells away from a stone."""

    def __init__(self, layout: Grid, length: int, reach: int, rule: Rule = "freestyle") -> None:
        on = LineBoard(layout, length, (X, O), rule=rule)
        self.exact = on.exact
        self.everywhere = on.everywhere
        self.length = length
        self.reach = reach
        self.name = {bit: name for name, bit in on.bits.items()}
        step = on.columns + 1
        self.directions = (1, step - 1, step, step + 1)
        self.step = step
        self.middle = on.ordered_bits[len(on.ordered_bits) // 2]

    def windows(self, own: int, other: int, *, exact: bool = False) -> Iterator[tuple[int, int, int, int, int]]:
        """For each direction: the direction, and the first cells of the windows with no stone of ``other`` that lack
        one, two, three and four of ``own``. If ``exact``, one beside another stone of ``own`` does not count.
        """
        free = self.everywhere & ~other
        for direction in self.directions:
            open_, lacks = free, free & ~own
            # The number that a window lacks, in binary, added up cell by cell in all windows at once.
            ones, twos, fours = lacks, 0, 0
            for distance in range(direction, self.length * direction, direction):
                open_ &= free >> distance
                cell = lacks >> distance
                carry = ones & cell
                ones ^= cell
                fours ^= twos & carry
                twos ^= carry
            if exact:
                open_ &= ~(own << direction | own >> self.length * direction)
            few = open_ & ~fours
            yield direction, few & ones & ~twos, few & twos & ~ones, few & ones & twos, open_ & fours & ~ones & ~twos

    def evaluate(self, position: LinePosition) -> int:
        """The advantage of the side to move."""
        own, other = _sides(position)
        exact, exact_too = self._exact(position)
        value = 0
        for _, four, three, two, one in self.windows(own, other, exact=exact):
            if four:
                return OWN_FOUR
            value += OWN_THREE * three.bit_count() + OWN_TWO * two.bit_count() + OWN_ONE * one.bit_count()
        to_stop = 0
        for direction, four, three, two, one in self.windows(other, own, exact=exact_too):
            if four:
                to_stop |= self.cells(direction, four)
                value -= FOUR
            value -= THREE * three.bit_count() + TWO * two.bit_count() + ONE * one.bit_count()
        return -LOST if (to_stop & ~(own | other)).bit_count() > 1 else value

    def candidates(self, position: LinePosition) -> tuple[str, ...]:
        """The moves that win; otherwise those that stop a line; otherwise those that stop an open three, and own fours;
        otherwise all cells near a stone, first those where threats meet.
        """
        own, other = _sides(position)
        exact, exact_too = self._exact(position)
        empty = self.everywhere & ~(own | other | position.forbidden)
        if empty == self.everywhere:
            return (self.name[self.middle],)
        fours = threes = twos = 0
        for direction, four, three, two, _ in self.windows(own, other, exact=exact):
            fours |= self.cells(direction, four)
            threes |= self.cells(direction, three)
            twos |= self.cells(direction, two)
        if fours & empty:
            return self.names(fours & empty)
        their_fours = their_threes = their_twos = their_open = 0
        for direction, four, three, two, _ in self.windows(other, own, exact=exact_too):
            their_fours |= self.cells(direction, four)
            their_threes |= self.cells(direction, three)
            their_twos |= self.cells(direction, two)
            # Two neighbouring windows with a three each: one more stone, and there are two ways to end the line.
            their_open |= self.cells(direction, three & three >> direction)
            their_open |= self.cells(direction, three & three << direction)
        if their_fours & empty:
            return self.names(their_fours & empty)
        if their_open & empty:
            return self.names(threes & empty, their_open & empty)
        near = self.near(own | other) & empty
        return self.names(
            threes & empty, their_threes & empty, twos & their_twos & near, twos & near, their_twos & near, near
        ) or self.names(empty)

    def plausible(self, position: LinePosition) -> tuple[str, ...]:
        """The cells near a stone, at first those near the middle."""
        own, other = _sides(position)
        return self.names(self.near(own | other or self.middle) & ~(own | other | position.forbidden))

    def _exact(self, position: LinePosition) -> tuple[bool, bool]:
        """True for the side to move, and for the other, if a longer line does not win."""
        side = Side.SECOND if position.ply % 2 else Side.FIRST
        return self.exact[side], self.exact[side.other]

    def cells(self, direction: int, windows: int) -> int:
        """The cells of ``windows``."""
        if not windows:
            return 0
        cells = windows
        for _ in range(self.length - 1):
            windows <<= direction
            cells |= windows
        return cells

    def near(self, stones: int) -> int:
        """The cells near a stone, including the stones."""
        for _ in range(self.reach):
            stones |= stones << 1 | stones >> 1
            stones &= self.everywhere
            stones |= stones << self.step | stones >> self.step
            stones &= self.everywhere
        return stones

    def names(self, *groups: int) -> tuple[str, ...]:
        """The names of cells, group by group, each once."""
        names, done = [], 0
        for group in groups:
            rest = group & ~done
            done |= group
            while rest:
                bit = rest & -rest
                names.append(self.name[bit])
                rest ^= bit
        return tuple(names)


def heuristic(layout: Grid, length: int, reach: int = REACH, rule: Rule = "freestyle") -> Heuristic:
    """The heuristic of a game on ``layout`` in which ``length`` in a row win; see :class:`Threats`."""
    threats = Threats(layout, length, reach, rule)
    return Heuristic(threats.evaluate, UNIT, threats.candidates, plausible=threats.plausible)


def _sides(position: LinePosition) -> tuple[int, int]:
    """The stones of the side to move and of the opponent."""
    first, second = position.first, position.second
    return (second, first) if (first | second).bit_count() % 2 else (first, second)
