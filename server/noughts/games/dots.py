"""Dots and Boxes (Edouard Lucas, 1889): who closes a box owns it, and draws again. Pure; does no I/O.

The dots, edges and boxes are places of one grid: a dot is no cell, a move is an edge between two dots, and boxes lie
between the edges. Columns are letters and rows are numbers from the top left, so that ``b1`` is the edge at the top of
the box ``b2``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Grid,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Measure,
    Option,
    Outcome,
    Piece,
    Reason,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import LETTERS
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SIZES = (2, 3, 4, 5)
SIZE = 3
RED, BLUE = Style("Red", "r"), Style("Blue", "b")
PIECES = (
    Piece("-", None, "edge", "─"),
    Piece("|", None, "edge", "│"),
    Piece("r", Side.FIRST, "red box", "R"),
    Piece("b", Side.SECOND, "blue box", "B"),
)
GROUND = Board("edges")


class Dots:
    """The part that all positions on a board of ``size`` by ``size`` boxes share.

    ``layout`` has the names, and ``edges`` those of the moves, in board order. ``around`` has for each box its edges as
    bits, and ``beside`` for each edge the boxes at its sides.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.side = 2 * size + 1
        places = [(r, c) for r in range(self.side) for c in range(self.side)]
        self.layout: Grid = tuple(
            tuple(f"{LETTERS[c]}{r + 1}" if r % 2 or c % 2 else "" for c in range(self.side)) for r in range(self.side)
        )
        self.edges = tuple(self.layout[r][c] for r, c in places if (r + c) % 2)
        self.numbers = {name: number for number, name in enumerate(self.edges)}
        self.boxes = tuple((r, c) for r, c in places if r % 2 and c % 2)
        near = [
            [self.layout[r - 1][c], self.layout[r][c - 1], self.layout[r][c + 1], self.layout[r + 1][c]]
            for r, c in self.boxes
        ]
        self.around = tuple(sum(1 << self.numbers[name] for name in names) for names in near)
        self.beside = tuple(tuple(box for box, names in enumerate(near) if edge in names) for edge in self.edges)
        self.all = (1 << len(self.edges)) - 1


BOARDS = {size: Dots(size) for size in SIZES}


