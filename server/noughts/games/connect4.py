"""Connect Four: discs dropped into the columns of a 7x6 board, four in a row win. Pure; does no I/O.

A move is a column, ``1`` to ``7`` from the left. The cells are ``a1`` to ``g6``, a1 at the top left.
"""

from __future__ import annotations

from noughts.games.base import (
    SEAM,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Outcome,
    Reason,
    Side,
    Style,
)
from noughts.games.board import brief, drawn
from noughts.games.grid import Drawing, bits_of, coordinates, read_board, side_by_counts
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.value import value

COLUMNS, ROWS = 7, 6
MOVES = tuple(str(number) for number in range(1, COLUMNS + 1))
CELLS = coordinates(COLUMNS, ROWS)
RED, YELLOW = Style("Red", "r"), Style("Yellow", "y")
SYMBOLS = RED.symbol + YELLOW.symbol

# One bit for each cell, column by column from the left, each from the bottom. One more bit on top of each column is
# never set, so that lines do not wrap to the next column; a full column overflows into that bit.
STEP = ROWS + 1
BITS = tuple(1 << column * STEP + height for height in reversed(range(ROWS)) for column in range(COLUMNS))
"""The bit of each cell, row by row from the top."""
DRAWING = Drawing(BITS, COLUMNS, SYMBOLS)

BOTTOM = {move: 1 << column * STEP for column, move in enumerate(MOVES)}
COLUMN = {move: (2**ROWS - 1) * bottom for move, bottom in BOTTOM.items()}
TOP = {move: bottom << ROWS - 1 for move, bottom in BOTTOM.items()}
EVERYWHERE = sum(BITS)
DIRECTIONS = (1, STEP - 1, STEP, STEP + 1)
DRAW = Outcome(None, Reason.DRAW)


def has_line(discs: int) -> bool:
    """True if four of ``discs`` are in a row."""
    pairs = discs & discs >> 1
    if pairs & pairs >> 2:
        return True
    pairs = discs & discs >> STEP
    if pairs & pairs >> 2 * STEP:
        return True
    pairs = discs & discs >> STEP - 1
    if pairs & pairs >> 2 * (STEP - 1):
        return True
    pairs = discs & discs >> STEP + 1
    return bool(pairs & pairs >> 2 * (STEP + 1))


def _line(discs: int) -> tuple[str, ...]:
    """The names of the cells of all lines; one move can complete several lines, and lines longer than four."""
    line = 0
    for step in DIRECTIONS:
        pairs = discs & discs >> step
        ends = pairs & pairs >> 2 * step
        pairs = ends | ends << 2 * step
        line |= pairs | pairs << step
    names = [name for row in CELLS for name in row]
    return tuple(name for name, bit in zip(names, BITS, strict=True) if line & bit)


@value
class Connect4Position:
    """A position of Connect Four. Get it from :data:`CONNECT4`; the constructor checks nothing.

    ``first`` and ``second`` are the cells of each side, bit 0 for the bottom left, bit 1 above it, bit 7 for the bottom
    of the second column. ``won`` says that the last move made a line.
    """

    first: int = 0
    second: int = 0
    won: bool = False

    @property
    def to_move(self) -> Side | None:
        taken = self.first | self.second
        if self.won or taken == EVERYWHERE:
            return None
        return Side.SECOND if taken.bit_count() % 2 else Side.FIRST

    @property
    def ply(self) -> int:
        return (self.first | self.second).bit_count()

    @property
    def legal_moves(self) -> tuple[str, ...]:
        if self.won:
            return ()
        taken = self.first | self.second
        return tuple([move for move, top in TOP.items() if not taken & top])

    @property
    def outcome(self) -> Outcome | None:
        if self.won:
            if self.ply % 2:
                return Outcome(Side.FIRST, Reason.LINE, _line(self.first))
            return Outcome(Side.SECOND, Reason.LINE, _line(self.second))
        return DRAW if self.first | self.second == EVERYWHERE else None

    @property
    def rows(self) -> tuple[str, ...]:
        return DRAWING.rows(self.first, self.second)

    @property
    def text(self) -> str:
        return "/".join(self.rows)

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, CONNECT4.layout, (RED, YELLOW))

    def _repr_svg_(self) -> str:
        return picture(self, CONNECT4.layout, (RED, YELLOW), cells=CELLS, ground=CONNECT4.board)

    def play(self, move: str) -> Connect4Position:
        bottom = BOTTOM.get(move)
        if bottom is None:
            raise refused(MalformedMove(f"a move is a column, {MOVES[0]} to {MOVES[-1]}"), move, self)
        first, second = self.first, self.second
        taken = first | second
        if self.won or taken == EVERYWHERE:
            raise refused(IllegalMove("the game is over"), move, self)
        cell = taken + bottom & COLUMN[move]
        if not cell:
            raise refused(IllegalMove(f"column {move} is full"), move, self)
        if taken.bit_count() % 2:
            second |= cell
            return Connect4Position(first, second, has_line(second))
        first |= cell
        return Connect4Position(first, second, has_line(first))


