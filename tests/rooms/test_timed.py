"""Games with a clock: charged time, and the end by time."""

from __future__ import annotations

import pytest

from noughts.games import Outcome, Reason, Side
from noughts.protocol.records import from_record, to_record
from noughts.rooms import (
    WAIT_MS,
    Ended,
    Expire,
    Fischer,
    NoChange,
    Open,
    Opened,
    Options,
    Pause,
    Paused,
    PerMove,
    Play,
    Played,
    Resign,
    Room,
    Wait,
    evolve,
    most_lag_ms,
)
from noughts.rooms.decide import COMING_BACK_MS
from noughts.rooms.validate import is_valid
from support.rooms import ANN, BEN, MINIMAX, after, decided, event_of, opened, played, refusal

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
    assert decided(room, Expire(), room.due_at - 1) == NoChange(room.version)
    assert decided(room, Expire(), room.due_at) == Ended(room.due_at, None, Outcome(None, Reason.ABORTED))


def test_a_clock_runs_until_the_move_arrives_and_the_other_from_its_event() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    begun = room.moved_at
    event = decided(room, Play("p-ann", 2, "3", arrived=begun + 4000), begun + 4500)
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
    assert decided(room, Expire(), flag + 999) == NoChange(room.version)
    ended = decided(room, Expire(), flag + 1000)
    assert ended == Ended(flag + 1000, None, Outcome(Side.SECOND, Reason.TIME))
    over = evolve(room, ended)
    assert over.clocks is not None
    assert (over.clocks.first_ms, over.clocks.second_ms) == (0, 10_000)
    in_time = Play("p-ann", 2, "3", arrived=flag - 1)
    assert isinstance(decided(room, in_time, flag + 900), Played)
    assert refusal(room, Play("p-ann", 2, "3", arrived=flag), flag) == ("game_over", "Your time is up.")
    by_lag = Play("p-ann", 2, "3", arrived=flag + 299, lag_ms=300)
    assert isinstance(decided(room, by_lag, flag + 900), Played)
    assert refusal(room, Play("p-ann", 2, "3", arrived=flag + 300, lag_ms=300), flag + 900)[0] == "game_over"


def test_per_move() -> None:
    room = played(opened(PerMove(5000)), ("5", 0), ("1", 0), ("2", 4999))
    assert room.clocks is not None
    assert (room.clocks.first_ms, room.clocks.second_ms) == (5000, 5000)
    assert room.due_at == room.moved_at + 6000


COMPUTER = opened(CLOCK, ANN, MINIMAX)


def test_neither_clock_runs_while_nobody_searches_for_the_computers_move() -> None:
    room = played(COMPUTER, ("5", 0), ("1", 0), ("3", 1000))
    assert room.computer_to_move == MINIMAX
    came = room.moved_at
    event = event_of(room, Wait(3, 0), came + 30_000)
    assert event == Paused(came + 30_000, 30_000, "queue"), "long after its flag would have fallen"
    paused = evolve(room, event)
    assert (paused.moved_at, paused.due_at) == (came + 30_000, came + 30_000 + 10_000 + 1000)
    move = event_of(paused, Play(MINIMAX.id, 3, "7"), came + 32_000)
    assert isinstance(move, Played)
    assert move.thought_ms == 2000


def test_a_search_that_was_lost_with_its_node_is_charged() -> None:
    room = played(COMPUTER, ("5", 0), ("1", 0), ("3", 1000))
    paused = after(room, Wait(3, room.moved_at + 3000), now=room.moved_at + 20_000)
    assert paused.moved_at == room.moved_at + 17_000
    again = after(paused, Wait(3, room.moved_at + 3000), now=room.moved_at + 40_000)
    assert again.moved_at <= room.moved_at + 40_000, "nobody is given more than has passed"


def test_a_first_move_that_nobody_searches_for_does_not_abort_the_game() -> None:
    room = opened(CLOCK, MINIMAX, ANN)
    paused = after(room, Wait(0, 0), now=room.moved_at + 300_000)
    assert paused.due_at == room.moved_at + 300_000 + 30_000


@pytest.mark.parametrize(
    ("room", "command", "later"),
    [
        (played(COMPUTER, ("5", 0), ("1", 0)), Wait(2, 0), 60_000),  # a person is to move
        (played(COMPUTER, ("5", 0), ("1", 0), ("3", 0)), Wait(2, 0), 60_000),  # another turn
        (played(COMPUTER, ("5", 0)), Wait(1, 0), WAIT_MS - 1),
        (played(opened(None, ANN, MINIMAX), ("5", 0)), Wait(1, 0), 60_000),  # no clock
        (after(COMPUTER, Resign("p-ann"), now=2000), Wait(0, 0), 60_000),
    ],
)
def test_waits_that_change_nothing(room: Room, command: Wait, later: int) -> None:
    assert decided(room, command, room.at + later) == NoChange(room.version)


def test_a_flag_falls_later_where_the_server_was_late() -> None:
    room = played(opened(CLOCK), ("5", 0), ("1", 0))
    assert room.due_at is not None
    assert decided(room, Expire(late_ms=700), room.due_at + 699) == NoChange(room.version)
    ended = decided(room, Expire(late_ms=700), room.due_at + 700)
    assert isinstance(ended, Ended)
    assert ended.at == room.due_at + 700


def test_rooms_from_before_lag_depended_on_the_clock_keep_their_limits() -> None:
    """Their options name no limit. A fast game of today would give back less."""
    fast = Fischer(60_000, 0)
    given_back = {}
    for name, options in (("old", Options(clock=fast)), ("new", Options(clock=fast, lag_ms=most_lag_ms(fast)))):
        event = decided(None, Open("room", "tictactoe", "p-ann", ANN, BEN, options), 1000)
        assert isinstance(event, Opened)
        record = to_record(event)
        assert (b"lag_ms" in record) == (name == "new")
        assert from_record(record) == event
        room = played(evolve(None, event), ("5", 0), ("1", 0))
        moved = event_of(room, Play("p-ann", 2, "3", lag_ms=900), room.moved_at + 5000)
        assert isinstance(moved, Played)
        given_back[name] = moved.compensated_ms
        assert is_valid(room, moved)
        assert evolve(room, moved).clocks is not None
    assert given_back == {"old": 900, "new": 200}


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
    assert decided(paused, down, paused.at + 5) == NoChange(paused.version), "once is enough"
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
        assert decided(room, down, 10**9) == NoChange(room.version)
    assert decided(opened(CLOCK), Pause(()), 10**9) == NoChange(1)
