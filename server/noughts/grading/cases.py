"""The positions in which a search is graded, and what is right there. Pure; does no I/O."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from noughts.engine import Engine, Interrupt, Limits, Method
from noughts.engine.grow import Node, Plan, Score, TooLarge, grow, maximizer_of, scoring
from noughts.explain.fold import Turns, canonical, turns_of
from noughts.games import Game, Position

Values = Literal["result", "depth"]
"""What a value is: 1, 0 or -1 (any number of that sign will do), or ``game.win`` - d for a win in d plies and so on."""

Cut = Literal[">=", ">"]
"""When alpha-beta cuts: once alpha >= beta, or only once alpha > beta."""

MOST_POSITIONS = 2000
"""A game with more, up to symmetry, is graded in a sample."""

LARGEST_TREE = 3000
"""Nodes: a sample has positions from which minimax visits at most so many, in much less than a second."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a search is to visit positions and what its values are, see :data:`Values` and :data:`Cut`."""

    method: Method
    cut: Cut = ">="
    values: Values = "result"

    def __str__(self) -> str:
        if self.method is Method.MINIMAX:
            return "minimax"
        when = f"alpha-beta that cuts at alpha {self.cut} beta"
        return f"{when}, with sooner wins worth more" if self.values == "depth" else when


@dataclass(frozen=True, slots=True)
class Cases:
    """Positions that are not over, those nearest to the end of the game first.

    ``complete``: these are all positions that play can reach, up to symmetry. ``shown`` maps any of the game's
    positions to the one among its reflections that stands for it.
    """

    positions: tuple[Position, ...]
    complete: bool
    shown: Callable[[Position], Position]


def cases(game: Game, most: int, seed: int) -> Cases:
    """All positions of a small game, or a sample of at most ``most``, the same for the same ``seed``."""
    turns = turns_of(game)
    known: dict[object, Position] = {}

    def shown(position: Position) -> Position:
        return known.setdefault(_form(game, position, turns), position)

    found = _reachable(game, shown)
    complete = found is not None
    positions = found if found is not None else _sample(game, most, seed)
    return Cases(tuple(sorted(positions, key=lambda one: -one.ply)), complete, shown)


def _form(game: Game, position: Position, turns: Turns) -> object:
    return (position.to_move, canonical(game, position, turns)) if turns else position


def _reachable(game: Game, shown: Callable[[Position], Position]) -> list[Position] | None:
    """All positions up to symmetry that are not over, None if they are too many."""
    found = {shown(game.start): None}
    layer = list(found)
    while layer:
        after = dict.fromkeys(shown(one.play(move)) for one in layer for move in one.legal_moves)
        layer = [one for one in after if one.outcome is None]
        found.update(dict.fromkeys(layer))
        if len(found) > MOST_POSITIONS:
            return None
    return list(found)


def _sample(game: Game, most: int, seed: int) -> list[Position]:
    """Positions late in random games, each searched to its end by minimax in at most :data:`LARGEST_TREE` nodes."""
    rng = random.Random(seed)
    found: dict[Position, None] = {}
    for _ in range(most * 3):
        if len(found) == most:
            break
        line = [game.start]
        while line[-1].outcome is None:
            line.append(line[-1].play(rng.choice(line[-1].legal_moves)))
        small = []
        for position in reversed(line[:-1]):
            if not _is_small(position):
                break
            small.append(position)
        if small:
            found[rng.choice(small)] = None
    return list(found)


def _is_small(position: Position) -> bool:
    try:
        grow(position, Plan(_results(position), Method.MINIMAX, keep=0, most=LARGEST_TREE))
    except TooLarge:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Right:
    """What is right in a position: its value for the side to move, and the best moves, in board order."""

    value: int
    best: tuple[str, ...]


def right(engine: Engine, position: Position, values: Values) -> Right:
    """What is right in ``position``, which ``engine`` can search to the end."""
    found = engine.analyse(position, Limits(), Interrupt())
    assert found.exact
    if values == "depth":
        return Right(found.value, found.best)
    value = _sign(found.value)
    return Right(value, tuple(move for move, one in found.moves.items() if _sign(one.value) == value))


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def visited(game: Game, position: Position, rule: Rule) -> list[str]:
    """The positions that a search by ``rule`` visits from ``position``, each by the moves that lead there, sorted.

    It searches moves in the game's order, with an infinite window at first, for the value of ``position`` alone.
    """
    walker = _Walker()
    score = scoring(game, position, None) if rule.values == "depth" else _results(position)
    grow(position, Plan(score, rule.method, every_move=False, keep=0, strict=rule.cut == ">", watcher=walker))
    return sorted(walker.lines)


def _results(root: Position) -> Callable[[Position, int], Score | None]:
    maximizer = maximizer_of(root)

    def score(position: Position, depth: int) -> Score | None:  # noqa: ARG001  # a Plan passes it
        outcome = position.outcome
        if outcome is None:
            return None
        return Score(0 if outcome.winner is None else 1 if outcome.winner is maximizer else -1)

    return score


class _Walker:
    """Notes the line to each node that a search enters."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._path: list[str] = []

    def enter(self, node: Node | None, position: Position, move: str | None, window: tuple[float, float]) -> None:  # noqa: ARG002
        before = self._path[-1] if self._path else ""
        line = f"{before} {move}" if before else move or ""
        self.lines.append(line)
        self._path.append(line)

    def update(self, value: float, window: tuple[float, float]) -> None:  # noqa: ARG002
        self._path.pop()

    def cut(self, moves: tuple[str, ...]) -> None:
        pass


@cache
def tree_size(position: Position) -> int:
    """How many positions minimax visits from ``position``."""
    return 1 + sum(tree_size(position.play(move)) for move in position.legal_moves)


def is_prunable(game: Game, position: Position, rule: Rule) -> bool:
    """Whether a search by ``rule`` cuts something from ``position``; minimax never could, so it counts everywhere."""
    return rule.method is Method.MINIMAX or len(visited(game, position, rule)) < tree_size(position)


def other_rules(rule: Rule) -> Iterator[Rule]:
    """The other ways to visit positions that a student may have meant."""
    yield from (
        other
        for other in (
            Rule(Method.MINIMAX),
            *(Rule(Method.ALPHA_BETA, cut, values) for cut in (">=", ">") for values in ("result", "depth")),
        )
        if other != rule
    )
