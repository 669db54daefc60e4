from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.protocol.parsing import parse
from noughts_client.time_control import format_time_control, parse_time_control


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("3+2", {"initial_s": 180, "increment_s": 2}),
        (" 0.5 + 0 ", {"initial_s": 30, "increment_s": 0}),
        ("30s+0.3", {"initial_s": 30, "increment_s": 0.3}),
        (" 90 S + 1", {"initial_s": 90, "increment_s": 1}),
        ("10/move", {"per_move_s": 10}),
        ("10 / Move", {"per_move_s": 10}),
        ("3d/move", {"per_move_s": 259_200}),
        ("1 day", {"per_move_s": 86_400}),
        ("14 days / move", {"per_move_s": 1_209_600}),
        ("none", None),
        ("", None),
    ],
)
def test_time_controls_are_parsed(text: str, clock: Any) -> None:
    assert parse_time_control(text) == clock


@pytest.mark.parametrize(
    "text", ["3", "3+", "+2", "3+2+1", "a+b", "10/game", "3+2s", "30m+1", "-3+2", "1e3+0", "nan+0", f"{3:050}+1"]
)
def test_an_unreadable_time_control_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match=r"3\+2 .* 10/move .* none"):
        parse_time_control(text)


@pytest.mark.parametrize("text", ["30s+0.3", "1.5s+0", "59s+2", "61.7s+1"])
def test_a_time_below_a_minute_or_not_exact_in_minutes_is_formatted_in_seconds(text: str) -> None:
    clock = parse_time_control(text)
    assert clock is not None
    assert format_time_control(clock) == text


@given(st.integers(2, 360).map(lambda halves: halves / 2), st.integers(0, 180))
def test_every_time_control_is_parsed_as_it_is_formatted(minutes: float, increment_s: int) -> None:
    for text in (f"{minutes:g}+{increment_s}", f"{increment_s + 1}/move", f"{increment_s % 14 + 1}d/move"):
        clock = parse_time_control(text)
        assert clock is not None
        assert format_time_control(clock) == text
        parse(f'{{"type":"seek","game":"x","clock":{clock}}}'.replace("'", '"'))


@pytest.mark.parametrize(
    "text", ["0+2", "0.01+0", "0.9s+0", "10801s+0", "180.1+0", "1+180.5", "0/move", "3601/move", "0d/move", "15 days"]
)
def test_time_controls_outside_the_limits_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="A clock has 1 "):
        parse_time_control(text)
