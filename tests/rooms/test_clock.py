"""The time that a move costs, and the compensation for network lag."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.games import Side
from noughts.rooms.clock import (
    LAG_MS,
    QUOTA,
    REFILLS,
    Clocks,
    Fischer,
    PerMove,
    after_move,
    allotted_ms,
    compensation,
    initial_clocks,
    most_lag_ms,
    pool_of,
    stopped,
)

QUOTA_MS, REFILL_MS = QUOTA * LAG_MS, LAG_MS // REFILLS
CONTROL = Fischer(60_000, 2000)
lags = st.integers(0, 10_000)
moves = st.lists(st.tuples(st.sampled_from(Side), lags, st.integers(0, 5000)), max_size=60)


def played(history: list[tuple[Side, int, int]], control: Fischer = CONTROL) -> list[tuple[Side, int, Clocks]]:
    """For each move its side, its compensation, and the clocks after it."""
    clocks = initial_clocks(control)
    result = []
    for side, lag, spent in history:
        given_back = compensation(lag, LAG_MS, clocks.quota(side), spent)
        clocks = after_move(clocks, control, side, spent - given_back, given_back)
        result.append((side, given_back, clocks))
    return result


@given(lags, st.integers(0, QUOTA_MS), st.integers(0, 100_000))
def test_compensation_is_bounded(lag: int, quota: int, spent: int) -> None:
    assert compensation(lag, LAG_MS, quota, spent) == min(lag, LAG_MS, quota, spent)
    assert compensation(-lag, LAG_MS, quota, spent) <= 0 <= compensation(lag, LAG_MS, quota, spent)


@given(moves)
def test_total_compensation_is_bounded_by_the_quota_and_its_refill(history: list[tuple[Side, int, int]]) -> None:
    for side in Side:
        given_back = [back for mover, back, _ in played(history) if mover is side]
        for first in range(len(given_back)):
            for last in range(first, len(given_back)):
                assert sum(given_back[first : last + 1]) <= QUOTA_MS + (last - first) * REFILL_MS
        assert all(back <= LAG_MS for back in given_back)


@given(moves)
def test_each_side_has_its_own_quota_within_bounds(
    history: list[tuple[Side, int, int]],
) -> None:
    states = played(history)
    for _, _, clocks in states:
        assert 0 <= clocks.first_quota_ms <= QUOTA_MS
        assert 0 <= clocks.second_quota_ms <= QUOTA_MS
    for (_, _, before), (side, _, after) in pairwise(states):
        assert after.quota(side.other) == before.quota(side.other)
        assert after.left(side.other) == before.left(side.other)


@given(st.integers(0, REFILL_MS), st.integers(0, 5000))
def test_a_constant_lag_up_to_the_refill_is_always_compensated(lag: int, thought: int) -> None:
    states = played([(Side.FIRST, lag, thought + lag)] * 100, Fischer(10_000_000, 0))
    assert all(back == lag for _, back, _ in states)
    assert states[-1][2].first_ms == 10_000_000 - 100 * thought


def test_a_longer_lag_is_compensated_until_the_quota_is_used_up() -> None:
    given_back = [back for _, back, _ in played([(Side.FIRST, 800, 2000)] * 12)]
    assert given_back == [800] * 8 + [600, 500, 500, 500]


controls = st.one_of(
    st.builds(Fischer, st.integers(1000, 10_800_000), st.integers(0, 180_000)),
    st.builds(PerMove, st.integers(1000, 3_600_000)),
)


@given(controls, st.lists(st.integers(0, 20_000), min_size=30, max_size=60))
def test_a_client_that_delays_its_pongs_gains_little(control: Fischer | PerMove, thoughts: list[int]) -> None:
    """Whatever it thinks: a twentieth of the time for a move with each, and some moves' worth at first."""
    most_ms, clocks, gained = most_lag_ms(control), initial_clocks(control, most_lag_ms(control)), 0
    for thought in thoughts:
        back = compensation(10**6, most_ms, clocks.quota(Side.FIRST), thought)
        clocks = after_move(clocks, control, Side.FIRST, thought - back, back, most_ms=most_ms)
        gained += back
    given_for_a_move = (
        control.per_move_ms if isinstance(control, PerMove) else control.initial_ms // 30 + control.increment_ms
    )
    assert gained <= (len(thoughts) + 6) * (given_for_a_move + 1) / 20
    assert gained <= (len(thoughts) + 6) * LAG_MS / 2


