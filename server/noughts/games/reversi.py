"""Reversi, or Othello: enclosed discs are turned; more discs win. Pure; does no I/O.

A move is a cell, ``a1`` to ``h8``, a1 at the top left, or ``pass`` for a side that cannot play. When neither side can,
the game is over. Equal counts are a draw.
"""

from __future__ import annotations

from dataclasses import field

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Measure,
    Outcome,
    Reason,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import Drawing, bits_of, coordinates, read_board
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

SIZE = 8
CELLS = coordinates(SIZE, SIZE)
PASS = "pass"  # noqa: S105 - no password
BLACK, WHITE = Style("Black", "b"), Style("White", "w")
SYMBOLS = BLACK.symbol + WHITE.symbol

# One bit for each cell, row by row from the top left.
BITS: tuple[int, ...] = tuple(1 << index for index in range(SIZE * SIZE))
DRAWING = Drawing(BITS, SIZE, SYMBOLS)
BIT = dict(zip((name for row in CELLS for name in row), BITS, strict=True))
NAME = {bit: name for name, bit in BIT.items()}
ALL = sum(BITS)
CENTRE = BIT["d4"] | BIT["e4"] | BIT["d5"] | BIT["e5"]
# A disc that is turned along a row or a diagonal has a neighbour on either side, so it is never in an outer column.
# Leaving these columns out keeps steps from wrapping to the next row.
INNER = sum(bit for index, bit in enumerate(BITS) if 0 < index % SIZE < SIZE - 1)
STEPS = (1, SIZE - 1, SIZE, SIZE + 1)


def moves_of(own: int, other: int) -> int:
    """The cells where the side with the discs ``own`` can play."""
    inner = other & INNER
    moves = 0
    for step in STEPS:
        between = other if step == SIZE else inner
        # Runs of the opponent's discs beside one of ours, in both directions, up to 6 long: one step, one more, then
        # twice two steps.
        up = between & own << step
        up |= between & up << step
        pairs = between & between << step
        up |= pairs & up << 2 * step
        up |= pairs & up << 2 * step
        down = between & own >> step
        down |= between & down >> step
        pairs = between & between >> step
        down |= pairs & down >> 2 * step
        down |= pairs & down >> 2 * step
        moves |= up << step | down >> step
    return moves & ALL & ~(own | other)


def turned_by(bit: int, own: int, other: int) -> int:
    """The discs of ``other`` that a disc of ``own`` on the empty cell ``bit`` turns."""
    inner = other & INNER
    turned = 0
    for step in STEPS:
        between = other if step == SIZE else inner
        run = between & bit << step
        if run:
            run |= between & run << step
            run |= between & run << step
            run |= between & run << step
            run |= between & run << step
            run |= between & run << step
            if own & run << step:
                turned |= run
        run = between & bit >> step
        if run:
            run |= between & run >> step
            run |= between & run >> step
            run |= between & run >> step
            run |= between & run >> step
            run |= between & run >> step
            if own & run >> step:
                turned |= run
    return turned


