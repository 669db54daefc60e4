"""The tree that a search walks, with all its nodes. Pure; does no I/O.

:func:`grow` searches for the root's value, as the textbooks do: alpha and beta narrow at the root too, while
:func:`noughts.engine.alpha_beta` finds the value of every move there. A drawing needs every node, and a trace every
step, which that function, to be fast and easy to read, does not keep.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from noughts.engine.analysis import Bound
from noughts.engine.minimax import Stopped, never
from noughts.engine.tree import TreePosition
from noughts.games import Game, Position, Side

DEEPEST = 500
"""In plies: no search goes deeper, because Python's stack is limited."""

NODES_PER_POLL = 16
"""Few, because ordering the moves of one node may take a millisecond."""


class Method(StrEnum):
    """The method of searching a tree: by plain minimax, by alpha-beta, or by alpha-beta with one addition.

    ``ORDERED`` tries the moves in the order of the estimates after them, the best for the side to move first.
    ``TABLE`` remembers what it found in a position, in case it comes there again at the same depth.
    """

    MINIMAX = "minimax"
    ALPHA_BETA = "alphabeta"
    ORDERED = "ordered"
    TABLE = "table"


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
    has the chosen moves: the first with this value, at the root all that are known to have it. ``nodes`` counts the
    visited nodes from here, including this one. ``children`` has the visited children; if they were dropped, ``folded``
    is set, and ``known`` if the value was in the table. After folding, ``alike`` has the moves of the siblings that
    this node stands for.
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
    known: bool = False
    alike: tuple[str, ...] = ()


class Watcher(Protocol):
    """Is told each step of a search, in order. Values and windows are for the maximizer."""

    def enter(self, node: Node | None, position: Position, move: str | None, window: tuple[float, float]) -> None:
        """The search comes to ``position`` by ``move`` from the node that it is in, None at the root.

        ``node`` is what it finds there without going on: the end, an estimate, or an entry of the table.
        """

    def update(self, value: float, window: tuple[float, float]) -> None:
        """The search goes back to the parent, which has this value and window now."""

    def cut(self, moves: tuple[str, ...]) -> None:
        """The search skips these moves of the node that it is in."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a search.

    ``score`` values a node a number of plies from the root, None if the search goes on there; ``estimate`` values any
    node without a search, for the order of moves. Alpha and beta begin at minus and plus ``window``. A node is cut when
    they meet, with ``strict`` only when alpha is greater. ``keep`` is the number of plies to keep, None for all. The
    search gives up after ``most`` nodes, or when ``stop`` says so, which it asks every :data:`NODES_PER_POLL` nodes. It
    tells ``watcher`` its steps. With a ``form`` that reflections share, the table knows a position by its reflections
    too.
    """

    score: Callable[[Position, int], Score | None]
    method: Method = Method.ALPHA_BETA
    window: float = math.inf
    keep: int | None = None
    most: int | None = None
    strict: bool = False
    estimate: Callable[[Position, int], float] | None = None
    stop: Callable[[], bool] = never
    watcher: Watcher | None = None
    form: Callable[[Position], Hashable] | None = None


def grow(root: Position, plan: Plan) -> Node:
    """The tree from ``root``.

    Raises :class:`TooLarge` for more than ``plan.most`` nodes or :data:`DEEPEST` plies, and
    :class:`~noughts.engine.minimax.Stopped`.
    """
    prune = plan.method is not Method.MINIMAX
    maximizer = maximizer_of(root)
    watcher = plan.watcher
    table: dict[tuple[Hashable, int, bool], Node] | None = {} if plan.method is Method.TABLE else None
    visited = 0

    def visit(position: Position, side: Side, move: str | None, depth: int, window: tuple[float, float]) -> Node:
        nonlocal visited
        if not visited % NODES_PER_POLL and plan.stop():
            raise Stopped
        visited += 1
        if plan.most is not None and visited > plan.most:
            raise TooLarge(f"more than {plan.most:,} nodes; ask for fewer plies with --depth")
        if depth > DEEPEST:
            raise TooLarge(f"more than {DEEPEST} plies; ask for fewer with --depth")
        before = visited
        maximizing = side is maximizer
        end = plan.score(position, depth)
        found = None
        form: Hashable = position
        if table is not None and plan.form is not None and end is None:
            form = plan.form(position)
        if end is not None:
            found = Node(position, move, maximizing, end.value, estimated=end.estimated)
        elif table is not None and (known := table.get((form, depth, maximizing))) and _answers(known, window, plan):
            found = replace(
                known, position=position, move=move, nodes=1, cut=None, best=(), children=(), folded=False, known=True
            )
        if watcher is not None:
            watcher.enter(found, position, move, window)
        if found is not None:
            return found
        low, high = window
        value = -math.inf if maximizing else math.inf
        children: list[Node] = []
        cut = None
        moves = _ordered(position, depth, plan, maximizing) if plan.method is Method.ORDERED else position.legal_moves
        for index, name in enumerate(moves, 1):
            after = position.play(name)
            child = visit(after, after.to_move or side.other, name, depth + 1, (low, high))
            children.append(child)
            value = max(value, child.value) if maximizing else min(value, child.value)
            if prune:
                low, high = (max(low, value), high) if maximizing else (low, min(high, value))
            if watcher is not None:
                watcher.update(value, (low, high))
            if prune and (low > high if plan.strict else low >= high):
                cut = Cut(low, high, moves[index:]) if index < len(moves) else None
                if watcher is not None and cut is not None:
                    watcher.cut(cut.moves)
                break
        best = [child for child in children if child.value == value]
        exact = [child for child in best if child.bound is None]
        kept = plan.keep is None or depth < plan.keep
        node = Node(
            position,
            move,
            maximizing,
            value,
            nodes=visited - before + 1,
            bound=_bound(maximizing, cut, best),
            estimated=any(child.estimated for child in best),
            best=tuple(str(child.move) for child in ((exact or best[:1]) if depth == 0 else best[:1])),
            cut=cut if kept else None,
            children=tuple(children) if kept else (),
            folded=not kept,
        )
        if table is not None:
            table[form, depth, maximizing] = node
        return node

    return visit(root, maximizer, None, 0, (-plan.window, plan.window))


