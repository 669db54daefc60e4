from hypothesis import given
from hypothesis import strategies as st

from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import ClockInfo
from noughts_client.terminal.clocks import changes_in, display, left_ms, runs, since_epoch

STARTED = 1_700_000_000_000
CLOCK: ClockInfo = {"first_ms": 60_000, "second_ms": 9_000, "running": "first", "since": timestamp(STARTED)}


def test_only_the_running_clock_loses_time_and_stops_at_zero() -> None:
    assert left_ms(CLOCK, "first", STARTED + 12_345) == 47_655
    assert left_ms(CLOCK, "second", STARTED + 12_345) == 9_000
    assert left_ms(CLOCK, "first", STARTED + 100_000) == 0


def test_a_clock_that_starts_in_the_future_does_not_run() -> None:
    assert left_ms(CLOCK, "first", STARTED - 2_000) == 60_000
    assert not runs(CLOCK, STARTED - 1)
    assert runs(CLOCK, STARTED)
    assert not runs({**CLOCK, "running": None, "since": None}, STARTED)


def test_times_are_displayed() -> None:
    written = [display(ms) for ms in (10_800_000, 3_600_000, 3_599_999, 161_400, 10_000, 9_999, 950, 99, 0)]
    assert written == ["3:00:00", "1:00:00", "59:59", "2:41", "0:10", "0:09.9", "0:00.9", "0:00.0", "0:00.0"]


def test_long_times_are_displayed_in_two_units_at_most() -> None:
    day, hour, minute = 86_400_000, 3_600_000, 60_000
    left = (14 * day, 3 * day - 1, 2 * day + 23 * hour, day + 4 * hour, day, day - 1, 5 * hour + 12 * minute, 4 * hour)
    assert [display(ms) for ms in left] == [
        *("14 days", "3 days", "2 days 23 h", "1 day 4 h"),
        *("1 day", "1 day", "5 h 12 min", "4 h"),
    ]
    assert changes_in(2 * day + 5 * hour) == hour
    assert changes_in(2 * day + 5 * hour + 1) == 1
    assert changes_in(5 * hour) == minute


@given(st.one_of(st.integers(1, 11_000_000), st.integers(80_000_000, 1_300_000_000)))
def test_the_display_changes_exactly_when_predicted(left: int) -> None:
    wait = changes_in(left)
    assert wait is not None
    assert display(left - wait + 1) == display(left)
    assert display(max(0, left - wait)) != display(left) or left < 100


def test_the_display_does_not_change_at_zero() -> None:
    assert changes_in(0) is None


@given(st.integers(0, 4_000_000_000_000))
def test_timestamps_are_read_as_the_protocol_writes_them(ms: int) -> None:
    assert since_epoch(timestamp(ms)) == ms
