"""A tree as nested objects, described in docs/solving.md. Pure; does no I/O."""

from __future__ import annotations

from typing import Any

from noughts.explain.drawing import Drawing
from noughts.explain.grow import Cut, Node


def as_json(drawing: Drawing) -> dict[str, Any]:
    """The root, with its children inside it."""
    return _node(drawing.tree, chosen=True)


def _node(node: Node, *, chosen: bool) -> dict[str, Any]:
    children = [_node(child, chosen=child.move in node.best) for child in node.children]
    if node.cut is not None:
        children += [_cut(node, move, node.cut) for move in node.cut.moves]
    return {
        "position": node.position.text,
        "move": node.move,
        "to_move": node.position.to_move,
        "player": _player(node.maximizing),
        "value": node.value,
        "bound": node.bound,
        "exact": node.bound is None and not node.estimated,
        "chosen": chosen,
        "cut": None,
        "nodes": node.nodes,
        "alike": list(node.alike),
        "children": children,
    }


def _cut(parent: Node, move: str, cut: Cut) -> dict[str, Any]:
    """A branch that the search cut."""
    position = parent.position.play(move)
    return {
        "position": position.text,
        "move": move,
        "to_move": position.to_move,
        "player": _player((position.to_move is parent.position.to_move) == parent.maximizing),
        "value": None,
        "bound": None,
        "exact": False,
        "chosen": False,
        "cut": {"alpha": cut.alpha, "beta": cut.beta},
        "nodes": 0,
        "alike": [],
        "children": [],
    }


def _player(maximizing: bool) -> str:
    return "max" if maximizing else "min"
