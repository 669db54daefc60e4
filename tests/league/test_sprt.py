"""The sequential test, against published values."""

from __future__ import annotations

import math
import random

import pytest

from noughts.league.records import Record
from noughts.league.sprt import Pentanomial, RunningTest, Sprt
from support.leagues import game, league


@pytest.mark.parametrize(
    ("elo0", "elo1", "pairs", "llr"),
    [
        # fastchess, app/tests/sprt_test.cpp, "logistic pentanomial 1" and "2": two results of fishtest. There the pairs
        # of two draws and those of a win and a loss are counted apart.
        (0.5, 2.5, (223, 9863, 20279 + 1000, 10037, 246), -3.07),
        (0.0, 2.0, (871, 26175, 55003 + 980, 26678, 821), -4.98),
    ],
)
def test_the_ratio_is_the_published_one(elo0: float, elo1: float, pairs: Pentanomial, llr: float) -> None:
    assert Sprt(elo0, elo1).llr(pairs) == pytest.approx(llr, abs=0.005)


def test_the_bounds_are_the_published_ones() -> None:
    # fishtest and fastchess show (-2.94, 2.94) for 5 % each.
    assert Sprt(0, 5).bounds == pytest.approx((-2.94, 2.94), abs=0.005)
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_ratio_is_near_its_normal_approximation() -> None:
    # M. Van den Bergh, GSPRT_approximation.pdf: N (s1 - s0) (2 s - s0 - s1) / (2 variance).
    pairs = (100, 900, 2100, 1000, 150)
    total = sum(pairs)
    mean = sum(n * score / 4 for score, n in enumerate(pairs)) / total
    variance = sum(n * (score / 4 - mean) ** 2 for score, n in enumerate(pairs)) / total
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (0, 5))
    assert Sprt(0, 5).llr(pairs) == pytest.approx(total * (s1 - s0) * (2 * mean - s0 - s1) / 2 / variance, rel=0.01)


def test_before_the_first_pair_nothing_is_known() -> None:
    state = Sprt(0, 20).state((0, 0, 0, 0, 0))
    assert (state.decision, state.llr) == (None, 0)


def test_one_sided_results_decide() -> None:
    for pairs, decision in (((0, 0, 0, 0, 60), "H1"), ((60, 0, 0, 0, 0), "H0"), ((0, 0, 2000, 0, 0), "H0")):
        assert Sprt(0, 20).state(pairs).decision == decision


def test_a_result_that_has_not_been_seen_counts_almost_nothing() -> None:
    # If all pairs are won, the most likely distribution with the mean s has the share s of won pairs.
    expected = 104 * math.log(2 / (1 + 10 ** (-5 / 400)))
    assert Sprt(0, 5).llr((0, 0, 0, 0, 104)) == pytest.approx(expected, rel=0.001)


def test_a_mirrored_result_is_the_mirrored_test() -> None:
    pairs: Pentanomial = (3, 20, 41, 33, 9)
    assert Sprt(0, 20).llr(pairs) == pytest.approx(-Sprt(-20, 0).llr(pairs[::-1]))


def test_extreme_hypotheses_have_finite_ratios() -> None:
    for pairs in ((5000, 0, 0, 0, 0), (0, 0, 0, 0, 5000), (1, 0, 0, 0, 1)):
        assert math.isfinite(Sprt(-1000, 1000).llr(pairs))


@pytest.mark.parametrize(("true", "wrong"), [(0, "H1"), (80, "H0")])
def test_wrong_decisions_are_as_rare_as_stated(true: float, wrong: str) -> None:
    # With 5 % each, 200 tests make 10 wrong decisions; 21 or more have a probability of 0.1 %.
    rng, test = random.Random(true), Sprt(0, 80)
    share = 1 / (1 + 10 ** (-true / 400))
    errors = 0
    for _ in range(200):
        counts = [0] * 5
        while (state := test.state(tuple(counts))).decision is None:  # type: ignore[arg-type]  # five counts
            for _ in range(2):
                counts[2 * ((rng.random() < share) + (rng.random() < share))] += 1
        errors += state.decision == wrong
    assert 1 <= errors < 21


@pytest.mark.parametrize(
    "terms", [(5, 5), (5, 0), (-1001, 0), (0, 1001), (0, 5, 0), (0, 5, 0.05, 0.5), (0, math.nan), (0, 5, math.nan)]
)
def test_impossible_tests_are_refused(terms: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sprt(*terms)


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
