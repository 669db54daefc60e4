from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from noughts.gateway.limits import FLOOD_S, FLOOD_WINDOW_S, PAUSE_S, FrameBudget, TokenBucket, TokenBuckets

rates = st.floats(0.1, 10_000)
# With a larger clock or burst, rounding adds up to more than the bucket allows for, and a token comes late.
bursts = st.integers(1, 100)
starts = st.floats(0, 10**7)
waits = st.lists(st.sampled_from([0.0, 1e-6, 0.001, 1 / 30, 0.1, 1.0, 60.0]) | st.floats(0, 10), max_size=200)


@given(rates, bursts, starts)
def test_a_burst_at_once_and_no_more(rate: float, burst: int, start: float) -> None:
    bucket = TokenBucket(rate, burst)
    assert [bucket.take(start) for _ in range(burst)] == [0] * burst
    wait = bucket.take(start)
    assert abs(wait - 1 / rate) < 1e-4


@given(rates, bursts, starts, waits)
def test_it_agrees_with_the_textbook(rate: float, burst: int, start: float, pauses: list[float]) -> None:
    """The textbook has a level that rises with time up to ``burst``, and falls by one with each token taken."""
    bucket = TokenBucket(rate, burst)
    level, now = Fraction(burst), start
    for pause in pauses:
        level = min(Fraction(burst), level + (Fraction(now + pause) - Fraction(now)) * Fraction(rate))
        now += pause
        wait = bucket.take(now)
        short = (1 - level) / Fraction(rate)
        # Ten million seconds as a float are exact to some nanoseconds, and the errors add up.
        assert abs(float(max(short, Fraction(0))) - wait) < 2e-6
        if wait == 0:
            level -= 1


@given(rates, bursts, starts, waits)
def test_never_more_than_burst_and_rate_allow(rate: float, burst: int, start: float, pauses: list[float]) -> None:
    bucket = TokenBucket(rate, burst)
    taken: list[float] = []
    now = start
    for pause in pauses:
        now += pause
        if bucket.take(now) == 0:
            taken.append(now)
    for first, since in enumerate(taken):
        assert len(taken) - first <= burst + rate * (now - since) + 1e-3


@given(rates, bursts, starts, st.integers(0, 50))
def test_a_client_that_waits_as_long_as_advised_is_accepted(
    rate: float, burst: int, start: float, refused: int
) -> None:
    bucket = TokenBucket(rate, burst)
    for _ in range(burst):
        bucket.take(start)
    for count in range(refused):
        assert bucket.take(start) > 0
        assert bucket.refusals == count + 1
    wait = bucket.take(start)
    # Refused attempts cost nothing.
    assert bucket.take(start + wait) == 0
    # A client that waits before each request collects no further refusals.
    assert bucket.refusals == refused
    now = start + wait
    for _ in range(refused + 3):
        now += bucket.take(now)
        assert bucket.take(now) == 0
    assert bucket.refusals <= refused


@given(rates, bursts, starts, st.floats(2.5, 10))
def test_a_flood_is_recognised_at_any_rate(rate: float, burst: int, start: float, times: float) -> None:
    """Refusals outnumber the requests that get through in between."""
    bucket = TokenBucket(rate, burst)
    for count in range(int((10 * burst + 100) * times)):
        bucket.take(start + count / (rate * times))
    assert bucket.refusals > 2 * burst


def test_each_key_has_its_own_bucket_and_the_least_recent_is_forgotten() -> None:
    buckets = TokenBuckets(rate=1, burst=1, keys=2)
    assert [buckets.of(key).take(0.0) for key in "aab"] == [0, 1, 0]
    buckets.of("a")
    assert [buckets.of(key).take(0.0) for key in "cab"] == [0, 1, 0]


amounts = st.lists(st.tuples(st.floats(0, 10), st.integers(1, 100)), max_size=100)


@given(rates, bursts, starts, amounts)
def test_what_costs_more_than_there_is_left_is_made_good_afterwards(
    rate: float, burst: int, start: float, costs: list[tuple[float, int]]
) -> None:
    """Whoever asks first overdraws by one cost at most, and may go on after the wait that it was told."""
    bucket, now, spent = TokenBucket(rate, burst), start, 0
    for pause, cost in costs:
        now += pause
        if wait := bucket.overdrawn(now):
            assert bucket.overdrawn(now + wait) == 0
        else:
            assert spent <= burst + rate * (now - start) + 1e-3
            bucket.spend(now, cost)
            spent += cost


def test_the_addresses_of_an_ipv6_site_share_four_times_as_much() -> None:
    buckets = TokenBuckets(1, 2)
    addresses = [f"2001:db8:1:{number}::/64" for number in range(1, 6)]
    assert [buckets.of(address).take(0) for address in addresses[:4] for _ in range(2)] == [0] * 8
    assert 0 < buckets.of(addresses[4]).take(0) <= 0.25
    assert buckets.of("2001:db8:2:1::/64").take(0) == 0
    assert buckets.of(addresses[4]).take(0.25) == 0
    buckets.of(addresses[0]).spend(10, 12)
    assert buckets.of(addresses[1]).overdrawn(10) == 1


def test_turns_may_be_taken_at_once_and_are_earned_back() -> None:
    budget, now, taken = FrameBudget(100.0), 100.0, 0
    while not budget.is_spent(now, 0.5, 2.0):
        budget.spend(now, 0.5)
        taken += 1
    assert taken == 4
    assert budget.is_spent(now + 0.4, 0.5, 2.0)
    assert not budget.is_spent(now + 0.5, 0.5, 2.0)
    assert budget.full_at == 102.0


def test_only_pauses_that_follow_each_other_are_a_flood() -> None:
    budget = FrameBudget(0.0)
    assert not any(budget.pause(100.0 + number) for number in range(10))
    later = 100.0 + FLOOD_WINDOW_S
    pauses = [budget.pause(later + PAUSE_S * number) for number in range(30)]
    assert pauses.index(True) == FLOOD_S / PAUSE_S + 1
