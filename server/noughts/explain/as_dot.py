"""A tree in Graphviz's language. Pure; does no I/O.

MAX is a house, MIN an inverted house, the end of a game a box. Chosen branches are bold, cut branches dashed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from noughts.engine.grow import Node
from noughts.explain.drawing import Drawing, more, names, value

LARGEST_BOARD = 81
"""In cells: larger boards are not drawn."""


def as_dot(drawing: Drawing) -> str:
    """The whole drawing, for ``dot``."""
    head = [drawing.title, f"{drawing.key} Bold branches are chosen.", *drawing.notes]
    lines = [
        "digraph tree {",
        f"  graph [label={_quoted(head)}, labelloc=t, labeljust=l, fontname=monospace];",
        "  node [fontname=monospace];",
        "  edge [fontname=monospace, arrowhead=none];",
    ]
    ids = count()
    lines += _node(drawing, drawing.tree, next(ids), ids)
    return "\n".join([*lines, "}"])


def _node(drawing: Drawing, node: Node, own: int, ids: Iterator[int]) -> list[str]:
    shape = "box" if node.position.outcome else "house" if node.maximizing else "invhouse"
    board = drawing.board(node)
    cells = sum(len(row) for row in board)
    wide = max((len(face) for row in board for face in row), default=0)
    rows = [" ".join(face.rjust(wide) for face in row) for row in board] if cells <= LARGEST_BOARD else []
    words = [*rows, f"{drawing.role(node)} {value(node)}", *filter(None, [more(node)])]
    lines = [f"  n{own} [shape={shape}, label={_quoted(words)}];"]
    for child in node.children:
        number = next(ids)
        bold = ", style=bold, penwidth=3" if child.move in node.best else ""
        lines += [f"  n{own} -> n{number} [label={_quoted([str(child.move)])}{bold}];"]
        lines += _node(drawing, child, number, ids)
    if node.cut is not None:
        number = next(ids)
        why = drawing.cut(node, node.cut).rsplit(", ", 1)
        lines += [
            f"  n{number} [shape=plaintext, fontcolor=gray40, label={_quoted(why)}];",
            f"  n{own} -> n{number} [style=dashed, color=gray40, label={_quoted([names(node.cut.moves)])}];",
        ]
    return lines


def _quoted(lines: list[str]) -> str:
    """A label of several lines."""
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'
