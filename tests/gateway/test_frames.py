from __future__ import annotations

from noughts.gateway.frames import FLOOD_S, FLOOD_WINDOW_S, PAUSE_S, FrameBudget, frame_end, framed


def test_a_frame_ends_where_its_length_says() -> None:
    for size in (0, 125, 126, 65535, 65536):
        sent = framed(b"x" * size)
        head = len(sent) - size
        masked = bytes([sent[0], sent[1] | 0x80]) + sent[2:head] + b"mask" + sent[head:]
        assert frame_end(b"before" + masked + b"after", 6, 70_000) == 6 + len(masked)
        assert frame_end(masked[:1], 0, 70_000) > 1
        assert frame_end(sent + b"after", 0, 70_000) == len(sent + b"after"), "it is not masked"
        if size:
            assert frame_end(masked + b"after", 0, size - 1) == len(masked + b"after"), "it is too long"


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
