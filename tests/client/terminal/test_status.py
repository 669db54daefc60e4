from dataclasses import replace
from typing import Any

import pytest

from noughts.protocol.render import update
from noughts.protocol.room_messages import OutcomeInfo, Update
from noughts.protocol.words import WORDS, Words
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
    Wait,
    evolve,
)
from noughts_client.terminal.status import event_notice, prompt, rating_change, remarks, result, status
from noughts_client.terminal.table import SeekTerms
from support.rooms import decided
from support.viewed import COMPUTER, FIRST, SECOND, SPECTATOR, after, room, seen

WON, DRAWN = "14253", "123546879"
TERMS = SeekTerms("tictactoe", None, rated=False)


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (FIRST.id, "You won with three in a row."),
        (SECOND.id, "You lost to three in a row."),
        (SPECTATOR, "player-1 won with three in a row."),
    ],
)
def test_a_line_is_a_win_or_a_loss(by: str, words: str) -> None:
    assert status(seen(by, room(WON))) == words


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (FIRST.id, "You lost by resignation."),
        (SECOND.id, "You won by resignation."),
        (SPECTATOR, "player-2 won by resignation."),
    ],
)
def test_a_resignation_names_the_player_who_resigned(by: str, words: str) -> None:
    assert status(seen(by, after(room("5"), Resign(FIRST.id)))) == words


def test_the_terminal_says_what_the_server_says() -> None:
    theirs: Words = {**WORDS, "endings": {"line": {"how": "by three"}}, "unrated": {"same_address": "Not rated."}}
    assert status(seen(FIRST.id, room(WON), words=theirs)) == "You won by three."
    unrated = seen(FIRST.id, room("5"), words=theirs)
    unrated = replace(unrated, options={**unrated.options, "unrated_because": "same_address"})
    assert remarks(unrated, 0) == ["Not rated."]


def test_a_full_board_is_a_draw() -> None:
    assert {status(seen(by, room(DRAWN))) for by in (FIRST.id, SECOND.id, SPECTATOR)} == {"Draw."}


@pytest.mark.parametrize("reason", ["draw", "count", "agreement", "abandonment", "aborted", "of a later server"])
def test_every_end_without_a_winner_has_a_sentence(reason: str) -> None:
    outcome: OutcomeInfo = {"winner": None, "reason": reason, "cells": []}
    assert result(seen(FIRST.id, room()), outcome).endswith(".")


@pytest.mark.parametrize("reason", ["count", "time", "abandonment", "forfeit", "of a later server"])
def test_every_end_with_a_winner_has_a_sentence(reason: str) -> None:
    outcome: OutcomeInfo = {"winner": "second", "reason": reason, "cells": []}
    assert result(seen(FIRST.id, room()), outcome).startswith("You lost")
    assert result(seen(SECOND.id, room()), outcome).startswith("You won")
    assert result(seen(SPECTATOR, room()), outcome).startswith("player-2 won")


def test_the_side_to_move_is_shown() -> None:
    assert status(seen(FIRST.id, room())) == "Your turn."
    assert status(seen(SECOND.id, room())) == "player-1 to move."
    assert status(seen(FIRST.id, room("5", second=COMPUTER))) == "computer is thinking."
    assert status(seen(FIRST.id, room(second=None))) == "Waiting for an opponent."


def test_choices_that_are_not_on_the_board_are_named() -> None:
    table = seen(FIRST.id, room(game="gomoku"))
    for legal, words in (
        (["a1", "swap", "more"], "Your turn: a cell, swap or more."),
        (["keep", "swap"], "keep or swap."),
    ):
        assert status(replace(table, state={**table.state, "legal_moves": legal})).endswith(words)


