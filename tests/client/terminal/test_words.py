from typing import Any

import pytest

from noughts.protocol import Update, update
from noughts.protocol.messages import OutcomeInfo
from noughts.rooms import (
    Abort,
    AcceptRematch,
    AcceptTakeback,
    Claim,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Disconnect,
    Event,
    Expire,
    Fischer,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Pause,
    Resign,
    Return,
    Room,
    decide,
    evolve,
)
from noughts_client.terminal.table import Wanted
from noughts_client.terminal.words import happened, question, result, standing, status
from support.viewed import COMPUTER, FIRST, SECOND, SPECTATOR, after, room, seen

WON, DRAWN = "14253", "123546879"
SOUGHT = Wanted("tictactoe", None, rated=False)


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (FIRST.id, "You win."),
        (SECOND.id, "You lose: player-1 has a line."),
        (SPECTATOR, "player-1 wins: player-1 has a line."),
    ],
)
def test_a_line_is_a_win_or_a_loss(by: str, words: str) -> None:
    assert status(seen(by, room(WON))) == words


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (FIRST.id, "You lose: you resigned."),
        (SECOND.id, "You win: player-1 resigned."),
        (SPECTATOR, "player-2 wins: player-1 resigned."),
    ],
)
def test_resigning_is_told_of_who_did(by: str, words: str) -> None:
    assert status(seen(by, after(room("5"), Resign(FIRST.id)))) == words


def test_a_full_board_is_a_draw_for_everybody() -> None:
    assert {status(seen(by, room(DRAWN))) for by in (FIRST.id, SECOND.id, SPECTATOR)} == {"Drawn."}


@pytest.mark.parametrize("reason", ["draw", "count", "agreement", "abandonment", "aborted", "of a later server"])
def test_every_end_without_a_winner_has_words(reason: str) -> None:
    outcome: OutcomeInfo = {"winner": None, "reason": reason, "cells": []}
    assert result(seen(FIRST.id, room()), outcome).endswith(".")


@pytest.mark.parametrize("reason", ["count", "time", "abandonment", "forfeit", "of a later server"])
def test_every_end_with_a_winner_has_words(reason: str) -> None:
    outcome: OutcomeInfo = {"winner": "second", "reason": reason, "cells": []}
    assert result(seen(FIRST.id, room()), outcome).startswith("You lose")
    assert result(seen(SECOND.id, room()), outcome).startswith("You win")
    assert result(seen(SPECTATOR, room()), outcome).startswith("player-2 wins")


def test_whose_turn_it_is() -> None:
    assert status(seen(FIRST.id, room())) == "Your turn."
    assert status(seen(SECOND.id, room())) == "player-1 is to move."
    assert status(seen(FIRST.id, room("5", second=COMPUTER))) == "minimax is thinking."
    assert status(seen(FIRST.id, room(second=None))) == "Waiting for an opponent."


def test_what_is_asked_follows_the_game() -> None:
    assert question(seen(FIRST.id, room(second=None))) == "q leaves: "
    assert question(seen(FIRST.id, room())) == "Your move: "
    assert question(seen(SECOND.id, room())) == "> "
    over = room(WON)
    assert question(seen(FIRST.id, over)) == "Play again? [y/N] "
    assert question(seen(SPECTATOR, over)) == "q leaves: "
    offered = after(over, OfferRematch(FIRST.id, "next"))
    assert question(seen(FIRST.id, offered)) == "q leaves: "
    assert question(seen(SECOND.id, offered)) == "Play again? [y/N] "
    assert question(seen(SECOND.id, offered, sought=SOUGHT)) == "Play again? [y/N/s] "
    assert standing(seen(FIRST.id, offered), 0) == ["You have offered a rematch."]
    assert standing(seen(SECOND.id, offered), 0) == ["player-1 wants to play again."]


def told(before: Room, command: Any, by: str = FIRST.id, at: int = 0, **fields: Any) -> str:
    event = decide(before, command, at)
    assert isinstance(event, Event)
    then = evolve(before, event)
    message: Update = update(event, then)
    return happened(seen(by, then, **fields), message)


def test_what_the_other_did_is_told() -> None:
    from noughts.rooms import Join, Play

    over, gone = room(WON), after(room(), Disconnect(SECOND.id))
    assert told(room(second=None), Join(SECOND)) == "player-2 has sat down."
    assert told(room("5"), Play(SECOND.id, 1, "1")) == "player-2 played 1."
    assert told(room("5"), Play(SECOND.id, 1, "1"), numpad=True) == "player-2 played 7."
    assert told(room("5"), Play(SECOND.id, 1, "1"), by=SECOND.id) == ""
    assert told(room(), Disconnect(SECOND.id)) == "player-2 is away."
    assert told(gone, Return(SECOND.id)) == "player-2 is back."
    assert told(over, OfferRematch(SECOND.id, "next")) == ""  # the view tells it, for as long as it stands
    offered = after(over, OfferRematch(FIRST.id, "next"))
    assert told(offered, DeclineRematch(SECOND.id)) == "player-2 does not want a rematch."
    assert told(offered, AcceptRematch(SECOND.id, "next")) == ""


def test_what_became_of_an_offer_is_told() -> None:
    draw, takeback = after(room("51"), OfferDraw(FIRST.id)), after(room("51"), OfferTakeback(FIRST.id))
    assert told(draw, DeclineDraw(SECOND.id)) == "player-2 declines the draw."
    assert told(draw, DeclineDraw(SECOND.id), by=SECOND.id) == ""
    assert told(takeback, DeclineTakeback(SECOND.id)) == "player-2 does not want the move taken back."
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        assert told(takeback, AcceptTakeback(SECOND.id), by=by) == "2 moves were taken back."
    one = after(room("5"), OfferTakeback(FIRST.id))
    assert told(one, AcceptTakeback(SECOND.id)) == "A move was taken back."


def test_an_outage_is_told() -> None:
    timed = room("51", clock=Fischer(60_000, 0))
    assert told(timed, Pause(((0, 10_000),)), at=10_000) == "The server was away; 12 s are charged to nobody."


def test_who_can_claim_soon_is_told_by_the_view_and_others_in_a_word() -> None:
    assert told(room("51"), Disconnect(SECOND.id)) == ""
    assert told(room("51"), Disconnect(SECOND.id), by=SPECTATOR) == "player-2 is away."


def test_a_game_that_was_closed_before_it_began_is_told_as_such_and_why() -> None:
    assert status(seen(FIRST.id, after(room("5"), Abort(SECOND.id)))) == "Closed before the game had begun."
    assert told(room("5"), Abort(SECOND.id)) == "player-2 has closed it."
    assert told(room("5"), Abort(SECOND.id), by=SECOND.id) == "You have closed it."
    for moves, late in (("", "player-1 has"), ("5", "player-2 has")):
        timed = room(moves, clock=Fischer(60_000, 0))
        assert told(timed, Expire(), by=SPECTATOR, at=60_000) == f"{late} not moved within a minute."
    assert told(room(clock=Fischer(60_000, 0)), Expire(), at=60_000) == "You have not moved within a minute."


def test_a_draw_that_was_claimed_is_told_apart_from_one_on_the_board() -> None:
    away = after(room("51"), Disconnect(SECOND.id))
    assert told(away, Claim(FIRST.id, "draw"), at=60_000) == "You have claimed the draw."
    assert told(away, Claim(FIRST.id, "draw"), by=SPECTATOR, at=60_000) == "player-1 has claimed the draw."
