"""Ultimate tic-tac-toe: nine small boards, and three of them in a row win. Pure; does no I/O.

A move is a cell, ``a1`` to ``i9``, a1 at the top left. Its place in its small board determines the small
board in which the opponent must answer. A small board is finished when it has a line or is full, and takes no more
moves; a side that is sent to a finished one may play in any other. If all are finished and no three in a row are won,
the game is a draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

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

SIZE = 9
CELLS = coordinates(SIZE, SIZE)
X, O = Style("X", "x"), Style("O", "o")  # noqa: E741 - the game's own word
SYMBOLS = X.symbol + O.symbol
DRAW = Outcome(None, Reason.DRAW)
ANYWHERE = -1

# Nine bits for each small board: boards, and the cells in them, row by row from the top left.
FULL = 2**9 - 1
LINES = tuple(sum(1 << int(cell) for cell in line) for line in ("012", "345", "678", "036", "147", "258", "048", "246"))
LINE = tuple(
    sum(1 << place for place in range(9) if any(line >> place & 1 for line in LINES if line & taken == line))
    for taken in range(FULL + 1)
)
"""For each set of a side's cells in a small board, the cells of its lines; the same for the small boards it has won."""


@value
class _Cell:
    board: int
    place: int
    bit: int


PLACES = {
    name: _Cell(board, place, 1 << 9 * board + place)
    for r, row in enumerate(CELLS)
    for c, name in enumerate(row)
    for board, place in [(r // 3 * 3 + c // 3, r % 3 * 3 + c % 3)]
}
BITS = tuple(cell.bit for cell in PLACES.values())
DRAWING = Drawing(BITS, SIZE, SYMBOLS)
WHERE = (
    *("at the top left, a1 to c3", "at the top, d1 to f3", "at the top right, g1 to i3"),
    *("on the left, a4 to c6", "in the centre, d4 to f6", "on the right, g4 to i6"),
    *("at the bottom left, a7 to c9", "at the bottom, d7 to f9", "at the bottom right, g7 to i9"),
)
"""The small boards, to follow the words."""
IN_BOARD = tuple(tuple((name, cell.bit) for name, cell in PLACES.items() if cell.board == board) for board in range(9))


@value
class UltimatePosition:
    """A position of ultimate tic-tac-toe. Get it from :data:`ULTIMATE`; the constructor checks nothing.

    ``first`` and ``second`` are the cells of each side, nine bits for each small board. ``sent_to`` is the small
    board in which the side to move must play, 0 to 8, or -1 for any that is not finished. ``first_won`` and
    ``second_won`` are the small boards of each side, ``finished`` those that take no more moves, one bit each.
    """

    first: int = 0
    second: int = 0
    sent_to: int = ANYWHERE
    first_won: int = 0
    second_won: int = 0
    finished: int = 0

    @property
    def to_move(self) -> Side | None:
        if self._over:
            return None
        return Side.SECOND if self.ply % 2 else Side.FIRST

    @property
    def ply(self) -> int:
        return (self.first | self.second).bit_count()

    @property
    def _over(self) -> bool:
        return bool(self.finished == FULL or LINE[self.first_won] or LINE[self.second_won])

    @property
    def legal_moves(self) -> tuple[str, ...]:
        if self._over:
            return ()
        taken = self.first | self.second
        if self.sent_to != ANYWHERE:
            return tuple([name for name, bit in IN_BOARD[self.sent_to] if not taken & bit])
        finished = self.finished
        return tuple([name for name, cell in PLACES.items() if not taken & cell.bit and not finished >> cell.board & 1])

    @property
    def outcome(self) -> Outcome | None:
        if LINE[self.first_won]:
            return Outcome(Side.FIRST, Reason.LINE, _line(self.first, LINE[self.first_won]))
        if LINE[self.second_won]:
            return Outcome(Side.SECOND, Reason.LINE, _line(self.second, LINE[self.second_won]))
        return DRAW if self.finished == FULL else None

    @property
    def rows(self) -> tuple[str, ...]:
        return DRAWING.rows(self.first, self.second)

    @property
    def text(self) -> str:
        board = "/".join(self.rows)
        return board if self.sent_to == ANYWHERE else f"{board} {self.sent_to + 1}"

    __repr__ = brief

    def __str__(self) -> str:
        return drawn(self, CELLS, (X, O), block=3)

    def _repr_svg_(self) -> str:
        return picture(self, CELLS, (X, O), block=3, ground=ULTIMATE.board)

    def play(self, move: str) -> UltimatePosition:
        cell = PLACES.get(move)
        if cell is None:
            raise refused(MalformedMove(f"a move is a cell, {CELLS[0][0]} to {CELLS[-1][-1]}"), move, self)
        first, second, first_won, second_won = self.first, self.second, self.first_won, self.second_won
        taken = first | second
        if self._over:
            raise refused(IllegalMove("the game is over"), move, self)
        if taken & cell.bit:
            raise refused(IllegalMove(f"cell {move} is taken"), move, self)
        if self.finished >> cell.board & 1:
            why = "won" if (self.first_won | self.second_won) >> cell.board & 1 else "full"
            what = f"the small board {WHERE[cell.board]}, is {why} and takes no more moves"
            raise refused(IllegalMove(what), move, self)
        if self.sent_to not in {ANYWHERE, cell.board}:
            raise refused(IllegalMove(f"you must play in the small board {WHERE[self.sent_to]}"), move, self)
        shift = 9 * cell.board
        if taken.bit_count() % 2:
            second |= cell.bit
            won = LINE[second >> shift & FULL] != 0
            second_won |= won << cell.board
        else:
            first |= cell.bit
            won = LINE[first >> shift & FULL] != 0
            first_won |= won << cell.board
        full = (taken | cell.bit) >> shift & FULL == FULL
        finished = self.finished | (won or full) << cell.board
        over = finished == FULL or (won and (LINE[first_won] or LINE[second_won]))
        sent_to = ANYWHERE if over or finished >> cell.place & 1 else cell.place
        return UltimatePosition(first, second, sent_to, first_won, second_won, finished)


def why_illegal(position: UltimatePosition, move: str, last: str | None) -> str | None:
    """Also which move sent the side to its small board; see ``Game.why_illegal``."""
    cell = PLACES[move]
    elsewhere = position.sent_to not in {ANYWHERE, cell.board} and not position.finished >> cell.board & 1
    if last is None or not elsewhere or (position.first | position.second) & cell.bit:
        return None
    return f"you must play in the small board {WHERE[position.sent_to]}: {last} sent you there"


def _line(taken: int, boards: int) -> tuple[str, ...]:
    """The cells in ``taken`` that form the lines of the small ``boards``."""
    return tuple(
        name
        for name, cell in PLACES.items()
        if boards >> cell.board & 1 and LINE[taken >> 9 * cell.board & FULL] >> cell.place & 1
    )


def parse(text: str) -> UltimatePosition:
    """Read the rows from the top, with ``x`` and ``o`` for the sides, then optionally a space and the side to move.

    If that side is sent to a small board, a space and its number follow, 1 to 9, row by row.

    Raises :class:`InvalidPosition` for a text that is not a board, and for a board that is impossible by its lines or
    its last move. It does not check whether some order of moves leads to the board.
    """
    cells, rest = read_board(text, SIZE, SIZE, SYMBOLS)
    words = [] if rest is None else rest.split(" ")
    number = words.pop() if words and words[-1] not in tuple(Side) else None
    if len(words) > 1 or (number is not None and number not in tuple("123456789")):
        raise InvalidPosition("only the side to move and the small board to play in, 1 to 9, may follow the board")
    side = side_by_counts(cells, SYMBOLS, words[0] if words else None)
    first, second = (bits_of(cells, symbol, BITS) for symbol in SYMBOLS)
    boards = [(first >> 9 * board & FULL, second >> 9 * board & FULL) for board in range(9)]
    for xs, os in boards:
        if LINE[xs] and LINE[os]:
            raise InvalidPosition("both x and o have a line in one small board")
        if not _one_move_made(xs) or not _one_move_made(os):
            raise InvalidPosition("no single move can have made all the lines of a small board")
    first_won, second_won = (_boards(LINE[both[index]] != 0 for both in boards) for index in (0, 1))
    finished = first_won | second_won | _boards(xs | os == FULL for xs, os in boards)
    mover, last = (first_won, second_won) if side is Side.FIRST else (second_won, first_won)
    if LINE[mover]:
        raise InvalidPosition("the game ended with the line, or both sides have one")
    if not _one_move_made(last):
        raise InvalidPosition("no single move can have made all the lines of small boards")
    over = finished == FULL or LINE[last] != 0
    # The cells of the last mover determine where it can have sent the other side.
    last_taken = second if side is Side.FIRST else first
    sending = {cell.place for cell in PLACES.values() if last_taken & cell.bit}
    free = over or not sending or any(finished >> place & 1 for place in sending)
    if number is None:
        if not free:
            raise InvalidPosition("the small board to play in is missing: write its number, 1 to 9")
        sent_to = ANYWHERE
    else:
        sent_to = int(number) - 1
        if over or finished >> sent_to & 1 or sent_to not in sending:
            raise InvalidPosition(f"no last move can send to small board {number}, or it is finished")
    return UltimatePosition(first, second, sent_to, first_won, second_won, finished)


def _one_move_made(taken: int) -> bool:
    """True if removing one cell removes all lines of ``taken``; true if there are none."""
    return not LINE[taken] or any(taken >> place & 1 and not LINE[taken & ~(1 << place)] for place in range(9))


def _boards(hold: Iterable[bool]) -> int:
    """The small boards for which it is true, one bit each."""
    return sum(holds << board for board, holds in enumerate(hold))


# The weights of a small board; of a line of small boards of which a side has one or two and the opponent none; of the
# same within a small board; and of the freedom to play anywhere.
BOARD = (13, 10, 13, 10, 18, 10, 13, 10, 13)
LINE_WITH_ONE, LINE_WITH_TWO = 4, 18
CELLS_WITH_ONE, CELLS_WITH_TWO = 1, 4
FREE = 5
UNIT = 90
"""Fitted to the results of 190 games, a tenth of their moves random, after the values that a 2-ply search had given."""


@cache
def _lines(own: int, other: int, with_one: int, with_two: int) -> int:
    """The worth of the lines with one or two places of ``own`` and none of ``other``."""
    counts = [(own & line).bit_count() for line in LINES if not other & line]
    return with_one * counts.count(1) + with_two * counts.count(2)


@cache
def _within(first: int, second: int) -> int:
    """The worth to the first side of the lines within a small board."""
    lines = _lines(first, second, CELLS_WITH_ONE, CELLS_WITH_TWO)
    return lines - _lines(second, first, CELLS_WITH_ONE, CELLS_WITH_TWO)


def evaluate(position: UltimatePosition) -> int:
    """The advantage of the side to move, by small boards, their lines, and lines within them."""
    finished, first_won, second_won = position.finished, position.first_won, position.second_won
    value = _lines(first_won, finished & ~first_won, LINE_WITH_ONE, LINE_WITH_TWO)
    value -= _lines(second_won, finished & ~second_won, LINE_WITH_ONE, LINE_WITH_TWO)
    for board in range(9):
        bit = 1 << board
        if not finished & bit:
            value += _within(position.first >> 9 * board & FULL, position.second >> 9 * board & FULL)
        elif first_won & bit:
            value += BOARD[board]
        elif second_won & bit:
            value -= BOARD[board]
    if position.ply % 2:
        value = -value
    return value + FREE if position.sent_to == ANYWHERE else value


def candidates(position: UltimatePosition) -> tuple[str, ...]:
    """All legal moves: first those that win a small board, last those that let the opponent play anywhere."""
    own = position.second if position.ply % 2 else position.first
    wins, moves, gifts = [], [], []
    for move in position.legal_moves:
        cell = PLACES[move]
        if LINE[(own | cell.bit) >> 9 * cell.board & FULL]:
            wins.append(move)
        elif position.finished >> cell.place & 1:
            gifts.append(move)
        else:
            moves.append(move)
    return (*wins, *moves, *gifts)


ULTIMATE = Game(
    key="ultimate",
    title="Ultimate tic-tac-toe",
    first=X,
    second=O,
    layout=CELLS,
    start=UltimatePosition(),
    parse=parse,
    block=3,
    seam=SEAM,
    board=Board(look="nested"),
    example="e5 f6 i7 g2 b5 e6 e8 d5 b6 d9 c9 g7 a3 c7 h3 d7 c1 i2 h4",
    rules=(
        "X begins. Nine small boards of tic-tac-toe make up a large one. The place of your cell in its small board is "
        "that of the small board in which the other side must play next: a top right cell sends it to the top right.",
        "Three in a row in a small board win that board. Three small boards in a row, across, down or diagonally, win "
        "the game.",
        "A small board that is won or full takes no more moves. If you are sent to one, you may play in any other.",
        "When every small board is finished and nobody has three in a row, the game is a draw.",
    ),
    why_illegal=why_illegal,
    heuristic=Heuristic(evaluate, UNIT, candidates),
)
