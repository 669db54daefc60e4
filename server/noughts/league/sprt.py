"""The sequential probability ratio test of two players, on pairs of games. Pure; does no I/O.

It is the generalized test on the pentanomial distribution of a pair's points, in logistic Elo, as in fishtest and
fastchess: M. Van den Bergh, *A practical introduction to the GSPRT* and *The MLE of a multinomial distribution with
given expectation* (Proposition 1.1), cantate.be/Fishtest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from noughts.league.pairing import points_of
from noughts.league.records import LeagueRecord, Record

Pentanomial: TypeAlias = tuple[int, int, int, int, int]
"""The numbers of pairs of games that brought a player 0, 1/2, 1, 1 1/2 and 2 points."""

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The share of a pair's points, for each of the counts."""

REGULAR = 1e-3
"""The number that a count of 0 is taken for, so that no result is impossible; the published implementations use the
same."""

WIDEST = 1000
"""The greatest Elo difference that may be tested."""


@dataclass(frozen=True)
class SprtState:
    """The state of a test. ``decision`` is None until ``llr`` has left the interval from ``lower`` to ``upper``."""

    decision: Literal["H0", "H1"] | None
    llr: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Sprt:
    """The hypotheses that a player is ``elo0`` (H0) or ``elo1`` (H1) logistic Elo stronger than the other.

    ``alpha`` is the probability of accepting H1 where H0 holds, ``beta`` of accepting H0 where H1 holds. Raises
    ValueError unless -1000 <= elo0 < elo1 <= 1000 and both probabilities are between 0 and 1/2.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -WIDEST <= self.elo0 < self.elo1 <= WIDEST:
            raise ValueError(f"elo0 must be less than elo1, and both from -{WIDEST} to {WIDEST}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must be between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which H0 and H1 are accepted (A. Wald, *Sequential Analysis*, 1947)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pentanomial) -> float:
        """The generalized log likelihood ratio of H1 to H0; 0 before the first pair."""
        if not any(pairs):
            return 0.0
        counts = [count or REGULAR for count in pairs]
        total = sum(counts)
        shares = [count / total for count in counts]
        likely0, likely1 = (_most_likely(shares, expected(elo)) for elo in (self.elo0, self.elo1))
        return sum(
            count * (math.log(one) - math.log(zero)) for count, zero, one in zip(counts, likely0, likely1, strict=True)
        )

    def state(self, pairs: Pentanomial) -> SprtState:
        """True if ``pairs``, in the view of the player who may be stronger, decide the test."""
        llr, (lower, upper) = self.llr(pairs), self.bounds
        return SprtState("H1" if llr >= upper else "H0" if llr <= lower else None, llr, lower, upper)


def expected(elo: float) -> float:
    """The share of the points that somebody ``elo`` stronger gets."""
    return 1 / (1 + 10 ** (-elo / 400))


def _most_likely(shares: list[float], score: float) -> list[float]:
    """The most likely distribution of a pair's score with the mean ``score``, when ``shares`` were observed."""
    distances = [each - score for each in SCORES]
    low, high = -1 / max(distances), -1 / min(distances)
    for _ in range(200):  # halving the interval until it has no number inside
        theta = (low + high) / 2
        if theta in (low, high):
            break
        if sum(p * d / (1 + theta * d) for p, d in zip(shares, distances, strict=True)) > 0:
            low = theta
        else:
            high = theta
    theta = (low + high) / 2
    return [p / (1 + theta * d) for p, d in zip(shares, distances, strict=True)]


class RunningTest:
    """The test of the first player of a league against the second, on the pairs of games that are complete.

    ``state`` is the one that decided the test, or else the newest, and None in a league without a test. Games that
    were under way when it was decided do not bring it back.
    """

    def __init__(self, league: LeagueRecord, records: Iterable[Record]) -> None:
        terms = league["sprt"]
        self._player = league["players"][0]["name"]
        self._sprt = None if terms is None else Sprt(**terms)
        self._single: dict[int, float] = {}
        self._pairs = [0] * 5
        self.state: SprtState | None = None if self._sprt is None else self._sprt.state((0, 0, 0, 0, 0))
        for record in records:
            self.add(record)

    @property
    def decided(self) -> bool:
        return self.state is not None and self.state.decision is not None

    @property
    def pairs(self) -> int:
        """The number of pairs of games that are complete, or were when the test was decided."""
        return sum(self._pairs)

    def add(self, record: Record) -> None:
        """A game is over. One without a result leaves its pair incomplete forever."""
        if self._sprt is None or self.decided or record["result"] is None:
            return
        points = points_of(record, "first" if record["first"] == self._player else "second")
        before = self._single.pop(record["pair"], None)
        if before is None:
            self._single[record["pair"]] = points
            return
        self._pairs[round(2 * (before + points))] += 1
        lost_both, half, even, more, won_both = self._pairs
        self.state = self._sprt.state((lost_both, half, even, more, won_both))
