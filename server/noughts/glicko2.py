"""Glicko-2 ratings. Pure; does no I/O.

After M. E. Glickman, "Example of the Glicko-2 system", http://www.glicko.net/glicko/glicko2.pdf: the variable
names are those of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt

TAU = 0.5
"""The change that the volatility may take; the paper has 0.3 to 1.2, and 0.5 in its example."""

SCALE = 173.7178
"""One unit of the paper's internal scale in points, 400 / ln 10."""

GREATEST_DEVIATION = 350.0
"""The deviation of a player without games, and the greatest there is."""

PROVISIONAL = 110.0
"""A rating with a greater deviation is provisional: it may be off by 220 points."""

TOLERANCE = 1e-6
"""The tolerance for the logarithm of the new volatility's square."""


@dataclass(frozen=True, slots=True)
class Rating:
    """An estimate of a player's strength, in points as in Elo's system.

    The true strength is within two ``deviation`` (more than 0, at most 350) of ``rating`` with a probability of 95 %.
    ``volatility`` is how much it fluctuates.
    """

    rating: float = 1500.0
    deviation: float = GREATEST_DEVIATION
    volatility: float = 0.06


def provisional(deviation: float) -> bool:
    """True if a rating with this deviation is provisional."""
    return deviation > PROVISIONAL


def after(player: Rating, games: Sequence[tuple[Rating, float]]) -> Rating:
    """The rating of ``player`` after one rating period with ``games``, at least one.

    Each game is the opponent's rating before the period and the player's score: 1 for a win, 1/2 a draw, 0 a loss.
    """
    mu, phi = _scaled(player)
    information = 0.0  # 1 / v
    surprise = 0.0  # delta / v
    for opponent, score in games:
        mu_j, phi_j = _scaled(opponent)
        g = 1 / sqrt(1 + 3 * phi_j**2 / pi**2)
        # E and 1 - E: computing one from the other loses precision for great differences.
        win, loss = 1 / (1 + exp(g * (mu_j - mu))), 1 / (1 + exp(g * (mu - mu_j)))
        information += g * g * win * loss
        surprise += g * (score * loss - (1 - score) * win)
    v = 1 / information
    volatility = _volatility(phi, player.volatility, v, v * surprise)
    phi = 1 / sqrt(1 / (phi**2 + volatility**2) + information)
    return Rating(player.rating + SCALE * phi**2 * surprise, min(SCALE * phi, GREATEST_DEVIATION), volatility)


def _scaled(rating: Rating) -> tuple[float, float]:
    return (rating.rating - 1500) / SCALE, rating.deviation / SCALE


def _volatility(phi: float, sigma: float, v: float, delta: float) -> float:
    """The new volatility: step 5 of the paper, by the Illinois algorithm."""
    a = log(sigma**2)
    known = phi**2 + v

    def f(x: float) -> float:
        variance = known + exp(x)
        return exp(x) * (delta**2 - variance) / (2 * variance * variance) - (x - a) / TAU**2

    low = a
    if delta**2 > known:
        high = log(delta**2 - known)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        high = a - k * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)