def _answers(known: Node, window: tuple[float, float], plan: Plan) -> bool:
    """True if what the table has is enough for a search with ``window``."""
    low, high = window
    if known.bound is Bound.LOWER:
        return known.value > high if plan.strict else known.value >= high
    if known.bound is Bound.UPPER:
        return known.value < low if plan.strict else known.value <= low
    return True


def _ordered(position: Position, depth: int, plan: Plan, maximizing: bool) -> tuple[str, ...]:
    """The moves, beginning with the best by the estimates after them; of equals the first."""

    def worth(move: str) -> float:
        after = position.play(move)
        end = plan.score(after, depth + 1)
        value = end.value if end is not None else plan.estimate(after, depth + 1) if plan.estimate else 0
        return -value if maximizing else value

    return tuple(sorted(position.legal_moves, key=worth))


def cautions(game: Game, method: Method) -> tuple[str, ...]:
    """Sentences on what a search of ``game`` leaves out of account."""
    table = "The table takes equal positions for the same, though those before them may decide the game."
    claims = "Nobody claims a draw in the search."
    return (*((table,) if game.repeats and method is Method.TABLE else ()), *((claims,) if game.claim else ()))


def maximizer_of(root: Position) -> Side:
    """The side to move at the root; of a finished game, as if the sides had alternated."""
    return root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)


def _bound(maximizing: bool, cut: Cut | None, best: list[Node]) -> Bound | None:
    """The kind of bound that a node's value is, given the children ``best`` that have this value.

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
    estimate = estimating(game, root)

    def score(position: Position, depth: int) -> Score | None:
        outcome = position.outcome
        if outcome is None:
            return Score(estimate(position, depth), True) if depth == max_depth else None
        if outcome.winner is None:
            return Score(0)
        worth = game.win - depth if game.margin is None else game.win + abs(game.margin(position))
        return Score(worth if outcome.winner is maximizer else -worth)

    return score


def estimating(game: Game, root: Position) -> Callable[[Position, int], float]:
    """The estimates of :func:`scoring`, for positions that are not over."""
    maximizer = maximizer_of(root)

    def estimate(position: Position, depth: int) -> float:
        if game.heuristic is None:
            return 0
        value = game.heuristic.evaluate(position)
        most = game.win - depth - 1
        return max(-most, min(most, value if position.to_move is maximizer else -value))

    return estimate


def scoring_leaves(max_depth: int | None = None) -> Callable[[Position, int], Score | None]:
    """The values of a :class:`~noughts.engine.tree.TreePosition`, and estimates ``max_depth`` plies from the root."""

    def score(position: Position, depth: int) -> Score | None:
        if position.outcome is not None:
            return Score(estimate_branch(position, depth))
        return Score(estimate_branch(position, depth), True) if depth == max_depth else None

    return score


def estimate_branch(position: Position, depth: int) -> float:  # noqa: ARG001  # a Plan passes it
    """The value of a leaf or the estimate of another :class:`~noughts.engine.tree.TreePosition`, 0 without one."""
    assert isinstance(position, TreePosition)
    return position.branch.value or 0


def without_win(value: float, win: int) -> float:
    """A value of :func:`scoring` in a game with margins by the engines' convention, in which a win is its margin."""
    return value - win if value > win else value + win if value < -win else value


def with_margins(tree: Node, win: int) -> Node:
    """Convert the values of a game with margins to the engines' convention, in which a win is worth its margin.

    :func:`scoring` adds ``win`` to a margin, so that wins come before any estimate.
    """
    cut = tree.cut and replace(tree.cut, alpha=without_win(tree.cut.alpha, win), beta=without_win(tree.cut.beta, win))
    children = tuple(with_margins(child, win) for child in tree.children)
    return replace(tree, value=without_win(tree.value, win), cut=cut, children=children)
