"""Only events that decide makes are valid."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from noughts.games import Outcome, Reason, Side
from noughts.rooms import (
    Declined,
    Disconnected,
    Ended,
    Event,
    Fischer,
    Join,
    Joined,
    Offer,
    Offered,
    Open,
    Opened,
    Options,
    Paused,
    Play,
    Played,
    Player,
    Rematched,
    Returned,
    Room,
    TakenBack,
    evolve,
    rematch_of,
)
from noughts.rooms.validate import is_valid
from rooms.test_machine import RoomMachine
from support.rooms import event_of

ANN, BEN = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")
PERFECT = Player("computer:perfect", "computer", "computer")
AT = 1_000_000


class ValidityMachine(RoomMachine):
    """Every event that a room makes is valid there, and invalid with any field changed."""

    @initialize()
    def begin(self) -> None:
        self.held = 0

    @rule(side=st.sampled_from(Side), offer=st.sampled_from(get_args(Offer)))
    def invented_events_are_mostly_invalid(self, side: Side, offer: Offer) -> None:
        """An invented event is valid only in a room where it can be true."""
        room, at = self.room, self.room.at
        seated, away = room.seat(side) is not None and room.next is None, side in room.away
        assert not is_valid(room, Disconnected(at, side)) or (seated and not away)
        assert not is_valid(room, Returned(at, side)) or (seated and away)
        assert not is_valid(room, Declined(at, side, offer)) or offer in [made for _, made in room.offers]
        assert not is_valid(room, Offered(at, side, offer)) or (side, offer) not in room.offered
        assert not is_valid(room, TakenBack(at, side, room.turn + 1))

    @invariant()
    def past_events_are_valid(self) -> None:
        for number in range(self.held, len(self.events)):
            event, before = self.events[number], self.rooms[number - 1] if number else None
            assert is_valid(before, event)
            if before is not None:
                assert not is_valid(before, replace(event, at=before.at - 1))
                assert not is_valid(None, event)
            if isinstance(event, Played):
                outcome = Outcome(Side.FIRST, Reason.LINE, ("1",)) if event.outcome is None else None
                for changed in (
                    replace(event, move="0"),
                    replace(event, side=event.side.other),
                    replace(event, turn=event.turn + 1),
                    replace(event, spent_ms=event.spent_ms + 1),
                    replace(event, thought_ms=event.thought_ms + 1),
                    replace(event, compensated_ms=1001, thought_ms=event.spent_ms - 1001),
                    replace(event, spent_ms=-1, thought_ms=-1 - event.compensated_ms),
                    replace(event, outcome=outcome),
                ):
                    assert not is_valid(before, changed), changed
        self.held = len(self.events)


TestValidity = ValidityMachine.TestCase
TestValidity.settings = settings(max_examples=10, stateful_step_count=40)


class LongValidityMachine(ValidityMachine):
    """The same with many more examples."""


TestLongValidity = pytest.mark.slow(LongValidityMachine.TestCase)
TestLongValidity.settings = settings(max_examples=150, stateful_step_count=40)


def begun(clock: Fischer | None = None, second: Player | None = BEN) -> Room:
    """A game in which each side has moved."""
    room = evolve(None, decided(None, Open("room", "tictactoe", "p-ann", ANN, None, Options(clock=clock))))
    if second is not None:
        room = evolve(room, decided(room, Join(second)))
        for move in ("1", "5"):
            mover = room.to_move
            assert mover is not None
            player = room.seat(mover)
            assert player is not None
            room = evolve(room, decided(room, Play(player.id, room.turn, move)))
    return room


def decided(room: Room | None, command: Open | Join | Play) -> Event:
    event = event_of(room, command, AT)
    assert isinstance(event, Opened | Joined | Played)
    return event


def over() -> Room:
    return evolve(begun(), Ended(AT, Side.FIRST, Outcome(Side.SECOND, Reason.RESIGNATION)))


@pytest.mark.parametrize(
    "event",
    [
        Ended(AT, None, Outcome(Side.FIRST, Reason.TIME)),
        Ended(AT, Side.FIRST, Outcome(Side.FIRST, Reason.RESIGNATION)),
        Ended(AT, Side.FIRST, Outcome(None, Reason.AGREEMENT)),
        Ended(AT, Side.FIRST, Outcome(None, Reason.ABORTED)),
        Ended(AT, Side.FIRST, Outcome(Side.FIRST, Reason.LINE)),
        Ended(AT, Side.FIRST, Outcome(Side.FIRST, Reason.FORFEIT)),
        Ended(AT, Side.FIRST, Outcome(Side.FIRST, Reason.ABANDONMENT)),
        TakenBack(AT, Side.FIRST, 1),
        Declined(AT, Side.FIRST, "draw"),
        Returned(AT, Side.FIRST),
        Rematched(AT, "next"),
        Offered(AT, Side.FIRST, "rematch"),
        Joined(AT, Side.FIRST, Player("p-eve", "eve", "human")),
        Paused(AT + 1000, 3000),
        Opened(AT, "room", "tictactoe", "p-ann", ANN, BEN, Options()),
    ],
)
def test_impossible_events_are_invalid(event: Event) -> None:
    assert not is_valid(begun(), event)


def test_valid_and_invalid_openings() -> None:
    opened = Opened(AT, "room", "tictactoe", "p-ann", ANN, BEN, Options())
    assert is_valid(None, opened)
    assert not is_valid(None, replace(opened, second=ANN))
    assert not is_valid(None, Joined(AT, Side.FIRST, ANN))
    again = evolve(over(), Offered(AT, Side.FIRST, "rematch"))
    rematched = Rematched(AT + 1, "next")
    assert is_valid(again, rematched)
    assert is_valid(None, rematch_of(evolve(again, rematched), AT + 2))


def test_the_end_of_a_clock_is_valid_only_at_its_time() -> None:
    room = begun(Fischer(60_000, 0))
    flag = Ended(AT + 61_000, None, Outcome(Side.SECOND, Reason.TIME))
    assert is_valid(room, flag)
    assert not is_valid(room, replace(flag, at=AT + 60_999))
    assert not is_valid(room, replace(flag, outcome=Outcome(Side.FIRST, Reason.TIME)))


def test_a_pause_is_at_most_the_time_since_the_last_event() -> None:
    room = begun(Fischer(60_000, 0))
    assert is_valid(room, Paused(AT + 5000, 7000))
    assert not is_valid(room, Paused(AT + 5000, 7001))
    assert not is_valid(room, Paused(AT + 5000, 2000))


def test_a_wait_is_at_most_the_time_since_the_computer_came_to_move() -> None:
    room = begun(Fischer(60_000, 0))
    assert not is_valid(room, Paused(AT + 5000, 5000, "queue")), "a person is to move"
    room = evolve(room, decided(begun(Fischer(60_000, 0), PERFECT), Play("p-ann", 2, "2")))
    room = replace(room, second=PERFECT)
    assert is_valid(room, Paused(AT + 5000, 5000, "queue"))
    assert not is_valid(room, Paused(AT + 5000, 5001, "queue"))
    assert not is_valid(room, Paused(AT + 5000, 5, "queue"))


def test_takebacks_against_a_computer_need_no_offer() -> None:
    room = begun(second=PERFECT)
    assert is_valid(room, TakenBack(AT, Side.SECOND, 2))
    assert not is_valid(room, TakenBack(AT, Side.FIRST, 2))
    assert not is_valid(room, TakenBack(AT, Side.SECOND, 1))
