"""Hex, by Piet Hein (1942) and John Nash (1948): the first chain between one's two edges wins. Pure; does no I/O.

Red joins top and bottom, Blue left and right. A move is a cell, ``a1`` at the top left: each row lies half a cell to
the right of the one above. With swap, Blue may answer the first stone by ``swap``: it becomes a blue stone, mirrored at
the long diagonal, so that the sides keep their colours and their edges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import compress
from typing import Any

from noughts.games.base import (
    SEAM,
    SWAP,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Option,
    Outcome,
    RecordFormat,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import Drawing, bits_of, coordinates, read_board
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SIZE, SIZES = 11, (3, 5, 7, 9, 11, 13, 14)
RED, BLUE = Style("Red", "r"), Style("Blue", "b")
SYMBOLS = RED.symbol + BLUE.symbol
GROUND = Board("hexagons", borders=(Side.FIRST, Side.SECOND))

_DIGITS = bytes.maketrans(b"01", b"\0\1")


class HexBoard:
    """The data that all positions of one size share, see :func:`board`.

    The stones of a side are a number with one bit for each cell, row by row from the top left. Around the board are
    more bits, which are never set: no step wraps to another row, and estimates take those beyond an edge for stones.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.step = step = size + 3
        self.layout = coordinates(size, size)
        self.bits = {name: 1 << r * step + c for r, row in enumerate(self.layout, 1) for c, name in enumerate(row, 1)}
        self.ordered_bits = tuple(self.bits.values())
        self.everywhere = sum(self.ordered_bits)
        row, column = (1 << size + 2) - 1, sum(1 << r * step for r in range(size + 2))
        self.walls = {
            Side.FIRST: (row, row << (size + 1) * step),
            Side.SECOND: (column, column << size + 1),
        }
        """The bits beyond the two edges of each side."""
        self.edges = {
            side: (self.beside(one) & self.everywhere, self.beside(other) & self.everywhere)
            for side, (one, other) in self.walls.items()
        }
        """The cells along the two edges of each side."""
        self.rows = Drawing(self.ordered_bits, size, SYMBOLS).rows
        self._names = ["" for _ in range(step)]
        for names in self.layout:
            self._names += ["", *names, "", ""]

    def __reduce__(self) -> tuple[Callable[[int], HexBoard], tuple[int]]:
        return board, (self.size,)

    def names(self, cells: int) -> tuple[str, ...]:
        """The names of ``cells``, in board order."""
        return tuple(compress(self._names, f"{cells:b}".encode().translate(_DIGITS)[::-1]))

    def beside(self, cells: int) -> int:
        """The cells that touch ``cells``, and perhaps ``cells`` and bits that are no cells."""
        step = self.step
        return cells << 1 | cells >> 1 | cells << step | cells >> step | cells << step - 1 | cells >> step - 1

    def linked(self, cells: int, empty: int) -> int:
        """The same and the cells a bridge away: two with two ``empty`` neighbours in common are as good as joined.
        Whoever is disturbed on one of these plays on the other.
        """
        near, far = self.step - 1, self.step
        right, left = cells << 1, cells >> 1
        down, up = cells << far, cells >> far
        aslant, back = cells << near, cells >> near
        found = right | left | down | up | aslant | back
        right, left, down, up = right & empty, left & empty, down & empty, up & empty
        aslant, back = aslant & empty, back & empty
        found |= right << far & down << 1 | left >> far & up >> 1
        found |= aslant << far & down << near | back >> far & up >> near
        return found | left << near & aslant >> 1 | right >> near & back << 1

    def chain(self, stones: int, start: int) -> int:
        """The part of ``stones`` that is connected to ``start``, which is part of them."""
        found, new = 0, start
        while new:
            found |= new
            new = self.beside(new) & stones & ~found
        return found

    def joins(self, side: Side, stones: int) -> bool:
        """True if ``stones`` join the edges of ``side``."""
        one, other = self.edges[side]
        return bool(self.chain(stones, stones & one) & other)

    def mirrored(self, bit: int) -> int:
        """The cell with row and column exchanged: what it is to one side, that is to the other."""
        row, column = divmod(bit.bit_length() - 1, self.step)
        return 1 << column * self.step + row

    def shortest(self, side: Side, stones: int) -> int:
        """The cells of a shortest chain between the edges of ``side``, which ``stones`` join."""
        one, other = self.edges[side]
        waves, seen = [stones & one], stones & one
        while not waves[-1] & other:
            waves.append(self.beside(waves[-1]) & stones & ~seen)
            seen |= waves[-1]
        cells = at = (end := waves[-1] & other) & -end
        for wave in waves[-2::-1]:
            before = self.beside(at) & wave
            at = before & -before
            cells |= at
        return cells


