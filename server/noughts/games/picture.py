"""A position as an SVG picture, which notebooks show by ``_repr_svg_``. Pure; does no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from noughts.games.base import Board, Grid, Piece, Position, Side, Style
from noughts.games.board import PLAIN, Counts, labels, numbered

CELL = 40
THIN = 12
"""The width of the rows and columns of dots and edges."""
CORNER = round(CELL / 3**0.5, 2)
"""From the middle of a hexagon to a corner."""
MARGIN = 24
"""Around the board, and for the names of columns and rows."""
FOOT = 30
DISCS = {"black": "#222", "white": "#fff", "red": "#d03a2f", "yellow": "#f0c31e", "blue": "#3f6fc4"}
"""Sides with these names have discs; others are drawn as their symbols."""
INKS = ("#1f4e99", "#a5480a")
"""The colours of the symbols of both sides."""
MEN = {"⛀": "", "⛁": "♔", "⛂": "", "⛃": "♔"}
"""Glyphs of pieces that are discs as well, and what is on them."""
BOXES = {"red": "#f3b9b2", "blue": "#b5cdf0"}
"""The colours of the boxes of sides with these names; those of others are grey."""
FAINT = 'font-size="12" fill="#999"'
LABEL = 'font-size="12" fill="#555"'
STATE = 'font-size="15" fill="#111"'
FREE, WON, PLAYABLE, SHADED = "#fff", "#ffe58a", "#e4f3e4", "#e6d5b8"
BOARD = "#efe0c2"
"""The wood of points and pits."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Scene:
    """The subject of a picture: the position, and where the middle of each row and column is, row by row from the
    top."""

    position: Position
    layout: Grid
    rows: tuple[str, ...]
    faces: tuple[tuple[str, ...], ...]
    counted: bool
    ground: Board
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    marked: dict[Place, str]
    discs: dict[str, str]
    crowns: dict[str, str]
    inks: dict[str, str]
    named: bool
    several: frozenset[str]

    def places(self) -> Iterator[Place]:
        """The places of the cells."""
        return ((r, c) for r, row in enumerate(self.rows) for c, symbol in enumerate(row) if symbol != " ")

    def middle(self, place: Place) -> tuple[float, float]:
        """The middle of a cell."""
        r, c = place
        slant = r * CELL / 2 if self.ground.shape == "hexagons" else 0
        return self.xs[c] + slant, self.ys[r]


def picture(
    position: Position,
    layout: Grid,
    sides: tuple[Style, Style],
    *,
    cells: Grid | None = None,
    block: int = 0,
    pieces: tuple[Piece, ...] = (),
    counts: Counts | None = None,
    ground: Board = PLAIN,
) -> str:
    """Draw ``position``. The other arguments are those of its :class:`~noughts.games.Game`, first side first.

    ``ground`` is the game's ``board``, and ``counts`` are the position's, in a game that counts what is in each cell.
    The winning line is marked, and the cells that can be played if other cells are empty too. Below is whose turn it
    is, or how the game ended.
    """
    wide, high = len(layout[0]), len(layout)
    xs, ys = (_middles(number, ground.shape) for number in (wide, high))
    if ground.shape == "hexagons":
        ys = [CORNER + 1.5 * CORNER * r for r in range(high)]
    slant = (high - 1) * CELL / 2 if ground.shape == "hexagons" else 0
    width = max(xs[-1] + xs[0] + slant + 2 * MARGIN, 160)
    left = (width - xs[-1] - xs[0] - slant) / 2
    height = ys[-1] + ys[0] + 2 * MARGIN + FOOT
    glyphs = {piece.symbol: piece.glyph for piece in pieces if piece.glyph not in MEN}
    crowns = {piece.symbol: MEN[piece.glyph] for piece in pieces if piece.glyph in MEN}
    colours = {side: DISCS.get(style.name.lower()) for side, style in zip(Side, sides, strict=True)}
    discs = {style.symbol: colour for style, colour in zip(sides, colours.values(), strict=True) if colour}
    discs |= {
        each.symbol: colour for each in pieces if each.glyph in MEN and each.side and (colour := colours[each.side])
    }
    faces = position.rows if counts is None else numbered(position.rows, counts)
    seen = Counter(name for row in layout for name in row)
    columns, numbers = labels(layout) or ((), ())
    scene = _Scene(
        position,
        layout,
        position.rows,
        tuple(tuple(glyphs.get(face, face) for face in row) for row in faces),
        counts is not None,
        ground,
        tuple(left + x for x in xs),
        tuple(MARGIN + y for y in ys),
        _marked(position, layout, cells or layout),
        discs,
        crowns,
        {style.symbol: ink for style, ink in zip(sides, INKS, strict=True)},
        bool(columns),
        frozenset(name for name, count in seen.items() if count > 1),
    )
    match ground.shape:
        case "edges":
            parts = _edges(scene, {style.symbol: BOXES.get(style.name.lower(), "#ddd") for style in sides})
        case "pits":
            parts = _pits(scene)
        case _:
            parts = [*_ground(scene), *_contents(scene)]
    parts = [*_borders(scene, colours), *parts, *_block_lines(scene, block)]
    parts += [_text(x, MARGIN / 2, name, LABEL) for x, name in zip(scene.xs, columns, strict=bool(columns))]
    for r, name in enumerate(numbers):
        parts.append(_text(scene.middle((r, 0))[0] - xs[0] - MARGIN / 2, scene.ys[r], name, LABEL))
    parts.append(_text(width / 2, height - MARGIN / 2 - FOOT / 2, _state(position, sides), STATE))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" text-anchor="middle">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *parts,
            "</svg>",
        ]
    )


