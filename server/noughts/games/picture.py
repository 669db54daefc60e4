"""A board as an SVG picture, as notebooks show a position and league reports replay a game. Pure; does no I/O.

Looks and colours are those of the web page (``board.css``). A picture stands alone: its attributes have the colours of
the light scheme, and :data:`DARK` those that are others in the dark one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
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
DISCS = {
    "black": ("#1c2128", "#454e5a"),
    "white": ("#fbfaf7", "#d3cec3"),
    "red": ("#d9402f", "#b02a1b"),
    "yellow": ("#f6c638", "#c8930a"),
    "blue": ("#2c6fbf", "#17457d"),
}
"""The colours of the discs of sides with these names, and of their rims; other sides are drawn as their symbols."""
INKS = {Side.FIRST: "#c22e20", Side.SECOND: "#0b5cad"}
"""The colours of the symbols of both sides."""
MEN = {"⛀": "", "⛁": "♛", "⛂": "", "⛃": "♛"}
"""Glyphs of pieces that are discs as well, and what is on them."""
BOXES = {"red": "#e8867b", "blue": "#7ba5d7"}
"""The colours of the boxes of sides with these names; those of others are grey."""
RING, PALE_RING = "#d47300", "#fff"
"""The ring around a piece of a winning line, and on a ground on which that is hard to see."""
TARGET, PALE_TARGET = "#0b5cad", "#fff9"
"""The ring of a cell that can be played, where not all can be."""

DARK = (
    "@media (prefers-color-scheme:dark){.noughts-panel{fill:#1b222b}.noughts-ink{fill:#e8ecf1}"
    ".noughts-soft{fill:#a7b1bd}.noughts-sunken{fill:#262f3a}.noughts-grid{stroke:#465362}"
    ".noughts-between{stroke:#a7b1bd}.noughts-hex{stroke:#1b222b}.noughts-hole{fill:#141b24}"
    ".noughts-edge{stroke:#e8ecf1}.noughts-slot{stroke:#313c49}.noughts-x{stroke:#ff8a80}.noughts-o{stroke:#8cc4ff}"
    ".noughts-x-ink{fill:#ff8a80}.noughts-o-ink{fill:#8cc4ff}.noughts-target{stroke:#8cc4ff}}"
)
"""The colours that are others where the reader prefers dark pages."""

PANEL, INK, SOFT = (
    'class="noughts-panel" fill="#fff"',
    'class="noughts-ink" fill="#1b2430"',
    'class="noughts-soft" fill="#55606d"',
)
SUNKEN = 'class="noughts-sunken" fill="#ece9e3"'

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Ground:
    """The look of a board: attributes of its frame and field, the colour of its lines, and of the names at the edge."""

    frame: str
    field: str
    rule: str
    names: str = SOFT
    pale: bool = False


_GROUNDS = {
    "holes": _Ground('fill="#184b8b"', 'fill="#1f5fae"', "", 'fill="#d8e6f8"', pale=True),
    "felt": _Ground('fill="#123f2a"', 'fill="#20744d"', 'stroke="#16583a"', 'fill="#c4e0d1"', pale=True),
    "points": _Ground('fill="#e3ba76"', 'fill="#e3ba76"', 'stroke="#7d5822"', 'fill="#432d0a"', pale=True),
    "checkered": _Ground('fill="#6d4f36"', 'fill="#eadfca"', 'fill="#b58a5e"', 'fill="#f4e6d2"'),
    "pits": _Ground('fill="#9b6a35"', 'fill="#9b6a35"', 'fill="#6f4721"', 'fill="#f6dfc0"', pale=True),
    "plain": _Ground(PANEL, PANEL, 'class="noughts-grid" stroke="#c9c5bd"'),
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A board without what lies on it.

    ``below`` are the parts of its picture under the pieces, ``above`` those over them. ``middles`` has the middle of
    each cell by its row and column, ``names`` what an empty cell has where nothing else names it. On a ``pale`` ground
    rings are white.
    """

    width: float
    height: float
    below: tuple[str, ...]
    above: tuple[str, ...]
    middles: dict[Place, tuple[float, float]]
    names: dict[Place, str]
    pale: bool
    _shape: str
    _look: str
    _sides: dict[str, Side]
    _styles: tuple[Style, Style]
    _glyphs: dict[str, str]
    _counted: bool

    def kind(self, place: Place) -> str:
        """The form of a cell: two cells of one form show a symbol alike."""
        r, c = place
        if self._shape == "edges":
            return "box" if r % 2 and c % 2 else "across" if c % 2 else "down"
        return "cell"

    def piece(self, symbol: str, face: str, kind: str = "cell") -> str:
        """The drawing of ``symbol`` in a cell of that kind, around (0, 0); empty for an empty cell.

        ``face`` is the number of what is in a cell that counts it, otherwise the symbol.
        """
        if self._counted:
            return _text(0, 0, face, 'font-size="18" font-weight="700" fill="#fff"')
        if symbol == ".":
            return ""
        side = self._sides.get(symbol)
        name = "" if side is None else self._styles[side is Side.SECOND].name.lower()
        glyph = self._glyphs.get(symbol, symbol)
        if kind == "box":
            half = (CELL + THIN) / 2 - 2
            box = f'x="{-half:g}" y="{-half:g}" width="{2 * half:g}" height="{2 * half:g}"'
            return f'<rect {box} fill="{BOXES.get(name, "#ccc")}"/>{_text(0, 0, glyph, _LETTER)}'
        if kind != "cell":
            dx, dy = (CELL / 2 + 3, 0) if kind == "across" else (0, CELL / 2 + 3)
            return _line(
                -dx, -dy, dx, dy, f'class="noughts-edge" stroke="#1b2430" stroke-width="{EDGE}" stroke-linecap="round"'
            )
        crown = MEN.get(glyph)
        if name in DISCS and (crown is not None or glyph == symbol):
            return _disc(symbol, name, 16.4 if self._shape != "hexagons" else 14, crown or "")
        if side is not None and glyph == symbol and self._look in ("paper", "nested"):
            return _written(symbol, side)
        if side is None or glyph != symbol:
            white = name == "white"
            look = 'fill="#fffdf8" stroke="#4b4034"' if white else 'fill="#2a241f" stroke="#e9dfd0"'
            figure = f'{look} paint-order="stroke" stroke-width="1.6"' if name in ("white", "black") else INK
            return _text(0, 0, _SOLID.get(glyph, glyph), f'font-size="32" {figure}')
        return _text(0, 0, glyph, f'class="{_CLASS[side]}-ink" font-size="28" font-weight="700" fill="{INKS[side]}"')


