"""The steps of a search, and the tree in which it takes them: values, and as JSON. Pure; does no I/O.

Whoever plays the steps sees the search as it was. All values are for the maximizer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from noughts.engine.analysis import Bound
from noughts.engine.grow import Method

End = Literal["leaf", "end", "estimate", "table"]
"""The reason why a search goes no deeper: at a leaf or the end of a game, at its depth, or because the table has the
value."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the tree, visited or not.

    ``parent`` is its parent's index, None for the root, and ``move`` leads from there; ``rank`` is the index of that
    move among the parent's. ``maximizing`` is None at the end of a game. ``value`` is that of a leaf or finished game,
    ``estimate`` that of another node of a tree of leaves; ``position`` is its text, with ``rows`` if it does not begin
    with them, and ``counts`` of the cells in a game that counts. ``name`` is a node's in a tree of leaves, and in a
    game with a notation the move as people write it.
    """

    parent: int | None
    rank: int
    move: str | None
    maximizing: bool | None
    name: str = ""
    value: float | None = None
    estimate: float | None = None
    position: str | None = None
    rows: tuple[str, ...] = ()
    counts: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, slots=True)
class Enter:
    """The search comes to a node with this window. If it goes no deeper, it finds ``value``, and ``end`` says why."""

    node: int
    alpha: float
    beta: float
    value: float | None = None
    end: End | None = None
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """The search is back from ``child``, and the node has this value and window now."""

    node: int
    child: int
    value: float
    alpha: float
    beta: float


@dataclass(frozen=True, slots=True)
class Cut:
    """Alpha and beta have met, so ``moves`` of the node are skipped: they cannot change the result.

    ``names`` are the moves as people write them, in a game with a notation.
    """

    node: int
    alpha: float
    beta: float
    moves: tuple[str, ...]
    names: tuple[str, ...] = ()


Step = Enter | Update | Cut


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a search, and the tree: all of a tree of leaves, in a game the nodes that the steps visit.

    ``value`` is the root's, None if the search was stopped. ``visited`` and ``ends`` count the nodes that were visited,
    and those of them at which the search went no deeper; ``total`` the steps. ``notes`` say what is left out.
    """

    method: Method
    strict: bool
    depth: int | None
    places: tuple[Place, ...]
    steps: tuple[Step, ...]
    value: float | None
    best: str | None
    visited: int
    ends: int
    total: int
    notes: tuple[str, ...] = ()


def as_object(trace: Trace) -> dict[str, Any]:
    """A trace as described in docs/solving.md. None stands for an infinite alpha or beta."""
    return {
        "search": str(trace.method),
        "strict": trace.strict,
        "depth": trace.depth,
        "value": trace.value,
        "best": trace.best,
        "visited": trace.visited,
        "ends": trace.ends,
        "total": trace.total,
        "notes": list(trace.notes),
        "nodes": [place_object(place) for place in trace.places],
        "steps": [_step_object(step) for step in trace.steps],
    }


def place_object(place: Place) -> dict[str, Any]:
    """The node of a trace."""
    player = None if place.maximizing is None else "max" if place.maximizing else "min"
    fields = {
        "parent": place.parent,
        "rank": place.rank,
        "move": place.move,
        "player": player,
        "name": place.name or None,
        "value": place.value,
        "estimate": place.estimate,
        "position": place.position,
        "rows": list(place.rows) or None,
        "counts": place.counts or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _step_object(step: Step) -> dict[str, Any]:
    window = {"alpha": _finite(step.alpha), "beta": _finite(step.beta)}
    match step:
        case Enter():
            fields: dict[str, Any] = {"step": "enter", "node": step.node, **window}
            if step.end is not None:
                fields |= {"value": step.value, "end": step.end}
            return fields if step.bound is None else fields | {"bound": str(step.bound)}
        case Update():
            return {"step": "update", "node": step.node, "child": step.child, "value": step.value, **window}
        case Cut():
            fields = {"step": "cut", "node": step.node, **window, "moves": list(step.moves)}
            return fields | {"names": list(step.names)} if step.names else fields


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
