"""The clock of a journal that has none of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.journal.steady_clock import JUMP_MS, SteadyClock


class Machine:
    """A machine whose clock can be set. Times are in ms."""

    def __init__(self) -> None:
        self.wall, self.up = 1_000_000, 500.0
        self.clock = SteadyClock(lambda: self.wall, lambda: self.up / 1000)

    def wait(self, ms: int, *, asleep: bool = False) -> int:
        self.wall += ms
        self.up += 0 if asleep else ms
        return self.clock()


def test_a_steady_clock_stands_still_while_its_source_is_set_back() -> None:
    clock = SteadyClock(iter([100, 50, 101, 0, 102]).__next__)
    assert [clock() for _ in range(5)] == [100, 100, 101, 101, 102]


def test_time_goes_on_when_the_clock_is_set_back(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    assert machine.wait(0) == 1_000_000
    machine.wall -= 3_600_000
    assert machine.wait(200) == 1_000_200, "not a ms is lost"
    assert machine.wait(5000) == 1_005_200
    machine.wall += 3_600_000
    assert machine.wait(100) == 1_005_300, "set right again"
    assert machine.wait(100) == machine.wall
    assert caplog.text.count("set back by 3600.0 s") == 1
    assert caplog.text.count("jumped forward by 3600.0 s") == 1


def test_time_follows_a_clock_that_is_set_forward(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    machine.wait(0)
    machine.wall += 60_000
    assert machine.wait(10) == 1_060_010
    assert machine.wait(90_000, asleep=True) == 1_150_010
    assert caplog.text.count("jumped forward") == machine.clock.jumps == 2


steps = st.lists(st.tuples(st.integers(0, 10_000), st.just(0) | st.integers(-100_000, 100_000)), max_size=50)


@given(steps)
def test_time_never_decreases_and_is_never_far_behind(history: list[tuple[int, int]]) -> None:
    """It goes on at least as fast as the monotonic clock, but for steps too small to tell from a slow reading."""
    machine, small = Machine(), 0
    before = machine.clock()
    for passed, set_by in history:
        machine.wall += set_by
        now = machine.wait(passed)
        small += max(0, -set_by) if set_by >= -JUMP_MS else 0
        assert now >= before
        assert now >= machine.wall
        assert now - 1_000_000 >= machine.up - 500 - small
        before = now
