from __future__ import annotations

import pytest

from noughts.monitor import NAMED, QUIET_S, Histogram, Monitor


def test_the_log_names_a_client_at_a_limit_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 100.0
    monitor = Monitor(lambda: now)
    for _ in range(3):
        monitor.limit("burst", "192.0.2.1")
    monitor.limit("burst", "192.0.2.2")
    now += QUIET_S
    monitor.limit("burst", "192.0.2.1")

    assert monitor.limited == {"burst": 5}
    assert [record.getMessage() for record in caplog.records] == [
        "limit burst stopped 192.0.2.1",
        "limit burst stopped 192.0.2.2",
        "limit burst stopped 192.0.2.1, 2 more times since the last line",
    ]


def test_it_remembers_a_bounded_number_of_clients(caplog: pytest.LogCaptureFixture) -> None:
    monitor = Monitor(lambda: 100.0)
    for number in range(NAMED + 1):
        monitor.limit("burst", f"{number}")
    caplog.clear()
    monitor.limit("burst", f"{NAMED}")
    assert not caplog.records
    monitor.limit("burst", "0")
    assert caplog.records


def test_a_histogram_counts_values_up_to_each_bound() -> None:
    histogram = Histogram((1, 2.5))
    for value in (0, 1, 1.5, 2.5, 3, 100):
        histogram.observe(value)
    assert histogram.counts == [2, 2, 2]
    assert histogram.total == 108
