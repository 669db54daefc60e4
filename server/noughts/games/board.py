"""A board as lines of text, labelled with the names of its cells or columns. Pure; does no I/O.

Where the cells do not lie side by side, :func:`shaped` draws what lies between them: the lines that join points, the
dots between edges, and the stores beside pits. The terminal draws its boards with it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from noughts.games.base import Board, Game, Grid, Position, Side, Style

Names = Sequence[Sequence[str]]
"""A layout, row by row from the top."""

Faces = Sequence[Sequence[str]]
"""The face of each cell, row by row from the top."""

PLAIN = Board()

Counts = tuple[tuple[int, ...], ...]

STEP = 4
"""The columns from one place to the next, where something lies between them."""


class Part(NamedTuple):
    """A part of a line: its text, and the row and column of the cell that it shows; None for what lies between."""

    text: str
    cell: tuple[int, int] | None = None


def faces(game: Game, position: Position) -> Faces:
    """The content of each cell: its symbol, or in a game that counts what is there, the number."""
    return position.rows if game.counts is None else numbered(position.rows, game.counts(position))


def glyphs(game: Game, position: Position) -> Faces:
    """The :func:`faces` with the glyphs of pieces, as in `noughts play`. Files of games have the symbols."""
    shown = {} if game.board.shape == "edges" else {piece.symbol: piece.glyph for piece in game.pieces}
    return [[shown.get(face, face) for face in row] for row in faces(game, position)]


def numbered(rows: Faces, counts: Sequence[Sequence[int]]) -> Faces:
    """The ``counts`` in the cells of ``rows``."""
    return [
        [symbol if symbol == " " else str(count) for symbol, count in zip(row, numbers, strict=True)]
        for row, numbers in zip(rows, counts, strict=True)
    ]


def board(game: Game, rows: Faces) -> list[str]:
    """The lines of a board with the :func:`faces` ``rows``, drawn by its shape.

    If moves are columns, the columns are labelled; if cells are coordinates, the columns and the rows. Otherwise the
    names of the moves stand beside the board, in the same places.
    """
    return _lines(game.layout, game.board, rows, game.block)


def brief(position: Position) -> str:
    """A position's ``repr``."""
    return f"<{type(position).__name__} {position.text}>"


def drawn(
    position: Position,
    layout: Grid,
    sides: tuple[Style, Style],
    *,
    ground: Board = PLAIN,
    block: int = 0,
    counts: Counts | None = None,
) -> str:
    """A position's ``str``: the board, and whose move it is or how the game ended, in lines.

    The other arguments are those of its :class:`~noughts.games.Game`, first side first, and ``ground`` its ``board``;
    ``counts`` are the position's.
    """
    styles = dict(zip(Side, sides, strict=True))
    outcome, mover = position.outcome, position.to_move
    if outcome is not None:
        state = "A draw" if outcome.winner is None else f"{styles[outcome.winner].name} won"
    else:
        state = "" if mover is None else f"{styles[mover].name} ({styles[mover].symbol}) to move"
    rows = position.rows if counts is None else numbered(position.rows, counts)
    return "\n".join([*_lines(layout, ground, rows, block), state])


def lies_side_by_side(shape: str, lines: Sequence[Sequence[str]]) -> bool:
    """True if the cells of a board lie side by side, with nothing between; :func:`shaped` draws the others."""
    return shape not in ("edges", "pits") and not lines


def shaped(shape: str, lines: Sequence[Sequence[str]], layout: Names, rows: Faces) -> list[list[Part]]:
    """A board whose cells do not lie side by side, line by line. ``shape`` and ``lines`` are those of a
    :class:`~noughts.games.Board`, and ``rows`` has the one character of each cell, or in ``pits`` the number.
    """
    if shape == "pits":
        return _pits(layout, rows)
    columns, names = labels(layout) or ([""] * len(layout[0]), [""] * len(layout))
    margin = max(map(len, names)) + 1
    if shape == "edges":
        drawn, beside = _edges(rows), names
    else:
        drawn, beside = _points(lines, layout, rows), [label for name in names for label in (name, "")][:-1]
    head = " " * margin + "".join(name.ljust(STEP) for name in columns)
    named = ([Part(f"{name:>{margin - 1}} "), *line] for name, line in zip(beside, drawn, strict=True))
    return [[Part(head.rstrip())], *named]


