"""Berger's tables, gauntlets, and the rounds of a tournament."""

from __future__ import annotations

from collections import Counter

import pytest

from noughts.tournaments.events import FIRST_WINS, Start, Withdraw
from noughts.tournaments.rounds import berger, gauntlet, is_over, rounds_in_all
from support.tournaments import ORGANISER, Played, terms

PUBLISHED = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        *("1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2", "2-8 3-1 4-7 5-6", "8-6 7-5 1-4 2-3", "3-8 4-2 5-1 6-7"),
        *("8-7 1-6 2-5 3-4", "4-8 5-3 6-2 7-1"),
    ],
}
"""FIDE's handbook, C.05, annex 1."""


@pytest.mark.parametrize("count", PUBLISHED)
def test_the_rounds_are_those_of_bergers_tables(count: int) -> None:
    shown = [" ".join(f"{one}-{other}" for one, other in pairs) for pairs in berger(count)]
    assert shown == PUBLISHED[count]


@pytest.mark.parametrize("count", range(2, 20))
def test_everybody_meets_everybody_once_and_the_sides_are_even(count: int) -> None:
    rounds = berger(count)
    assert len(rounds) == count - 1 + count % 2
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert len(met) == count * (count - 1) // 2
    assert set(met.values()) == {1}
    for pairs in rounds:
        players = [player for pair in pairs for player in pair]
        assert len(players) == len(set(players)) == count - count % 2
    firsts = Counter(pair[0] for pairs in rounds for pair in pairs)
    assert max(firsts.values()) - min(firsts[player] for player in range(1, count + 1)) <= 1


@pytest.mark.parametrize(("challengers", "opponents"), [(1, 1), (3, 1), (1, 3), (5, 3), (3, 5)])
@pytest.mark.parametrize("at_once", [False, True])
def test_in_a_gauntlet_everybody_meets_each_opponent_once(challengers: int, opponents: int, at_once: bool) -> None:
    ones, others = [f"c{n}" for n in range(challengers)], [f"o{n}" for n in range(opponents)]
    rounds = gauntlet(ones, others, at_once=at_once)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert met == Counter(frozenset((one, other)) for one in ones for other in others)
    for pairs in rounds:
        players = Counter(player for pair in pairs for player in pair)
        assert max(players[one] for one in ones) == 1
        assert at_once or max(players.values()) == 1


def test_a_double_round_robin_is_played_again_with_the_sides_swapped() -> None:
    played = Played(terms(rounds=2), "ABC")
    assert rounds_in_all(played.tournament) == 6
    while not is_over(played.tournament, played.now):
        played.pair()
        played.play(lambda _: FIRST_WINS)
    meetings = Counter((game.first, game.second) for game in played.tournament.games.values())
    assert meetings == Counter({(one, other): 1 for one in "ABC" for other in "ABC" if one != other})


def test_whoever_has_withdrawn_forfeits_the_games_that_are_left() -> None:
    played = Played(terms(), "ABCD")
    played.pair()
    played.play(lambda _: FIRST_WINS)
    played.do(Withdraw("B", "B"))
    while not is_over(played.tournament, played.now):
        for game in played.pair():
            if "B" in (game.first, game.second):
                assert game.result is not None
                assert not game.result.played
                assert game.points("B") == 0
        played.play(lambda _: FIRST_WINS)
    assert len(played.tournament.games) == 6


def test_a_gauntlet_against_levels_of_the_computer_needs_no_more_rounds_than_levels() -> None:
    played = Played(terms(format="gauntlet", opponents=("computer:easy", "computer:hard")), "ABC")
    assert rounds_in_all(played.tournament) == 2
    games = played.pair()
    assert len(games) == 3
    played.play(lambda _: FIRST_WINS)
    played.pair()
    played.play(lambda _: FIRST_WINS)
    assert is_over(played.tournament, played.now)


@pytest.mark.parametrize(("names", "rounds"), [("AB", 1), ("ABC", 3), ("ABCD", 3), ("ABCDEFGH", 5)])
def test_swiss_has_no_more_rounds_than_it_takes_for_all_to_meet(names: str, rounds: int) -> None:
    wanted = terms(format="swiss", rounds=5)
    assert rounds_in_all(Played(wanted, names, start=False).tournament) == 5
    assert rounds_in_all(Played(wanted, names).tournament) == rounds
    removed = Played(wanted, names + "XY", start=False)
    for name in "XY":
        removed.do(Withdraw(name, ORGANISER))
    removed.do(Start(ORGANISER, ()))
    assert rounds_in_all(removed.tournament) == rounds
