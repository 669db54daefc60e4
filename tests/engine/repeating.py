"""A small random game in which positions repeat, and the true values of its moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from noughts.games import GAMES, Game, Heuristic, Outcome, Position, Side

WIN = 100


@dataclass(frozen=True)
class Graph:
    """Places and the places to which a move leads from there.

    Who moves does not always alternate. At an ``end`` a side has won, or nobody. A place that comes up for the
    ``most``-th time ends the game too: it is a draw, or ``by_repetition`` says who wins. The side to move may claim a
    draw at a place that comes up for the ``claimed``-th time.
    """

    movers: tuple[Side, ...]
    ways: tuple[tuple[int, ...], ...]
    ends: tuple[tuple[int, Side | None], ...]
    most: int
    claimed: int
    by_repetition: Side | None


@dataclass(frozen=True)
class Place:
    """A position: equal at the same place, whatever came before."""

    graph: Graph = field(compare=False)
    at: int
    before: tuple[int, ...] = field(default=(), compare=False)
    rows = ("",)
    text = ""

    @property
    def times(self) -> int:
        return self.before.count(self.at) + 1

    @property
    def ply(self) -> int:
        return len(self.before)

    @property
    def outcome(self) -> Outcome | None:
        for place, winner in self.graph.ends:
            if place == self.at:
                return Outcome(winner, "end")
        return Outcome(self.graph.by_repetition, "repetition") if self.times >= self.graph.most else None

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome else self.graph.movers[self.at]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return () if self.outcome else tuple(map(str, self.graph.ways[self.at]))

    def play(self, move: str) -> Place:
        return Place(self.graph, int(move), (*self.before, self.at))


def random_graph(rng: random.Random, *, alternating: bool) -> Graph:
    """Seven places, and two ends, a win and any end, which few ways lead to."""
    places, ends = range(7), ((7, rng.choice(tuple(Side))), (8, rng.choice((*Side, None))))
    movers = tuple(tuple(Side)[place % 2 if alternating else rng.randint(0, 1)] for place in places)
    ways = []
    for place in places:
        others = [other for other in places if other != place and (not alternating or (other + place) % 2)]
        found = rng.sample(others, rng.randint(1, 3))
        if rng.random() < 0.3:
            found.append(rng.choice((7, 8)))
        ways.append(tuple(rng.sample(found, len(found))))
    most = rng.choice((2, 3))
    return Graph(movers, tuple(ways), ends, most, rng.choice((2, 3)), rng.choice((None, *Side)))


def claim(position: Place) -> str | None:
    """See :class:`Graph`."""
    return "repetition" if position.outcome is None and position.times >= position.graph.claimed else None


def evaluate(position: Place) -> int:
    """A meaningless estimate."""
    return position.at * 7 % 11 - 5


def game_of(graph: Graph, noisy: Callable[[Place], tuple[str, ...]] | None) -> Game:
    """The game on ``graph``, from its place 0."""
    return Game(
        "repeating",
        "Repeating",
        GAMES["tictactoe"].first,
        GAMES["tictactoe"].second,
        ((),),
        Place(graph, 0),
        Place,  # type: ignore[arg-type]  # never called
        claim=claim,
        repeats=True,
        win=WIN,
        heuristic=Heuristic(evaluate, 5, noisy=noisy),
    )


class Truth:
    """Plain minimax over positions with all of their history, in which claiming a draw is a move."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}

    def value(self, position: Position) -> tuple[int, int]:
        """The result for the first side, 1, 0 or -1, and the plies to it with best play, 0 for a draw."""
        assert isinstance(position, Place)
        outcome = position.outcome
        if outcome is not None:
            return (0 if outcome.winner is None else 1 if outcome.winner is Side.FIRST else -1), 0
        key = (position.at, tuple(sorted(position.before)))
        if key not in self.known:
            sign = 1 if position.to_move is Side.FIRST else -1
            found = [self.value(position.play(move)) for move in position.legal_moves]
            after = [(result, plies + 1 if result else 0) for result, plies in found]
            if claim(position) is not None:
                after.append((0, 0))
            self.known[key] = max(after, key=lambda each: worth(each, sign))
        return self.known[key]


def worth(each: tuple[int, int], sign: int) -> int:
    """A result and the plies to it as an engine's value: ``sign`` is 1 for the first side, -1 for the second."""
    result, plies = each
    return sign * result * (WIN - plies)
