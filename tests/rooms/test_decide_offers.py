"""Draws and takebacks: offered, withdrawn, accepted, declined."""

from __future__ import annotations

import pytest

from noughts.games import GAMES, Outcome, Reason, Side
from noughts.rooms import (
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    Claim,
    Command,
    Declined,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Disconnect,
    Ended,
    Fischer,
    NoChange,
    OfferDraw,
    Offered,
    OfferRematch,
    OfferTakeback,
    Play,
    Resign,
    Room,
    TakenBack,
)
from noughts.rooms.decide import TAKEBACKS
from noughts.rooms.validate import is_valid
from support.rooms import ANN, MINIMAX, after, decided, event_of, opened, played, refusal

BEGUN = played(opened(), ("5", 0), ("1", 0), ("2", 0))
"""``first`` has moved last."""


@pytest.mark.parametrize("key", ["hex", "breakthrough"])
def test_no_draw_is_agreed_on_where_the_rules_know_none(key: str) -> None:
    begun = played(opened(game=key), *((move, 0) for move in GAMES[key].example.split()[:2]))
    assert refusal(begun, OfferDraw("p-ann"), 2000) == ("not_allowed", f"There is no draw in {GAMES[key].title}.")
    left = after(begun, Disconnect("p-ann"), now=2000)
    claimable = left.claimable_at(Side.FIRST)
    assert claimable is not None
    assert refusal(left, Claim("p-ben", "draw"), claimable)[0] == "not_allowed"
    won = Outcome(Side.SECOND, Reason.ABANDONMENT)
    assert event_of(left, Claim("p-ben", "win"), claimable) == Ended(claimable, Side.SECOND, won)


def test_draw_offers() -> None:
    assert refusal(opened(), OfferDraw("p-ann"), 2000)[0] == "not_allowed"
    assert refusal(BEGUN, AcceptDraw("p-ann"), 2000)[0] == "not_allowed"
    assert refusal(BEGUN, DeclineDraw("p-ann"), 2000)[0] == "not_allowed"
    assert refusal(BEGUN, OfferDraw("p-eve"), 2000)[0] == "not_seated"
    assert event_of(BEGUN, OfferDraw("p-ann"), 2000) == Offered(2000, Side.FIRST, "draw")
    offered = after(BEGUN, OfferDraw("p-ann"), now=2000)
    assert offered.offers == ((Side.FIRST, "draw"),)
    for command in (OfferDraw("p-ann"), AcceptDraw("p-ann")):
        assert refusal(offered, command, 2000)[0] == "not_allowed"
    agreed = Ended(2000, Side.SECOND, Outcome(None, Reason.AGREEMENT))
    assert event_of(offered, AcceptDraw("p-ben"), 2000) == agreed
    assert event_of(offered, OfferDraw("p-ben"), 2000) == agreed
    declined = after(offered, DeclineDraw("p-ben"), now=2000)
    assert declined.offers == ()
    assert refusal(declined, OfferDraw("p-ann"), 2000)[0] == "not_allowed", "once at a turn"
    assert event_of(declined, OfferDraw("p-ben"), 2000) == Offered(2000, Side.SECOND, "draw")
    assert event_of(played(declined, ("3", 0)), OfferDraw("p-ann"), 2000) == Offered(2000, Side.FIRST, "draw")


@pytest.mark.parametrize(
    ("room", "offer", "decline", "accept"),
    [
        (BEGUN, OfferDraw("p-ann"), DeclineDraw("p-ann"), AcceptDraw("p-ben")),
        (BEGUN, OfferTakeback("p-ann"), DeclineTakeback("p-ann"), AcceptTakeback("p-ben")),
        (
            after(BEGUN, Resign("p-ben"), now=2000),
            OfferRematch("p-ann", "next"),
            DeclineRematch("p-ann"),
            AcceptRematch("p-ben", "next"),
        ),
    ],
)
def test_an_offer_can_be_withdrawn(room: Room, offer: Command, decline: Command, accept: Command) -> None:
    offered = after(room, offer, now=2000)
    withdrawn = event_of(offered, decline, 2000)
    assert withdrawn == Declined(2000, Side.FIRST, offered.offers[0][1])
    assert is_valid(offered, withdrawn)
    gone = after(offered, decline, now=2000)
    assert gone.offers == ()
    for command in (accept, decline, offer):
        assert refusal(gone, command, 2000)[0] == "not_allowed"


