from hypothesis import given
from hypothesis import strategies as st

from noughts.protocol import timestamp
from noughts.protocol.messages import ClockInfo
from noughts_client.terminal.clocks import changes_in, left_ms, runs, shown, since_epoch

STARTED = 1_700_000_000_000
CLOCK: ClockInfo = {"first_ms": 60_000, "second_ms": 9_000, "running": "first", "since": timestamp(STARTED)}


def test_the_running_clock_alone_loses_time_and_none_below_nothing() -> None:
    assert left_ms(CLOCK, "first", STARTED + 12_345) == 47_655
    assert left_ms(CLOCK, "second", STARTED + 12_345) == 9_000
    assert left_ms(CLOCK, "first", STARTED + 100_000) == 0


def test_after_an_outage_a_clock_stands_for_a_moment() -> None:
    assert left_ms(CLOCK, "first", STARTED - 2_000) == 60_000
    assert not runs(CLOCK, STARTED - 1)
    assert runs(CLOCK, STARTED)
    assert not runs({**CLOCK, "running": None, "since": None}, STARTED)


def test_how_time_is_written() -> None:
    written = [shown(ms) for ms in (10_800_000, 3_600_000, 3_599_999, 161_400, 10_000, 9_999, 950, 99, 0)]
    assert written == ["3:00:00", "1:00:00", "59:59", "2:41", "0:10", "0:09.9", "0:00.9", "0:00.0", "0:00.0"]


@given(st.integers(1, 11_000_000))
def test_it_is_drawn_again_exactly_when_another_time_is_shown(left: int) -> None:
    wait = changes_in(left)
    assert wait is not None
    assert shown(left - wait + 1) == shown(left)
    assert shown(max(0, left - wait)) != shown(left) or left < 100


def test_nothing_left_is_not_drawn_again() -> None:
    assert changes_in(0) is None


@given(st.integers(0, 4_000_000_000_000))
def test_times_are_read_as_they_are_written(ms: int) -> None:
    assert since_epoch(timestamp(ms)) == ms
