"""m,n,k games: k in a row win on a board of m by n cells. Pure; does no I/O.

The sides take turns to fill an empty cell. More than k in a row win too, unless another :data:`Rule` says otherwise. A
full board without a line is a draw.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from itertools import compress
from typing import Literal

from noughts.games import renju
from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Grid,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Outcome,
    Reason,
    RecordFormat,
    Side,
    Style,
)
from noughts.games.board import PLAIN, brief, drawn
from noughts.games.grid import Drawing, bits_of, coordinates, read_board, side_by_counts
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

FIRST, SECOND = Side  # the members of an enumeration are slow to look up before Python 3.12
DRAW = Outcome(None, Reason.DRAW)
X = Style("X", "x")
O = Style("O", "o")  # noqa: E741 - the game's own word


SMALL = 9
"""A board of at most so many cells, which is played often, remembers all its drawings and lines: some thousands."""

Rule = Literal["freestyle", "standard", "renju"]
"""The lines that win. ``freestyle``: k or more; ``standard``: exactly k; ``renju``: exactly k for the first side, which
:mod:`noughts.games.renju` forbids some moves, and k or more for the second.
"""

_DIGITS = bytes.maketrans(b"01", b"\0\1")


class LineBoard:
    """The data that all positions of one game share. There is one for each set of arguments, see :func:`board`.

    The cells of a side are a number with one bit for each cell, row by row from the top left. One more bit after each
    row is never set, so that lines do not wrap to the next row. A line is found by intersecting the board with itself,
    shifted by one or more steps in a direction.
    """

    __slots__ = (
        "_made_of",
        "_names",
        "_shifts",
        "bits",
        "columns",
        "directions",
        "everywhere",
        "exact",
        "ground",
        "has_line",
        "layout",
        "length",
        "ordered_bits",
        "rows",
        "rule",
        "sides",
        "symbols",
        "wins",
    )

    def __init__(
        self,
        layout: Grid,
        length: int,
        sides: tuple[Style, Style],
        ground: Board = PLAIN,
        rule: Rule = "freestyle",
    ) -> None:
        self._made_of = (layout, length, sides, ground, rule)
        self.rule = rule
        self.exact = {FIRST: rule != "freestyle", SECOND: rule == "standard"}
        self.ground = ground
        self.layout = layout
        self.length = length
        self.sides = sides
        self.symbols = symbols = sides[0].symbol + sides[1].symbol
        self.columns = len(layout[0])
        step = self.columns + 1
        self.bits = {name: 1 << r * step + c for r, row in enumerate(layout) for c, name in enumerate(row)}
        self.ordered_bits = tuple(self.bits.values())
        self.everywhere = sum(self.ordered_bits)
        drawing = Drawing(self.ordered_bits, self.columns, symbols)
        self.rows = cache(drawing.rows) if len(self.bits) <= SMALL else drawing.rows
        self._names = [name for row in layout for name in (*row, "")]
        # 5 in a row: pairs, then pairs of pairs, then one more.
        steps, have = [], 1
        while have < length:
            steps.append(min(have, length - have))
            have += steps[-1]
        self.directions = (1, step - 1, step, step + 1)
        self._shifts = tuple(tuple(n * direction for n in steps) for direction in self.directions)
        self.has_line = cache(self._has_line) if len(self.bits) <= SMALL else self._has_line
        self.wins: dict[Side, Callable[[int], bool]] = {
            side: partial(self._has_exact_line, side) if exact else self.has_line for side, exact in self.exact.items()
        }
        """For each side, whether its cells contain a line that wins."""

    def __reduce__(self) -> tuple[Callable[..., LineBoard], tuple[Grid, int, tuple[Style, Style], Board, Rule]]:
        return board, self._made_of

    def _has_line(self, taken: int) -> bool:
        """True if ``taken`` contains a line of ``length`` or more."""
        for shifts in self._shifts:
            ends = taken
            for shift in shifts:
                ends &= ends >> shift
            if ends:
                return True
        return False

    def _has_exact_line(self, side: Side, taken: int) -> bool:
        return self._has_line(taken) and self.line(side, taken) != 0

    def line(self, side: Side, taken: int) -> int:
        """The cells of all lines that win in ``taken``, those of ``side``; one move can complete several."""
        cells = 0
        for shifts, step in zip(self._shifts, self.directions, strict=True):
            ends = taken
            for shift in shifts:
                ends &= ends >> shift
            if self.exact[side]:
                ends &= ~(taken << step | taken >> step * self.length)
            for shift in shifts[::-1]:
                ends |= ends << shift
            cells |= ends
        return cells

    def names(self, cells: int) -> tuple[str, ...]:
        """The names of ``cells``, in board order."""
        return tuple(compress(self._names, f"{cells:b}".encode().translate(_DIGITS)[::-1]))


@cache
def board(layout: Grid, length: int, sides: tuple[Style, Style], ground: Board, rule: Rule) -> LineBoard:
    """The board with that layout, drawn on ``ground``, for lines of ``length``."""
    return LineBoard(layout, length, sides, ground, rule)


# A search of a small board asks for the same positions again and again; on a large board it rarely does.
@lru_cache(maxsize=1024)
def _free(on: LineBoard, taken: int) -> tuple[str, ...]:
    return on.names(on.everywhere & ~taken)


@lru_cache(maxsize=1024)
def _won(on: LineBoard, side: Side, taken: int) -> Outcome:
    return Outcome(side, Reason.LINE, on.names(on.line(side, taken)))


@lru_cache(maxsize=1024)
def _forbidden(on: LineBoard, first: int, second: int) -> int:
    return renju.forbidden(first, second, on.everywhere, on.directions)


@value
class LinePosition:
    """A position of an m,n,k game. Get it from a :class:`Game`; the constructor checks nothing.

    ``first`` and ``second`` are the cells of each side, as :class:`LineBoard` numbers them; ``won`` says that the last
    move made a line.
    """

    on: LineBoard
    first: int = 0
    second: int = 0
    won: bool = False

    @property
    def to_move(self) -> Side | None:
        taken = self.first | self.second
        if self.won or taken == self.on.everywhere or (self.on.rule == "renju" and not self.legal_moves):
            return None
        return SECOND if taken.bit_count() % 2 else FIRST

    @property
    def forbidden(self) -> int:
        """The empty cells that the rules of Renju forbid the side to move."""
        if self.on.rule != "renju" or (self.first | self.second).bit_count() % 2:
            return 0
        return _forbidden(self.on, self.first, self.second)

    @property
    def ply(self) -> int:
        return (self.first | self.second).bit_count()

    @property
    def legal_moves(self) -> tuple[str, ...]:
        taken = self.first | self.second
        if self.on.rule == "renju":
            taken |= self.forbidden
        return () if self.won else _free(self.on, taken)

    @property
    def outcome(self) -> Outcome | None:
        if self.won:
            if self.ply % 2:
                return _won(self.on, Side.FIRST, self.first)
            return _won(self.on, Side.SECOND, self.second)
        return DRAW if self.to_move is None else None

    @property
    def rows(self) -> tuple[str, ...]:
        return self.on.rows(self.first, self.second)

    @property
    def text(self) -> str:
        return "/".join(self.rows)

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, self.on.layout, self.on.sides, ground=self.on.ground)

    def _repr_svg_(self) -> str:
        return picture(self, self.on.layout, self.on.sides, ground=self.on.ground)

    def play(self, move: str) -> LinePosition:
        on, first, second = self.on, self.first, self.second
        bit = on.bits.get(move)
        if bit is None:
            raise refused(MalformedMove(f"a move is a cell, {on.layout[0][0]} to {on.layout[-1][-1]}"), move, self)
        taken = first | second
        if self.won or taken == on.everywhere:
            raise refused(IllegalMove("the game is over"), move, self)
        if taken & bit:
            raise refused(IllegalMove(f"cell {move} is taken"), move, self)
        if taken.bit_count() % 2:
            second |= bit
            return LinePosition(on, first, second, on.wins[SECOND](second))
        if on.rule == "renju" and (why := renju.why_forbidden(first, second, on.everywhere, on.directions, bit)):
            raise refused(IllegalMove(f"{on.sides[0].name} may not make {why}, as {move} does"), move, self)
        first |= bit
        return LinePosition(on, first, second, on.wins[FIRST](first))


def parse_line(on: LineBoard, text: str) -> LinePosition:
    """Read a position on the board ``on``. Raises :class:`InvalidPosition`."""
    cells, named = read_board(text, on.columns, len(on.layout), on.symbols)
    side = side_by_counts(cells, on.symbols, named)
    first, second = (bits_of(cells, symbol, on.ordered_bits) for symbol in on.symbols)
    lines = [on.wins[FIRST](first), on.wins[SECOND](second)]
    if all(lines):
        raise InvalidPosition(f"both {on.symbols[0]} and {on.symbols[1]} have a line")
    if lines[0 if side is Side.FIRST else 1]:
        raise InvalidPosition("the game ended with the line, and one more move was played")
    last = second if side is Side.FIRST else first
    if any(lines) and all(on.wins[side.other](last & ~bit) for bit in on.ordered_bits if last & bit):
        raise InvalidPosition("no single move can have made all these lines")
    return LinePosition(on, first, second, any(lines))


def mnk(
    key: str,
    title: str,
    columns: int,
    rows: int,
    length: int,
    *,
    first: Style = X,
    second: Style = O,
    layout: Grid | None = None,
    hint: str | None = None,
    ground: Board = PLAIN,
    record: RecordFormat | None = None,
    example: str = "",
    win: int = 1000,
    heuristic: Heuristic | None = None,
    solved: bool = False,
    rule: Rule = "freestyle",
) -> Game:
    """The game of ``length`` in a row on ``columns`` by ``rows`` cells.

    Cells are named as by :func:`~noughts.games.grid.coordinates` unless ``layout`` says otherwise. ``hint`` is a last
    paragraph for the rules, which are written for the size, the length and the ``rule``. ``ground`` is the ``board``;
    ``record``, ``example``, ``win``, ``heuristic`` and ``solved`` are those of :class:`~noughts.games.Game`.
    """
    layout = layout or coordinates(columns, rows)
    on = board(layout, length, (first, second), ground, rule)
    return Game(
        key=key,
        title=title,
        first=first,
        second=second,
        layout=layout,
        start=LinePosition(on),
        parse=lambda text: parse_line(on, text),
        rules=(*_rules(first, length, max(columns, rows), rule), *([] if hint is None else [hint])),
        seam=SEAM,
        board=ground,
        record=record,
        example=example,
        win=win,
        heuristic=heuristic,
        solved=solved,
    )


def _rules(first: Style, length: int, longest: int, rule: Rule) -> tuple[str, ...]:
    count = {3: "Three", 4: "Four", 5: "Five", 6: "Six"}.get(length, str(length))
    longer = {
        "freestyle": "" if longest == length else " A longer row wins too.",
        "standard": " A longer row does not win.",
        "renju": f" A longer row wins for the second side only: {first.name} must not make one, unless the stone makes "
        f"exactly {count.lower()} too, nor two fours or two open threes with one stone.",
    }[rule]
    return (
        f"{first.name} begins. The two sides take turns to fill an empty cell.",
        f"{count} in a row, across, down or diagonally, win.{longer} A full board without that is a draw.",
    )
