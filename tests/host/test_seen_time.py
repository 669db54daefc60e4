"""The time that passed while a server was up."""

from __future__ import annotations

import pytest

from noughts.host.seen_time import missed_ms, seen_since


@pytest.mark.parametrize(
    ("since", "until", "missed"),
    [
        (0, 100, 0),
        (0, 1000, 170),
        (150, 180, 30),
        (0, 150, 50),
        (150, 310, 60),
        (200, 300, 0),
        (320, 900, 0),
        (950, 1000, 0),
    ],
)
def test_outages_within_a_time_are_counted_once(since: int, until: int, missed: int) -> None:
    outages = [(900, 950), (100, 200), (300, 310), (305, 320)]
    assert missed_ms(outages, since, until) == missed


@pytest.mark.parametrize(
    ("now", "span", "since"),
    [
        (1000, 0, 1000),
        (1000, 50, 950),
        (1000, 51, 899),
        (1000, 100, 850),
        (250, 50, 200),
        (250, 60, 90),
        (150, 10, 90),
        (99, 10, 89),
    ],
)
def test_a_span_is_longer_by_the_outages_in_it(now: int, span: int, since: int) -> None:
    assert seen_since([(100, 200), (900, 950)], now, span) == since