def _middles(number: int, shape: str) -> list[float]:
    """The middles of so many rows or columns; among edges, every other one is thin."""
    middles, end = [], 0.0
    for index in range(number):
        size = THIN if shape == "edges" and index % 2 == 0 else CELL
        middles.append(end + size / 2)
        end += size
    return middles


def _marked(position: Position, layout: Grid, cells: Grid) -> dict[Place, str]:
    """The colours of the cells that are not as any other, by row and column."""
    places = [(r, c) for r, row in enumerate(layout) for c in range(len(row))]
    if position.outcome is not None:
        return {(r, c): WON for r, c in places if cells[r][c] in position.outcome.cells}
    empty = {(r, c) for r, c in places if position.rows[r][c] == "."}
    playable = {(r, c) for r, c in empty if layout[r][c] in position.legal_moves}
    # Where moves are columns, or all empty cells can be played, colours would say nothing.
    return {} if playable == empty or len(set(layout)) < len(layout) else dict.fromkeys(playable, PLAYABLE)


def _ground(scene: _Scene) -> Iterator[str]:
    """Squares, hexagons, or points and their lines, without what is on them."""
    shape = scene.ground.shape
    if shape == "points":
        yield from _points(scene)
        return
    for r, c in scene.places():
        x, y = scene.middle((r, c))
        plain = SHADED if scene.ground.look == "checkered" and (r + c) % 2 else FREE
        fill = scene.marked.get((r, c), plain)
        if shape == "hexagons":
            side, up = CELL / 2, CORNER / 2
            corners = ((0, -CORNER), (side, -up), (side, up), (0, CORNER), (-side, up), (-side, -up))
            points = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in corners)
            yield f'<polygon points="{points}" fill="{fill}" stroke="#999"/>'
        else:
            x, y = x - CELL / 2, y - CELL / 2
            yield f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#bbb"/>'


def _points(scene: _Scene) -> Iterator[str]:
    """The lines between points; without any in the game, those of its rows and columns. Marked points have a ring."""
    xs, ys, layout = scene.xs, scene.ys, scene.layout
    x, y, half = xs[0] - CELL / 2, ys[0] - CELL / 2, CELL / 2
    size = f'width="{xs[-1] - x + half:g}" height="{ys[-1] - y + half:g}"'
    yield f'<rect x="{x:g}" y="{y:g}" {size} rx="4" fill="{BOARD}"/>'
    places = {name: (r, c) for r, row in enumerate(layout) for c, name in enumerate(row) if name}
    ends = [(scene.middle(places[one]), scene.middle(places[other])) for one, other in scene.ground.lines] or [
        *(((xs[0], each), (xs[-1], each)) for each in ys),
        *(((each, ys[0]), (each, ys[-1])) for each in xs),
    ]
    for (x1, y1), (x2, y2) in ends:
        yield _line(x1, y1, x2, y2, '#6b5530" stroke-linecap="square')
    if scene.ground.lines:
        for place in scene.places():
            x, y = scene.middle(place)
            yield f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="#6b5530"/>'
    for place, fill in scene.marked.items():
        x, y = scene.middle(place)
        yield f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.47:g}" fill="{fill}" stroke="#6b5530"/>'


def _contents(scene: _Scene) -> Iterator[str]:
    """Pieces, and the names of empty cells where nothing else names them."""
    for r, c in scene.places():
        (x, y), symbol, face = scene.middle((r, c)), scene.rows[r][c], scene.faces[r][c]
        if symbol in scene.discs and not scene.counted and face == symbol:
            yield (
                f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.4:g}" fill="{scene.discs[symbol]}" stroke="#222">'
                f"<title>{escape(symbol)}</title></circle>"
            )
            if crown := scene.crowns.get(symbol):
                yield _text(x, y, crown, 'font-size="22" fill="#b8860b"')
        elif symbol != "." or scene.counted:
            # A glyph has the colour of its side already; a symbol does not.
            ink = "#111" if face != symbol else scene.inks.get(symbol, "#111")
            yield _text(x, y, face, f'font-size="28" font-weight="bold" fill="{ink}"')
        elif not scene.named and scene.layout[r][c] not in scene.several:
            yield _text(x, y, scene.layout[r][c], FAINT)


