"""A trace with its captions, its steps in words, and its JSON. Pure; does no I/O."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from noughts.engine import Method, Trace, as_object
from noughts.engine.analysis import Bound
from noughts.engine.steps import Cut, Enter, Place, Step, Update
from noughts.explain.drawing import condition, names, number


@dataclass(frozen=True, slots=True)
class Played:
    """A trace to be played. ``subject`` are the fields that say of what; ``title`` and ``key`` are as in a drawing."""

    trace: Trace
    subject: dict[str, str]
    title: str
    key: str

    @property
    def game(self) -> bool:
        """True if it is of a game, and not of a tree of leaves."""
        return "game" in self.subject


def as_json(played: Played) -> str:
    """One JSON object, described in docs/solving.md."""
    return json.dumps(played.subject | as_object(played.trace))


def why(trace: Trace, cut: Cut) -> str:
    """The condition that a cut has met."""
    maximizing = bool(trace.places[cut.node].maximizing)
    return condition(cut.alpha, cut.beta, maximizing=maximizing, strict=trace.strict)


def end(value: float) -> str:
    """A value or the end of a window."""
    return number(value) if math.isfinite(value) else "∞" if value > 0 else "-∞"


def words(played: Played, step: Step) -> str:
    """The events of ``step``, in words."""
    trace = played.trace
    here = _who(played, trace.places[step.node])
    window = f": alpha {end(step.alpha)}, beta {end(step.beta)}" if trace.method is not Method.MINIMAX else ""
    match step:
        case Enter(end=None):
            return f"{here}{window}"
        case Enter():
            found = {"leaf": "", "end": "the game is over, ", "estimate": "estimated ", "table": "from the table, "}
            sign = {None: "", Bound.LOWER: "≥ ", Bound.UPPER: "≤ "}[step.bound]
            return f"{here}: {found[step.end or 'leaf']}{sign}{number(step.value or 0)}"
        case Update():
            return f"{here} = {number(step.value)}{window}"
        case Cut():
            return f"{here}: {why(trace, step)}: the rest ({names(_skipped(trace, step))}) cannot change the result"


def _who(played: Played, place: Place) -> str:
    """The name of a node."""
    role = "Leaf" if place.maximizing is None else "MAX" if place.maximizing else "MIN"
    if played.game:
        return f"{role} after {place.name or place.move}" if place.move else role
    return f"{role} {place.name}" if place.name else role


def _skipped(trace: Trace, cut: Cut) -> tuple[str, ...]:
    """The cut part: the names or values of nodes, or the moves."""
    children = {place.move: place for place in trace.places if place.parent == cut.node}
    return tuple(
        shown if place is None or place.value is None else place.name or number(place.value)
        for shown, place in zip(cut.names or cut.moves, map(children.get, cut.moves), strict=True)
    )