@cache
def board(size: int) -> HexBoard:
    """The board with so many rows and columns."""
    return HexBoard(size)


@value
class HexPosition:
    """A position of Hex. Get it from a :class:`Game`; the constructor checks nothing.

    ``first`` and ``second`` are the stones of each side, as :class:`HexBoard` numbers them. ``swaps`` says whether the
    second side may swap, ``swapped`` whether it has, ``won`` that the last stone has joined the edges of its side.
    """

    on: HexBoard
    first: int = 0
    second: int = 0
    swaps: bool = True
    swapped: bool = False
    won: bool = False

    @property
    def side(self) -> Side:
        """The side that moves next, or would."""
        return Side.SECOND if self.ply % 2 else Side.FIRST

    @property
    def to_move(self) -> Side | None:
        return None if self.won else self.side

    @property
    def ply(self) -> int:
        return (self.first | self.second).bit_count() + self.swapped

    @property
    def can_swap(self) -> bool:
        """True if the side to move may swap."""
        return self.swaps and self.ply == 1

    @property
    def legal_moves(self) -> tuple[str, ...]:
        if self.won:
            return ()
        cells = self.on.names(self.on.everywhere & ~(self.first | self.second))
        return (*cells, SWAP) if self.can_swap else cells

    @property
    def outcome(self) -> Outcome | None:
        if not self.won:
            return None
        winner = self.side.other
        stones = self.first if winner is Side.FIRST else self.second
        return Outcome(winner, "chain", self.on.names(self.on.shortest(winner, stones)))

    @property
    def rows(self) -> tuple[str, ...]:
        return self.on.rows(self.first, self.second)

    @property
    def text(self) -> str:
        return f"{'/'.join(self.rows)} {self.side}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, self.on.layout, (RED, BLUE), ground=GROUND)

    def _repr_svg_(self) -> str:
        return picture(self, self.on.layout, (RED, BLUE), ground=GROUND)

    def play(self, move: str) -> HexPosition:
        on, first, second = self.on, self.first, self.second
        bit = on.bits.get(move)
        if bit is None:
            if move != SWAP:
                cells = f"a move is a cell, {on.layout[0][0]} to {on.layout[-1][-1]}, or {SWAP}"
                raise refused(MalformedMove(cells), move, self)
            if not self.can_swap:
                raise refused(IllegalMove(_why_no_swap(self)), move, self)
            return HexPosition(on, 0, on.mirrored(first), self.swaps, swapped=True)
        if self.won:
            raise refused(IllegalMove("the game is over"), move, self)
        if (first | second) & bit:
            raise refused(IllegalMove(f"cell {move} is taken"), move, self)
        side = self.side
        if side is Side.FIRST:
            own = first = first | bit
        else:
            own = second = second | bit
        one, other = on.edges[side]
        won = False
        if own & one and own & other:
            chain = on.chain(own, bit)
            won = bool(chain & one and chain & other)
        return HexPosition(on, first, second, self.swaps, self.swapped, won)


def _why_no_swap(position: HexPosition) -> str:
    if position.won:
        return "the game is over"
    return "only the first stone can be swapped" if position.swaps else "this game is played without swap"


def parse(text: str, size: int = SIZE, *, swaps: bool = True) -> HexPosition:
    """Read the rows from the top, then the side to move: after a swap, that is not the one that the counts show.

    Raises :class:`InvalidPosition`.
    """
    on = board(size)
    cells, named = read_board(text, size, size, SYMBOLS)
    if named not in tuple(Side):
        raise InvalidPosition("write a space and first or second, who moves next, after the board")
    first, second = (bits_of(cells, symbol, on.ordered_bits) for symbol in SYMBOLS)
    lead = first.bit_count() - second.bit_count()
    to_move = Side(named)
    swapped = lead == (-1 if to_move is Side.FIRST else 0)
    if lead != (0 if to_move is Side.FIRST else 1) and not (swaps and swapped and second):
        raise InvalidPosition("the sides place one stone each in turn, red ones first")
    side = to_move.other
    stones = first if side is Side.FIRST else second
    if on.joins(to_move, second if side is Side.FIRST else first):
        raise InvalidPosition("the game ended with the chain, and one more stone was placed")
    won = on.joins(side, stones)
    if won and all(on.joins(side, stones & ~bit) for bit in on.ordered_bits if stones & bit):
        raise InvalidPosition("no single stone can have made the chain")
    return HexPosition(on, first, second, swaps, swapped, won)


