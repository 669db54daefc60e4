"""Players' ratings from their results against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

POINTS = 400 / math.log(10)
"""Rating points per unit of the logarithm of the odds."""

ROUNDS = 100
"""The most rounds of Newton's method."""


def fit(
    players: Sequence[str], results: Mapping[tuple[str, str], tuple[int, int, int]], anchor: str
) -> dict[str, tuple[float, float]]:
    """The rating of each of ``players``, in points above ``anchor``'s, and half the width of its 95 % interval.

    ``results`` has the games won, drawn and lost by the first of two players against the second. The ratings are the
    maximum likelihood estimate of the Bradley-Terry model (R. Bradley and M. Terry, *Rank Analysis of Incomplete Block
    Designs*, 1952), with a draw as half a win. Two drawn games are added between neighbours in ``players``, so that a
    player who won every game has a rating too. The intervals are from the information matrix, which assumes that games
    are independent. That is cautious, because draws, and two games from one opening, vary less.
    """
    games = np.zeros((len(players), len(players)))
    points = np.zeros_like(games)
    for here in range(len(players) - 1):
        there = here + 1
        games[here, there] = games[there, here] = 2
        points[here, there] = points[there, here] = 1
    for (player, opponent), (won, drawn, lost) in results.items():
        here, there = players.index(player), players.index(opponent)
        games[here, there] += won + drawn + lost
        games[there, here] += won + drawn + lost
        points[here, there] += won + drawn / 2
        points[there, here] += lost + drawn / 2
    free = [index for index, player in enumerate(players) if player != anchor]
    strengths = np.zeros(len(players))
    for _ in range(ROUNDS):
        expected = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        weights = games * expected * (1 - expected)
        information = (np.diag(weights.sum(axis=1)) - weights)[np.ix_(free, free)]
        step = np.linalg.solve(information, (points - games * expected).sum(axis=1)[free])
        strengths[free] += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    errors = np.zeros(len(players))
    errors[free] = 1.96 * np.sqrt(np.diag(np.linalg.inv(information)))
    return {
        player: (float(strength) * POINTS, float(error) * POINTS)
        for player, strength, error in zip(players, strengths, errors, strict=True)
    }