def test_the_prompt_follows_the_game() -> None:
    assert prompt(seen(FIRST.id, room(second=None))) == "q to leave: "
    assert prompt(seen(FIRST.id, room())) == "Your move: "
    assert prompt(seen(SECOND.id, room())) == "> "
    over = room(WON)
    assert prompt(seen(FIRST.id, over)) == "Play again? [y/N] "
    assert prompt(seen(SPECTATOR, over)) == "q to leave: "
    offered = after(over, OfferRematch(FIRST.id, "next"))
    assert prompt(seen(FIRST.id, offered)) == "q to leave: "
    assert prompt(seen(SECOND.id, offered)) == "Play again? [y/N] "
    assert prompt(seen(SECOND.id, offered, seek=TERMS)) == "Play again? [y/N/s] "
    assert remarks(seen(FIRST.id, offered), 0) == ["You have offered a rematch."]
    assert remarks(seen(SECOND.id, offered), 0) == ["player-1 offers a rematch."]
    gone = after(after(over, Disconnect(SECOND.id)), OfferRematch(FIRST.id, "next"))
    assert remarks(seen(FIRST.id, gone), 0) == ["You have offered a rematch, but player-2 is away."]


def notice(before: Room, command: Any, by: str = FIRST.id, at: int = 0, **fields: Any) -> str:
    event = decided(before, command, at)
    assert isinstance(event, Event)
    then = evolve(before, event)
    message: Update = update(event, then)
    return event_notice(seen(by, then, **fields), message, seen(by, before))


def test_a_move_that_declines_an_offer_says_so() -> None:
    from noughts.rooms import Play

    before = after(room("51"), OfferDraw(SECOND.id))
    then = after(before, Play(FIRST.id, 2, "3"))
    event = decided(before, Play(FIRST.id, 2, "3"), 0)
    assert isinstance(event, Event)
    message: Update = update(event, then)
    offerer, other = (event_notice(seen(by, then), message, seen(by, before)) for by in (SECOND.id, SPECTATOR))
    assert offerer == "player-1 played 3, and so declined the draw."
    assert other == "player-1 played 3."


def test_events_of_the_opponent_are_reported() -> None:
    from noughts.rooms import Join, Play

    over, gone = room(WON), after(room(), Disconnect(SECOND.id))
    assert notice(room(second=None), Join(SECOND)) == "player-2 has joined."
    assert notice(room("5"), Play(SECOND.id, 1, "1")) == "player-2 played 1."
    assert notice(room("5"), Play(SECOND.id, 1, "1"), numpad=True) == "player-2 played 7."
    assert notice(room("5"), Play(SECOND.id, 1, "1"), by=SECOND.id) == ""
    assert notice(room(), Disconnect(SECOND.id)) == "player-2 is away."
    assert notice(gone, Return(SECOND.id)) == "player-2 is back."
    assert notice(over, OfferRematch(SECOND.id, "next")) == ""  # the view shows it while it stands
    offered = after(over, OfferRematch(FIRST.id, "next"))
    assert notice(offered, DeclineRematch(SECOND.id)) == "player-2 declines the rematch."
    assert notice(offered, AcceptRematch(SECOND.id, "next")) == ""


def test_answers_to_offers_are_reported() -> None:
    draw, takeback = after(room("51"), OfferDraw(FIRST.id)), after(room("51"), OfferTakeback(FIRST.id))
    assert notice(draw, DeclineDraw(SECOND.id)) == "player-2 declines the draw."
    assert notice(draw, DeclineDraw(SECOND.id), by=SECOND.id) == "You declined the draw."
    assert notice(takeback, DeclineTakeback(SECOND.id)) == "player-2 declines the takeback."
    assert notice(draw, DeclineDraw(FIRST.id)) == "You withdrew the offer of a draw."
    assert notice(takeback, DeclineTakeback(FIRST.id), by=SECOND.id) == "player-1 withdraws the offer of a takeback."
    for by in (FIRST.id, SECOND.id, SPECTATOR):
        assert notice(takeback, AcceptTakeback(SECOND.id), by=by) == "2 moves were taken back."
    one = after(room("5"), OfferTakeback(FIRST.id))
    assert notice(one, AcceptTakeback(SECOND.id)) == "A move was taken back."


def test_an_outage_is_reported() -> None:
    timed = room("51", clock=Fischer(60_000, 0))
    assert notice(timed, Pause(((0, 10_000),)), at=10_000) == "The server was down for 12 s; neither clock ran."


