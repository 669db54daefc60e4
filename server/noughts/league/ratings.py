"""Players' ratings from their results against each other. Pure; does no I/O, and needs no numpy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

POINTS = 400 / math.log(10)
"""Rating points per unit of the logarithm of the odds."""

ROUNDS = 100
"""The most rounds of Newton's method."""

Matrix = list[list[float]]


class Meeting(NamedTuple):
    """The score of one player against another in ``games`` games that belong together: a pair on one opening, or one
    game.

    ``points`` are ``player``'s: 1 for a win, 1/2 for a draw.
    """

    player: str
    opponent: str
    points: float
    games: int


class Rating(NamedTuple):
    """A rating in Elo, and half the width of its 95 % interval."""

    elo: float
    error: float


def fit(
    players: Sequence[str], meetings: Iterable[Meeting], anchor: str | None = None, *, prior: float = 4
) -> dict[str, Rating]:
    """The rating of each of ``players``: in points above ``anchor``'s, or above the mean of all without an anchor.

    The ratings are the maximum likelihood estimate of the Bradley-Terry model (R. Bradley and M. Terry, *Rank Analysis
    of Incomplete Block Designs*, 1952), with a draw as half a win. Before the results every two of n players count as
    having shared ``prior / n`` games, of two players two; so a player who won every game has a rating, too. With a
    ``prior`` of 0 the meetings must connect all players, and nobody may have won or lost everything.

    The intervals take a meeting as one observation, because its games share an opening: their variance is estimated
    from the meetings' residuals (P. Huber, *The behavior of maximum likelihood estimates under nonstandard
    conditions*, 1967). With two players that is the variance of the pentanomial distribution.

    Raises ValueError for fewer than two players, for a meeting of anybody else, and if nothing connects the players.
    """
    if len(players) < 2:
        raise ValueError("ratings compare at least two players")
    place = {player: index for index, player in enumerate(players)}
    meetings = list(meetings)
    if unknown := {name for each in meetings for name in each[:2]} - {*place}:
        raise ValueError(f"not among the players: {', '.join(sorted(unknown))}")
    seen = Counter((place[each.player], place[each.opponent], each.points, each.games) for each in meetings)
    size = len(players)
    shared = prior / size
    games = [[0.0 if here == there else shared for there in range(size)] for here in range(size)]
    points = [shared / 2 * (size - 1)] * size
    for (here, there, got, played), count in seen.items():
        games[here][there] += played * count
        games[there][here] += played * count
        points[here] += got * count
        points[there] += (played - got) * count
    strengths = _likeliest(games, points)
    spread = _covariance(games, strengths, seen, shared)
    weights = [1 / size] * size if anchor is None else [float(player == anchor) for player in players]
    origin = sum(weight * strength for weight, strength in zip(weights, strengths, strict=True))
    towards = [sum(w * each for w, each in zip(weights, row, strict=True)) for row in spread]
    own = sum(w * each for w, each in zip(weights, towards, strict=True))
    return {
        player: Rating(
            (strengths[i] - origin) * POINTS, 1.96 * math.sqrt(max(0.0, spread[i][i] - 2 * towards[i] + own)) * POINTS
        )
        for i, player in enumerate(players)
    }


def _likeliest(games: Matrix, points: Sequence[float]) -> list[float]:
    """The strengths with the greatest likelihood, by Newton's method. The last one is 0."""
    strengths = [0.0] * len(games)
    for _ in range(ROUNDS):
        expected = _expected(strengths)
        missing = [
            got - sum(n * share for n, share in zip(*rows, strict=True))
            for got, *rows in zip(points, games, expected, strict=True)
        ]
        steps = _solve(_information(games, expected), [[each] for each in missing[:-1]])
        for index, (step,) in enumerate(steps):
            strengths[index] += max(-1.0, min(1.0, step))
        if max(abs(step) for (step,) in steps) < 1e-9:
            break
    return strengths


def _covariance(
    games: Matrix, strengths: Sequence[float], seen: Counter[tuple[int, int, float, int]], shared: float
) -> Matrix:
    """The covariance of the strengths: the inverse information around the squared residuals of the meetings."""
    size, expected = len(games), _expected(strengths)
    squares = [[0.0] * size for _ in range(size)]

    def observe(here: int, there: int, square: float) -> None:
        squares[here][here] += square
        squares[there][there] += square
        squares[here][there] -= square
        squares[there][here] -= square

    for (here, there, got, played), count in seen.items():
        observe(here, there, count * (got - played * expected[here][there]) ** 2)
    for here in range(size):
        for there in range(here):
            share = expected[here][there]  # one half of the shared games is won, the other lost
            observe(here, there, shared / 2 * ((1 - share) ** 2 + share**2))
    inverse = _solve(_information(games, expected), [[float(i == j) for j in range(size - 1)] for i in range(size - 1)])
    within = [row[:-1] for row in squares[:-1]]
    found = _product(_product(inverse, within), inverse)
    return [[*row, 0.0] for row in found] + [[0.0] * size]


def _expected(strengths: Sequence[float]) -> Matrix:
    """The share of points that each player can expect against each other one."""
    return [[1 / (1 + math.exp(there - here)) for there in strengths] for here in strengths]


def _information(games: Matrix, expected: Matrix) -> Matrix:
    """Fisher's information about all strengths but the last."""
    rows = []
    for index, (row, shares) in enumerate(zip(games[:-1], expected[:-1], strict=True)):
        weights = [n * share * (1 - share) for n, share in zip(row, shares, strict=True)]
        rows.append([-weight for weight in weights[:-1]])
        rows[-1][index] = sum(weights)
    return rows


def _solve(matrix: Matrix, right: Matrix) -> Matrix:
    """X in ``matrix`` X = ``right``, by elimination. The matrix must be positive definite, so no row is exchanged."""
    size = len(matrix)
    rows = [[*left, *rest] for left, rest in zip(matrix, right, strict=True)]
    for pivot in range(size):
        scale = rows[pivot][pivot]
        if scale <= 0:
            raise ValueError("the meetings do not connect all players")
        chosen = rows[pivot] = [each / scale for each in rows[pivot]]
        for index in range(size):
            factor = rows[index][pivot]
            if index != pivot and factor:
                rows[index] = [each - factor * own for each, own in zip(rows[index], chosen, strict=True)]
    return [row[size:] for row in rows]


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[sum(map(float.__mul__, row, column)) for column in columns] for row in left]