EDGE = "6"
"""The width of an edge that is drawn."""

_LETTER = 'font-size="20" font-weight="700" fill="#1b2430"'
_CLASS = {Side.FIRST: "noughts-x", Side.SECOND: "noughts-o"}
_SOLID = dict(zip("♔♕♖♗♘♙", "♚♛♜♝♞♟", strict=True))
"""White's pieces have the outlines of Black's, filled with white."""


def drawing(
    rows: Sequence[str],
    layout: Grid,
    sides: tuple[Style, Style],
    *,
    block: int = 0,
    pieces: tuple[Piece, ...] = (),
    counted: bool = False,
    ground: Board = PLAIN,
) -> Drawing:
    """The board of a game. The arguments are those of its :class:`~noughts.games.Game`, first side first.

    ``rows`` are a position's, of which only the places without a cell matter. ``counted``: cells have numbers of
    things.
    """
    shape = ground.shape
    wide, high = len(layout[0]), len(layout)
    across, down = (_middles(number, shape) for number in (wide, high))
    if shape == "hexagons":
        down = [CORNER + 1.5 * CORNER * r for r in range(high)]
    slant = (high - 1) * CELL / 2 if shape == "hexagons" else 0
    width = max(across[-1] + across[0] + slant + 2 * MARGIN, 160)
    left = (width - across[-1] - across[0] - slant) / 2
    height = down[-1] + down[0] + 2 * MARGIN
    xs, ys = [left + x for x in across], [MARGIN + y for y in down]
    middles = {
        (r, c): (xs[c] + (r * CELL / 2 if shape == "hexagons" else 0), ys[r])
        for r, row in enumerate(rows)
        for c, symbol in enumerate(row)
        if symbol != " "
    }
    colours = _GROUNDS.get(shape if shape in _GROUNDS else ground.look, _GROUNDS["plain"])
    below = [f'<rect width="{width:g}" height="{height:g}" rx="9" {colours.frame}/>']
    seen = Counter(name for row in layout for name in row)
    columns, numbers = labels(layout) or ((), ())
    look = f'font-size="12" font-weight="600" {colours.names}'
    names = [_text(x + slant, height - MARGIN / 2, name, look) for x, name in zip(xs, columns, strict=bool(columns))]
    for r, name in enumerate(numbers):
        beside = xs[0] + (r * CELL / 2 if shape == "hexagons" else 0) - across[0] - MARGIN / 2
        names.append(_text(beside, ys[r], name, look))
    above: list[str] = []
    corners: dict[Place, str] = {}
    match shape:
        case "points":
            below += _points(xs, ys, middles, layout, ground)
        case "edges":
            below += _slots(middles)
            above += [
                f'<circle cx="{x:g}" cy="{y:g}" r="5.2" {INK}/>'
                for r, y in enumerate(ys)
                for c, x in enumerate(xs)
                if r % 2 == c % 2 == 0
            ]
        case "pits":
            below += _pits(middles, layout, ys)
        case "hexagons":
            below += [*_borders(middles, (high, wide), ground, sides), *(_hexagon(x, y) for x, y in middles.values())]
        case _:
            below += _squares(xs, ys, middles, ground.look, colours)
    if not columns and shape != "pits":
        corner = 'fill="#6a4a2a"' if ground.look == "checkered" else SOFT
        corners = {
            (r, c): _text(x - 12, y - 12, layout[r][c], f'font-size="9" {corner}')
            for (r, c), (x, y) in middles.items()
            if seen[layout[r][c]] == 1
        }
    own = {style.symbol: side for side, style in zip(Side, sides, strict=True)}
    own |= {piece.symbol: piece.side for piece in pieces if piece.side is not None}
    return Drawing(
        width,
        height,
        (*below, *names),
        (*above, *_between(xs, ys, block)),
        middles,
        corners,
        colours.pale,
        shape,
        ground.look,
        own,
        sides,
        {piece.symbol: piece.glyph for piece in pieces},
        counted,
    )


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
    The winning line is ringed, and so are the cells that can be played if other cells are empty too. Below is whose
    turn it is, or how the game ended.
    """
    rows = position.rows
    on = drawing(rows, layout, sides, block=block, pieces=pieces, counted=counts is not None, ground=ground)
    faces = rows if counts is None else numbered(rows, counts)
    parts = []
    for place, (x, y) in on.middles.items():
        r, c = place
        if drawn := on.piece(rows[r][c], faces[r][c], on.kind(place)):
            parts.append(f'<g transform="translate({x:g} {y:g})">{drawn}</g>')
        elif place in on.names:
            parts.append(on.names[place])
    marked = _marked(position, layout, cells or layout)
    plain = ground.shape not in ("edges", "pits")
    marks = [_mark(*on.middles[place], won=won, pale=on.pale) for place, won in marked if plain]
    height = on.height + FOOT
    state = _text(
        on.width / 2, on.height + FOOT / 2, _state(position, sides), f'font-size="15" font-weight="600" {INK}'
    )
    return "\n".join(
        [
            f'<svg class="noughts" xmlns="http://www.w3.org/2000/svg" width="{on.width:g}" height="{height:g}" '
            f'viewBox="0 0 {on.width:g} {height:g}" font-family="system-ui, sans-serif" text-anchor="middle">',
            f"<style>{DARK}</style>",
            f'<rect width="100%" height="100%" rx="9" {PANEL}/>',
            *(*on.below, *parts, *on.above, *marks, state),
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


def _marked(position: Position, layout: Grid, cells: Grid) -> Iterator[tuple[Place, bool]]:
    """The cells that are not as any other, and whether they are of a winning line."""
    rows = position.rows
    places = [(r, c) for r, row in enumerate(rows) for c, symbol in enumerate(row) if symbol != " "]
    if position.outcome is not None:
        yield from (((r, c), True) for r, c in places if cells[r][c] in position.outcome.cells)
        return
    empty = {(r, c) for r, c in places if rows[r][c] == "."}
    playable = {(r, c) for r, c in empty if layout[r][c] in position.legal_moves}
    # Where moves are columns, or all empty cells can be played, marks would say nothing.
    if playable != empty and len(set(layout)) == len(layout):
        yield from ((place, False) for place in sorted(playable))


def _mark(x: float, y: float, *, won: bool, pale: bool) -> str:
    if won:
        stroke = f'stroke="{PALE_RING if pale else RING}"'
        return f'<circle cx="{x:g}" cy="{y:g}" r="18" fill="none" {stroke} stroke-width="3"/>'
    stroke = f'stroke="{PALE_TARGET}"' if pale else f'class="noughts-target" stroke="{TARGET}"'
    return f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="none" {stroke} stroke-width="2.4"/>'


def _squares(
    xs: Sequence[float], ys: Sequence[float], middles: dict[Place, tuple[float, float]], look: str, colours: _Ground
) -> Iterator[str]:
    """The field of squares, and what a look has in each: holes, dark squares, or the lines between them."""
    half = CELL / 2
    left, top, wide, high = xs[0] - half, ys[0] - half, len(xs) * CELL, len(ys) * CELL
    yield f'<rect x="{left:g}" y="{top:g}" width="{wide:g}" height="{high:g}" {colours.field}/>'
    if look == "holes":
        for x, y in middles.values():
            yield f'<circle cx="{x:g}" cy="{y:g}" r="17" fill="#174680"/>'
            yield f'<circle class="noughts-hole" cx="{x:g}" cy="{y + 1:g}" r="16" fill="#f3f1ec"/>'
    elif look == "checkered":
        for (r, c), (x, y) in middles.items():
            if (len(ys) - 1 - r + c) % 2 == 0:
                yield f'<rect x="{x - half:g}" y="{y - half:g}" width="{CELL}" height="{CELL}" {colours.rule}/>'
    else:
        path = [f"M{left + c * CELL:g} {top:g}v{high:g}" for c in range(1, len(xs))]
        path += [f"M{left:g} {top + r * CELL:g}h{wide:g}" for r in range(1, len(ys))]
        yield f'<path d="{"".join(path)}" {colours.rule} stroke-width="2" stroke-linecap="round"/>'


def _points(
    xs: Sequence[float],
    ys: Sequence[float],
    middles: dict[Place, tuple[float, float]],
    layout: Grid,
    ground: Board,
) -> Iterator[str]:
    """The lines between points; without any in the game, those of its rows and columns."""
    rule = _GROUNDS["points"].rule
    places = {name: (r, c) for r, row in enumerate(layout) for c, name in enumerate(row) if name}
    ends = [(middles[places[one]], middles[places[other]]) for one, other in ground.lines] or [
        *(((xs[0], each), (xs[-1], each)) for each in ys),
        *(((each, ys[0]), (each, ys[-1])) for each in xs),
    ]
    for (x1, y1), (x2, y2) in ends:
        yield _line(x1, y1, x2, y2, f'{rule} stroke-width="1.2" stroke-linecap="square"')
    if ground.lines:
        yield from (f'<circle cx="{x:g}" cy="{y:g}" r="3.6" fill="#7d5822"/>' for x, y in middles.values())


def _slots(middles: dict[Place, tuple[float, float]]) -> Iterator[str]:
    """The places of edges that are not drawn yet."""
    for (r, c), (x, y) in middles.items():
        if r % 2 != c % 2:
            dx, dy = (CELL / 2, 0) if c % 2 else (0, CELL / 2)
            yield _line(x - dx, y - dy, x + dx, y + dy, 'class="noughts-slot" stroke="#dcd8d0" stroke-width="2"')


def _pits(middles: dict[Place, tuple[float, float]], layout: Grid, ys: list[float]) -> Iterator[str]:
    """Pits with their names, and the stores, which are as high as the board."""
    alone = {c for c, column in enumerate(zip(*layout, strict=True)) if sum(map(bool, column)) == 1}
    middle, rule = (ys[0] + ys[-1]) / 2, _GROUNDS["pits"].rule
    for place, (x, y) in list(middles.items()):
        r, c = place
        if c in alone:
            middles[place] = x, middle
            size = f'width="{CELL * 0.84:g}" height="{ys[-1] - ys[0] + CELL * 0.84:g}"'
            yield f'<rect x="{x - CELL * 0.42:g}" y="{ys[0] - CELL * 0.42:g}" {size} rx="14" {rule}/>'
        else:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.42:g}" {rule}/>'
        beyond = CELL / 2 + 9
        name = f'font-size="12" {_GROUNDS["pits"].names}'
        yield _text(x, y + (-beyond if r < len(ys) / 2 else beyond), layout[r][c], name)


def _hexagon(x: float, y: float) -> str:
    side, up = CELL / 2, CORNER / 2
    corners = ((0, -CORNER), (side, -up), (side, up), (0, CORNER), (-side, up), (-side, -up))
    points = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in corners)
    return (
        f'<polygon points="{points}" class="noughts-hex noughts-sunken" fill="#ece9e3" stroke="#fff" stroke-width="2"/>'
    )


def _borders(
    middles: dict[Place, tuple[float, float]], size: tuple[int, int], ground: Board, sides: tuple[Style, Style]
) -> Iterator[str]:
    """The edges of hexagons that belong to a side, in its colour, below what is on the board."""
    side, level = CELL / 2, CORNER / 2
    last = size[0] - 1, size[1] - 1
    row, column = [(0, c) for c in range(size[1])], [(r, 0) for r in range(size[0])]
    for owner, whole in zip(ground.borders or (), (row, column), strict=False):
        colour, _ = DISCS.get(sides[owner is Side.SECOND].name.lower(), ("#55606d", ""))
        for far in (False, True):
            points = []
            for r, c in whole:
                if whole is row:
                    x, y = middles[last[0] if far else 0, c]
                    way = 1 if far else -1
                    points += [(x - side, y + way * level), (x, y + way * CORNER), (x + side, y + way * level)]
                else:
                    x, y = middles[r, last[1] if far else 0]
                    points += [(x + (side if far else -side), y + down) for down in (-level, level)]
            path = " ".join(f"{x:g},{y:g}" for x, y in points)
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="10" stroke-linejoin="round"/>'


def _between(xs: Sequence[float], ys: Sequence[float], block: int) -> Iterator[str]:
    """The lines after so many columns and rows."""
    if not block:
        return
    left, top, wide, high = xs[0] - CELL / 2, ys[0] - CELL / 2, len(xs) * CELL, len(ys) * CELL
    look = 'class="noughts-between" stroke="#55606d" stroke-width="2.4" stroke-linecap="round"'
    for c in range(block, len(xs), block):
        yield _line(left + c * CELL, top, left + c * CELL, top + high, look)
    for r in range(block, len(ys), block):
        yield _line(left, top + r * CELL, left + wide, top + r * CELL, look)


def _disc(symbol: str, name: str, radius: float, crown: str) -> str:
    body, rim = DISCS[name]
    return (
        f'<circle cy="1.2" r="{radius:g}" fill="#0004"/><circle r="{radius:g}" fill="{body}">'
        f'<title>{escape(symbol)}</title></circle><circle r="{radius * 0.7:g}" fill="none" '
        f'stroke="{rim}" stroke-width="2"/>' + (_text(0, 0, crown, 'font-size="22" fill="#c99a2e"') if crown else "")
    )


def _written(symbol: str, side: Side) -> str:
    """A cross, or a nought."""
    look = f'class="{_CLASS[side]}" fill="none" stroke="{INKS[side]}" stroke-width="5.2" stroke-linecap="round"'
    title = f"<title>{escape(symbol)}</title>"
    if side is Side.FIRST:
        return f'<path d="M-10 -10L10 10M10 -10L-10 10" {look}>{title}</path>'
    return f'<circle r="10.8" {look}>{title}</circle>'


def _line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" {look}/>'


def _state(position: Position, sides: tuple[Style, Style]) -> str:
    names = dict(zip(Side, (style.name for style in sides), strict=True))
    if position.outcome is not None:
        return "Draw" if position.outcome.winner is None else f"{names[position.outcome.winner]} wins"
    return "" if position.to_move is None else f"{names[position.to_move]} to move"


def _text(x: float, y: float, words: str, look: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" dy="0.35em" {look}>{escape(words)}</text>'
