"""The iterations of a Monte-Carlo tree search, for lectures. Pure; does no I/O, and a seed decides the playouts.

It is the engine's own search without its additions: each iteration selects by the bounds of UCB1, adds a node, plays at
random to the end, and backs the result up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from noughts.engine.mcts import PLAYOUT_PLIES, Node, iterate
from noughts.engine.minimax import never
from noughts.engine.steps import Place, place_object
from noughts.engine.trace import is_drawn, pictured
from noughts.games import Game, Position

MOST_ITERATIONS = 200
"""More would be too long for a message, in games with many moves."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """A search by so many playouts, 1 to :data:`MOST_ITERATIONS`, which ``seed`` decides."""

    iterations: int = 50
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Term:
    """A child in a selection: the mean of its results, from 0 to 1 for the side to move, and its exploration."""

    child: int
    mean: float
    bonus: float


@dataclass(frozen=True, slots=True)
class Select:
    """The search goes from ``node`` down to ``child``, the sum of whose :class:`Term` is the greatest."""

    node: int
    child: int
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Expand:
    """``node`` is new in the tree."""

    node: int


@dataclass(frozen=True, slots=True)
class Playout:
    """A game from ``node`` to its end by random ``moves``, none if it is over there.

    ``value`` is its result for the maximizer, 1, 1/2 or 0; ``rows`` are of the last position, empty if the board is
    large.
    """

    node: int
    moves: tuple[str, ...]
    value: float
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackUp:
    """``node`` and all nodes above it have one playout more, with this result for the maximizer."""

    node: int
    value: float


Iterated = Select | Expand | Playout | BackUp


@dataclass(frozen=True, slots=True)
class Sampled:
    """The steps of a search by playouts, and its tree. ``playouts`` are how many there were, ``best`` is the move with
    the most, None if the game is over. ``notes`` say what is left out.
    """

    sampling: Sampling
    places: tuple[Place, ...]
    steps: tuple[Iterated, ...]
    best: str | None
    playouts: int
    notes: tuple[str, ...] = ()


def trace_playouts(game: Game, position: Position, sampling: Sampling, stop: Callable[[], bool] = never) -> Sampled:
    """Trace a search of ``game`` from ``position``. Values are for the side to move there, the maximizer."""
    recorder = _Recorder(game)
    recorder.places.append(pictured(Place(None, 0, None, True if position.to_move else None), game, None, position))
    root = iterate(game, position, sampling.iterations, recorder, seed=sampling.seed, stop=stop)
    best = max(root.children, key=lambda child: child.visits, default=None)
    notes = []
    if root.visits < sampling.iterations and position.outcome is None:
        notes.append(f"The search was stopped after {root.visits:,} of {sampling.iterations:,} playouts.")
    if recorder.endless:
        notes.append(f"A playout that has not ended after {PLAYOUT_PLIES} plies counts as a draw.")
    move = None if best is None else best.move
    return Sampled(sampling, tuple(recorder.places), tuple(recorder.steps), move, root.visits, tuple(notes))


def sampled_object(sampled: Sampled) -> dict[str, Any]:
    """The steps as the protocol tells them. Means are rounded."""
    return {
        "seed": sampled.sampling.seed,
        "playouts": sampled.playouts,
        "best": sampled.best,
        "notes": list(sampled.notes),
        "nodes": [place_object(place) for place in sampled.places],
        "steps": [_step_object(step) for step in sampled.steps],
    }


def _step_object(step: Iterated) -> dict[str, Any]:
    match step:
        case Select():
            terms = [
                {"child": each.child, "mean": round(each.mean, 4), "bonus": round(each.bonus, 4)} for each in step.terms
            ]
            return {"step": "select", "node": step.node, "child": step.child, "terms": terms}
        case Expand():
            return {"step": "expand", "node": step.node}
        case Playout():
            played = {"step": "playout", "node": step.node, "moves": list(step.moves), "value": step.value}
            return played | {"rows": list(step.rows)} if step.rows else played
        case BackUp():
            return {"step": "back_up", "node": step.node, "value": step.value}


@dataclass(slots=True)
class _Recorder:
    """Makes steps of what a search tells. ``leaf`` is the place to which the present iteration has come."""

    game: Game
    places: list[Place] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)
    steps: list[Iterated] = field(default_factory=list)
    leaf: int = 0
    endless: bool = False

    def select(self, node: Node, child: Node, terms: Sequence[tuple[Node, float, float]]) -> None:
        told = tuple(Term(self.numbers[each], mean, bonus) for each, mean, bonus in terms)
        self.leaf = self.numbers[child]
        self.steps.append(Select(self.numbers.get(node, 0), self.leaf, told))

    def expand(self, node: Node, child: Node) -> None:
        before, position = node.position, child.position
        maximizing = None if position.to_move is None else child.maximizing
        place = Place(self.numbers.get(node, 0), before.legal_moves.index(child.move), child.move, maximizing)
        self.leaf = self.numbers[child] = len(self.places)
        self.places.append(pictured(place, self.game, before, position))
        self.steps.append(Expand(self.leaf))

    def playout(self, moves: Sequence[str], end: Position, result: float) -> None:
        self.endless |= end.outcome is None
        self.steps.append(Playout(self.leaf, tuple(moves), result, end.rows if is_drawn(end) else ()))

    def back_up(self, path: Sequence[Node], result: float) -> None:
        self.steps.append(BackUp(self.numbers[path[-1]], result))
