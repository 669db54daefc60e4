"""Claims against absent players, and games that all players have left."""

from __future__ import annotations

import pytest

from noughts.games import Outcome, Reason, Side
from noughts.rooms import Claim, Disconnect, Ended, Expire, Fischer, Pause, Resign, Return, evolve
from noughts.rooms.decide import COMING_BACK_MS
from support.rooms import ANN, MINIMAX, after, decided, event_of, opened, played, refusal

BEGUN = played(opened(), ("5", 0), ("1", 0))
GONE = after(BEGUN, Disconnect("p-ben"), now=5000)


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        (Claim("p-ann", "win"), Outcome(Side.FIRST, Reason.ABANDONMENT)),
        (Claim("p-ann", "draw"), Outcome(None, Reason.DRAW)),
    ],
)
def test_the_game_of_an_absent_player_can_be_claimed_after_a_while(claim: Claim, outcome: Outcome) -> None:
    assert GONE.claimable_at(Side.SECOND) == 35_000
    assert refusal(GONE, claim, 34_999) == ("not_allowed", "The other side has 1 s left to come back.")
    assert event_of(GONE, claim, 35_000) == Ended(35_000, Side.FIRST, outcome)


def test_claims_that_are_refused() -> None:
    claim = Claim("p-ann", "win")
    assert refusal(BEGUN, claim, 10**9)[0] == "not_allowed"
    assert refusal(GONE, Claim("p-ben", "win"), 10**9)[0] == "not_allowed", "ann is there"
    assert refusal(GONE, Claim("p-eve", "win"), 10**9)[0] == "not_seated"
    back = after(GONE, Return("p-ben"), now=34_000)
    assert refusal(back, claim, 10**9)[0] == "not_allowed"
    again = after(back, Disconnect("p-ben"), now=40_000)
    assert refusal(again, claim, 69_999)[0] == "not_allowed"
    assert refusal(after(opened(), Disconnect("p-ben"), now=5000), claim, 10**9)[0] == "not_allowed", "not begun"
    assert refusal(after(GONE, Resign("p-ann"), now=6000), claim, 10**9)[0] == "game_over"
    assert refusal(opened(None, ANN, None), claim, 10**9)[0] == "not_allowed"


def test_an_outage_delays_the_claim() -> None:
    paused = after(GONE, Pause(((6000, 66_000),)), now=66_000)
    assert paused.claimable_at(Side.SECOND) == 35_000 + 60_000 + COMING_BACK_MS


def test_a_timed_game_that_all_players_left_is_abandoned() -> None:
    room = played(opened(Fischer(10_000_000, 0)), ("5", 0), ("1", 0))
    one = after(room, Disconnect("p-ann"), now=5000)
    assert one.due_at == room.due_at
    both = after(one, Disconnect("p-ben"), now=9000)
    assert both.due_at == 609_000
    assert decided(both, Expire(), 609_000) == Ended(609_000, None, Outcome(None, Reason.ABANDONMENT))
    assert after(both, Return("p-ann"), now=10_000).due_at == room.due_at
    alone = played(opened(Fischer(10_000_000, 0), ANN, MINIMAX), ("5", 0), ("1", 0))
    assert after(alone, Disconnect("p-ann"), now=5000).due_at == 605_000
    soon = after(
        played(opened(Fischer(10_000, 0)), ("5", 0), ("1", 0)), Disconnect("p-ann"), Disconnect("p-ben"), now=5000
    )
    ended = event_of(soon, Expire(), 10**9)
    assert isinstance(ended, Ended)
    assert ended.outcome.reason is Reason.TIME, "whatever comes first"
    assert evolve(soon, ended).due_at is None


def test_a_game_without_a_clock_waits_for_a_month() -> None:
    room = after(BEGUN, Disconnect("p-ann"), Disconnect("p-ben"), now=5000)
    assert room.due_at == room.moved_at + 30 * 86_400_000
