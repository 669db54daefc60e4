"""Glicko-2, against the paper's example and by properties of any game."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.glicko2 import GREATEST_DEVIATION, Rating, after

ratings = st.builds(Rating, st.floats(-500, 4500), st.floats(1, 350), st.floats(0.01, 0.2))


def test_the_example_of_the_paper() -> None:
    """Glickman, "Example of the Glicko-2 system": 1464.06, 151.52 and 0.05999, by hand with few digits."""
    player = Rating(1500, 200, 0.06)
    games = [(Rating(1400, 30), 1), (Rating(1550, 100), 0), (Rating(1700, 300), 0)]
    new = after(player, games)
    assert new.rating == pytest.approx(1464.06, abs=0.015)
    assert new.deviation == pytest.approx(151.52, abs=0.005)
    assert new.volatility == pytest.approx(0.05999, abs=0.00001)
    swapped = after(player, games[::-1])
    assert swapped.rating == pytest.approx(new.rating)
    assert swapped.deviation == pytest.approx(new.deviation)


def test_a_new_player_has_the_papers_initial_values() -> None:
    assert Rating() == Rating(1500, 350, 0.06)


@given(ratings, ratings)
def test_winners_never_fall_and_losers_never_rise(one: Rating, other: Rating) -> None:
    assert after(one, [(other, 1)]).rating >= one.rating
    assert after(other, [(one, 0)]).rating <= other.rating


@given(ratings, ratings)
def test_a_draw_brings_the_ratings_closer(one: Rating, other: Rating) -> None:
    stronger, weaker = sorted((one, other), key=lambda rating: rating.rating, reverse=True)
    assert after(stronger, [(weaker, 0.5)]).rating <= stronger.rating
    assert after(weaker, [(stronger, 0.5)]).rating >= weaker.rating


@given(ratings, ratings, st.sampled_from([0, 0.5, 1]))
def test_ratings_stay_in_bounds(one: Rating, other: Rating, score: float) -> None:
    new = after(one, [(other, score)])
    assert 0 < new.deviation <= GREATEST_DEVIATION
    assert 0 < new.volatility < 1
    # A game tells something, but what may have changed since the last one counts against it.
    assert new.deviation <= (one.deviation**2 + (173.7178 * new.volatility) ** 2) ** 0.5


@given(ratings, ratings, st.sampled_from([0, 0.5, 1]))
def test_the_scale_is_symmetric(one: Rating, other: Rating, score: float) -> None:
    def mirrored(rating: Rating) -> Rating:
        return replace(rating, rating=3000 - rating.rating)

    new, mirror = after(one, [(other, score)]), after(mirrored(one), [(mirrored(other), 1 - score)])
    assert mirror.rating == pytest.approx(3000 - new.rating, abs=1e-6)
    assert mirror.deviation == pytest.approx(new.deviation)
    assert mirror.volatility == pytest.approx(new.volatility)


@given(st.floats(0, 3000), st.floats(20, 350), st.sampled_from([0.5, 1]))
def test_between_equal_players_the_gain_equals_the_loss(rating: float, deviation: float, score: float) -> None:
    equal = Rating(rating, deviation)
    gain = after(equal, [(equal, score)]).rating - rating
    loss = after(equal, [(equal, 1 - score)]).rating - rating
    assert gain == pytest.approx(-loss, abs=1e-9)
    assert (gain > 0) == (score > 0.5)


@given(ratings, ratings)
def test_beating_a_stronger_player_gains_more(one: Rating, other: Rating) -> None:
    stronger = replace(other, rating=other.rating + 100)
    gain = after(one, [(other, 1)]).rating - one.rating
    assert after(one, [(stronger, 1)]).rating - one.rating >= gain - 1e-6


def test_extreme_differences() -> None:
    weak, strong = Rating(0, 30), Rating(20_000, 30)
    assert after(weak, [(strong, 0)]).rating == pytest.approx(0)
    assert after(weak, [(strong, 1)]).rating > 5
    assert after(strong, [(weak, 0)]).rating < 19_995
    assert after(Rating(), [(strong, 0)]).deviation == 350, (
        "nothing was learnt, and more than nothing cannot be unknown"
    )
