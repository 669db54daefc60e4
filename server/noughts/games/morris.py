"""Nine Men's Morris, by the rules of the World Merels Federation. Pure; does no I/O.

A move is the point where a man is placed, ``d2``, or the two points of a man that moves, ``a1a4``; a man that is taken
follows: ``d2xf4``, ``a1a4xf4``. Columns are letters and rows are numbers from the bottom left, as on a chessboard.

A position's text has the points in groups of three, row by row from the top, then the men that each side has still to
place, and who moves next: ``.../.../.../.../.../.../.../... 9 9 first``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial
from typing import Any

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Option,
    Outcome,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

WHITE, BLACK = Style("White", "w"), Style("Black", "b")
MEN = 9
CLAIMED_AFTER, ENDED_AFTER = 100, 200
"""So many plies after the placing without a mill let a player claim a draw, and end the game."""
ENDINGS = (
    ("two_men", "because the loser had two men left"),
    ("no_move", "because the loser could not move"),
    ("repetition", "by repetition"),
    ("fivefold_repetition", "by fivefold repetition"),
    ("fifty_moves", "by the fifty-move rule"),
    ("hundred_moves", "by the hundred-move rule"),
)

_ROWS = ("a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4 e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1")
POINTS = tuple(name for row in _ROWS for name in row.split())
NUMBER = {name: number for number, name in enumerate(POINTS)}
LAYOUT = tuple(
    tuple(name if (name := f"{column}{row}") in NUMBER else "" for column in "abcdefg") for row in range(7, 0, -1)
)
_COLUMNS = ("a1 a4 a7", "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5", "f2 f4 f6", "g1 g4 g7")
LINES = tuple(
    tuple(line.split()) for line in (*(row for row in _ROWS if len(row) == 8), "a4 b4 c4", "e4 f4 g4", *_COLUMNS)
)
GROUND = Board("points", lines=tuple((line[0], line[2]) for line in LINES))
MILLS = tuple(sum(1 << NUMBER[name] for name in line) for line in LINES)
THROUGH = tuple(tuple(mill for mill in MILLS if mill >> point & 1) for point in range(24))
NEXT = tuple(
    tuple(
        sorted(
            NUMBER[other]
            for line in LINES
            for one, other in ((line[0], line[1]), (line[1], line[0]), (line[1], line[2]), (line[2], line[1]))
            if one == name
        )
    )
    for name in POINTS
)
"""For each point the points beside it on a line."""
BESIDE = tuple(sum(1 << point for point in points) for points in NEXT)
"""The same as bits."""


@value
class MorrisPosition:
    """A position of Nine Men's Morris. Get it from :data:`MORRIS`; the constructor checks nothing.

    ``first`` and ``second`` are the men of each side as bits, in the order of :data:`POINTS`; ``hands`` are the men
    that each side has still to place. ``side`` moves next, or would. ``flying``: a side with three men may go anywhere.
    The rest does not matter for equality: ``quiet`` counts the plies since a man was placed or taken, and ``past`` has
    every position since then, this one included: the men of both sides, and who moves.
    """

    first: int
    second: int
    hands: tuple[int, int]
    side: Side
    flying: bool
    quiet: int = field(compare=False)
    ply: int = field(compare=False)
    past: tuple[tuple[int, int, Side], ...] = field(compare=False, repr=False)
    _moves: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def own(self) -> int:
        """The men of the side to move."""
        return self.first if self.side is Side.FIRST else self.second

    @property
    def others(self) -> int:
        """The men of the other side."""
        return self.second if self.side is Side.FIRST else self.first

    @property
    def hand(self) -> int:
        """The number of men that the side to move has still to place."""
        return self.hands[self.side is Side.SECOND]

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome is not None else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """By the point that a man leaves, then the one that it goes to, then the one of the man that is taken."""
        return () if self.outcome is not None else self._all_moves()

    @property
    def outcome(self) -> Outcome | None:
        if not self.hand:
            if self.own.bit_count() < 3:
                return Outcome(self.side.other, "two_men")
            if self._is_stuck:
                return Outcome(self.side.other, "no_move")
        if self.quiet >= ENDED_AFTER:
            return Outcome(None, "hundred_moves")
        if self.quiet >= 16 and self.times >= 5:
            return Outcome(None, "fivefold_repetition")
        return None

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(["".join([self._at(NUMBER[name]) if name else " " for name in row]) for row in LAYOUT])

    def _at(self, point: int) -> str:
        return "w" if self.first >> point & 1 else "b" if self.second >> point & 1 else "."

    @property
    def text(self) -> str:
        groups = ("".join([self._at(point) for point in range(start, start + 3)]) for start in range(0, 24, 3))
        return f"{'/'.join(groups)} {self.hands[0]} {self.hands[1]} {self.side}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, LAYOUT, (WHITE, BLACK), ground=GROUND)

    def _repr_svg_(self) -> str:
        return picture(self, LAYOUT, (WHITE, BLACK), ground=GROUND)

    @property
    def times(self) -> int:
        """The number of times that the position has been on the board, this time included."""
        return self.past.count(self.past[-1])

    def play(self, move: str) -> MorrisPosition:
        if move not in self._all_moves() or self.outcome is not None:
            raise _refusal(self, move)
        way, _, taken = move.partition("x")
        to = NUMBER[way[-2:]]
        own, others, placing = self.own | 1 << to, self.others, len(way) == 2
        if not placing:
            own ^= 1 << NUMBER[way[:2]]
        if taken:
            others ^= 1 << NUMBER[taken]
        first, hands = self.side is Side.FIRST, self.hands
        if placing:
            hands = (hands[0] - 1, hands[1]) if first else (hands[0], hands[1] - 1)
        one, two = (own, others) if first else (others, own)
        quiet = 0 if placing or taken else self.quiet + 1
        side = self.side.other
        past = (*self.past, (one, two, side)) if quiet else ((one, two, side),)
        return MorrisPosition(one, two, hands, side, self.flying, quiet, self.ply + 1, past)

    @property
    def _is_stuck(self) -> bool:
        """True if no man can move, which is seen sooner than all moves are found."""
        if self._moves is not None:
            return not self._moves
        own, free = self.own, ~(self.first | self.second)
        flies = self.flying and own.bit_count() == 3
        return not flies and not any(own >> point & 1 and free & beside for point, beside in enumerate(BESIDE))

    def _all_moves(self) -> tuple[str, ...]:
        if self._moves is None:
            own, taken = self.own, self.first | self.second
            moves: list[str] = []
            free = [point for point in range(24) if not taken >> point & 1]
            if self.hand:
                for to in free:
                    moves += self._with_takings(POINTS[to], own | 1 << to, to)
            else:
                flies = self.flying and own.bit_count() == 3
                for start in range(24):
                    if own >> start & 1:
                        left = own ^ 1 << start
                        for to in free if flies else NEXT[start]:
                            if not taken >> to & 1:
                                moves += self._with_takings(POINTS[start] + POINTS[to], left | 1 << to, to)
            self._moves = tuple(moves)  # type: ignore[misc]  # what the position has already implied
        return self._moves

    def _with_takings(self, way: str, own: int, to: int) -> list[str]:
        """The move ``way``, or if it closes a mill, one for each man that it can take, if there is any."""
        if not _in_mill(own, to):
            return [way]
        return [f"{way}x{POINTS[point]}" for point in _takeable(self.others)] or [way]


def _in_mill(men: int, point: int) -> bool:
    one, two = THROUGH[point]
    return men & one == one or men & two == two


def _takeable(men: int) -> list[int]:
    """The men that can be taken: those outside of mills, or all if there are none."""
    points = [point for point in range(24) if men >> point & 1]
    return [point for point in points if not _in_mill(men, point)] or points


def _refusal(position: MorrisPosition, move: str) -> MalformedMove | IllegalMove:
    parts = re.findall("[a-g][1-7]", move) if isinstance(move, str) else []
    shape = re.fullmatch("(?:[a-g][1-7]){1,2}(?:x[a-g][1-7])?", move) if isinstance(move, str) else None
    if shape is None or any(part not in NUMBER for part in parts):
        form = "a move is a point to place a man on, d2, or two to move it, a1a4, and what it takes: d2xf4"
        return refused(MalformedMove(form), move, position)
    return refused(IllegalMove(_why_illegal(position, move)), move, position)


def _why_illegal(position: MorrisPosition, move: str) -> str:
    if position.outcome is not None:
        return "the game is over"
    way, _, taken = move.partition("x")
    start, to, legal = way[:2], way[-2:], position.legal_moves
    if position.hand and len(way) == 4:
        return f"you have men to place: {position.hand}. Nobody moves before all are placed"
    if not position.hand and len(way) == 2:
        return "all your men are placed: name the point of a man and where it goes, such as a1a4"
    if (position.first | position.second) >> NUMBER[to] & 1:
        return f"there is a man on {to}"
    if len(way) == 4 and not position.own >> NUMBER[start] & 1:
        return f"there is no man of yours on {start}"
    mills = [one for one in legal if one.startswith(f"{way}x")]
    if mills and not taken:
        return f"the move {way} makes a mill: say which man you take, such as {mills[0]}"
    if mills:
        return f"you cannot take a man on {taken}: there is none of the other side, or it is in a mill"
    if way in legal:
        return f"the move {way} makes no mill, so it takes no man"
    return f"a man goes along a line to the next point, and {start} and {to} are not neighbours"


def parse(text: str, *, flying: bool = True) -> MorrisPosition:
    """Read the points, the men to place, and who moves. Raises :class:`InvalidPosition`."""
    match = re.fullmatch(r"((?:[wb.]{3}/){7}[wb.]{3}) (\d) (\d) (first|second)", text, re.ASCII)
    if match is None:
        raise InvalidPosition(
            "a position is 8 groups of three points, w, b or '.', joined by '/', the men that each side has still to "
            "place, and first or second"
        )
    points = match[1].replace("/", "")
    first, second = (sum(1 << at for at, there in enumerate(points) if there == symbol) for symbol in "wb")
    hands, side = (int(match[2]), int(match[3])), Side(match[4])
    if any(men.bit_count() + hand > MEN for men, hand in zip((first, second), hands, strict=True)):
        raise InvalidPosition(f"a side has {MEN} men")
    if sum(hands) and hands[1] - hands[0] != (side is Side.SECOND):
        raise InvalidPosition("the sides place their men in turn, and White begins")
    return MorrisPosition(first, second, hands, side, flying, 0, 0, ((first, second, side),))


def held(position: MorrisPosition, side: Side) -> tuple[tuple[str, int], ...]:
    """The men that ``side`` has still to place."""
    return (((WHITE if side is Side.FIRST else BLACK).symbol, position.hands[side is Side.SECOND]),)


def claim(position: MorrisPosition) -> str | None:
    """The reason for which the side to move may claim a draw, None without one."""
    if position.quiet >= CLAIMED_AFTER:
        return "fifty_moves"
    return "repetition" if position.quiet >= 8 and position.times >= 3 else None


def variant(options: Mapping[str, Any]) -> Game:
    """The game with or without flying."""
    if options["flying"] == "yes":
        return MORRIS
    without = partial(parse, flying=False)
    return replace(MORRIS, start=without(MORRIS.start.text), parse=without, rules=(*RULES[:2], RULES[3]))


UNIT = 125
"""Measured by ``python -m bench.units``, as docs/engine.md says."""


def evaluate(position: MorrisPosition) -> int:
    """The advantage of the side to move: men, mills, two men in a line with a free point, and freedom to move."""
    own, others = position.own, position.others
    free = ~(own | others)
    lead = 30 * (own.bit_count() + position.hand - others.bit_count() - position.hands[position.side is Side.FIRST])
    for mill in MILLS:
        mine, theirs = (own & mill).bit_count(), (others & mill).bit_count()
        if not theirs:
            lead += (0, 0, 6, 9)[mine]
        elif not mine:
            lead -= (0, 0, 5, 9)[theirs]
    for point in range(24):
        bit = 1 << point
        if own & bit:
            lead += (free & BESIDE[point]).bit_count()
        elif others & bit:
            lead -= (free & BESIDE[point]).bit_count()
    return lead


def noisy(position: MorrisPosition) -> tuple[str, ...]:
    """The moves that take a man."""
    return tuple([move for move in position.legal_moves if "x" in move])


RULES = (
    "White begins. First the sides take turns to place nine men each on free points. Then a move takes one of your men "
    "along a line to the next point, if that is free.",
    "Three of your men on one line make a mill. Whenever you close one, you take a man of the other side. A man in a "
    "mill can be taken only if all are in mills.",
    "A side with three men left may go to any free point.",
    "A side with two men left loses, and a side that cannot move. A player may claim a draw when a position comes up "
    "for the third time, or after 50 moves of each side without a mill; after the fifth time, or 100 such moves, the "
    "game is a draw.",
)

MORRIS = Game(
    key="morris",
    title="Nine Men's Morris",
    first=WHITE,
    second=BLACK,
    layout=LAYOUT,
    start=parse(f"{'/'.join(['...'] * 8)} {MEN} {MEN} first"),
    parse=parse,
    rules=RULES,
    seam=SEAM,
    board=GROUND,
    example="c4 a4 g7 e3 e4 b2 g4 f2",
    held=held,
    endings=ENDINGS,
    claim=claim,
    repeats=True,
    options=(Option("flying", "Flying with three men", "yes", ("yes", "no")),),
    variant=variant,
    win=20_000,
    heuristic=Heuristic(evaluate, UNIT, opening=6, spread=3, noisy=noisy, slip=12),
)