@pytest.mark.parametrize(
    ("control", "most"),
    [
        (None, 1000),
        (Fischer(60_000, 0), 200),
        (Fischer(180_000, 2000), 800),
        (Fischer(300_000, 0), 1000),
        (PerMove(5000), 500),
        (PerMove(1000), 100),
        (Fischer(1000, 0), 3),
    ],
)
def test_a_fast_game_compensates_less_lag(control: Fischer | PerMove | None, most: int) -> None:
    assert most_lag_ms(control) == most


def test_fischer() -> None:
    clocks = after_move(Clocks(10_000, 20_000), CONTROL, Side.FIRST, 4000, 0)
    assert (clocks.first_ms, clocks.second_ms) == (8000, 20_000)
    clocks = after_move(clocks, CONTROL, Side.SECOND, 20_000, 0)
    assert (clocks.first_ms, clocks.second_ms) == (8000, 2000)


def test_per_move() -> None:
    control = PerMove(5000)
    clocks = after_move(initial_clocks(control), control, Side.SECOND, 4000, 100)
    assert (clocks.first_ms, clocks.second_ms) == (5000, 5000)


def test_a_stopped_clock() -> None:
    assert stopped(Clocks(10_000, 20_000), Side.SECOND, 5000) == Clocks(10_000, 15_000)
    assert stopped(Clocks(10_000, 20_000), Side.FIRST, 11_000) == Clocks(0, 20_000)


@pytest.mark.parametrize(
    ("control", "slow"),
    [
        (Fischer(179_999, 180_000), False),
        (Fischer(180_000, 0), True),
        (PerMove(60_000), False),
        (PerMove(180_000), True),
    ],
)
def test_slow_clocks(control: Fischer | PerMove, slow: bool) -> None:
    assert control.slow is slow


@given(st.integers(1, 10_000_000), st.integers(0, 180_000))
def test_allotted_time_never_runs_out(initial: int, increment: int) -> None:
    control = Fischer(initial, increment)
    clocks = initial_clocks(control)
    for _ in range(200):
        thought = allotted_ms(clocks, control, Side.FIRST)
        assert 0 <= thought <= clocks.first_ms // 2
        clocks = after_move(clocks, control, Side.FIRST, thought, 0)
        assert clocks.first_ms > 0


def test_allotted_time() -> None:
    assert allotted_ms(Clocks(60_000, 30_000), Fischer(60_000, 0), Side.SECOND) == 1000
    assert allotted_ms(Clocks(60_000, 30_000), Fischer(60_000, 5000), Side.FIRST) == 6000
    assert allotted_ms(Clocks(5000, 5000), PerMove(5000), Side.FIRST) == 2500


@pytest.mark.parametrize(
    ("control", "pool"),
    [
        (Fischer(60_000, 0), "bullet"),
        (Fischer(179_999, 0), "bullet"),
        (Fischer(180_000, 0), "blitz"),
        (Fischer(120_000, 2000), "blitz"),
        (Fischer(300_000, 3000), "blitz"),
        (Fischer(479_999, 0), "blitz"),
        (Fischer(300_000, 6000), "rapid"),
        (Fischer(1_499_999, 0), "rapid"),
        (Fischer(900_000, 20_000), "classical"),
        (Fischer(10_800_000, 180_000), "classical"),
        (PerMove(1000), "bullet"),
        (PerMove(6000), "blitz"),
        (PerMove(16_000), "rapid"),
        (PerMove(50_000), "classical"),
    ],
)
def test_pools_go_by_the_length_of_a_game(control: Fischer | PerMove, pool: str) -> None:
    assert pool_of(control) == pool