@value
class ReversiPosition:
    """A position of Reversi. Get it from :data:`REVERSI`; the constructor checks nothing.

    ``first`` and ``second`` are the discs of each side, bit 0 for ``a1``, bit 1 for ``b1``; ``side`` is the side whose
    turn it is, or would be. ``moves`` are the cells where it can play; ``over`` says that neither side can. The number
    of moves and passes that led here does not matter for equality.
    """

    first: int
    second: int
    side: Side
    ply: int = field(compare=False)
    moves: int = field(compare=False)
    over: bool = field(compare=False)

    @property
    def to_move(self) -> Side | None:
        return None if self.over else self.side

    @property
    def legal_moves(self) -> tuple[str, ...]:
        if self.over:
            return ()
        rest = self.moves
        names = []
        while rest:
            bit = rest & -rest
            names.append(NAME[bit])
            rest ^= bit
        return tuple(names) or (PASS,)

    @property
    def outcome(self) -> Outcome | None:
        if not self.over:
            return None
        lead = self.first.bit_count() - self.second.bit_count()
        return Outcome(Side.FIRST if lead > 0 else Side.SECOND if lead < 0 else None, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        return DRAWING.rows(self.first, self.second)

    @property
    def text(self) -> str:
        return f"{'/'.join(self.rows)} {self.side}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, CELLS, (BLACK, WHITE))

    def _repr_svg_(self) -> str:
        return picture(self, CELLS, (BLACK, WHITE), ground=REVERSI.board)

    def play(self, move: str) -> ReversiPosition:
        bit = BIT.get(move)
        if bit is None and move != PASS:
            raise refused(MalformedMove(f"a move is a cell, {CELLS[0][0]} to {CELLS[-1][-1]}, or {PASS}"), move, self)
        if self.over:
            raise refused(IllegalMove("the game is over"), move, self)
        if bit is None:
            if self.moves:
                raise refused(IllegalMove("a side that can play cannot pass"), move, self)
            return _position(self.first, self.second, self.side.other, self.ply + 1)
        if not self.moves & bit:
            if (self.first | self.second) & bit:
                raise refused(IllegalMove(f"cell {move} is taken"), move, self)
            own, other = (BLACK, WHITE) if self.side is Side.FIRST else (WHITE, BLACK)
            must = f"it must enclose discs of {other.name} between itself and another of {own.name}, in a straight line"
            raise refused(IllegalMove(f"a disc on {move} turns no disc: {must}"), move, self)
        if self.side is Side.FIRST:
            turned = turned_by(bit, self.first, self.second)
            return _position(self.first | bit | turned, self.second ^ turned, Side.SECOND, self.ply + 1)
        turned = turned_by(bit, self.second, self.first)
        return _position(self.first ^ turned, self.second | bit | turned, Side.FIRST, self.ply + 1)


def _position(first: int, second: int, side: Side, ply: int) -> ReversiPosition:
    own, other = (first, second) if side is Side.FIRST else (second, first)
    moves = moves_of(own, other)
    return ReversiPosition(first, second, side, ply, moves, over=not moves and not moves_of(other, own))


def parse(text: str) -> ReversiPosition:
    """Read the rows from the top, with ``b`` and ``w`` for discs, a space, and the side to move.

    The text does not show passes, so ``ply`` is the smallest possible. Raises :class:`InvalidPosition` for a text that
    is not a board, for a board with an empty cell in the centre, and for one with discs that are not connected.
    """
    cells, named = read_board(text, SIZE, SIZE, SYMBOLS)
    if named not in tuple(Side):
        raise InvalidPosition("the discs do not show who moves: write a space and first or second after the board")
    first, second = (bits_of(cells, symbol, BITS) for symbol in SYMBOLS)
    taken = first | second
    if CENTRE & ~taken:
        raise InvalidPosition("the four cells in the centre are never empty")
    if _beside(CENTRE, taken) != taken:
        raise InvalidPosition("every disc must be beside another")
    discs_played = taken.bit_count() - CENTRE.bit_count()
    side = Side(named)
    return _position(first, second, side, discs_played + (discs_played % 2 != (side is Side.SECOND)))


def _beside(start: int, taken: int) -> int:
    """The discs of ``taken`` that are connected to ``start``."""
    not_left = ALL - sum(BITS[::SIZE])
    not_right = ALL - sum(BITS[SIZE - 1 :: SIZE])
    found, before = start, 0
    while found != before:
        before = found
        found |= (found & not_right) << 1 | (found & not_left) >> 1
        found |= found << SIZE | found >> SIZE
        found &= taken
    return found


def score(position: ReversiPosition) -> tuple[int, int]:
    """The discs of each side."""
    return position.first.bit_count(), position.second.bit_count()


def margin(position: ReversiPosition) -> int:
    """The difference in discs, with empty cells counted for the winner; see ``Game.margin``."""
    lead = position.first.bit_count() - position.second.bit_count()
    empty = SIZE * SIZE - (position.first | position.second).bit_count()
    return lead + empty if lead > 0 else lead - empty if lead < 0 else 0


CORNERS = tuple(BIT[name] for name in ("a1", "h1", "a8", "h8"))
BESIDE = tuple(BIT[one] | BIT[two] for one, two in (("b1", "a2"), ("g1", "h2"), ("a7", "b8"), ("h7", "g8")))
"""The two edge cells beside each corner, called C squares."""
ACROSS = tuple(BIT[name] for name in ("b2", "g2", "b7", "g7"))
"""The diagonal neighbour of each corner, called X square."""
LEFT, RIGHT = sum(BITS[::SIZE]), sum(BITS[SIZE - 1 :: SIZE])

# The weights of these features in sixteenths of a disc of the final difference, by the number of empty cells: fitted by
# least squares to about a hundred games that a 2-ply search played against itself, with some random moves.
STAGES = (
    # (at least so many empty, (moves, corners, C and X beside an empty corner, discs beside an empty cell, discs))
    (30, (12, 260, -44, -190, -40, 28)),
    (20, (12, 160, -30, -96, -20, 16)),
    (0, (14, 90, -22, -56, -16, 13)),
)
UNIT = 27
"""Fitted to the results of 105 games, a tenth of their moves random, after the values that a 2-ply search had given."""


def evaluate(position: ReversiPosition) -> int:
    """By how many discs the side to move can expect to win."""
    own, other = position.first, position.second
    if position.side is Side.SECOND:
        own, other = other, own
    empty = ALL & ~(own | other)
    count = empty.bit_count()
    moves, corners, beside, across, frontier, discs = next(worth for least, worth in STAGES if count >= least)
    value = moves * (position.moves.bit_count() - moves_of(other, own).bit_count())
    for corner, c, x in zip(CORNERS, BESIDE, ACROSS, strict=True):
        if empty & corner:
            value += beside * ((own & c).bit_count() - (other & c).bit_count())
            if (own | other) & x:
                value += across if own & x else -across
        else:
            value += corners if own & corner else -corners
    left, right = empty & ~LEFT, empty & ~RIGHT
    near = left >> 1 | left >> SIZE + 1 | left << SIZE - 1 | right << 1 | right << SIZE + 1 | right >> SIZE - 1
    near |= empty << SIZE | empty >> SIZE
    value += frontier * ((own & near).bit_count() - (other & near).bit_count())
    value += discs * (own.bit_count() - other.bit_count())
    return value // 16


# The corners first, the cells beside them last.
ORDER = (sum(CORNERS), ALL & ~sum(CORNERS) & ~sum(BESIDE) & ~sum(ACROSS), sum(BESIDE), sum(ACROSS))


def candidates(position: ReversiPosition) -> tuple[str, ...]:
    """All legal moves: corners first, the cells beside them last."""
    names = []
    for cells in ORDER:
        rest = position.moves & cells
        while rest:
            bit = rest & -rest
            names.append(NAME[bit])
            rest ^= bit
    return tuple(names) or (PASS,)


REVERSI = Game(
    key="reversi",
    title="Reversi",
    first=BLACK,
    second=WHITE,
    layout=CELLS,
    start=parse(f"{'/'.join(['........'] * 3 + ['...wb...', '...bw...'] + ['........'] * 3)} first"),
    parse=parse,
    rules=(
        "Black begins. A new disc must enclose discs of the other side, in a straight line, between itself and another "
        "disc of its own side: across, down or diagonally.",
        "All enclosed discs are turned, in every direction at once. A move must turn at least one disc.",
        "A side that cannot turn any disc must pass. When neither side can, the game is over and the side with more "
        "discs wins; equal counts are a draw.",
    ),
    seam=SEAM,
    board=Board(look="felt"),
    example="c4 c5 d6 e3 b5 c7 d3 b4 d7 e6 f6",
    score=score,
    margin=margin,
    heuristic=Heuristic(evaluate, UNIT, candidates, opening=10, spread=1, measure=Measure("disc")),
)
