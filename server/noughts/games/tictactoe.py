"""Tic-tac-toe: three in a row on 3x3. Pure; does no I/O.

The cells, and so the moves, are ``1`` to ``9``, row by row from the top left.
"""

from __future__ import annotations

from dataclasses import dataclass

from noughts.games.base import Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side, Style

SIZE = 3
CELLS = tuple(str(number) for number in range(1, SIZE * SIZE + 1))
SYMBOLS = {Side.FIRST: "x", Side.SECOND: "o"}
LINES = ("123", "456", "789", "147", "258", "369", "159", "357")

# The cells that a side has taken are a number with one bit a cell. There are only 512 such numbers, so
# what a search asks at every node is looked up.
BITS = {cell: 1 << index for index, cell in enumerate(CELLS)}
FULL = 2 ** len(CELLS) - 1


def _cells(bits: int) -> tuple[str, ...]:
    return tuple(cell for cell, bit in BITS.items() if bits & bit)


def _won(side: Side, bits: int) -> Outcome | None:
    """What ``side`` has reached with the cells ``bits``; one move can complete two lines."""
    line_bits = 0
    for line in LINES:
        line_mask = sum(BITS[cell] for cell in line)
        if bits & line_mask == line_mask:
            line_bits |= line_mask
    return Outcome(side, Reason.LINE, _cells(line_bits)) if line_bits else None


FREE_CELLS = tuple(_cells(FULL & ~taken) for taken in range(FULL + 1))
WON_BY_FIRST = tuple(_won(Side.FIRST, bits) for bits in range(FULL + 1))
WON_BY_SECOND = tuple(_won(Side.SECOND, bits) for bits in range(FULL + 1))
DRAW = Outcome(None, Reason.DRAW)

ROW = 2**SIZE - 1
# A row as drawn, by the cells in it that each side has taken.
ROWS = {
    (first, second): "".join(
        SYMBOLS[Side.FIRST] if first & bit else SYMBOLS[Side.SECOND] if second & bit else "."
        for bit in (1 << column for column in range(SIZE))
    )
    for first in range(ROW + 1)
    for second in range(ROW + 1)
}


@dataclass(frozen=True, slots=True)
class TicTacToePosition:
    """A position of tic-tac-toe. Have it from :data:`TICTACTOE`, which alone checks what it is made of.

    ``first`` and ``second`` are the cells that each side has taken, bit 0 for cell ``1``.
    """

    first: int = 0
    second: int = 0

    @property
    def to_move(self) -> Side | None:
        if self.outcome:
            return None
        return Side.SECOND if self.ply % 2 else Side.FIRST

    @property
    def ply(self) -> int:
        return (self.first | self.second).bit_count()

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return () if self.outcome else FREE_CELLS[self.first | self.second]

    @property
    def outcome(self) -> Outcome | None:
        won = WON_BY_FIRST[self.first] or WON_BY_SECOND[self.second]
        if won:
            return won
        return DRAW if self.first | self.second == FULL else None

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(ROWS[self.first >> start & ROW, self.second >> start & ROW] for start in (0, SIZE, 2 * SIZE))

    def play(self, move: str) -> TicTacToePosition:
        bit = BITS.get(move)
        if bit is None:
            raise MalformedMove("a move is a cell, 1 to 9")
        if self.outcome:
            raise IllegalMove("the game is over")
        if (self.first | self.second) & bit:
            raise IllegalMove(f"cell {move} is taken")
        if self.ply % 2:
            return TicTacToePosition(self.first, self.second | bit)
        return TicTacToePosition(self.first | bit, self.second)


def parse(text: str) -> TicTacToePosition:
    """Read ``xox/oox/...``: the rows from the top, then, if wanted, a space and the side to move.

    Raises :class:`InvalidPosition` for a text that is no board, and for a board that play cannot reach.
    """
    board, space, turn = text.partition(" ")
    rows = board.split("/")
    if len(rows) != SIZE or any(len(row) != SIZE for row in rows):
        raise InvalidPosition("a position is 3 rows of 3 cells joined by '/', like xox/oox/...")
    cells = "".join(rows)
    if strange := set(cells) - {*SYMBOLS.values(), "."}:
        raise InvalidPosition(f"a cell is x, o or '.', not {min(strange)!r}")
    first, second = (
        sum(bit for cell, bit in zip(cells, BITS.values(), strict=True) if cell == symbol)
        for symbol in SYMBOLS.values()
    )
    lead = first.bit_count() - second.bit_count()
    if lead not in {0, 1}:
        raise InvalidPosition("x begins, so there are as many x as o, or one x more")
    if WON_BY_FIRST[first] and WON_BY_SECOND[second]:
        raise InvalidPosition("x and o cannot both have a line")
    if (WON_BY_FIRST[first] and lead == 0) or (WON_BY_SECOND[second] and lead == 1):
        raise InvalidPosition("the game ended with the line, and one more move was played")
    expected = Side.SECOND if lead else Side.FIRST
    if space and turn != expected:
        raise InvalidPosition(f"by the counts it is {expected}'s turn: write {expected}, or nothing")
    return TicTacToePosition(first, second)


TICTACTOE = Game(
    key="tictactoe",
    title="Tic-tac-toe",
    first=Style("X", SYMBOLS[Side.FIRST]),
    second=Style("O", SYMBOLS[Side.SECOND]),
    layout=tuple(CELLS[start : start + SIZE] for start in range(0, len(CELLS), SIZE)),
    start=TicTacToePosition(),
    parse=parse,
)
