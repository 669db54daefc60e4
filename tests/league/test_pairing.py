"""Pairings: everybody equally often, from both seats."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.league.pairing import Pairing, games_of
from support.leagues import league

names = st.integers(2, 13).map(lambda count: [f"player {number}" for number in range(count)])


def schedule(players: list[str], rounds: int, **terms: Any) -> list[Pairing]:
    return games_of(league(players, rounds=rounds, **terms))


@given(names, st.integers(1, 5), st.integers())
def test_in_a_round_robin_every_two_players_meet_equally_often_from_both_seats(
    players: list[str], rounds: int, seed: int
) -> None:
    games = schedule(players, rounds, seed=seed)
    seats = Counter((game.first, game.second) for game in games)
    assert seats == {pair: rounds for one, two in combinations(players, 2) for pair in ((one, two), (two, one))}
    for number in range(1, rounds + 1):
        of_round = Counter(frozenset((game.first, game.second)) for game in games if game.round == number)
        assert of_round == {frozenset(two): 2 for two in combinations(players, 2)}


@given(names, st.integers(1, 5), st.integers())
def test_in_a_gauntlet_one_player_meets_each_of_the_others(players: list[str], rounds: int, seed: int) -> None:
    games = schedule(players, rounds, format="gauntlet", opponents=[players[1]], seed=seed)
    others = [player for player in players if player != players[1]]
    assert Counter(game.first for game in games) == {players[1]: rounds * len(others), **dict.fromkeys(others, rounds)}
    assert Counter(game.second for game in games) == Counter(game.first for game in games)


@given(names, st.integers(1, 5), st.integers())
def test_the_games_of_a_pair_follow_each_other_with_the_seats_swapped(
    players: list[str], rounds: int, seed: int
) -> None:
    games = schedule(players, rounds, seed=seed)
    for number, (one, other) in enumerate(zip(games[::2], games[1::2], strict=True), 1):
        assert one.pair == other.pair == number
        assert (one.round, one.first, one.second) == (other.round, other.second, other.first)


@given(names, st.integers())
def test_nobody_waits_long_for_the_next_game(players: list[str], seed: int) -> None:
    # The circle method's rounds of one game for everybody, but one player if their number is odd.
    pairs = schedule(players, 1, seed=seed)[::2]
    at_once = len(players) // 2
    for begin in range(0, len(pairs), at_once):
        playing = [player for game in pairs[begin : begin + at_once] for player in (game.first, game.second)]
        assert len(set(playing)) == 2 * at_once


@given(names, st.integers(1, 3), st.integers())
def test_the_seed_fixes_the_order(players: list[str], rounds: int, seed: int) -> None:
    assert schedule(players, rounds, seed=seed) == schedule(players, rounds, seed=seed)


def test_another_seed_gives_another_order_and_a_longer_league_begins_the_same() -> None:
    players = list("abcdefgh")
    assert schedule(players, 2, seed=1) != schedule(players, 2, seed=2)
    assert schedule(players, 3, seed=1)[: 2 * 56] == schedule(players, 2, seed=1)


def test_the_order_of_a_seed_is_the_same_in_every_version() -> None:
    # A league that is resumed after an update must get the same pairings.
    games = schedule(["a", "b", "c"], 1, seed=7)
    assert " ".join(game.first + game.second for game in games) == "ab ba ca ac bc cb"


@given(names, names)
def test_in_a_gauntlet_nobody_meets_another_opponent(players: list[str], staff: list[str]) -> None:
    staff = [f"staff {name}" for name in staff]
    games = schedule([*players, *staff], 1, format="gauntlet", opponents=staff)
    assert len(games) == 2 * len(players) * len(staff)
    assert {frozenset((game.first, game.second)) for game in games} == {
        frozenset((one, other)) for one in players for other in staff
    }


@pytest.mark.parametrize(
    ("players", "opponents", "words"),
    [
        (["a"], [], "at least two players"),
        (["a", "b"], ["c"], "c is not one of the players"),
        (["a", "b"], ["a", "b"], "needs a player"),
    ],
)
def test_impossible_leagues_are_refused(players: list[str], opponents: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        schedule(players, 1, format="gauntlet", opponents=opponents)
