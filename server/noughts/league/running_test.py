"""A league's sequential test, game by game. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Iterable

from noughts.league.records import LeagueRecord, Record
from noughts.league.sprt import Sprt, SprtState
from noughts.league.standings import points_of


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
        """How many pairs of games are complete, or were when the test was decided."""
        return sum(self._pairs)

    def add(self, record: Record) -> None:
        """A game is over. One without a result leaves its pair incomplete for good."""
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