@value
class DotsPosition:
    """A position of Dots and Boxes. Get it from :data:`DOTS`; the constructor checks nothing.

    ``drawn_edges`` are the edges as bits, in board order; ``first`` and ``second`` the boxes of each side. ``side``
    moves next, or would.
    """

    size: int
    drawn_edges: int
    first: int
    second: int
    side: Side

    @property
    def ply(self) -> int:
        return self.drawn_edges.bit_count()

    @property
    def to_move(self) -> Side | None:
        return None if self.drawn_edges == BOARDS[self.size].all else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        taken = self.drawn_edges
        return tuple([edge for number, edge in enumerate(BOARDS[self.size].edges) if not taken >> number & 1])

    @property
    def outcome(self) -> Outcome | None:
        if self.drawn_edges != BOARDS[self.size].all:
            return None
        lead = margin(self)
        return Outcome(None if not lead else Side.FIRST if lead > 0 else Side.SECOND, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        on = BOARDS[self.size]
        cells = [["." if name else " " for name in row] for row in on.layout]
        for r, row in enumerate(on.layout):
            for c, name in enumerate(row):
                if name in on.numbers and self.drawn_edges >> on.numbers[name] & 1:
                    cells[r][c] = "|" if r % 2 else "-"
        for box, (r, c) in enumerate(on.boxes):
            cells[r][c] = "r" if self.first >> box & 1 else "b" if self.second >> box & 1 else "."
        return tuple(["".join(row) for row in cells])

    @property
    def text(self) -> str:
        return f"{'/'.join(row.replace(' ', '+') for row in self.rows)} {self.side}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, BOARDS[self.size].layout, (RED, BLUE), ground=GROUND)

    def _repr_svg_(self) -> str:
        return picture(self, BOARDS[self.size].layout, (RED, BLUE), pieces=PIECES, ground=GROUND)

    def play(self, move: str) -> DotsPosition:
        on = BOARDS[self.size]
        number = on.numbers.get(move) if isinstance(move, str) else None
        if number is None:
            raise refused(MalformedMove(f"a move is an edge between two dots, b1 to {on.edges[-1]}"), move, self)
        if self.drawn_edges >> number & 1:
            why = "the game is over" if self.drawn_edges == on.all else f"the edge {move} is drawn already"
            raise refused(IllegalMove(why), move, self)
        edges, closed = self.drawn_edges | 1 << number, 0
        for box in on.beside[number]:
            around = on.around[box]
            if edges & around == around:
                closed |= 1 << box
        first, second = (closed, 0) if self.side is Side.FIRST else (0, closed)
        side = self.side if closed else self.side.other
        return DotsPosition(self.size, edges, self.first | first, self.second | second, side)


def score(position: DotsPosition) -> tuple[int, int]:
    """The boxes of each side."""
    return position.first.bit_count(), position.second.bit_count()


def margin(position: DotsPosition) -> int:
    """By how many boxes Red leads."""
    return position.first.bit_count() - position.second.bit_count()


def parse(text: str, size: int = SIZE) -> DotsPosition:
    """Read the rows joined by ``/``, with ``+`` for the dots, and who moves.

    Raises :class:`InvalidPosition` for a text that is not a board of ``size``, and for a box that has an owner before
    all its edges are drawn, or none then. It does not check that play can lead to these owners.
    """
    board, _, side = text.partition(" ")
    rows, on = board.split("/"), BOARDS[size]
    if side not in tuple(Side) or [len(row) for row in rows] != [on.side] * on.side:
        raise InvalidPosition(f"a position is {on.side} rows of {on.side} places joined by '/', and first or second")
    edges = first = second = 0
    for r, row in enumerate(rows):
        for c, place in enumerate(row):
            allowed = ".rb" if r % 2 and c % 2 else ".|" if r % 2 else ".-" if c % 2 else "+"
            if place not in allowed:
                raise InvalidPosition(f"in row {r + 1} stands {place!r} where one of {allowed} must stand")
            if place in "|-":
                edges |= 1 << on.numbers[on.layout[r][c]]
    for box, (r, c) in enumerate(on.boxes):
        first |= (rows[r][c] == "r") << box
        second |= (rows[r][c] == "b") << box
        if (edges & on.around[box] == on.around[box]) is (rows[r][c] == "."):
            raise InvalidPosition("a box belongs to somebody exactly if all its edges are drawn")
    return DotsPosition(size, edges, first, second, Side(side))


def variant(options: Mapping[str, Any]) -> Game:
    """Dots and Boxes on a board of another size."""
    size = int(options["size"])
    start = DotsPosition(size, 0, 0, 0, Side.FIRST)
    return replace(DOTS, layout=BOARDS[size].layout, start=start, parse=partial(parse, size=size))


UNIT = 8
"""Measured by ``python -m bench.units``, as docs/engine.md says."""


def evaluate(position: DotsPosition) -> int:
    """The advantage of the side to move, in boxes: its lead, and the boxes that it can close at once."""
    lead = margin(position)
    edges = position.drawn_edges
    ready = sum((around & ~edges).bit_count() == 1 for around in BOARDS[position.size].around)
    return (lead if position.side is Side.FIRST else -lead) + ready


def candidates(position: DotsPosition) -> tuple[str, ...]:
    """All moves, those that close a box first and those that give one away last."""
    on, edges = BOARDS[position.size], position.drawn_edges

    def rank(move: str) -> int:
        missing = [(on.around[box] & ~edges).bit_count() for box in on.beside[on.numbers[move]]]
        return 0 if 1 in missing else 2 if 2 in missing else 1

    return tuple(sorted(position.legal_moves, key=rank))


def noisy(position: DotsPosition) -> tuple[str, ...]:
    """The edges that close a box."""
    on, edges = BOARDS[position.size], position.drawn_edges
    moves = [(on.edges[number], boxes) for number, boxes in enumerate(on.beside) if not edges >> number & 1]
    return tuple([move for move, boxes in moves if any((on.around[box] & ~edges).bit_count() == 1 for box in boxes)])


DOTS = Game(
    key="dots",
    title="Dots and Boxes",
    first=RED,
    second=BLUE,
    layout=BOARDS[SIZE].layout,
    start=DotsPosition(SIZE, 0, 0, 0, Side.FIRST),
    parse=parse,
    rules=(
        "Red begins. A move draws an edge between two neighbouring dots.",
        "Who draws the fourth edge of a box owns the box, and must move again.",
        "When all edges are drawn, who owns more boxes wins; equal counts are a draw.",
    ),
    seam=SEAM,
    board=GROUND,
    example="e4 b5 d1 f3 g6 e6 f5 c4 f7 g2 d5 c2 a6 a2 d3 e2",
    pieces=PIECES,
    score=score,
    options=(Option("size", "Boxes of each side", SIZE, SIZES),),
    variant=variant,
    margin=margin,
    heuristic=Heuristic(
        evaluate,
        UNIT,
        candidates=candidates,
        opening=4,
        spread=0,
        noisy=noisy,
        slip=2,
        measure=Measure("box", many="boxes"),
    ),
)
