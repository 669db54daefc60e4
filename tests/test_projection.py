"""The index rows and results that the journal stores beside a room's records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from noughts.journal import GameResult
from noughts.projection import index_row, result_of
from noughts.rooms import (
    Abort,
    Claim,
    Command,
    Disconnect,
    Expire,
    Fischer,
    Open,
    Opened,
    Options,
    Play,
    Player,
    Resign,
    Return,
    Room,
    evolve,
)
from support.rooms import ANN, BEN, after, decided, played

RATED = Options(rated=True, clock=Fischer(60_000, 2000))


def opened(options: Options = RATED) -> Room:
    first, second = replace(ANN, registered=True), replace(BEN, registered=True)
    event = decided(None, Open("room", "tictactoe", "p-ann", first, second, options), 1000)
    assert isinstance(event, Opened)
    return evolve(None, event)


def end(room: Room, command: Command, now: int) -> GameResult | None:
    """The result that is stored with the event of ``command``."""
    return result_of(after(room, command, now=now), room)


RESULT = GameResult("room", "tictactoe", "p-ann", "p-ben", "first", "line", public=True, pool="bullet", ended_at=1000)


def test_the_move_that_ends_the_game_has_its_result() -> None:
    before = played(opened(), ("5", 0), ("1", 0), ("2", 500), ("3", 500))
    assert end(before, Play("p-ann", 4, "9"), 3000) is None
    assert end(before, Play("p-ann", 4, "8"), 3000) == replace(RESULT, ended_at=3000)
    over = after(before, Play("p-ann", 4, "8"), now=3000)
    gone = after(over, Disconnect("p-ben"), now=4000)
    assert result_of(gone, over) is None, "once"
    assert result_of(after(gone, Return("p-ben"), now=5000), gone) is None


def test_draws_resignations_and_other_ends_have_results() -> None:
    begun = played(opened(), ("5", 0), ("1", 0))
    assert end(begun, Resign("p-ann"), 2000) == replace(RESULT, winner="second", reason="resignation", ended_at=2000)
    flag = begun.due_at
    assert flag is not None
    assert end(begun, Expire(), flag) == replace(RESULT, winner="second", reason="time", ended_at=flag)
    left = after(begun, Disconnect("p-ben"), now=2000)
    claimed = replace(RESULT, reason="abandonment", ended_at=40_000)
    assert end(left, Claim("p-ann", "win"), 40_000) == claimed
    assert end(left, Claim("p-ann", "draw"), 40_000) == replace(claimed, winner=None, reason="draw")


def test_a_table_at_which_only_computers_play_sleeps_and_is_never_due() -> None:
    computer = Player("computer:easy", "computer", "computer")
    for first, second, sleeps in ((computer, computer, True), (ANN, computer, False), (None, computer, False)):
        event = decided(
            None, Open("room", "tictactoe", "p-ann", first, second, Options(clock=Fischer(60_000, 0))), 1000
        )
        assert isinstance(event, Opened)
        row = index_row(evolve(None, event), opener=b"somebody")
        assert (row.sleeps, row.due_at is None, row.opener) == (sleeps, sleeps, b"somebody")


def test_a_game_that_hardly_began_is_not_rated() -> None:
    early = played(opened(), ("5", 0))
    unrated = replace(RESULT, winner="second", reason="resignation", pool=None, ended_at=2000)
    assert end(early, Resign("p-ann"), 2000) == unrated
    assert end(early, Abort("p-ann"), 2000) is None
    assert early.due_at is not None
    assert end(early, Expire(), early.due_at) is None


def test_aborted_and_abandoned_games_have_no_result() -> None:
    begun = played(opened(replace(RATED, abandoned_ms=10_000)), ("5", 0), ("1", 0))
    left = after(begun, Disconnect("p-ann"), Disconnect("p-ben"), now=2000)
    assert left.due_at == 12_000
    assert end(left, Expire(), 12_000) is None


@pytest.mark.parametrize("options", [Options(), Options(clock=Fischer(60_000, 0)), Options(private=True)])
def test_an_unrated_game_has_no_pool(options: Options) -> None:
    result = end(played(opened(options), ("5", 0), ("1", 0)), Resign("p-ann"), 2000)
    assert result is not None
    assert (result.pool, result.public) == (None, not options.private)


def test_a_room_with_an_empty_seat_has_no_result() -> None:
    room = opened()
    unseated = replace(after(room, Resign("p-ann"), now=2000), second=None)
    assert result_of(unseated, room) is None
