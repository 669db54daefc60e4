"""Traces of searches, for lectures. Pure; does no I/O.

A trace has the nodes of a tree and the steps of a search in it: each visit with alpha and beta on entry, each update of
a node by one of its children, and each cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from noughts.engine.grow import (
    Method,
    Node,
    Plan,
    cautions,
    estimate_branch,
    estimating,
    grow,
    maximizer_of,
    scoring,
    scoring_leaves,
    without_win,
)
from noughts.engine.minimax import Stopped, never
from noughts.engine.steps import Cut, End, Enter, Place, Step, Trace, Update
from noughts.engine.tree import MOST_PLIES, TreePosition, parse_tree
from noughts.games import Game, Position, Side

MOST_STEPS = 5000
"""A longer trace has only its first steps. The search goes on to count its nodes."""

LARGEST_BOARD = 64
"""In cells. Positions of games with larger boards are not in a trace: it would be too long for a message."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """The subject of a trace: a search of a ``tree`` of leaves, or of a game if that is None. ``depth`` is in plies, 1
    or more.

    Nothing is searched deeper than :data:`~noughts.engine.tree.MOST_PLIES`.
    """

    method: Method = Method.ALPHA_BETA
    strict: bool = False
    depth: int | None = None
    tree: str | None = None


def trace_tree(tracing: Tracing, stop: Callable[[], bool] = never) -> Trace:
    """Trace a search of ``tracing.tree``. Raises :class:`~noughts.engine.tree.BadTree`."""
    root = parse_tree(tracing.tree or "")
    recorder = _Recorder(maximizer_of(root))
    _put(recorder, root, None, None, 0)
    return _trace(recorder, root, tracing, Plan(scoring_leaves(tracing.depth), estimate=estimate_branch, stop=stop))


def trace_game(game: Game, position: Position, tracing: Tracing, stop: Callable[[], bool] = never) -> Trace:
    """Trace a search of ``game`` from ``position``.

    A search to the end of a game with margins has the values of the engines. In others a win is worth ``game.win`` more
    than its margin, so that it compares with estimates.
    """
    depth = min(tracing.depth or MOST_PLIES, MOST_PLIES)
    recorder = _Recorder(maximizer_of(position), game)
    plan = Plan(scoring(game, position, depth), estimate=estimating(game, position), stop=stop)
    trace = _trace(recorder, position, tracing, plan)
    trace = replace(trace, notes=(*trace.notes, *cautions(game, tracing.method)))
    if recorder.estimated and depth != tracing.depth:
        trace = replace(trace, notes=(*trace.notes, f"The search ends {MOST_PLIES} plies from the root."))
    return trace if game.margin is None or recorder.estimated else _with_margins(trace, game.win)


def pictured(place: Place, game: Game, before: Position | None, position: Position) -> Place:
    """A place of a game with its position, which the place's move leads to from ``before``, and that move's name."""
    if before is not None and place.move is not None and game.notation is not None:
        place = replace(place, name=game.notation(before, place.move))
    if not is_drawn(position):
        return place
    told = position.text.startswith("/".join(position.rows))
    counts = game.counted(position).get("counts", ())
    return replace(place, position=position.text, rows=() if told else position.rows, counts=counts)


def is_drawn(position: Position) -> bool:
    """True if its board is small enough to be in a trace."""
    return sum(map(len, position.rows)) <= LARGEST_BOARD


@dataclass(slots=True)
class _Recorder:
    """Makes steps of what a search tells. ``path`` has the nodes from the root to where the search is.

    ``numbers`` has the index of a place by its parent's and the move. ``game`` is None for a tree of leaves.
    """

    maximizer: Side
    game: Game | None = None
    places: list[Place] = field(default_factory=list)
    numbers: dict[tuple[int | None, str | None], int] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    path: list[tuple[int, Position]] = field(default_factory=list)
    window: tuple[float, float] = (-math.inf, math.inf)
    total: int = 0
    visited: int = 0
    ends: int = 0
    estimated: bool = False

    def enter(self, node: Node | None, position: Position, move: str | None, window: tuple[float, float]) -> None:
        self.visited += 1
        self.total += 1
        if node is not None:
            self.ends += 1
            self.estimated |= node.estimated
        if self.total > MOST_STEPS:
            self.path.append((-1, position))
            return
        number = self.number(node, position, move)
        self.path.append((number, position))
        if node is None:
            self.steps.append(Enter(number, *window))
            return
        over = position.outcome is not None
        leaf = isinstance(position, TreePosition)
        end: End = "table" if node.known else "estimate" if not over else "leaf" if leaf else "end"
        self.steps.append(Enter(number, *window, node.value, end, node.bound))

    def update(self, value: float, window: tuple[float, float]) -> None:
        child, _ = self.path.pop()
        self.window = window
        self.total += 1
        if self.total <= MOST_STEPS:
            self.steps.append(Update(self.path[-1][0], child, value, *window))

    def cut(self, moves: tuple[str, ...]) -> None:
        self.total += 1
        if self.total <= MOST_STEPS:
            number, position = self.path[-1]
            notation = None if self.game is None else self.game.notation
            names = () if notation is None else tuple(notation(position, move) for move in moves)
            self.steps.append(Cut(number, *self.window, moves, names))

    def number(self, node: Node | None, position: Position, move: str | None) -> int:
        """The index of the place to which ``move`` leads from where the search is."""
        parent, before = self.path[-1] if self.path else (None, None)
        known = self.numbers.get((parent, move))
        if known is not None:
            return known
        rank = 0 if before is None or move is None else before.legal_moves.index(move)
        maximizing = None if position.to_move is None else position.to_move is self.maximizer
        value = node.value if node is not None and maximizing is None else None
        place = Place(parent, rank, move, maximizing, value=value)
        return self.add(place if self.game is None else pictured(place, self.game, before, position))

    def add(self, place: Place) -> int:
        number = self.numbers[place.parent, place.move] = len(self.places)
        self.places.append(place)
        return number


def _put(recorder: _Recorder, position: TreePosition, parent: int | None, move: str | None, rank: int) -> None:
    """Give ``recorder`` the whole tree below ``position``, each node before its children."""
    branch = position.branch
    inner = bool(branch.children)
    number = recorder.add(
        Place(
            parent,
            rank,
            move,
            position.to_move is recorder.maximizer if inner else None,
            branch.name,
            value=None if inner else branch.value,
            estimate=branch.value if inner else None,
        )
    )
    for index, name in enumerate(branch.moves):
        _put(recorder, TreePosition(branch.children[index], position.ply + 1), number, name, index)


def _trace(recorder: _Recorder, root: Position, tracing: Tracing, plan: Plan) -> Trace:
    plan = replace(plan, method=tracing.method, keep=0, strict=tracing.strict, watcher=recorder)
    notes = []
    value = best = None
    try:
        tree = grow(root, plan)
        value, best = tree.value, next(iter(tree.best), None)
    except Stopped:
        notes.append(f"The search was stopped after {recorder.visited:,} nodes: its value is not known.")
    if recorder.total > MOST_STEPS:
        notes.append(f"The first {MOST_STEPS:,} of {recorder.total:,} steps are here.")
    return Trace(
        tracing.method,
        tracing.strict,
        tracing.depth,
        tuple(recorder.places),
        tuple(recorder.steps),
        value,
        best,
        recorder.visited,
        recorder.ends,
        recorder.total,
        tuple(notes),
    )


def _with_margins(trace: Trace, win: int) -> Trace:
    """Convert the values to the engines' convention, in which a win is worth its margin."""

    def of(value: float | None) -> float | None:
        return None if value is None else without_win(value, win)

    def step(each: Step) -> Step:
        alpha, beta = without_win(each.alpha, win), without_win(each.beta, win)
        match each:
            case Enter():
                return replace(each, value=of(each.value), alpha=alpha, beta=beta)
            case Update():
                return replace(each, value=without_win(each.value, win), alpha=alpha, beta=beta)
            case Cut():
                return replace(each, alpha=alpha, beta=beta)

    return replace(
        trace,
        value=of(trace.value),
        places=tuple(replace(place, value=of(place.value)) for place in trace.places),
        steps=tuple(step(each) for each in trace.steps),
    )
