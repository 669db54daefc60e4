"""Reduce a large tree to a readable size, by symmetry and by depth. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from noughts.engine.grow import Node
from noughts.games import Position


def fold(tree: Node, depth: int, form_of: Callable[[Position], object] | None) -> Node:
    """``tree`` down to ``depth`` plies from its root.

    One of the children with the same form is kept, a chosen one if possible; its ``alike`` names the others.
    """
    if depth <= 0:
        return replace(tree, children=(), cut=None, folded=True) if tree.children else tree
    groups: dict[object, list[Node]] = {}
    for child in tree.children:
        groups.setdefault(form_of(child.position) if form_of else child.move, []).append(child)
    children = []
    for group in groups.values():
        shown = next((child for child in group if child.move in tree.best), group[0])
        alike = tuple(str(child.move) for child in group if child is not shown)
        children.append(replace(fold(shown, depth - 1, form_of), alike=alike))
    return replace(tree, children=tuple(children))


def fit(tree: Node, depth: int | None, most: int, form_of: Callable[[Position], object] | None) -> Node:
    """``tree`` folded to ``depth`` plies (None for all), or to fewer, so that at most ``most`` nodes are left. At least
    one ply is kept.
    """
    shown = fold(tree, 1, form_of)
    for plies in range(2, depth + 1) if depth is not None else count(2):
        more = fold(tree, plies, form_of)
        if more == shown or size(more) > most:
            break
        shown = more
    return shown


def size(tree: Node) -> int:
    """The number of nodes of a tree."""
    return 1 + sum(size(child) for child in tree.children)
