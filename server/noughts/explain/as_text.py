"""A tree as text, one line for each node. Pure; does no I/O."""

from __future__ import annotations

import textwrap

from noughts.engine.grow import Node
from noughts.explain.drawing import Drawing, more, names, value
from noughts.games.board import board

WIDEST_BOARD = 24
"""In characters: the text of a larger board would not fit beside its node."""


def as_text(drawing: Drawing) -> str:
    """The whole drawing."""
    lines = [drawing.title, *textwrap.wrap(f"{drawing.key} * marks the chosen moves.", drawing.width), ""]
    if drawing.game is not None:
        lines += [f"  {line}".rstrip() for line in board(drawing.game, drawing.board(drawing.tree))] + [""]
    lines += _node(drawing, drawing.tree, "", "")
    if drawing.notes:
        lines += ["", *(line for note in drawing.notes for line in textwrap.wrap(note, drawing.width))]
    return "\n".join(lines)


def _node(drawing: Drawing, node: Node, first: str, rest: str) -> list[str]:
    """The lines of a node and its descendants. ``first`` is the prefix of the first line, ``rest`` of the others."""
    words = f"{drawing.role(node)} {value(node)}"
    text = node.position.text
    shown = drawing.game is not None and len(text) <= WIDEST_BOARD
    lines = _wrapped(drawing, first, rest, "   ".join(filter(None, [words, text if shown else "", more(node)])))
    last = len(node.children) - (node.cut is None)
    for index, child in enumerate(node.children):
        branch, below = ("└─", "  ") if index == last else ("├─", "│ ")
        mark = "*" if child.move in node.best else " "
        lines += _node(drawing, child, f"{rest}{branch}{mark}{child.move}: ", f"{rest}{below} ")
    if node.cut is not None:
        lines += _wrapped(
            drawing, f"{rest}└─ ", f"{rest}   ", f"{names(node.cut.moves)}: {drawing.cut(node, node.cut)}"
        )
    return lines


def _wrapped(drawing: Drawing, first: str, rest: str, words: str) -> list[str]:
    return textwrap.wrap(
        words,
        max(drawing.width, len(first) + 40),
        initial_indent=first,
        subsequent_indent=f"{rest}     ",
        break_on_hyphens=False,
    )