UNIT = 119
"""Measured by ``python -m bench.units``, as docs/engine.md says."""
STONE, WAY, TEMPO = 40, 1, 20
"""The worth of a stone less to the end, of a cell through which a shortest way leads, and of the move."""
SURE = 4
"""While both sides need so many stones, moves beside all shortest ways are left out: no search sees their games end."""


def ways(on: HexBoard, side: Side, own: int, empty: int) -> tuple[int, int]:
    """The stones that ``side`` needs at least to join its edges, with bridges as joined, and the empty cells of all
    ways to do it with so few: shortest paths, as in C. Browne, *Hex Strategy* (2000).
    """
    one, other = on.walls[side]
    own |= one | other
    there, back = _waves(on, own, empty, one, other), _waves(on, own, empty, other, one)
    stones = len(there) - 1
    cells = 0
    for nth in range(1, stones + 1):
        cells |= there[nth] & ~there[nth - 1] & back[stones + 1 - nth] & ~back[stones - nth]
    return stones, cells & empty


def _waves(on: HexBoard, own: int, empty: int, start: int, end: int) -> list[int]:
    """The cells linked to ``start`` by ``own`` with no, one, two and more stones on ``empty`` cells, until ``end`` is.

    Nobody can close all ways to both sides, but to one: then the list is as long as if it took a stone for every cell.
    """
    found: list[int] = []
    reached, new = 0, start
    while True:
        while new:  # own stones cost nothing
            reached |= new
            links = on.linked(new, empty)
            new = links & own & ~reached
        found.append(reached)
        if reached & end:
            return found
        new = on.linked(reached, empty) & (empty | own) & ~reached
        if not new:
            return [*found, *[reached] * (on.size - len(found) + 1)]


@lru_cache(maxsize=4096)
def _both(position: HexPosition) -> tuple[tuple[int, int], tuple[int, int]]:
    """The :func:`ways` of the side to move and of the other."""
    on, empty = position.on, position.on.everywhere & ~(position.first | position.second)
    first = ways(on, Side.FIRST, position.first, empty)
    second = ways(on, Side.SECOND, position.second, empty)
    return (first, second) if position.side is Side.FIRST else (second, first)


def evaluate(position: HexPosition) -> int:
    """The stones that the side to move needs fewer than the other, and the ways that it has more."""
    (own, through), (others, theirs) = _both(position)
    return STONE * (others - own) + WAY * (through.bit_count() - theirs.bit_count()) + TEMPO


def candidates(position: HexPosition) -> tuple[str, ...]:
    """The cells on shortest ways of both sides, then those of one, then the rest unless no end is near."""
    (own, through), (others, theirs) = _both(position)
    on = position.on
    empty = on.everywhere & ~(position.first | position.second)
    groups = [through & theirs, through ^ theirs]
    if min(own, others) < SURE or not any(groups):
        groups.append(empty & ~(through | theirs))
    moves = tuple([name for cells in groups for name in on.names(cells)])
    return (*moves, SWAP) if position.can_swap else moves


RULES = (
    "Red begins. The sides take turns to place a stone on an empty cell.",
    "A chain of red stones from the top edge to the bottom edge wins, or a chain of blue stones from the left edge to "
    "the right edge. There is no draw.",
    "Blue may swap the first stone: it turns blue, on the cell that is to Blue what the old one was to Red.",
)


def variant(options: Mapping[str, Any]) -> Game:
    """Hex on a board of another size, or without swap."""
    size, swaps = int(options["size"]), options["swap"] == "yes"
    return replace(
        HEX,
        layout=coordinates(size, size),
        start=HexPosition(board(size), swaps=swaps),
        parse=partial(parse, size=size, swaps=swaps),
        rules=RULES if swaps else RULES[:2],
    )


HEX = Game(
    key="hex",
    title="Hex",
    first=RED,
    second=BLUE,
    layout=coordinates(SIZE, SIZE),
    start=HexPosition(board(SIZE)),
    parse=parse,
    rules=RULES,
    seam=SEAM,
    board=GROUND,
    record=RecordFormat("sgf", "sgf", "11", cells="names"),
    example="c2 f6 e8 f7 g5 h5 f8 e9 i3 g8",
    endings=(("chain", "by a chain from edge to edge"),),
    draws=False,
    options=(Option("size", "Size of the board", SIZE, SIZES), Option("swap", "Swap", "yes", ("yes", "no"))),
    variant=variant,
    heuristic=Heuristic(evaluate, UNIT, candidates, opening=4, spread=6),
)
