"""Games with days for each move: nobody is hurried, nobody has to stay, and the clock decides."""

from __future__ import annotations

import pytest

from noughts.games import Outcome, Reason, Side
from noughts.projection import index_row
from noughts.protocol.records import DAYS, from_record, to_record
from noughts.rooms import (
    Abort,
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    Claim,
    Disconnect,
    Ended,
    Expire,
    NoChange,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Open,
    Options,
    PerMove,
    Play,
    Resign,
    Return,
    pool_of,
    rematch_of,
)
from noughts.rooms.clock import DAY_MS, LAG_MS, days_ms
from support.rooms import ANN, BEN, after, decided, event_of, opened, played, refusal

THREE = PerMove(3 * DAY_MS)


def test_a_clock_of_an_hour_is_none_of_days() -> None:
    assert days_ms(PerMove(3_600_000)) == 0
    assert days_ms(None) == 0
    assert days_ms(THREE) == 3 * DAY_MS
    assert pool_of(THREE) == "classical"
    assert [PerMove(days * DAY_MS).in_words for days in (1, 14)] == ["1 day a move", "14 days a move"]


def test_the_first_moves_and_an_open_seat_have_as_long_as_any_move() -> None:
    room = opened(THREE)
    assert room.due == (room.moved_at + 3 * DAY_MS, Reason.ABORTED)
    assert decided(room, Expire(), room.moved_at + 3 * DAY_MS - 1) == NoChange(room.version)
    room = played(room, ("5", 2 * DAY_MS))
    assert room.due == (room.moved_at + 3 * DAY_MS, Reason.ABORTED)
    assert opened(THREE, second=None).due_at == 1000 + 3 * DAY_MS
    assert opened(PerMove(60_000), second=None).due_at == 1000 + Options().waiting_ms


def test_each_move_has_its_days_and_then_the_flag_falls() -> None:
    room = played(opened(THREE), ("5", DAY_MS), ("1", DAY_MS), ("3", 3 * DAY_MS - 1))
    assert room.clocks is not None
    assert (room.clocks.first_ms, room.clocks.second_ms) == (3 * DAY_MS, 3 * DAY_MS)
    due_at = room.moved_at + 3 * DAY_MS + LAG_MS
    assert decided(room, Expire(), due_at - 1) == NoChange(room.version)
    assert decided(room, Expire(), due_at) == Ended(due_at, None, Outcome(Side.FIRST, Reason.TIME))
    assert refusal(room, Play("p-ben", 3, "7"), room.moved_at + 3 * DAY_MS) == ("game_over", "Your time is up.")


@pytest.mark.parametrize("moves", [(), (("5", 0),), (("5", 0), ("1", 0))])
def test_leaving_gives_nobody_a_claim_and_is_not_even_noted(moves: tuple[tuple[str, int], ...]) -> None:
    room = played(opened(THREE), *moves)
    for command in (Disconnect("p-ben"), Disconnect("p-ann"), Return("p-ann")):
        assert decided(room, command, room.moved_at + DAY_MS) == NoChange(room.version)
    assert room.claimable_at(Side.SECOND) is None
    code, message = refusal(played(opened(THREE), ("5", 0), ("1", 0)), Claim("p-ann", "win"), 2 * DAY_MS)
    assert (code, message) == ("not_allowed", "With days for each move nobody has to stay. The clock decides.")


def test_offers_wait_for_their_answer_as_in_any_game() -> None:
    room = played(opened(THREE), ("5", DAY_MS), ("1", DAY_MS))
    taken_back = after(room, OfferTakeback("p-ben"), AcceptTakeback("p-ann"), now=room.at + 2 * DAY_MS)
    assert (taken_back.moves, taken_back.to_move) == (("5",), Side.SECOND)
    drawn = after(room, OfferDraw("p-ann"), AcceptDraw("p-ben"), now=room.at + 2 * DAY_MS)
    assert drawn.outcome == Outcome(None, Reason.AGREEMENT)
    assert after(opened(THREE), Abort("p-ann"), now=DAY_MS).outcome == Outcome(None, Reason.ABORTED)


def test_a_rematch_has_the_same_days() -> None:
    room = after(opened(THREE), Resign("p-ann"), OfferRematch("p-ann", "x"), AcceptRematch("p-ben", "next"), now=2000)
    rematch = rematch_of(room, 3000)
    assert rematch.options.clock == THREE


def test_an_older_server_refuses_such_a_room() -> None:
    event = event_of(None, Open("room", "tictactoe", "p-ann", ANN, BEN, Options(clock=THREE)), 1000)
    record = to_record(event)
    assert record.startswith(b'{"schema":%d,' % DAYS)
    assert from_record(record) == event


def test_the_index_knows_when_the_time_is_up_and_that_nobody_need_be_there() -> None:
    waiting, playing = index_row(opened(THREE, second=None)), index_row(opened(THREE))
    assert waiting.public, "the lobby shows an open seat"
    assert not playing.public, "and no game that stands still for days"
    assert (playing.due_at, playing.attended, waiting.attended) == (1000 + 3 * DAY_MS, False, False)
    blitz = index_row(opened(PerMove(10_000)))
    assert (blitz.public, blitz.attended) == (True, True)
