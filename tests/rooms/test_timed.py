"""Games with a clock: charged time, and the end by time."""

from __future__ import annotations

import pytest

from noughts.games import Outcome, Reason, Side
from noughts.rooms import Ended, Expire, Fischer, NoChange, Pause, Paused, PerMove, Play, Played, Resign, decide, evolve
from noughts.rooms.absence import COMING_BACK_MS
from support.rooms import ANN, MINIMAX, after, event_of, opened, played, refusal

CLOCK = Fischer(10_000, 1000)


def test_each_sides_first_move_is_free() -> None:
    room = played(opened(CLOCK), ("5", 20_000))
    assert room.running is None
    room = played(room, ("1", 29_999))
    assert room.running is Side.FIRST
    assert room.clocks is not None
    assert (room.clocks.first_ms, room.clocks.second_ms) == (10_000, 10_000)


@pytest.mark.parametrize("moves", [(), (("5", 1000),)])
def test_a_missing_first_move_aborts_the_game(moves: tuple[tuple[str, int], ...]) -> None:
    room = played(opened(CLOCK), *moves)
    assert room.due_at == room.moved_at + 30_000
    assert decide(room, Expire(), room.due_at - 1) == NoChange(room.version)
    assert decide(room, Expire(), room.due_at) == Ended(room.due_at, None, Outcome(None, Reason.ABORTED))


def test_a_clock_runs_until_the_move_arrives_and_the_other_from_its_event() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    begun = room.moved_at
    event = decide(room, Play("p-ann", 2, "3", arrived=begun + 4000), begun + 4500)
    assert event == Played(begun + 4500, Side.FIRST, 2, "3", 4000, 0, 4000)
    room = evolve(room, event)
    assert room.clocks is not None
    assert (room.clocks.first_ms, room.clocks.second_ms, room.moved_at) == (7000, 10_000, begun + 4500)


@pytest.mark.parametrize(("arrived", "spent"), [(-5000, 0), (0, 0), (700, 700), (5000, 1000), (None, 1000)])
def test_an_arrival_time_counts_between_the_last_move_and_now(arrived: int | None, spent: int) -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    stamp = None if arrived is None else room.moved_at + arrived
    event = event_of(room, Play("p-ann", 2, "3", stamp), room.moved_at + 1000)
    assert isinstance(event, Played)
    assert event.spent_ms == spent


def test_lag_is_compensated() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    event = event_of(room, Play("p-ann", 2, "3", lag_ms=300), room.moved_at + 5000)
    assert isinstance(event, Played)
    assert (event.spent_ms, event.compensated_ms, event.thought_ms) == (5000, 300, 4700)
    clocks = evolve(room, event).clocks
    assert clocks is not None
    assert (clocks.first_ms, clocks.first_quota_ms, clocks.second_quota_ms) == (6300, 3000, 3000)
    early = event_of(opened(CLOCK), Play("p-ann", 0, "3", lag_ms=300), 2000)
    assert isinstance(early, Played)
    assert (early.compensated_ms, early.thought_ms) == (0, 1000), "nothing is charged yet"
    without = event_of(played(opened(), ("5", 0), ("1", 0)), Play("p-ann", 2, "3", lag_ms=300), 9000)
    assert isinstance(without, Played)
    assert without.compensated_ms == 0


def test_a_move_in_time_is_accepted_after_the_clock_ran_out() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    flag = room.moved_at + 10_000
    assert room.due_at == flag + 1000
    assert decide(room, Expire(), flag + 999) == NoChange(room.version)
    ended = decide(room, Expire(), flag + 1000)
    assert ended == Ended(flag + 1000, None, Outcome(Side.SECOND, Reason.TIME))
    over = evolve(room, ended)
    assert over.clocks is not None
    assert (over.clocks.first_ms, over.clocks.second_ms) == (0, 10_000)
    in_time = Play("p-ann", 2, "3", arrived=flag - 1)
    assert isinstance(decide(room, in_time, flag + 900), Played)
    assert refusal(room, Play("p-ann", 2, "3", arrived=flag), flag) == ("game_over", "Your time is up.")
    by_lag = Play("p-ann", 2, "3", arrived=flag + 299, lag_ms=300)
    assert isinstance(decide(room, by_lag, flag + 900), Played)
    assert refusal(room, Play("p-ann", 2, "3", arrived=flag + 300, lag_ms=300), flag + 900)[0] == "game_over"


def test_per_move() -> None:
    room = played(opened(PerMove(5000)), ("5", 0), ("1", 0), ("2", 4999))
    assert room.clocks is not None
    assert (room.clocks.first_ms, room.clocks.second_ms) == (5000, 5000)
    assert room.due_at == room.moved_at + 6000


def test_a_computer_has_a_clock_too() -> None:
    room = played(opened(CLOCK, MINIMAX, MINIMAX), ("5", 0), ("1", 0))
    assert room.due_at == room.moved_at + 11_000


def test_the_clock_stops_when_the_game_ends() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    over = after(room, Resign("p-ben"), now=room.at + 3000)
    assert over.clocks is not None
    assert (over.clocks.first_ms, over.clocks.second_ms, over.running) == (7000, 10_000, None)


def test_neither_clock_runs_during_a_pause() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    down = Pause(((room.at + 4000, room.at + 60_000),))
    event = event_of(room, down, room.at + 60_100)
    assert event == Paused(room.at + 60_100, 56_000 + COMING_BACK_MS)
    paused = evolve(room, event)
    assert decide(paused, down, paused.at + 5) == NoChange(paused.version), "once is enough"
    assert room.due_at is not None
    assert paused.due_at == room.due_at + 56_000 + COMING_BACK_MS
    # 4 s were thought before it, 1 s after the players had come back.
    move = event_of(paused, Play("p-ann", 2, "3"), room.moved_at + 60_000 + COMING_BACK_MS + 1000)
    assert isinstance(move, Played)
    assert move.spent_ms == 5000
    at_once = event_of(paused, Play("p-ann", 2, "3"), paused.at)
    assert isinstance(at_once, Played)
    assert at_once.spent_ms == 2100, "who has come back sooner has gained it"


def test_outages_count_from_the_last_event() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    at = room.at
    outages = ((at - 9000, at - 5000), (at - 1000, at + 1000), (at + 2000, at + 4000))
    assert event_of(room, Pause(outages), at + 5000) == Paused(at + 5000, 3000 + COMING_BACK_MS)
    assert event_of(room, Pause(outages), at + 3999) == Paused(at + 4000, 3000 + COMING_BACK_MS)


def test_a_room_that_waits_for_no_player_is_not_paused() -> None:
    down = Pause(((0, 10**9),))
    for room in (
        opened(),
        opened(CLOCK, ANN, None),
        played(opened(), ("5", 0), ("1", 0)),
        after(opened(CLOCK), Resign("p-ann"), now=2000),
    ):
        assert decide(room, down, 10**9) == NoChange(room.version)
    assert decide(opened(CLOCK), Pause(()), 10**9) == NoChange(1)
