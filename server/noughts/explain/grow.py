"""The tree that a search walks, with all its nodes. Pure; does no I/O.

:func:`grow` visits the same nodes in the same order as :func:`noughts.engine.minimax` and
:func:`noughts.engine.alpha_beta`, and gives them the same values. Those two keep only the root's moves, which makes
them fast and easy to read; a drawing needs every node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from noughts.engine.analysis import Bound
from noughts.games import Game, Position, Side


class Method(StrEnum):
    """How a tree is searched."""

    MINIMAX = "minimax"
    ALPHA_BETA = "alphabeta"


class TooLarge(ValueError):
    """The search would visit more nodes than allowed."""


@dataclass(frozen=True, slots=True)
class Score:
    """The value for the maximizer of a node where the search ends; ``estimated`` if the game goes on there."""

    value: float
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """The window when a node was cut, and the moves that were not searched."""

    alpha: float
    beta: float
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A visited node.

    ``move`` leads to it, None at the root. ``value`` is for the maximizer, the side to move at the root; ``bound`` is
    set if the value is only a bound, ``estimated`` if it comes from an evaluation rather than a finished game. ``best``
    has the chosen moves: the first with this value, at the root all of them. ``nodes`` counts the visited nodes from
    here, including this one. ``children`` has the visited children; if they were dropped, ``folded`` is set. After
    folding, ``alike`` has the moves of the siblings that this node stands for.
    """

    position: Position
    move: str | None
    maximizing: bool
    value: float
    nodes: int = 1
    bound: Bound | None = None
    estimated: bool = False
    best: tuple[str, ...] = ()
    cut: Cut | None = None
    children: tuple[Node, ...] = ()
    folded: bool = False
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How to search.

    ``score`` values a node a number of plies from the root, None if the search goes on there. Alpha and beta begin at
    minus and plus ``window``. With ``every_move`` each move of the root is searched with the full window, so that its
    value is exact. ``keep`` is the number of plies to keep, None for all. The search gives up after ``most`` nodes.
    """

    score: Callable[[Position, int], Score | None]
    method: Method = Method.ALPHA_BETA
    window: float = math.inf
    every_move: bool = True
    keep: int | None = None
    most: int | None = None


def grow(root: Position, plan: Plan) -> Node:
    """The tree from ``root``. Raises :class:`TooLarge` for more than ``plan.most`` nodes."""
    prune = plan.method is Method.ALPHA_BETA
    maximizer = maximizer_of(root)
    visited = 0

    def visit(position: Position, side: Side, move: str | None, depth: int, window: tuple[float, float]) -> Node:
        nonlocal visited
        visited += 1
        if plan.most is not None and visited > plan.most:
            raise TooLarge(f"more than {plan.most:,} nodes; ask for fewer plies with --depth")
        before = visited
        maximizing = side is maximizer
        end = plan.score(position, depth)
        if end is not None:
            return Node(position, move, maximizing, end.value, estimated=end.estimated)
        low, high = window
        value = -math.inf if maximizing else math.inf
        children: list[Node] = []
        cut = None
        moves = position.legal_moves
        for index, name in enumerate(moves, 1):
            after = position.play(name)
            child = visit(after, after.to_move or side.other, name, depth + 1, (low, high))
            children.append(child)
            value = max(value, child.value) if maximizing else min(value, child.value)
            if prune and not (plan.every_move and depth == 0):
                low, high = (max(low, value), high) if maximizing else (low, min(high, value))
                if low >= high:
                    cut = Cut(low, high, moves[index:]) if index < len(moves) else None
                    break
        best = [child for child in children if child.value == value]
        kept = plan.keep is None or depth < plan.keep
        return Node(
            position,
            move,
            maximizing,
            value,
            nodes=visited - before + 1,
            bound=_bound(maximizing, cut, best),
            estimated=any(child.estimated for child in best),
            best=tuple(str(child.move) for child in (best if depth == 0 else best[:1])),
            cut=cut if kept else None,
            children=tuple(children) if kept else (),
            folded=not kept,
        )

    return visit(root, maximizer, None, 0, (-plan.window, plan.window))


def maximizer_of(root: Position) -> Side:
    """The side to move at the root; of a finished game, as if the sides had alternated."""
    return root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)


def _bound(maximizing: bool, cut: Cut | None, best: list[Node]) -> Bound | None:
    """Which kind of bound a node's value is, given the children ``best`` that have this value.

    A child whose value may be even better for the side to move causes a cutoff at once, so it is one of ``best``.
    """
    bounds = {child.bound for child in best}
    better, worse = (Bound.LOWER, Bound.UPPER) if maximizing else (Bound.UPPER, Bound.LOWER)
    if cut is not None or better in bounds:
        return better
    return None if None in bounds else worse


def scoring(game: Game, root: Position, max_depth: int | None) -> Callable[[Position, int], Score | None]:
    """The values of a game's nodes, as in :mod:`noughts.engine.minimax`, with ``game.win`` for a win.

    In a game with margins a win is worth ``game.win`` plus its margin, see :func:`with_margins`. A position that is not
    decided ``max_depth`` plies from ``root`` gets the game's estimate, limited so that it never outranks a win or a
    loss; without a heuristic it counts as a draw.
    """
    maximizer = maximizer_of(root)

    def score(position: Position, depth: int) -> Score | None:
        outcome = position.outcome
        if outcome is None:
            return Score(estimate(position, depth), True) if depth == max_depth else None
        if outcome.winner is None:
            return Score(0)
        worth = game.win - depth if game.margin is None else game.win + abs(game.margin(position))
        return Score(worth if outcome.winner is maximizer else -worth)

    def estimate(position: Position, depth: int) -> int:
        if game.heuristic is None:
            return 0
        value = game.heuristic.evaluate(position)
        most = game.win - depth - 1
        return max(-most, min(most, value if position.to_move is maximizer else -value))

    return score


def with_margins(tree: Node, win: int) -> Node:
    """Convert the values of a game with margins to the engines' convention, in which a win is worth its margin.

    :func:`scoring` adds ``win`` to a margin, so that wins come before any estimate.
    """

    def converted(value: float) -> float:
        return value - win if value > win else value + win if value < -win else value

    cut = tree.cut and replace(tree.cut, alpha=converted(tree.cut.alpha), beta=converted(tree.cut.beta))
    children = tuple(with_margins(child, win) for child in tree.children)
    return replace(tree, value=converted(tree.value), cut=cut, children=children)
