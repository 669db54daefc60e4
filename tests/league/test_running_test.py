"""The sequential test of a league: which games count, and when it is over."""

from __future__ import annotations

import pytest

from noughts.league.records import Record
from noughts.league.running_test import RunningTest
from noughts.league.sprt import Pentanomial, Sprt
from support.leagues import game, league

SPRT = {"elo0": -300, "elo1": 300, "alpha": 0.05, "beta": 0.05}
TERMS = league(["ann", "bob"], sprt=SPRT)


def pair(number: int, first: str | None, second: str | None) -> list[Record]:
    """Both games of a pair; ann has the first side in its first game."""
    return [game(2 * number - 1, "ann", "bob", first), game(2 * number, "bob", "ann", second)]


@pytest.mark.parametrize(
    ("results", "pairs"),
    [
        (("second", "first"), (1, 0, 0, 0, 0)),
        (("draw", "first"), (0, 1, 0, 0, 0)),
        (("first", "first"), (0, 0, 1, 0, 0)),
        (("draw", "draw"), (0, 0, 1, 0, 0)),
        (("first", "draw"), (0, 0, 0, 1, 0)),
        (("first", "second"), (0, 0, 0, 0, 1)),
        (("first", None), (0, 0, 0, 0, 0)),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_complete_pairs_count_for_the_first_player(
    results: tuple[str | None, str | None], pairs: Pentanomial, order: int
) -> None:
    test = RunningTest(TERMS, pair(1, *results)[::order])
    assert test.state == Sprt(**SPRT).state(pairs)
    assert test.pairs == sum(pairs)


def test_pairs_that_are_played_at_once_are_kept_apart() -> None:
    one, other = pair(1, "first", "second"), pair(2, "second", "first")
    test = RunningTest(TERMS, [one[0], other[0]])
    assert test.pairs == 0
    test.add(one[1])
    assert test.state == Sprt(**SPRT).state((0, 0, 0, 0, 1))
    test.add(other[1])
    assert test.state == Sprt(**SPRT).state((1, 0, 0, 0, 1))


def test_a_test_stays_decided_when_later_games_would_bring_it_back() -> None:
    won = [record for number in range(1, 5) for record in pair(number, "first", "second")]
    lost = [record for number in range(5, 9) for record in pair(number, "second", "first")]
    test = RunningTest(TERMS, won)
    assert test.decided
    decided = test.state
    assert decided is not None
    assert decided.decision == "H1"
    again = RunningTest(TERMS, won + lost)
    assert (again.state, again.decided) == (decided, True)
    assert Sprt(**SPRT).state((4, 0, 0, 0, 4)).decision is None


def test_a_league_without_a_test_has_no_state() -> None:
    test = RunningTest(league(["ann", "bob"]), pair(1, "first", "second"))
    assert (test.state, test.decided, test.pairs) == (None, False, 0)