@pytest.mark.parametrize("offer", [OfferDraw("p-ann"), OfferTakeback("p-ann"), OfferDraw("p-ben")])
def test_a_move_of_either_side_withdraws_every_offer(offer: Command) -> None:
    room = played(after(BEGUN, offer, now=2000), ("3", 0))
    assert room.offers == ()
    for command in (AcceptDraw("p-ben"), AcceptDraw("p-ann"), AcceptTakeback("p-ben")):
        assert refusal(room, command, 2000)[0] == "not_allowed"
    assert after(after(BEGUN, offer, now=2000), Resign("p-ben"), now=2000).offers == ()


def test_a_takeback_undoes_the_answer_too() -> None:
    room = after(BEGUN, OfferTakeback("p-ben"), now=2000)
    assert event_of(room, DeclineTakeback("p-ann"), 2000) == Declined(2000, Side.FIRST, "takeback")
    assert event_of(room, AcceptTakeback("p-ann"), 2000) == TakenBack(2000, Side.FIRST, 2)
    back = after(room, AcceptTakeback("p-ann"), now=2000)
    assert (back.moves, back.to_move, back.turn) == (("5",), Side.SECOND, 5)
    own = after(BEGUN, OfferTakeback("p-ann"), AcceptTakeback("p-ben"), now=2000)
    assert (own.moves, own.to_move, own.turn) == (("5", "1"), Side.FIRST, 4)


def test_takebacks_that_are_refused() -> None:
    assert refusal(opened(), OfferTakeback("p-ann"), 2000)[0] == "not_allowed"
    assert refusal(played(opened(), ("5", 0)), OfferTakeback("p-ben"), 2000)[0] == "not_allowed"
    assert refusal(BEGUN, OfferTakeback("p-eve"), 2000)[0] == "not_seated"
    asked = after(BEGUN, OfferTakeback("p-ann"), now=2000)
    assert refusal(asked, OfferTakeback("p-ben"), 2000)[0] == "not_allowed", "it would be another move"
    assert refusal(asked, AcceptTakeback("p-ann"), 2000)[0] == "not_allowed"
    assert refusal(after(BEGUN, Resign("p-ann"), now=2000), OfferTakeback("p-ann"), 2000)[0] == "game_over"


def test_a_move_sent_before_a_takeback_is_stale_after_it() -> None:
    back = after(BEGUN, OfferTakeback("p-ben"), AcceptTakeback("p-ann"), now=2000)
    assert refusal(back, Play("p-ben", 1, "9"), 2000)[0] == "stale"
    assert refusal(back, Play("p-ben", 3, "9"), 2000)[0] == "stale"
    assert refusal(back, Play("p-ben", 4, "9"), 2000)[0] == "stale"
    assert decided(back, Play("p-ben", 1, "1"), 2000) == NoChange(3), "that was taken, and answered so"
    assert played(back, ("9", 0)).moves == ("5", "9")


def test_a_takeback_restores_the_clocks() -> None:
    room = played(opened(Fischer(60_000, 1000)), ("5", 0), ("1", 0), ("2", 5000), ("3", 7000))
    before = played(opened(Fischer(60_000, 1000)), ("5", 0), ("1", 0))
    back = after(room, OfferTakeback("p-ann"), AcceptTakeback("p-ben"), now=room.at + 9000)
    assert (back.position, back.clocks, back.running) == (before.position, before.clocks, Side.FIRST)
    assert back.moved_at == room.at + 9000


def test_the_computer_accepts_takebacks() -> None:
    room = played(opened(None, ANN, MINIMAX), ("5", 0), ("1", 0))
    assert event_of(room, OfferTakeback("p-ann"), 2000) == TakenBack(2000, Side.SECOND, 2)
    thinking = played(opened(None, ANN, MINIMAX), ("5", 0))
    assert event_of(thinking, OfferTakeback("p-ann"), 2000) == TakenBack(2000, Side.SECOND, 1)


def test_takebacks_are_bounded() -> None:
    room = played(opened(None, ANN, MINIMAX), ("5", 0))
    for _ in range(TAKEBACKS):
        room = played(after(room, OfferTakeback("p-ann"), now=2000), ("5", 0))
    assert refusal(room, OfferTakeback("p-ann"), 2000)[0] == "not_allowed"
