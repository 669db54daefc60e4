"""A tree as a self-contained SVG picture. Pure; does no I/O.

Each node shows its board and, below it, its value: in a triangle that points up if the maximizer moves and down if the
minimizer moves, or in a box if the game is over. Leaves stand side by side, other nodes centred above their children.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from noughts.engine.grow import Node
from noughts.explain.drawing import Drawing, more, names, value
from noughts.games.board import Faces

MARGIN = 24
LINE = 18
GAP = 18
"""Between neighbouring nodes."""
FALL = 56
"""From a node to its children."""
SIGN = 52
"""The height of a triangle or box."""
HALF = 48
"""Half the width of a triangle or box."""
AIR = 6
"""Between a board and the sign below it."""
WIDEST_BOARD = 9
# A notebook may put the picture into its page, where the rules of a style hold for everything.
STYLE = """
.noughts-tree text { font: 13px sans-serif; text-anchor: middle; fill: #111; }
.noughts-tree .board { font: 15px monospace; }
.noughts-tree .head { text-anchor: start; font-size: 15px; }
.noughts-tree .note { font-size: 11px; fill: #555; }
.noughts-tree .max { fill: #d6e6ff; stroke: #1f4e99; }
.noughts-tree .min { fill: #ffe2cc; stroke: #a5480a; }
.noughts-tree .end { fill: #eee; stroke: #444; }
.noughts-tree .edge { stroke: #999; stroke-width: 1.2; }
.noughts-tree .chosen { stroke: #0a7d32; stroke-width: 4; }
.noughts-tree .cut { stroke: #b00; stroke-width: 1.5; stroke-dasharray: 5 4; }
.noughts-tree .move { font-weight: bold; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.noughts-tree .why { font-size: 11px; fill: #b00; }
"""


@dataclass(slots=True)
class _Box:
    """A node or a cut branch (``node`` is None) and where it is: ``x`` is its middle, ``top`` its upper edge."""

    node: Node | None
    words: list[str]
    rows: Faces
    cell: int
    children: list[_Box]
    x: float = 0
    top: float = 0

    @property
    def width(self) -> float:
        board = max((len(row) for row in self.rows), default=0) * self.cell
        words = max((len(word) for word in self.words), default=0) * (7.5 if self.node is None else 6.2)
        return max(board, words, HALF * 2 if self.node is not None else 40)

    @property
    def sign(self) -> float:
        """The upper edge of the shape with the value."""
        return self.top + len(self.rows) * self.cell + (AIR if self.rows else 0)

    @property
    def words_top(self) -> float:
        """The upper edge of the words below the shape."""
        return self.sign + (SIGN if self.node is not None else 0)

    @property
    def bottom(self) -> float:
        """The lower edge, where the lines to the children begin."""
        return self.words_top + len(self.words) * LINE


def as_svg(drawing: Drawing) -> str:
    """The whole drawing."""
    root = _box(drawing, drawing.tree)
    head = [drawing.title, f"{drawing.key} Green branches are chosen.", *drawing.notes]
    right = _place(root, MARGIN)
    _drop([root], MARGIN + len(head) * LINE + LINE)
    width = max(right, max(map(len, head)) * 7.6) + MARGIN
    height = max(box.bottom for box in _all(root)) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="noughts-tree" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        *(text(MARGIN, MARGIN + (index + 0.5) * LINE, line, "head") for index, line in enumerate(head)),
        *_edges(root),
        *(part for box in _all(root) for part in _drawn(drawing, box)),
        "</svg>",
    ]
    return "\n".join(parts)


def _box(drawing: Drawing, node: Node) -> _Box:
    rows = drawing.board(node) if len(node.position.rows) <= WIDEST_BOARD else []
    children = [_box(drawing, child) for child in node.children]
    if node.cut is not None:
        children.append(_Box(None, drawing.cut(node, node.cut).rsplit(", ", 1), [], 0, []))
    notes = more(node).split("; ") if more(node) else []
    return _Box(node, notes, rows, 18 if len(rows) <= 4 else 11, children)


def _all(box: _Box) -> list[_Box]:
    return [box, *(below for child in box.children for below in _all(child))]


def _place(box: _Box, left: float) -> float:
    """Set ``x`` of ``box`` and of all boxes below it, starting at ``left``. Returns where the next box may start."""
    right = left
    for child in box.children:
        right = _place(child, right)
    if not box.children:
        box.x = left + box.width / 2
        return left + box.width + GAP
    box.x = (box.children[0].x + box.children[-1].x) / 2
    # A board wider than its children would overlap the left neighbour.
    if (short := left + box.width / 2 - box.x) > 0:
        for below in _all(box):
            below.x += short
        right += short
    return max(right, box.x + box.width / 2 + GAP)


def _drop(boxes: list[_Box], top: float) -> None:
    """Set ``top`` of the boxes of one depth, and of all boxes below them."""
    if boxes:
        for box in boxes:
            box.top = top
        _drop(
            [child for box in boxes for child in box.children], top + max(box.bottom - box.top for box in boxes) + FALL
        )


def _edges(box: _Box) -> list[str]:
    parts = []
    assert box.node is not None
    for child in box.children:
        if child.node is None:
            assert box.node.cut is not None
            kind, move = "cut", names(box.node.cut.moves)
        else:
            kind, move = "chosen" if child.node.move in box.node.best else "edge", str(child.node.move)
            parts += _edges(child)
        x, y = box.x, box.bottom
        parts.append(f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{child.x:.1f}" y2="{child.top:.1f}"/>')
        parts.append(text(x + (child.x - x) * 0.65, y + (child.top - y) * 0.65 + 4, move, "move"))
    return parts


def _drawn(drawing: Drawing, box: _Box) -> list[str]:
    node, x, top = box.node, box.x, box.top
    if node is None:
        return [text(x, top + (index + 0.8) * LINE, word, "why") for index, word in enumerate(box.words)]
    parts = []
    columns = max((len(row) for row in box.rows), default=0)
    for index, row in enumerate(box.rows):
        for column, cell in enumerate(row):
            if cell == " ":
                continue
            left = x + (column - columns / 2) * box.cell
            upper = top + index * box.cell
            parts.append(
                f'<rect x="{left:.1f}" y="{upper:.1f}" width="{box.cell}" height="{box.cell}" '
                'fill="#fff" stroke="#bbb"/>'
            )
            if cell != ".":
                size = f' style="font-size:{box.cell * (0.8 if len(cell) == 1 else 0.6):.0f}px"'
                parts.append(text(left + box.cell / 2, upper + box.cell * 0.76, cell, "board", size))
    upper, lower = box.sign, box.words_top
    if node.position.outcome:
        kind, points = "end", [(-HALF, upper), (HALF, upper), (HALF, lower), (-HALF, lower)]
    elif node.maximizing:
        kind, points = "max", [(0, upper), (HALF, lower), (-HALF, lower)]
    else:
        kind, points = "min", [(-HALF, upper), (HALF, upper), (0, lower)]
    drawn = " ".join(f"{x + dx:.1f},{y:.1f}" for dx, y in points)
    parts.append(f'<polygon class="{kind}" points="{drawn}"/>')
    caption = [drawing.role(node), value(node).removeprefix("= ")]
    base = {"max": upper + 30, "min": upper + 16, "end": upper + 23}[kind]
    parts += [text(x, base + index * 16, word, "") for index, word in enumerate(caption)]
    parts += [text(x, lower + (index + 0.8) * LINE, word, "note") for index, word in enumerate(box.words)]
    return parts


def text(x: float, y: float, words: str, kind: str, more: str = "") -> str:
    """An element with the class ``kind`` and the attributes ``more``."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{more}>{escape(words)}</text>'
