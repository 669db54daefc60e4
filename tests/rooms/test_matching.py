"""Pairing: properties for any seekers, and the rating windows."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.rooms import Fischer, PerMove
from noughts.rooms.matching import UNBOUNDED_MS, Seeker, pairable_at, pairs, read_terms, terms_of, window

NOW = 1_000_000

PLACES = st.builds(
    lambda terms, waited, rating: (terms, NOW - waited, rating),
    st.sampled_from(["a, no clock", "a, 1+0", "a, 1+0, rated", "a, 2+0, rated"]),
    st.integers(0, UNBOUNDED_MS + 5000),
    st.floats(0, 3000) | st.sampled_from([1400.0, 1500.0, 1600.0]),
)


def seekers_of(places: list[tuple[str, int, float]]) -> list[Seeker]:
    return [
        Seeker(f"p-{number}", terms, since, rating if terms.endswith("rated") else None)
        for number, (terms, since, rating) in enumerate(places)
    ]


SEEKERS = st.lists(PLACES, max_size=40).map(seekers_of)


def allowed(one: Seeker, other: Seeker, now: int = NOW) -> bool:
    """True if the two may be paired, computed differently from the code."""
    if one.terms != other.terms:
        return False
    if one.rating is None or other.rating is None:
        return one.rating is None and other.rating is None
    apart = abs(one.rating - other.rating)
    return all(apart <= window(now - each.since) for each in (one, other))


CLOCKS = (
    st.none() | st.builds(Fischer, st.integers(0, 10**8), st.integers(0, 10**6)) | st.builds(PerMove, st.integers(0))
)


@given(CLOCKS, st.booleans())
def test_terms_can_be_read_again(clock: Fischer | PerMove | None, rated: bool) -> None:
    assert read_terms(terms_of(clock, rated=rated)) == (clock, rated)


@pytest.mark.parametrize("text", ["", "rated, ", "rated", "take p-1.aaaa", "1+2 ms, rated", "no clock "])
def test_other_text_is_no_terms(text: str) -> None:
    assert read_terms(text) is None


def left_over(seekers: list[Seeker], found: list[tuple[Seeker, Seeker]]) -> list[Seeker]:
    taken = {seeker.player for pair in found for seeker in pair}
    return [seeker for seeker in seekers if seeker.player not in taken]


@given(SEEKERS)
def test_each_seeker_is_in_one_pair_within_the_windows(seekers: list[Seeker]) -> None:
    found = pairs(seekers, NOW)
    players = [seeker.player for pair in found for seeker in pair]
    assert len(players) == len(set(players))
    assert all(seeker in seekers for pair in found for seeker in pair)
    assert all(allowed(*pair) for pair in found)
    assert all((one.since, one.player) < (other.since, other.player) for one, other in found)


@given(SEEKERS)
def test_no_possible_pair_is_left_over(seekers: list[Seeker]) -> None:
    over = left_over(seekers, pairs(seekers, NOW))
    assert not [pair for pair in combinations(over, 2) if allowed(*pair)]


@given(SEEKERS)
def test_after_a_long_wait_at_most_one_seeker_is_left_per_terms(seekers: list[Seeker]) -> None:
    over = left_over(seekers, pairs(seekers, NOW + UNBOUNDED_MS))
    assert len({seeker.terms for seeker in over}) == len(over)


@given(SEEKERS, st.randoms(use_true_random=False))
def test_the_order_of_seekers_does_not_matter(seekers: list[Seeker], random: Random) -> None:
    shuffled = list(seekers)
    random.shuffle(shuffled)
    assert pairs(shuffled, NOW) == pairs(seekers, NOW)


@given(SEEKERS)
def test_the_nearest_possible_pair_is_made(seekers: list[Seeker]) -> None:
    """Of any two possible partners, at least one is paired at most as far away: no two prefer each other."""
    found = pairs(seekers, NOW)
    apart = {
        seeker.player: abs((one.rating or 0) - (other.rating or 0)) for one, other in found for seeker in (one, other)
    }
    for one, other in combinations(seekers, 2):
        if one.rating is not None and other.rating is not None and allowed(one, other):
            nearest = min(apart.get(each.player, math.inf) for each in (one, other))
            assert nearest <= abs(one.rating - other.rating)


@given(SEEKERS)
def test_the_time_of_the_next_pair_is_known(seekers: list[Seeker]) -> None:
    for terms in {seeker.terms for seeker in seekers}:
        group = [seeker for seeker in seekers if seeker.terms == terms]
        at = pairable_at(group)
        if at is None:
            assert len(group) == 1
        else:
            assert any(allowed(*pair, at + 1) for pair in combinations(group, 2))
            early = at - 2
            assert not any(
                allowed(*pair, early) for pair in combinations(group, 2) if max(one.since for one in pair) <= early
            )


def test_the_time_of_the_next_pair_is_that_of_its_later_seeker() -> None:
    old, new = Seeker("old", "t", NOW - 40_000, 1000.0), Seeker("new", "t", NOW, 1500.0)
    assert pairable_at([old, new]) == NOW + 8_000
    assert pairable_at([old, new, Seeker("near", "t", NOW + 1, 1550.0)]) == NOW + 1
    assert pairable_at([old, new, Seeker("far", "t", NOW + 1, 9000.0)]) == NOW + 8_000
    assert pairable_at([old, Seeker("far", "t", NOW + 1, 9000.0)]) == NOW + 1 + UNBOUNDED_MS
    assert pairable_at([old]) is None


def test_unrated_seekers_are_paired_in_order_of_arrival() -> None:
    seekers = [Seeker(player, "t", since) for player, since in (("d", 4), ("a", 9), ("c", 2), ("b", 2), ("e", 5))]
    assert [(one.player, other.player) for one, other in pairs(seekers, NOW)] == [("b", "c"), ("d", "e")]


@pytest.mark.parametrize(
    ("waited_ms", "points"),
    [(-5, 100), (0, 100), (1000, 150), (29_999, 1599.95), (30_000, math.inf), (90_000, math.inf)],
)
def test_the_window_widens(waited_ms: int, points: float) -> None:
    assert window(waited_ms) == pytest.approx(points)


def test_the_window_of_the_later_seeker_counts() -> None:
    old, new = Seeker("old", "t", NOW - 40_000, 1000.0), Seeker("new", "t", NOW, 1500.0)
    assert pairs([old, new], NOW) == []
    assert pairs([old, new], NOW + 7_999) == []
    assert pairs([old, new], NOW + 8_000) == [(old, new)]


def test_a_new_seeker_between_two_does_not_keep_them_apart() -> None:
    lower, upper = Seeker("lower", "t", NOW - 30_000, 1000.0), Seeker("upper", "t", NOW - 40_000, 2000.0)
    between = Seeker("between", "t", NOW, 1500.0)
    assert pairs([lower, between, upper], NOW) == [(upper, lower)]


def test_equal_options_have_equal_terms() -> None:
    clocks = [None, Fischer(180_000, 2_000), Fischer(180_000, 0), PerMove(180_000), PerMove(2_000)]
    assert len({terms_of(clock, rated=rated) for clock in clocks for rated in (False, True)}) == 10
    assert terms_of(Fischer(180_000, 2_000), rated=True) == terms_of(Fischer(180_000, 2_000), rated=True)