def test_a_wait_for_the_computer_is_reported() -> None:
    waits = room("5", second=COMPUTER, clock=Fischer(60_000, 0))
    assert notice(waits, Wait(1, 0), at=1234) == "The computer was busy with other games for 1.2 s; neither clock ran."


def test_an_absence_is_reported_only_where_the_view_does_not_show_it() -> None:
    assert notice(room("51"), Disconnect(SECOND.id)) == ""
    assert notice(room("51"), Disconnect(SECOND.id), by=SPECTATOR) == "player-2 is away."


def test_an_aborted_game_is_reported_with_the_reason() -> None:
    assert status(seen(FIRST.id, after(room("5"), Abort(SECOND.id)))) == "The game was closed before it began."
    assert notice(room("5"), Abort(SECOND.id)) == "player-2 closed the game."
    assert notice(room("5"), Abort(SECOND.id), by=SECOND.id) == "You closed the game."
    for moves, late in (("", "player-1"), ("5", "player-2")):
        timed = room(moves, clock=Fischer(60_000, 0))
        assert notice(timed, Expire(), by=SPECTATOR, at=60_000) == f"{late} did not move within a minute."
    assert notice(room(clock=Fischer(60_000, 0)), Expire(), at=60_000) == "You did not move within a minute."


def test_a_claimed_draw_is_reported() -> None:
    away = after(room("51"), Disconnect(SECOND.id))
    assert notice(away, Claim(FIRST.id, "draw"), at=60_000) == "You claimed the draw."
    assert notice(away, Claim(FIRST.id, "draw"), by=SPECTATOR, at=60_000) == "player-1 claimed the draw."


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([("1", 1500), ("2", 1523)], "Your rating: 1500 -> 1523? (+23)."),
        ([("1", 1500), ("2", 1480), ("3", 1490)], "Your rating: 1500 -> 1480? (-20)."),
        ([("2", 1662)], "Your first rating: 1662?."),
        ([("1", 1500)], None),
        ([], None),
    ],
)
def test_a_rated_game_says_what_it_did_to_the_rating(points: list[tuple[str, int]], words: str | None) -> None:
    """The profile shows it a moment after the end, among the ratings after other games."""
    course = {"pool": "blitz", "points": [{"at": at, "rating": rating} for at, rating in points]}
    rating = {"pool": "blitz", "provisional": True}
    page: Any = {
        "course": [{"game": "connect4", **course}, {"game": "tictactoe", **course}],
        "ratings": [{"game": "connect4", **rating, "provisional": False}, {"game": "tictactoe", **rating}],
    }
    table = seen(FIRST.id, room(WON, clock=Fischer(1000, 0)), ended_at="2")
    assert rating_change(table, page) == words
    shown = replace(table, rating=words)
    assert (words in remarks(shown, 0)) == (words is not None)
    assert not table.needs_rating, "this game is not rated"
    rated = replace(table, options={**table.options, "rated": True})
    assert rated.needs_rating
    assert not replace(rated, rating=words or None).needs_rating, "once is enough"


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("same_address", "This game is not rated: its players share a public address."),
        (
            "pair_limit",
            "This game is not rated: its players have had enough rated games with each other in the last 24 hours.",
        ),
        ("another reason of a newer server", "This game is not rated."),
    ],
)
def test_a_game_that_was_to_be_rated_says_why_it_is_not(why: str, words: str) -> None:
    table = seen(FIRST.id, room(clock=Fischer(1000, 0)))
    rated = replace(table, options={**table.options, "rated": True})
    assert rated.judged({"kind": "joined"}) == rated
    judged = rated.judged({"kind": "joined", "unrated_because": why})
    assert not judged.options["rated"]
    assert words in remarks(judged, 0)
    assert words not in remarks(rated, 0)


def test_a_stopped_game_says_why() -> None:
    table = seen(FIRST.id, room("5", clock=Fischer(60_000, 0)))
    table = replace(table, state={**table.state, "to_move": None, "rules_changed": {"from": 1, "at_ply": 1}})
    assert status(table) == "The game has stopped."
    assert remarks(table, 0) == [WORDS["rules_changed"]]
