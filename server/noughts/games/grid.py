"""Names of cells and boards as text, for games on a grid. Pure; does no I/O."""

from __future__ import annotations

from operator import itemgetter

from noughts.games.base import Grid, InvalidPosition, Side

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def coordinates(columns: int, rows: int) -> Grid:
    """The names of the cells, ``a1`` at the top left: columns are letters, and rows are numbers.

    Raises ValueError for more columns than there are letters, 26.
    """
    if columns > len(LETTERS):
        raise ValueError(f"at most {len(LETTERS)} columns have a letter")
    return tuple(tuple(f"{letter}{row}" for letter in LETTERS[:columns]) for row in range(1, rows + 1))


def read_board(text: str, columns: int, rows: int, symbols: str) -> tuple[str, str | None]:
    """The cells of a board, row by row from the top, and the rest of ``text`` after a space, None without one.

    ``symbols`` has the first side's symbol and the second's. Raises :class:`InvalidPosition` for any other text.
    """
    board, space, rest = text.partition(" ")
    lines = board.split("/")
    if len(lines) != rows or any(len(line) != columns for line in lines):
        raise InvalidPosition(f"a position is {rows} rows of {columns} cells joined by '/'")
    cells = "".join(lines)
    if strange := set(cells) - {*symbols, "."}:
        raise InvalidPosition(f"a cell is {symbols[0]}, {symbols[1]} or '.', not {min(strange)!r}")
    return cells, rest if space else None


def side_by_counts(cells: str, symbols: str, named: str | None) -> Side:
    """The side whose turn it is, or would be, if the sides have filled one cell each in turn.

    ``named`` is the side named in the text, or None. Raises :class:`InvalidPosition` if it is wrong, or if the counts
    are impossible.
    """
    first, second = symbols[0], symbols[1]
    lead = cells.count(first) - cells.count(second)
    if lead not in {0, 1}:
        raise InvalidPosition(f"as {first} begins, there are as many {first} as {second}, or one {first} more")
    side = Side.SECOND if lead else Side.FIRST
    if named is not None and named != side:
        raise InvalidPosition(f"by the counts it is {side}'s turn: write {side}, or nothing")
    return side


def bits_of(cells: str, symbol: str, bits: tuple[int, ...]) -> int:
    """The cells with ``symbol`` as one number; ``bits`` has the bit of each cell."""
    return sum(bit for cell, bit in zip(cells, bits, strict=True) if cell == symbol)


class Drawing:
    """Draws the rows of a board. ``bits`` has the bit of each cell, row by row from the top."""

    __slots__ = ("_digits", "_ordered", "_rows", "_symbols")

    def __init__(self, bits: tuple[int, ...], columns: int, symbols: str) -> None:
        cells = [bit.bit_length() - 1 for bit in bits]
        self._digits = max(cells) + 1
        self._symbols = str.maketrans("012", f".{symbols}")
        starts, step = range(0, len(cells), columns), cells[1] - cells[0] if columns > 1 else 1
        self._rows = [slice(cells[start], cells[start] + columns * step, step) for start in starts]
        self._ordered = None
        if [cell for row in self._rows for cell in range(row.start, row.stop, row.step)] != cells:
            self._ordered = itemgetter(*cells)
            self._rows = [slice(start, start + columns) for start in starts]

    def rows(self, first: int, second: int) -> tuple[str, ...]:
        """The rows of a board; ``first`` and ``second`` are the cells of each side."""
        # Every bit becomes a hexadecimal digit, which is much faster than a loop over the cells.
        sides = int(f"{first:b}", 16) + 2 * int(f"{second:b}", 16)
        cells = f"{sides:0{self._digits}x}"[::-1].translate(self._symbols)
        if self._ordered is not None:
            cells = "".join(self._ordered(cells))
        return tuple([cells[row] for row in self._rows])
