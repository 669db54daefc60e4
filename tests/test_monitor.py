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
        "limit burst stopped 192.0.2.1: refused a request",
        "limit burst stopped 192.0.2.2: refused a request",
        "limit burst stopped 192.0.2.1: refused a request, 2 more times since the last line",
    ]


@pytest.mark.parametrize(
    ("who", "named", "fields"),
    [
        ("p-abc at 192.0.2.1", "p-abc at 192.0.2.1", {"player": "p-abc", "address": "192.0.2.1"}),
        ("p-abc", "p-abc", {"player": "p-abc"}),
        ("p-abc by MQTT", "p-abc by MQTT", {"player": "p-abc"}),
        ("2001:db8::/64", "2001:db8::/64", {"address": "2001:db8::/64"}),
        ("", "a client behind a proxy", {"address": "a client behind a proxy"}),
    ],
)
def test_the_line_says_who_what_and_what_the_server_did(
    who: str, named: str, fields: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    Monitor().limit("chat", who, "refused a chat line")
    (line,) = caplog.records
    assert line.getMessage() == f"limit chat stopped {named}: refused a chat line"
    assert line.fields == {"limit": "chat", **fields, "did": "refused a chat line", "times": 1}  # type: ignore[attr-defined]


def test_it_remembers_a_bounded_number_of_clients(caplog: pytest.LogCaptureFixture) -> None:
    monitor = Monitor(lambda: 100.0)
    for number in range(NAMED + 1):
        monitor.limit("burst", f"{number}")
    caplog.clear()
    monitor.limit("burst", f"{NAMED}")
    assert not caplog.records
    monitor.limit("burst", "0")
    assert caplog.records


def test_a_warning_about_the_setup_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    monitor = Monitor()
    for number in (*range(NAMED), 0):
        monitor.warn(f"warning {number}")
    assert len(caplog.records) == NAMED
    monitor.warn("one more, for which the oldest is forgotten")
    monitor.warn("warning 0")
    assert len(caplog.records) == NAMED + 2


def test_a_histogram_counts_values_up_to_each_bound() -> None:
    histogram = Histogram((1, 2.5))
    for value in (0, 1, 1.5, 2.5, 3, 100):
        histogram.observe(value)
    assert histogram.counts == [2, 2, 2]
    assert histogram.total == 108
