"""Reduce a large tree to a readable size, by symmetry and by depth. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from noughts.engine.grow import Node
from noughts.games import Game, Position
from noughts.games.connect4 import Connect4Position
from noughts.games.mnk import LinePosition
from noughts.games.reversi import ReversiPosition
from noughts.games.ultimate import UltimatePosition

Cells = tuple[tuple[str, ...], ...]
Turns = tuple[Callable[[Cells], Cells], ...]


def _mirrored(cells: Cells) -> Cells:
    return tuple(row[::-1] for row in cells)


def _overturned(cells: Cells) -> Cells:
    return cells[::-1]


def _transposed(cells: Cells) -> Cells:
    return tuple(zip(*cells, strict=True))


def turns_of(game: Game) -> Turns:
    """The reflections that do not change the rules of ``game``. None for a game from another package."""
    if isinstance(game.start, Connect4Position):
        return (_mirrored,)
    if isinstance(game.start, LinePosition | ReversiPosition | UltimatePosition):
        square = len(game.layout) == len(game.layout[0])
        return (_mirrored, _overturned, _transposed) if square else (_mirrored, _overturned)
    return ()


def canonical(game: Game, position: Position, turns: Turns) -> Cells:
    """A form that positions with the same side to move share if they are reflections or rotations of each other.

    It includes the legal moves, because in ultimate tic-tac-toe the board does not determine them.
    """
    legal = set(position.legal_moves)
    cells = tuple(
        tuple(symbol + "*" * (name in legal) for symbol, name in zip(row, names, strict=True))
        for row, names in zip(position.rows, game.layout, strict=True)
    )
    forms = {cells}
    for turn in turns:
        forms |= {turn(known) for known in forms}
    return min(forms)


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
