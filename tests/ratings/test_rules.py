"""Ratings before and after a game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from noughts.journal import GameResult, StoredRating
from noughts.ratings import Stakes, after_game, as_rated, provisional, stakes
from noughts.rooms import Player

GAME = GameResult("room", "connect4", "p-ann", "p-ben", "first", "line", public=True, pool="blitz", ended_at=1000)
ANN = StoredRating("p-ann", "connect4", "blitz", 1700.0, 60.0, 0.06, 40)


def test_the_first_game_starts_from_the_initial_rating() -> None:
    first, second = after_game(GAME, None, None)
    assert first is not None
    assert second is not None
    assert (first.player, first.game, first.pool, first.games) == ("p-ann", "connect4", "blitz", 1)
    assert (second.player, second.games) == ("p-ben", 1)
    assert first.rating == pytest.approx(1662.31, abs=0.01)
    assert second.rating == pytest.approx(1337.69, abs=0.01)
    assert first.deviation == second.deviation == pytest.approx(290.32, abs=0.01)


def test_each_player_is_rated_by_the_opponents_rating_before_the_game() -> None:
    first, second = after_game(GAME, ANN, None)
    assert first is not None
    assert second is not None
    assert (first.games, second.games) == (41, 1)
    assert 0 < first.rating - 1700 < 10, "little is learnt of who is known from who is new"
    other, same = after_game(replace(GAME, first="p-ben", second="p-ann", winner="second"), None, ANN)
    assert (same, other) == (first, second), "whichever side began"


@pytest.mark.parametrize(("winner", "sign"), [("first", 1), (None, 0), ("second", -1)])
def test_the_score_follows_from_the_result(winner: str | None, sign: int) -> None:
    first, second = after_game(replace(GAME, winner=winner), None, None)  # type: ignore[arg-type]
    assert first is not None
    assert second is not None
    assert (first.rating > 1500) - (first.rating < 1500) == sign
    assert (second.rating > 1500) - (second.rating < 1500) == -sign


def test_a_computer_keeps_its_rating() -> None:
    first, second = after_game(replace(GAME, second="computer:hard"), ANN, None)
    assert second is None
    assert first is not None
    assert first.rating > 1700
    assert after_game(replace(GAME, first="computer:hard", second="p-ann", winner="second"), None, ANN) == (None, first)


def test_a_game_against_oneself_changes_nothing() -> None:
    assert after_game(replace(GAME, second="p-ann"), ANN, ANN) == (None, None)


def test_the_stakes_are_what_the_game_then_changes() -> None:
    ben = StoredRating("p-ben", "connect4", "blitz", 1500.4, 90.0, 0.06, 10)
    mine, yours = stakes("connect4", "p-ann", "p-ben", ANN, ben)
    assert mine is not None
    assert yours is not None
    for winner, one, other in (("first", mine.win, yours.loss), (None, mine.draw, yours.draw)):
        first, second = after_game(replace(GAME, winner=winner), ANN, ben)  # type: ignore[arg-type]
        assert first is not None
        assert second is not None
        assert (one, other) == (round(first.rating) - 1700, round(second.rating) - 1500)
    assert mine.win < yours.win, "the stronger player wins less"


def test_nothing_is_at_stake_for_a_computer_nor_against_oneself_or_an_unknown_level() -> None:
    mine, level = stakes("connect4", "p-ann", "computer:hard", ANN, None)
    assert mine is not None
    assert mine.loss < 0 < mine.win
    assert level is None
    assert stakes("connect4", "p-ann", "p-ann", ANN, ANN) == (None, None)
    assert stakes("connect4", "p-ann", "computer:divine", ANN, None) == (None, None)
    assert stakes("connect4", "p-ann", "p-ben", None, None) == (Stakes(162, 0, -162),) * 2


def test_a_seat_shows_the_rating_for_its_game_and_pool() -> None:
    player = Player("p-ann", "ann", "human", registered=True)
    found = [
        replace(ANN, pool="bullet", rating=1.0),
        replace(ANN, game="reversi", rating=2.0),
        replace(ANN, player="p-ben", rating=3.0),
        replace(ANN, rating=1700.5001),
    ]
    assert as_rated(player, "connect4", "blitz", found) == replace(player, rating=1701)
    assert as_rated(player, "connect4", "rapid", found) == player
    uncertain = [replace(ANN, deviation=110.01)]
    level = Player("computer:hard", "computer", "computer")
    assert as_rated(level, "connect4", "blitz", found).rating == 1790
    assert as_rated(level, "four", "blitz", found).rating is None, "only measured ratings are shown"
    assert as_rated(player, "connect4", "blitz", uncertain) == replace(player, rating=1700, provisional=True)
    assert as_rated(replace(player, rating=1, provisional=True), "connect4", "rapid", found) == player, "not the last"


def test_a_computer_seat_shows_its_levels_rating() -> None:
    hard = Player("computer:hard", "computer", "computer")
    assert as_rated(hard, "connect4", "blitz", []) == replace(hard, rating=1790)
    assert as_rated(hard, "tictactoe", "bullet", []) == replace(hard, rating=1630)


def test_a_rating_is_provisional_while_it_is_uncertain() -> None:
    assert [provisional(deviation) for deviation in (350.0, 110.01, 110.0, 50.0)] == [True, True, False, False]
