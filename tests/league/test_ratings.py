"""Ratings, against choix, fastchess and the truth."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.league.ratings import POINTS, Meeting, fit

TRUE = {"a": 300.0, "b": 100.0, "c": 0.0, "d": -150.0, "e": -250.0}
"""Players and what they are worth; the mean is 0."""


def share(player: str, opponent: str) -> float:
    return 1 / (1 + 10 ** ((TRUE[opponent] - TRUE[player]) / 400))


def league(pairs: int, rng: random.Random) -> list[Meeting]:
    """A round robin in which both games of a pair often end alike, as they do on one opening."""
    meetings = []
    for player, opponent in combinations(TRUE, 2):
        for _ in range(pairs):
            first = rng.random() < share(player, opponent)
            second = first if rng.random() < 0.4 else rng.random() < share(player, opponent)
            meetings.append(Meeting(player, opponent, first + second, 2))
    return meetings


@pytest.mark.parametrize("seed", range(3))
def test_ratings_agree_with_choix(seed: int) -> None:
    import choix  # with scipy it takes half a second to load

    players, meetings = list(TRUE), league(20, random.Random(seed))
    ours = fit(players, meetings)
    prior = 4 / len(players) / 2
    wins = np.full((len(players), len(players)), prior)
    np.fill_diagonal(wins, 0)
    for each in meetings:
        wins[players.index(each.player), players.index(each.opponent)] += each.points
        wins[players.index(each.opponent), players.index(each.player)] += 2 - each.points
    # The same likelihood has the same maximum.
    same = choix.ilsr_pairwise_dense(wins) * POINTS
    assert [ours[player].elo for player in players] == pytest.approx(same - same.mean(), abs=0.01)
    # And choix on the results alone, without what we add before them, is well within the error.
    alone = choix.ilsr_pairwise_dense(wins - prior * (1 - np.eye(len(players)))) * POINTS
    for player, theirs in zip(players, alone - alone.mean(), strict=True):
        assert abs(ours[player].elo - theirs) < ours[player].error / 4


@pytest.mark.parametrize(
    ("pairs", "elo", "error"),
    [
        # fastchess, app/tests/elo_test.cpp, "EloPentanomial 1" to "3": pairs with 0, 1/2, 1, 1 1/2 and 2 points.
        ((34, 54, 31 + 32, 64, 75), 55.58, 27.65),
        ((332, 433, 457 + 41, 333, 334), -8.64, 10.33),
        ((7895, 8757, 5485 + 200, 568, 9999), -21.04, 2.95),
    ],
)
def test_two_players_have_the_published_pentanomial_interval(pairs: tuple[int, ...], elo: float, error: float) -> None:
    meetings = [Meeting("a", "b", half / 2, 2) for half, count in enumerate(pairs) for _ in range(count)]
    found = fit(["a", "b"], meetings, "b")["a"]
    # The two games that are added before take away a share of 2 / games.
    assert found.elo == pytest.approx(elo, rel=1.2 / sum(pairs), abs=0.005)
    assert found.error == pytest.approx(error, rel=1.2 / sum(pairs), abs=0.005)


def test_single_games_have_the_binomial_interval() -> None:
    found = fit(["a", "b"], [Meeting("a", "b", 1, 1)] * 74 + [Meeting("a", "b", 0, 1)] * 24, "b")["a"]
    assert found.elo == pytest.approx(190.85, abs=0.01)  # 75 of 100, with the two before: 400 log10(3)
    assert found.error == pytest.approx(1.96 * POINTS / math.sqrt(100 * 0.75 * 0.25), abs=0.01)


def test_games_of_a_pair_that_end_alike_are_one_observation() -> None:
    single = [Meeting("a", "b", points, 1) for points in (1, 1, 0, 0) * 100]
    alike = [Meeting("a", "b", points, 2) for points in (2, 0) * 100]
    split = [Meeting("a", "b", 1, 2)] * 200
    errors = [fit(["a", "b"], meetings)["a"].error for meetings in (single, alike, split)]
    assert errors[1] == pytest.approx(math.sqrt(2) * errors[0], rel=0.01)
    assert 0 < errors[2] < errors[0] / 5


def test_ratings_predict_the_scores() -> None:
    meetings = []
    for player, opponent in combinations(TRUE, 2):
        won = round(10_000 * share(player, opponent))
        meetings += [Meeting(player, opponent, 1, 1)] * won + [Meeting(player, opponent, 0, 1)] * (10_000 - won)
    assert {player: found.elo for player, found in fit(list(TRUE), meetings).items()} == pytest.approx(TRUE, abs=1)
    anchored = fit(list(TRUE), meetings, "d")
    assert anchored["d"] == (0, 0)
    assert anchored["a"].elo == pytest.approx(450, abs=1)


def test_intervals_have_the_stated_coverage() -> None:
    rng, held = random.Random(5), 0
    for _ in range(200):
        held += sum(
            abs(found.elo - TRUE[player]) < found.error for player, found in fit([*TRUE], league(20, rng)).items()
        )
    assert 0.92 < held / 1000 < 0.98


def test_the_strongest_and_the_weakest_have_finite_ratings() -> None:
    wins = [Meeting(one, other, 2, 2) for one, other in combinations("abcd", 2) for _ in range(50)]
    found = fit([*"abcd"], wins)
    elos = [found[player].elo for player in "abcd"]
    assert elos == sorted(elos, reverse=True)
    assert 400 < elos[0] < 2000
    assert elos[0] == pytest.approx(-elos[3], abs=0.01)
    assert 100 < found["a"].error < 2000


def test_without_results_everybody_is_the_same() -> None:
    found = fit([*"abc"], [])
    assert {round(each.elo, 6) for each in found.values()} == {0}
    assert found["a"].error > 200


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_the_players_nor_who_is_named_first_matters(rng: random.Random) -> None:
    meetings = league(3, rng)
    found = fit([*TRUE], meetings)
    turned = [Meeting(each.opponent, each.player, each.games - each.points, each.games) for each in meetings]
    mixed = rng.sample([*TRUE], len(TRUE))
    other = fit(mixed, rng.sample(turned, len(turned)))
    for player in TRUE:
        assert other[player] == pytest.approx(found[player], abs=0.001)


def test_what_cannot_be_rated_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two"):
        fit(["a"], [])
    with pytest.raises(ValueError, match="not among the players: x"):
        fit(["a", "b"], [Meeting("a", "x", 1, 1)])
    with pytest.raises(ValueError, match="do not connect"):
        fit(["a", "b", "c"], [Meeting("a", "b", 1, 2)], prior=0)
