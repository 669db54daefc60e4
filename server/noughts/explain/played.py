"""A trace with its captions, its steps in words, and its JSON. Pure; does no I/O."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from noughts.engine import Trace, as_object
from noughts.engine.analysis import Bound
from noughts.engine.trace import Cut, Enter, Place, Step, Update
from noughts.explain.drawing import condition, names, number


@dataclass(frozen=True, slots=True)
class Played:
    """A trace to be played. ``subject`` are the fields that say of what; ``title`` and ``key`` are as in a drawing."""

    trace: Trace
    subject: dict[str, str]
    title: str
    key: str


def as_json(played: Played) -> str:
    """One JSON object, described in docs/solving.md."""
    return json.dumps(played.subject | as_object(played.trace))


def who(place: Place) -> str:
    """What a node is called in the words for a step."""
    role = "leaf" if place.maximizing is None else "MAX" if place.maximizing else "MIN"
    name = place.name or (place.move if place.position is not None else None)
    return f"{role} {name}" if name else role


def end(value: float) -> str:
    """A value or the end of a window."""
    return number(value) if math.isfinite(value) else "∞" if value > 0 else "-∞"


def words(trace: Trace, step: Step) -> str:
    """What happens in ``step``."""
    place = trace.places[step.node]
    here = who(place)
    window = f"alpha {end(step.alpha)}, beta {end(step.beta)}"
    pruning = trace.method != "minimax"
    match step:
        case Enter(end=None):
            return f"{here}: {window}" if pruning else here
        case Enter():
            sign = {None: "", Bound.LOWER: "≥ ", Bound.UPPER: "≤ "}[step.bound]
            found = {"leaf": "", "end": "the game is over, ", "estimate": "estimated, ", "table": "from the table, "}
            return f"{here}: {found[step.end or 'leaf']}{sign}{number(step.value or 0)}"
        case Update():
            return f"{here} = {number(step.value)}" + (f": {window}" if pruning else "")
        case Cut():
            why = condition(step.alpha, step.beta, maximizing=bool(place.maximizing), strict=trace.strict)
            return f"{here}: {why}: the rest ({names(_skipped(trace, step))}) cannot change the result"


def _skipped(trace: Trace, cut: Cut) -> tuple[str, ...]:
    """What was cut: the names or values of nodes, or the moves."""
    children = {place.move: place for place in trace.places if place.parent == cut.node}
    return tuple(
        move if place is None or place.value is None else place.name or number(place.value)
        for move, place in ((move, children.get(move)) for move in cut.moves)
    )
