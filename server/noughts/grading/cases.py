"""The positions in which a search is graded, and what is right there. Pure; does no I/O."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import inf
from typing import Literal

from noughts.engine import Engine, Interrupt, Limits, Method
from noughts.engine.grow import Plan, Score, TooLarge, grow, maximizer_of, scoring
from noughts.games import Game, Position
from noughts.games.symmetry import canonical, turns_of

Values = Literal["result", "depth"]
"""The meaning of a value: 1, 0 or -1 (any number of that sign will do), or ``game.win`` - d for a win in d plies and so
on."""

Cut = Literal[">=", ">"]
"""The condition of a cut in alpha-beta: once alpha >= beta, or only once alpha > beta."""

MOST_POSITIONS = 2000
"""A game with more, up to symmetry, is graded in a sample."""

LARGEST_TREE = 3000
"""Nodes: a sample has positions from which minimax visits at most so many, in much less than a second."""


Stop = Literal["", "win", "immediate", "first"]
"""The places where a search also stops: nowhere, at a move that wins, at one that wins at once, or it first looks for
one."""

STOPS: Mapping[Stop, str] = {
    "": "",
    "win": " and stops at a move that wins",
    "immediate": " and stops at a move that wins at once",
    "first": " and looks first for a move that wins at once",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule by which a search is to visit positions and to value them, see :data:`Values`, :data:`Cut` and
    :data:`Stop`.

    ``finer``: its own values prefer sooner wins, though only results are asked for, so it cuts less.
    """

    method: Method
    cut: Cut = ">="
    values: Values = "result"
    stop: Stop = ""
    finer: bool = False

    def __str__(self) -> str:
        if self.method is Method.MINIMAX:
            return f"minimax{STOPS[self.stop].replace(' and', ' that', 1)}"
        when = f"alpha-beta that cuts at alpha {self.cut} beta{STOPS[self.stop]}"
        return f"{when}, with sooner wins worth more" if self.by_depth else when

    @property
    def by_depth(self) -> bool:
        """True if it searches with sooner wins worth more."""
        return self.values == "depth" or self.finer


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
        form = (position.to_move, canonical(game, position, turns)) if turns else position
        return known.setdefault(form, position)

    found = _reachable(game, shown)
    complete = found is not None
    positions = found if found is not None else _sample(game, most, seed)
    return Cases(tuple(sorted(positions, key=lambda one: -one.ply)), complete, shown)


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
        grow(position, Plan(results(position), Method.MINIMAX, keep=0, most=LARGEST_TREE))
    except TooLarge:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Right:
    """The right answer in a position: its value for the side to move, and the best moves, in board order.

    ``same_result`` are the moves with the right result, won, drawn or lost, however soon.
    """

    value: int
    best: tuple[str, ...]
    same_result: tuple[str, ...]


def right(engine: Engine, position: Position, values: Values) -> Right:
    """The right answer in ``position``, which ``engine`` can search to the end."""
    found = engine.analyse(position, Limits(), Interrupt())
    assert found.exact
    value = sign(found.value)
    same = tuple(move for move, one in found.moves.items() if sign(one.value) == value)
    return Right(found.value, found.best, same) if values == "depth" else Right(value, same, same)


def sign(value: float) -> int:
    """1, 0 or -1."""
    return (value > 0) - (value < 0)


@lru_cache(maxsize=4096)
def visited(game: Game, position: Position, rule: Rule) -> tuple[str, ...]:
    """The positions that a search by ``rule`` visits from ``position``, each by the moves that lead there, sorted.

    It searches moves in the game's order, with an infinite window at first, for the value of ``position`` alone.
    """
    return tuple(sorted(visited_in_order(game, position, rule, {})))


def visited_in_order(game: Game, root: Position, rule: Rule, order: Mapping[str, Sequence[str]]) -> set[str]:
    """As :func:`visited`, of a search that takes moves in the ``order`` by the line to a node, then in the game's."""
    score = scoring(game, root, None) if rule.by_depth else results(root)
    lines: set[str] = set()
    maximizer = maximizer_of(root)
    strict = rule.cut == ">"

    def visit(position: Position, line: str, depth: int, low: float, high: float) -> float:
        lines.add(line)
        end = score(position, depth)
        if end is not None:
            return end.value
        maximizing = position.to_move is maximizer
        value = -inf if maximizing else inf
        moves = dict.fromkeys((*order.get(line, ()), *position.legal_moves))
        children = [(f"{line} {move}".strip(), position.play(move)) for move in moves]
        if rule.stop == "first":
            for name, child in children:
                lines.add(name)
                if _wins(child, position):
                    return visit(child, name, depth + 1, low, high)
        for name, child in children:
            found = visit(child, name, depth + 1, low, high)
            value = max(value, found) if maximizing else min(value, found)
            if rule.stop == "win" and (value > 0 if maximizing else value < 0):
                break
            if rule.stop == "immediate" and _wins(child, position):
                break
            if rule.method is not Method.MINIMAX:
                low, high = (max(low, value), high) if maximizing else (low, min(high, value))
                if low > high if strict else low >= high:
                    break
        return value

    visit(root, "", 0, -inf, inf)
    return lines


def _wins(child: Position, position: Position) -> bool:
    return child.outcome is not None and child.outcome.winner is position.to_move


def results(root: Position) -> Callable[[Position, int], Score | None]:
    maximizer = maximizer_of(root)

    def score(position: Position, depth: int) -> Score | None:  # noqa: ARG001  # a Plan passes it
        outcome = position.outcome
        if outcome is None:
            return None
        return Score(0 if outcome.winner is None else 1 if outcome.winner is maximizer else -1)

    return score


@cache
def tree_size(position: Position) -> int:
    """The number of positions minimax visits from ``position``."""
    return 1 + sum(tree_size(position.play(move)) for move in position.legal_moves)


def is_prunable(game: Game, position: Position, rule: Rule) -> bool:
    """True if a search by ``rule`` cuts something from ``position``; minimax never could, so it counts everywhere."""
    return rule.method is Method.MINIMAX or len(visited(game, position, rule)) < tree_size(position)


def stopping_rules(rule: Rule) -> Iterator[Rule]:
    """``rule`` for searches that stop at a win: they save visits, and find the same."""
    for stop in STOPS:
        if stop and not (stop == "win" and rule.by_depth):
            yield replace(rule, stop=stop)


def innocent_rules(rule: Rule) -> Iterator[Rule]:
    """``rule`` and those that are as good: they stop at a win, or prefer sooner wins though that is not asked for."""
    yield rule
    yield from stopping_rules(rule)
    if rule.method is not Method.MINIMAX and not rule.by_depth:
        yield replace(rule, finer=True)
        yield from stopping_rules(replace(rule, finer=True))


def other_rules(rule: Rule) -> Iterator[Rule]:
    """The other ways to visit positions that a student may have meant."""
    rules = (
        Rule(Method.MINIMAX),
        *(Rule(Method.ALPHA_BETA, cut, values) for cut in (">=", ">") for values in ("result", "depth")),
    )
    yield from (other for other in rules if other != rule)
    yield from (stopping for other in rules if other != rule for stopping in stopping_rules(other))