def _edges(rows: Faces) -> list[list[Part]]:
    drawn = []
    for r, row in enumerate(rows):
        line = []
        for c, face in enumerate(row):
            text = " " if face == "." else face
            if r % 2 == c % 2 == 0:
                line.append(Part("+"))
            elif c % 2:
                wide = 2 * STEP - 1
                line.append(Part(text.center(wide) if r % 2 else text * wide, (r, c)))
            else:
                line.append(Part(text, (r, c)))
        drawn.append(line)
    return drawn


def _points(lines: Sequence[Sequence[str]], layout: Names, rows: Faces) -> list[list[Part]]:
    places = {name: (r, c) for r, row in enumerate(layout) for c, name in enumerate(row) if name}
    canvas = [[Part(" ")] * (STEP * (len(layout[0]) - 1) + 1) for _ in range(2 * len(layout) - 1)]
    for one, other in lines:
        (top, left), (bottom, right) = sorted((places[one], places[other]))
        for x in range(STEP * left + 1, STEP * right):
            canvas[2 * top][x] = Part("─")
        for y in range(2 * top + 1, 2 * bottom):
            canvas[y][STEP * left] = Part("│")
    for r, c in places.values():
        canvas[2 * r][STEP * c] = Part("·" if rows[r][c] == "." else rows[r][c], (r, c))
    return canvas


def _pits(layout: Names, rows: Faces) -> list[list[Part]]:
    """The counts of the pits, with their names above and below, and the stores on a line of their own between."""
    alone = {c for c, column in enumerate(zip(*layout, strict=True)) if sum(map(bool, column)) == 1}
    half = len(layout) // 2
    drawn = []
    for r, row in enumerate(layout):
        pits = [name if c not in alone else "" for c, name in enumerate(row)]
        names = [Part("".join(f"{name:>{STEP}}" for name in pits).rstrip())]
        line = [part for c, name in enumerate(pits) for part in _pit(rows[r][c] if name else "", (r, c))]
        drawn += [names, line] if r < half else [line, names]
        if r == half - 1:
            stores = {c: next(at for at in range(len(layout)) if layout[at][c]) for c in alone}
            drawn.append(
                [
                    part
                    for c in range(len(row))
                    for part in _pit(rows[stores[c]][c] if c in stores else "", (stores.get(c, 0), c))
                ]
            )
    return drawn


def _pit(number: str, cell: tuple[int, int]) -> list[Part]:
    return [Part(" " * (STEP - len(number))), *([Part(number, cell)] if number else [])]


def _lines(layout: Grid, ground: Board, rows: Faces, block: int) -> list[str]:
    if not lies_side_by_side(ground.shape, ground.lines):
        parts = shaped(ground.shape, ground.lines, layout, rows)
        return ["".join(part.text for part in line).rstrip() for line in parts]
    if named := labels(layout):
        lines = _labelled(*named, rows, block)
        slant = ground.shape == "hexagons"
        return [f"{' ' * max(0, r) if slant else ''}{line}" for r, line in enumerate(lines, -1)]
    widest = max(len(name) for row in layout for name in row)
    wide = max(len(face) for row in rows for face in row)
    return [
        f"{' '.join(face.rjust(wide) for face in row)}    {' '.join(name.rjust(widest) for name in names)}".rstrip()
        for row, names in zip(rows, layout, strict=True)
    ]


def labels(layout: Names) -> tuple[list[str], list[str]] | None:
    """The labels of the columns and of the rows, None if there are none.

    If moves are columns, the rows have empty labels. If cells are coordinates, a name joins both: ``a`` and ``1`` for
    ``a1``.
    """
    if len(layout) > 1 and all(row == layout[0] for row in layout):
        return [*layout[0]], [""] * len(layout)
    columns = [next((name.rstrip("0123456789") for name in column if name), "") for column in zip(*layout, strict=True)]
    rows = [next((name.removeprefix(columns[c]) for c, name in enumerate(row) if name), "") for row in layout]
    joined = all(
        name in ("", column + row)
        for row, names in zip(rows, layout, strict=True)
        for column, name in zip(columns, names, strict=True)
    )
    return (columns, rows) if all(columns) and joined else None


def _labelled(columns: list[str], labels: list[str], rows: Faces, block: int) -> list[str]:
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
