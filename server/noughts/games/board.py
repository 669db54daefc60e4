"""A board as lines of text, labelled with the names of its cells or columns. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.games.base import Game, Grid, Position, Side, Style

Faces = Sequence[Sequence[str]]
"""What is shown in each cell, row by row from the top."""

Counts = tuple[tuple[int, ...], ...]


def faces(game: Game, position: Position) -> Faces:
    """What is in each cell: its symbol, or in a game that counts what is there, the number."""
    return position.rows if game.counts is None else numbered(position.rows, game.counts(position))


def numbered(rows: Faces, counts: Counts) -> Faces:
    """The ``counts`` in the cells of ``rows``."""
    return [
        [symbol if symbol == " " else str(count) for symbol, count in zip(row, numbers, strict=True)]
        for row, numbers in zip(rows, counts, strict=True)
    ]


def board(game: Game, rows: Faces) -> list[str]:
    """The lines of a board with the :func:`faces` ``rows``.

    If moves are columns, the columns are labelled; if they are coordinates, the columns and the rows. Otherwise the
    names of the moves stand beside the board, in the same places.
    """
    return _lines(game.layout, rows, game.block)


def brief(position: Position) -> str:
    """A position's ``repr``."""
    return f"<{type(position).__name__} {position.text}>"


def drawn(
    position: Position, layout: Grid, sides: tuple[Style, Style], *, block: int = 0, counts: Counts | None = None
) -> str:
    """A position's ``str``: the board, and whose move it is or how the game ended, in lines.

    The other arguments are those of its :class:`~noughts.games.Game`, first side first; ``counts`` are the position's.
    """
    styles = dict(zip(Side, sides, strict=True))
    outcome, mover = position.outcome, position.to_move
    if outcome is not None:
        state = "A draw" if outcome.winner is None else f"{styles[outcome.winner].name} won"
    else:
        state = "" if mover is None else f"{styles[mover].name} ({styles[mover].symbol}) to move"
    rows = position.rows if counts is None else numbered(position.rows, counts)
    return "\n".join([*_lines(layout, rows, block), state])


def _lines(layout: Grid, rows: Faces, block: int) -> list[str]:
    if named := labels(layout):
        return _labelled(*named, rows, block)
    widest = max(len(name) for row in layout for name in row)
    wide = max(len(face) for row in rows for face in row)
    return [
        f"{' '.join(face.rjust(wide) for face in row)}    {' '.join(name.rjust(widest) for name in names)}".rstrip()
        for row, names in zip(rows, layout, strict=True)
    ]


def labels(layout: Grid) -> tuple[tuple[str, ...], list[str]] | None:
    """The labels of the columns and of the rows, None if there are none.

    If moves are columns, the rows have empty labels. If they are coordinates, a name joins both: ``a`` and ``1`` for
    ``a1``.
    """
    if len(layout) > 1 and len(set(layout)) == 1:
        return layout[0], [""] * len(layout)
    columns = tuple(name.rstrip("0123456789") for name in layout[0])
    rows = [row[0].removeprefix(columns[0]) for row in layout]
    if not all(columns) or any(
        name != column + row
        for row, names in zip(rows, layout, strict=True)
        for column, name in zip(columns, names, strict=True)
    ):
        return None
    return columns, rows


def _labelled(columns: tuple[str, ...], labels: list[str], rows: Faces, block: int) -> list[str]:
    margin = max(map(len, labels))
    lines = [" ".join(["".rjust(margin), _spaced(columns, block)] if margin else [_spaced(columns, block)])]
    for index, (label, row) in enumerate(zip(labels, rows, strict=True)):
        if block and index and index % block == 0:
            lines.append("")
        cells = _spaced(row, block)
        lines.append(f"{label.rjust(margin)} {cells}" if margin else cells)
    return lines


def _spaced(cells: Sequence[str], block: int) -> str:
    """Cells separated by a space, and blocks by two."""
    if not block:
        return " ".join(cells)
    return "  ".join(" ".join(cells[start : start + block]) for start in range(0, len(cells), block))
