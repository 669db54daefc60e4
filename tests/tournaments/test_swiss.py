"""Pairings of Swiss tournaments."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.tournaments.events import DRAWN, FIRST_WINS, SECOND_WINS, Withdraw
from noughts.tournaments.ranking import field_of, rounds_of, standings
from noughts.tournaments.rounds import is_over
from noughts.tournaments.swiss import swiss_pairs
from support.tournaments import Played, terms

pytest.importorskip("py4swiss", reason="the extra swiss is not installed")

NAMES = [f"p{number:02}" for number in range(1, 40)]


def swiss(players: int, rounds: int) -> Played:
    return Played(terms(format="swiss", rounds=rounds), NAMES[:players])


def test_in_the_first_round_the_upper_half_meets_the_lower_half() -> None:
    """FIDE's handbook, C.04.3: of 2n players in their initial order, 1 meets n + 1, and the sides alternate."""
    pairs = swiss_pairs(field_of(swiss(8, 5).tournament), 5)
    assert pairs == [("p01", "p05"), ("p06", "p02"), ("p03", "p07"), ("p08", "p04")]


def test_of_an_odd_number_the_last_has_no_opponent_and_gets_a_point() -> None:
    played = swiss(5, 3)
    played.pair()
    assert played.tournament.byes == ((1, "p05"),)
    assert rounds_of(field_of(played.tournament))["p05"] == [2]


def test_in_the_second_round_winners_meet_winners_who_had_the_other_side() -> None:
    played = swiss(8, 5)
    played.pair()
    played.play(lambda game: FIRST_WINS if game.first < game.second else SECOND_WINS)
    games = played.pair()
    assert {frozenset((game.first, game.second)) for game in games} == {
        frozenset(("p01", "p04")),
        frozenset(("p02", "p03")),
        frozenset(("p05", "p08")),
        frozenset(("p06", "p07")),
    }


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(4, 21), st.integers(0, 2**32))
def test_nobody_meets_an_opponent_twice_or_rests_twice_and_the_sides_are_even(players: int, seed: int) -> None:
    play_at_random(players, seed)


@pytest.mark.parametrize("players", [6, 9, 19])
def test_nobody_meets_an_opponent_twice_in_a_small_tournament(players: int) -> None:
    play_at_random(players, seed=players)


def play_at_random(players: int, seed: int) -> None:
    """Play a tournament of up to 9 rounds, and check what must hold of its pairings."""
    rng, rounds = random.Random(seed), min(9, players // 2)
    played = swiss(players, rounds)
    while not is_over(played.tournament, played.now):
        points = {row.player: row.points for row in standings(field_of(played.tournament))}
        pairs = [(points[game.first], points[game.second]) for game in played.pair()]
        if played.tournament.round <= 3:
            ordered = sorted(each for pair in pairs for each in pair)
            least = sum(ordered[1::2]) - sum(ordered[::2])
            apart = sum(abs(first - second) for first, second in pairs)
            assert apart <= least + 2, "nearly all meet an opponent with as many points"
        played.play(lambda _: rng.choice((FIRST_WINS, SECOND_WINS, DRAWN)))
    games = played.tournament.games.values()
    met = Counter(frozenset((game.first, game.second)) for game in games)
    assert set(met.values()) == {1}
    assert len({player for _, player in played.tournament.byes}) == len(played.tournament.byes)
    assert len(games) == rounds * (players // 2)
    for player in NAMES[:players]:
        own = sorted((game for game in games if player in (game.first, game.second)), key=lambda game: game.round)
        # The last round is left out: there those with more than half of the points may have a third such game.
        sides = "".join("1" if game.first == player else "2" for game in own if game.round < rounds)
        assert "111" not in sides
        assert "222" not in sides
        assert abs(sides.count("1") - sides.count("2")) <= 2


def test_whoever_has_withdrawn_is_not_paired() -> None:
    played = swiss(6, 4)
    played.pair()
    played.play(lambda _: DRAWN)
    played.do(Withdraw("p02", "p02"))
    games = played.pair()
    assert "p02" not in {player for game in games for player in (game.first, game.second)}
    assert len(games) == 2
    assert len(played.tournament.byes) == 1


def test_if_all_have_met_those_meet_again_who_met_least_often() -> None:
    played = swiss(5, 5)
    played.pair()
    played.play(lambda _: FIRST_WINS)
    (free,) = (player for _, player in played.tournament.byes)
    played.do(Withdraw(free, free))
    while not is_over(played.tournament, played.now):
        played.pair()
        played.play(lambda _: FIRST_WINS)
    met = Counter(frozenset((game.first, game.second)) for game in played.tournament.games.values())
    assert sorted(met.values()) == [1, 1, 2, 2, 2, 2]
