from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from noughts.gateway.frames import FLOOD_S, FLOOD_WINDOW_S, PAUSE_S, FrameBudget, framed, unmasked


@given(st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_a_mask_is_combined_with_each_four_bytes(content: bytes, mask: bytes) -> None:
    masked = bytes(byte ^ mask[number % 4] for number, byte in enumerate(content))
    assert unmasked(masked, mask) == content


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_read_by_the_library(size: int) -> None:
    client = ClientProtocol(parse_uri("ws://x"), state=State.OPEN)
    client.receive_data(framed(b"x" * size))
    assert client.events_received() == [Frame(Opcode.TEXT, b"x" * size)]


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
