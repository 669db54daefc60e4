"""A position as an SVG picture, which notebooks show by ``_repr_svg_``. Pure; does no I/O."""

from __future__ import annotations

from collections import Counter
from html import escape

from noughts.games.base import Grid, Piece, Position, Side, Style
from noughts.games.board import Counts, labels, numbered

CELL = 40
MARGIN = 24
"""Around the board, and for the names of columns and rows."""
FOOT = 30
DISCS = {"black": "#222", "white": "#fff", "red": "#d03a2f", "yellow": "#f0c31e"}
"""Sides with these names have discs; others are drawn as their symbols."""
INKS = ("#1f4e99", "#a5480a")
"""The colours of the symbols of both sides."""
FAINT = 'font-size="12" fill="#999"'
LABEL = 'font-size="12" fill="#555"'
STATE = 'font-size="15" fill="#111"'
FREE, WON, PLAYABLE = "#fff", "#ffe58a", "#e4f3e4"


def picture(
    position: Position,
    layout: Grid,
    sides: tuple[Style, Style],
    *,
    cells: Grid | None = None,
    block: int = 0,
    pieces: tuple[Piece, ...] = (),
    counts: Counts | None = None,
) -> str:
    """Draw ``position``. The other arguments are those of its :class:`~noughts.games.Game`, first side first.

    ``counts`` are the position's, in a game that counts what is in each cell. The winning line is marked, and the cells
    that can be played if other cells are empty too. Below is whose turn it is, or how the game ended.
    """
    rows = position.rows
    width = max(len(layout[0]) * CELL + 2 * MARGIN, 160)
    left = (width - len(layout[0]) * CELL) / 2
    height = len(layout) * CELL + 2 * MARGIN + FOOT
    marked = _marked(position, layout, cells or layout)
    inks = {style.symbol: ink for style, ink in zip(sides, INKS, strict=True)}
    glyphs = {piece.symbol: piece.glyph for piece in pieces}
    faces = rows if counts is None else numbered(rows, counts)
    discs = {style.symbol: DISCS[name] for style in sides if (name := style.name.lower()) in DISCS}
    several = {name for name, count in Counter(name for row in layout for name in row).items() if count > 1}
    named = labels(layout)
    parts = []
    for r, row in enumerate(rows):
        for c, symbol in enumerate(row):
            if symbol == " ":
                continue
            x, y = left + c * CELL, MARGIN + r * CELL
            fill = marked.get((r, c), FREE)
            parts.append(f'<rect x="{x:g}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#bbb"/>')
            x, y = x + CELL / 2, y + CELL // 2
            if symbol in discs and counts is None:
                parts.append(
                    f'<circle cx="{x:g}" cy="{y}" r="{CELL * 0.4:g}" fill="{discs[symbol]}" stroke="#222">'
                    f"<title>{escape(symbol)}</title></circle>"
                )
            elif symbol != "." or counts is not None:
                face = glyphs.get(symbol, faces[r][c])
                parts.append(_text(x, y, face, f'font-size="28" font-weight="bold" fill="{inks.get(symbol, "#111")}"'))
            elif named is None and layout[r][c] not in several:
                parts.append(_text(x, y, layout[r][c], FAINT))
    parts += _block_lines(layout, left, block)
    columns, numbers = named or ((), ())
    parts += [_text(left + (c + 0.5) * CELL, MARGIN / 2, name, LABEL) for c, name in enumerate(columns)]
    parts += [_text(left - MARGIN / 2, MARGIN + (r + 0.5) * CELL, name, LABEL) for r, name in enumerate(numbers)]
    parts.append(_text(width / 2, height - MARGIN / 2 - FOOT / 2, _state(position, sides), STATE))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" text-anchor="middle">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *parts,
            "</svg>",
        ]
    )


def _marked(position: Position, layout: Grid, cells: Grid) -> dict[tuple[int, int], str]:
    """The colours of the cells that are not as any other, by row and column."""
    places = [(r, c) for r, row in enumerate(layout) for c in range(len(row))]
    if position.outcome is not None:
        return {(r, c): WON for r, c in places if cells[r][c] in position.outcome.cells}
    empty = {(r, c) for r, c in places if position.rows[r][c] == "."}
    playable = {(r, c) for r, c in empty if layout[r][c] in position.legal_moves}
    # Where moves are columns, or all empty cells can be played, colours would say nothing.
    return {} if playable == empty or len(set(layout)) < len(layout) else dict.fromkeys(playable, PLAYABLE)


def _block_lines(layout: Grid, left: float, block: int) -> list[str]:
    if not block:
        return []
    wide, high = len(layout[0]) * CELL, len(layout) * CELL
    ends = [
        *((left + c * CELL, MARGIN, left + c * CELL, MARGIN + high) for c in range(0, len(layout[0]) + 1, block)),
        *((left, MARGIN + r * CELL, left + wide, MARGIN + r * CELL) for r in range(0, len(layout) + 1, block)),
    ]
    return [
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="#333" stroke-width="2.5"/>'
        for x1, y1, x2, y2 in ends
    ]


def _state(position: Position, sides: tuple[Style, Style]) -> str:
    names = dict(zip(Side, (style.name for style in sides), strict=True))
    if position.outcome is not None:
        return "Draw" if position.outcome.winner is None else f"{names[position.outcome.winner]} wins"
    return "" if position.to_move is None else f"{names[position.to_move]} to move"


def _text(x: float, y: float, words: str, look: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" dy="0.35em" {look}>{escape(words)}</text>'
