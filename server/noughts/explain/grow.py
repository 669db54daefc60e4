"""The tree that a search walks, kept node by node. Pure; does no I/O.

:func:`grow` visits what :func:`noughts.engine.minimax` and :func:`noughts.engine.alpha_beta` visit, in the same order,
and gives every node the value that they give it. They keep nothing but the root's moves, so that they are fast and
easy to read; a tree that is to be drawn needs all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from noughts.engine.analysis import Bound
from noughts.games import Game, Position, Side


class Search(StrEnum):
    """The methods."""

    MINIMAX = "minimax"
    ALPHA_BETA = "alphabeta"


class TooLarge(ValueError):
    """The search has more nodes than it was allowed to visit."""


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a node at which the search ends, for the maximizer; ``estimated`` where the game goes on."""

    value: float
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """What the maximizer and the minimizer were sure of when a branch was cut, and the moves that it would have had."""

    alpha: float
    beta: float
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node that was visited.

    ``move`` leads to it, None at the root. ``value`` is for the maximizer, who moves at the root; ``bound`` says that
    it is only an upper or a lower bound, ``estimated`` that it is not the value of a finished game but of an
    evaluation. ``best`` are the moves that are chosen here: the first that gave the value, at the root all of them.
    ``nodes`` counts those visited from here, this one included; ``children`` are the visited ones, without those that
    were not kept (then ``folded`` is set), and those that are like one of them (their moves are in its ``alike``).
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

    ``score`` says what a node so many plies from the root is worth, None where the search goes on. ``window`` is what
    alpha and beta begin with. With ``every_move`` each move of the root is searched with the whole of it, so that its
    value is exact. ``keep`` is the number of plies to keep, None for all. After ``most`` nodes the search gives up.
    """

    score: Callable[[Position, int], Score | None]
    search: Search = Search.ALPHA_BETA
    window: float = math.inf
    every_move: bool = True
    keep: int | None = None
    most: int | None = None


def grow(root: Position, plan: Plan) -> Node:
    """The tree from ``root``. Raises :class:`TooLarge` when ``plan`` does."""
    prune = plan.search is Search.ALPHA_BETA
    maximizer = _maximizer(root)
    visited = 0

    def visit(position: Position, side: Side, move: str | None, depth: int, window: tuple[float, float]) -> Node:
        nonlocal visited
        visited += 1
        if plan.most is not None and visited > plan.most:
            raise TooLarge(f"more than {plan.most:,} nodes: ask for fewer plies, by --depth")
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


def _maximizer(root: Position) -> Side:
    """The side to move at the root; of a finished game, as if the sides had alternated."""
    return root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)


def _bound(maximizing: bool, cut: Cut | None, best: list[Node]) -> Bound | None:
    """What the value of a node is that the children ``best`` have given it.

    A child that is sure to be even better for who moves has at once ended the search here, so it is among them.
    """
    bounds = {child.bound for child in best}
    better, worse = (Bound.LOWER, Bound.UPPER) if maximizing else (Bound.UPPER, Bound.LOWER)
    if cut is not None or better in bounds:
        return better
    return None if None in bounds else worse


def scoring(game: Game, root: Position, max_depth: int | None) -> Callable[[Position, int], Score | None]:
    """What the nodes of a game are worth: that of :mod:`noughts.engine.minimax`, with ``game.win`` for a win.

    Where it matters by how much one wins, a win is worth ``game.win`` and its margin, see :func:`with_margins`. What is
    not decided ``max_depth`` plies from ``root`` is estimated by the game's own evaluation and kept within what the
    latest win or loss is worth; without an evaluation it counts as a draw.
    """
    maximizer = _maximizer(root)

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
    """A tree of a game with margins, with what a win is worth as the engines tell it: the margin alone.

    While it grows ``win`` is added to a margin, so that what is sure comes before any estimate.
    """

    def told(value: float) -> float:
        return value - win if value > win else value + win if value < -win else value

    cut = tree.cut and replace(tree.cut, alpha=told(tree.cut.alpha), beta=told(tree.cut.beta))
    children = tuple(with_margins(child, win) for child in tree.children)
    return replace(tree, value=told(tree.value), cut=cut, children=children)
