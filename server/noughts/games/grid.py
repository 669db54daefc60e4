"""What games on a grid have in common: the names of cells, and boards as text. Pure; does no I/O."""

from __future__ import annotations

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
    """The cells of a board, row by row from the top, and what follows in ``text`` after a space, None without one.

    ``symbols`` are those of the side that begins and of the other. Raises :class:`InvalidPosition` for a text
    that is no such board.
    """
    board, space, rest = text.partition(" ")
    lines = board.split("/")
    if len(lines) != rows or any(len(line) != columns for line in lines):
        raise InvalidPosition(f"a position is {rows} rows of {columns} cells joined by '/'")
    cells = "".join(lines)
    if strange := set(cells) - {*symbols, "."}:
        raise InvalidPosition(f"a cell is {symbols[0]}, {symbols[1]} or '.', not {min(strange)!r}")
    return cells, rest if space else None


def side_by_counts(cells: str, symbols: str, said: str | None) -> Side:
    """Whose turn it is, or would be, where the sides have taken turns to fill a cell each.

    ``said`` is what the text says of it, None for nothing. Raises :class:`InvalidPosition` where it is wrong, and
    where the counts cannot be.
    """
    first, second = symbols[0], symbols[1]
    lead = cells.count(first) - cells.count(second)
    if lead not in {0, 1}:
        raise InvalidPosition(f"{first} begins, so there are as many {first} as {second}, or one {first} more")
    side = Side.SECOND if lead else Side.FIRST
    if said is not None and said != side:
        raise InvalidPosition(f"by the counts it is {side}'s turn: write {side}, or nothing")
    return side


def bits_of(cells: str, symbol: str, bits: tuple[int, ...]) -> int:
    """The cells that bear ``symbol`` as one number; ``bits`` has the bit of each cell."""
    return sum(bit for cell, bit in zip(cells, bits, strict=True) if cell == symbol)


def drawn(first: int, second: int, bits: tuple[int, ...], columns: int, symbols: str) -> tuple[str, ...]:
    """The rows of a board; ``first`` and ``second`` are the cells that each side has taken."""
    cells = "".join([symbols[0] if first & bit else symbols[1] if second & bit else "." for bit in bits])
    return tuple(cells[start : start + columns] for start in range(0, len(cells), columns))