def _edges(scene: _Scene, boxes: dict[str, str]) -> list[str]:
    """Boxes in the colours of their owners below the edges, and these below the dots."""
    owned, drawn, dots = [], [], []
    for r, y in enumerate(scene.ys):
        for c, x in enumerate(scene.xs):
            symbol, half = scene.rows[r][c], (CELL + THIN) / 2
            if r % 2 == c % 2 == 0:
                dots.append(f'<circle cx="{x:g}" cy="{y:g}" r="{THIN / 2 - 1:g}" fill="#333"/>')
            elif r % 2 and c % 2:
                if symbol != ".":
                    place = f'x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}"'
                    owned.append(f'<rect {place} fill="{boxes.get(symbol, "#ddd")}"/>')
                    owned.append(_text(x, y, scene.faces[r][c], 'font-size="20" font-weight="bold" fill="#333"'))
            else:
                dx, dy = (half, 0) if c % 2 else (0, half)
                look = '#333" stroke-width="5' if symbol != "." else '#ccc" stroke-dasharray="2 4'
                drawn.append(_line(x - dx, y - dy, x + dx, y + dy, look))
    return [*owned, *drawn, *dots]


def _pits(scene: _Scene) -> list[str]:
    """Pits with their numbers and their names, and the stores, which are as high as the board."""
    xs, ys = scene.xs, scene.ys
    x, y = xs[0] - CELL / 2, ys[0] - CELL / 2
    wide, high = xs[-1] - xs[0] + CELL, ys[-1] - ys[0] + CELL
    parts = [f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="16" fill="{BOARD}"/>']
    alone = {c for c, column in enumerate(zip(*scene.layout, strict=True)) if sum(map(bool, column)) == 1}
    for r, c in scene.places():
        fill = scene.marked.get((r, c), "#fff8ea")
        x, y = xs[c], (ys[0] + ys[-1]) / 2 if c in alone else ys[r]
        if c in alone:
            place = f'x="{x - CELL * 0.42:g}" y="{ys[0] - CELL * 0.42:g}" width="{CELL * 0.84:g}"'
            parts.append(f'<rect {place} height="{high - CELL * 0.16:g}" rx="14" fill="{fill}" stroke="#a08040"/>')
        else:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.42:g}" fill="{fill}" stroke="#a08040"/>')
        parts.append(_text(x, y, scene.faces[r][c], 'font-size="18" font-weight="bold" fill="#222"'))
        beyond = CELL / 2 + 9
        parts.append(_text(x, ys[r] + (-beyond if r < len(ys) / 2 else beyond), scene.layout[r][c], LABEL))
    return parts


def _borders(scene: _Scene, colours: dict[Side, str | None]) -> Iterator[str]:
    """The edges that belong to a side, in its colour, below what is on the board."""
    hexes = scene.ground.shape == "hexagons"
    side, high, level = CELL / 2, CORNER if hexes else CELL / 2, CORNER / 2 if hexes else CELL / 2
    last = len(scene.ys) - 1, len(scene.xs) - 1
    row, column = [(0, c) for c in range(last[1] + 1)], [(r, 0) for r in range(last[0] + 1)]
    for owner, whole in zip(scene.ground.borders or (), (row, column), strict=False):
        for far in (False, True):
            points = []
            for r, c in whole:
                if whole is row:
                    x, y = scene.middle((last[0] if far else 0, c))
                    way = 1 if far else -1
                    points += [(x - side, y + way * level), (x, y + way * high), (x + side, y + way * level)]
                else:
                    x, y = scene.middle((r, last[1] if far else 0))
                    points += [(x + (side if far else -side), y + down) for down in (-level, level)]
            path = " ".join(f"{x:g},{y:g}" for x, y in points)
            look = 'stroke-width="10" stroke-linejoin="round"'
            yield f'<polyline points="{path}" fill="none" stroke="{colours[owner] or "#333"}" {look}/>'


def _block_lines(scene: _Scene, block: int) -> list[str]:
    if not block:
        return []
    left, top = scene.xs[0] - CELL / 2, scene.ys[0] - CELL / 2
    wide, high = len(scene.xs) * CELL, len(scene.ys) * CELL
    look = '#333" stroke-width="2.5'
    across = [
        _line(left, top + r * CELL, left + wide, top + r * CELL, look) for r in range(0, len(scene.ys) + 1, block)
    ]
    down = [_line(left + c * CELL, top, left + c * CELL, top + high, look) for c in range(0, len(scene.xs) + 1, block)]
    return [*down, *across]


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}"/>'


def _state(position: Position, sides: tuple[Style, Style]) -> str:
    names = dict(zip(Side, (style.name for style in sides), strict=True))
    if position.outcome is not None:
        return "Draw" if position.outcome.winner is None else f"{names[position.outcome.winner]} wins"
    return "" if position.to_move is None else f"{names[position.to_move]} to move"


def _text(x: float, y: float, words: str, look: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" dy="0.35em" {look}>{escape(words)}</text>'