def parse(text: str) -> Connect4Position:
    """Read the rows from the top, with ``r`` and ``y`` for discs, then optionally a space and the side to move.

    Raises :class:`InvalidPosition` for a text that is not a board, and for a board that play cannot reach.
    """
    cells, named = read_board(text, COLUMNS, ROWS, SYMBOLS)
    side = side_by_counts(cells, SYMBOLS, named)
    first, second = (bits_of(cells, symbol, BITS) for symbol in SYMBOLS)
    taken = first | second
    if taken & ~(taken << 1 | sum(BOTTOM.values())):
        raise InvalidPosition("a disc must lie on the bottom or on another disc")
    lines = [has_line(first), has_line(second)]
    if all(lines):
        raise InvalidPosition("both r and y have a line")
    if lines[0 if side is Side.FIRST else 1]:
        raise InvalidPosition("the game ended with the line, and one more move was played")
    piles = tuple(cells[column::COLUMNS].lstrip(".") for column in range(COLUMNS))
    last, before_last = (RED, YELLOW) if side is Side.SECOND else (YELLOW, RED)
    if any(lines):
        discs, tops = (first if lines[0] else second), taken & ~(taken >> 1)
        made_lines = [not has_line(discs & ~(tops & column)) for column in COLUMN.values()]
        reached = any(
            _in_turns((*piles[:column], piles[column][1:], *piles[column + 1 :]), before_last.symbol)
            for column in range(COLUMNS)
            if made_lines[column] and piles[column][0] == last.symbol
        )
    else:
        reached = _in_turns(piles, last.symbol)
    if not reached:
        raise InvalidPosition("no order of moves leads to this board")
    return Connect4Position(first, second, any(lines))


def _in_turns(piles: tuple[str, ...], last: str) -> bool:
    """True if the discs of ``piles``, from the top, can be removed in turns, beginning with one of ``last``."""
    frontier, seen = [(tuple(sorted(piles)), last)], set()
    while frontier:
        discs, symbol = frontier.pop()
        if not any(discs):
            return True
        for index, pile in enumerate(discs):
            if pile[:1] == symbol:
                # The order of the columns does not matter here.
                rest = tuple(sorted((*discs[:index], pile[1:], *discs[index + 1 :])))
                if rest not in seen:
                    seen.add(rest)
                    frontier.append((rest, SYMBOLS[1 - SYMBOLS.index(symbol)]))
    return False


def margin(position: Connect4Position) -> int:
    """1 if the winner's last disc made the line, 2 if its last but one did, and so on; see ``Game.margin``."""
    if not position.won:
        return 0
    left = COLUMNS * ROWS // 2 - (position.ply + 1) // 2
    return left + 1 if position.ply % 2 else -left - 1


# Threats are empty cells that would complete a line. When everything else is full, the first side gets the cells of the
# odd rows from the bottom and the second side those of the even rows, so threats there are worth more (J. D. Allen,
# *The Complete Book of Connect 4*, 2010).
ODD_ROWS = sum(bottom << height for bottom in BOTTOM.values() for height in range(0, ROWS, 2))
EVEN_ROWS = EVERYWHERE & ~ODD_ROWS
BOTTOMS = sum(BOTTOM.values())
MIDDLE_FIRST = tuple(sorted(MOVES, key=lambda move: abs(int(move) - (COLUMNS + 1) // 2)))
INNER: int = sum(COLUMN[move] for move in MIDDLE_FIRST[:3])
# The weights of a threat, of a threat in the side's own rows, of a cell in the three middle columns; and for the side
# to move, of a line at once, and of two lines of the opponent that it cannot both stop.
THREAT, OWN_ROW, IN_THE_MIDDLE, AT_ONCE, TWO_TO_STOP = 12, 8, 2, 250, 200
UNIT = 75
"""Fitted to the results of 649 games, a tenth of their moves random, after the values that a 2-ply search had given."""


def threats_of(discs: int, empty: int) -> int:
    """The ``empty`` cells that would complete a line of ``discs``."""
    cells = discs << 1 & discs << 2 & discs << 3
    for step in DIRECTIONS[1:]:
        below, above = discs << step, discs >> step
        two_below, two_above = below & discs << 2 * step, above & discs >> 2 * step
        cells |= two_below & (discs << 3 * step | above) | two_above & (discs >> 3 * step | below)
    return cells & empty


def evaluate(position: Connect4Position) -> int:
    """The advantage of the side to move, by threats and cells in the middle."""
    first, second = position.first, position.second
    taken = first | second
    empty = EVERYWHERE & ~taken
    first_threats, second_threats = threats_of(first, empty), threats_of(second, empty)
    value = (
        THREAT * (first_threats.bit_count() - second_threats.bit_count())
        + OWN_ROW * ((first_threats & ODD_ROWS).bit_count() - (second_threats & EVEN_ROWS).bit_count())
        + IN_THE_MIDDLE * ((first & INNER).bit_count() - (second & INNER).bit_count())
    )
    own, other = first_threats, second_threats
    if taken.bit_count() % 2:
        own, other, value = other, own, -value
    landing = taken + BOTTOMS
    if own & landing:
        return AT_ONCE
    if (other & landing).bit_count() > 1:
        return -TWO_TO_STOP
    return value


def candidates(position: Connect4Position) -> tuple[str, ...]:
    """All legal moves, the middle columns first."""
    taken = position.first | position.second
    return tuple([move for move in MIDDLE_FIRST if not taken & TOP[move]])


CONNECT4 = Game(
    key="connect4",
    title="Connect Four",
    first=RED,
    second=YELLOW,
    layout=(MOVES,) * ROWS,
    start=Connect4Position(),
    parse=parse,
    cells=CELLS,
    rules=(
        "Red begins. The two sides take turns to choose a column: the disc drops to the lowest empty cell there. A "
        "full column takes no more discs.",
        "Four in a row, across, down or diagonally, win. A full board without four in a row is a draw.",
        "The side that begins can always win, but only by starting in the middle column.",
    ),
    seam=SEAM,
    board=Board(look="holes"),
    example="4 5 5 4 4 6 4 5 5 1 2",
    margin=margin,
    sooner=True,
    heuristic=Heuristic(evaluate, UNIT, candidates),
    solved=True,
)
