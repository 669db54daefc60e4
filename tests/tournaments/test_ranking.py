"""Standings and tie-breaks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from noughts.tournaments.events import DRAWN, FIRST_BY_FORFEIT, FIRST_WINS, SECOND_WINS, Enter, Withdraw
from noughts.tournaments.ranking import PERFORMANCE, Field, Row, crosstable, field_of, performance, standings
from support.tournaments import Played, game, player, terms


def rows(field: Field) -> dict[str, Row]:
    return {row.player: row for row in standings(field)}


def test_sonneborn_berger_is_that_of_a_published_cross_table() -> None:
    """The example of Sensei's Library: four players meet twice."""
    table = {"A": ["-111", "-010"], "B": ["0-11", "1-01"], "C": ["00-1", "01-1"], "D": ["000-", "100-"]}
    games = [
        game(number, one, other, table[one][cycle]["ABCD".index(other)])
        for cycle in (0, 1)
        for number, (one, other) in enumerate(combinations("ABCD", 2), 1 + 6 * cycle)
    ]
    found = rows(Field("round_robin", "ABCD", games))
    assert {name: (row.points, row.sonneborn_berger) for name, row in found.items()} == {
        "A": (4, 11),
        "B": (4, 9),
        "C": (3, 6),
        "D": (1, 4),
    }
    assert [row.place for row in found.values()] == [1, 2, 3, 4]
    assert (found["A"].direct_encounter, found["B"].direct_encounter) == (1, 1)
    crossed = crosstable(games)
    assert (crossed["A", "D"].points, crossed["D", "A"].points) == (1, 1)


def test_the_performance_is_by_fides_table() -> None:
    assert len(PERFORMANCE) == 51
    ratings = {"B": 1800, "C": 2000}
    won, lost, drawn = game(1, "A", "B", "1"), game(2, "A", "C", "0"), game(3, "A", "B", "=")
    assert performance("A", [], ratings) is None
    assert performance("A", [won], ratings) == 2600
    assert performance("A", [lost], ratings) == 1200
    assert performance("A", [won, lost], ratings) == 1900
    assert performance("A", [won, drawn], ratings) == 1800 + 193
    assert performance("A", [won, won, drawn, lost], ratings) == 1850 + 95, "62.5 % counts as 63 %"
    assert performance("A", [replace(won, result=FIRST_BY_FORFEIT)], ratings) is None


def swiss(*games: str, players: str, **fields: object) -> dict[str, Row]:
    """The rows of Swiss, with games such as ``1 A B =``."""
    read = [game(int(number), one, other, result) for number, one, other, result in map(str.split, games)]
    rounds = max(each.round for each in read)
    return rows(Field("swiss", players, read, rounds, **fields))  # type: ignore[arg-type]


def test_buchholz_is_the_sum_of_the_opponents_points() -> None:
    found = swiss("1 A B 1", "1 C D 1", "2 A C 1", "2 B D =", players="ABCD")
    assert {name: (row.points, row.buchholz, row.sonneborn_berger) for name, row in found.items()} == {
        "A": (2, 1.5, 1.5),
        "C": (1, 2.5, 0.5),
        "B": (0.5, 2.5, 0.25),
        "D": (0.5, 1.5, 0.25),
    }
    assert [row.place for row in found.values()] == [1, 2, 3, 4]


def test_buchholz_is_that_of_a_published_cross_table() -> None:
    """The Swiss of the Mind Sports Olympiad 2021 in Frisian draughts, playstrategy.org/swiss/EY1k6otN.

    Players are named by their places, and all games were won by the first of the two here. The sums are of the three
    who had an opponent in each round: for the others that site counts unplayed rounds by an older rule.
    """
    rounds = ("AG BH CF DE", "AB CD FH GI", "AC BF DI EG", "AE BC DG HI", "AD BE CH FI", "AF BD CG EH", "AI CE DF GH")
    games = [game(number, pair[0], pair[1], "1") for number, pairs in enumerate(rounds, 1) for pair in pairs.split()]
    games.append(replace(game(1, "I", "J", "1"), result=FIRST_BY_FORFEIT))
    byes = list(zip(range(2, 8), "EHFGIB", strict=True))
    found = rows(Field("swiss", "ABCDEFGHIJ", games, 7, byes, withdrawn=frozenset("J")))
    assert [row.points for row in found.values()] == [7, 6, 5, 4, 3, 3, 3, 2, 2, 0]
    assert [(found[name].buchholz, found[name].sonneborn_berger) for name in "ACD"] == [(26, 26), (28, 15), (29, 11)]


def test_an_unplayed_round_counts_as_against_an_opponent_with_as_many_points() -> None:
    found = swiss("1 A B 1", "2 A C 1", players="ABC", byes=[(1, "C"), (2, "B")])
    assert (found["A"].points, found["B"].points, found["C"].points) == (2, 1, 1)
    assert (found["B"].buchholz, found["C"].buchholz) == (3, 3)
    assert (found["B"].sonneborn_berger, found["C"].sonneborn_berger) == (1, 1)


def test_rounds_missed_at_the_end_count_as_draws_for_the_opponents() -> None:
    """Article 16.3. B leaves after the first round and misses two."""
    found = swiss("1 A B 1", "1 C D 1", "2 A C 1", "3 A D 1", players="ABCD", withdrawn=frozenset("B"))
    assert found["B"].points == 0
    assert found["A"].buchholz == 1 + 1.5 + 0, "B has missed two rounds, C one, and D one before its last game"


def test_late_entrants_get_half_a_point_for_the_last_round_that_they_missed() -> None:
    played = Played(terms(format="swiss", rounds=4), "ABCD")
    for _ in range(2):
        played.pair()
        played.play(lambda _: DRAWN)
    played.do(Enter(player("E")))
    played.pair()
    played.play(lambda _: DRAWN)
    found = rows(field_of(played.tournament))
    assert found["E"].points in (1.0, 1.5), "half a point for a draw, or one for having no opponent"
    assert found["E"].score.games <= 1


def test_the_direct_encounter_decides_only_if_all_who_are_tied_have_met() -> None:
    games = [game(1, "A", "B", "0"), game(2, "A", "C", "1"), game(3, "B", "C", "0")]
    found = rows(Field("round_robin", "ABC", games))
    assert [found[name].direct_encounter for name in "ABC"] == [1, 1, 1]
    assert {row.place for row in found.values()} == {1}, "nothing tells them apart"
    some = rows(Field("round_robin", "ABC", games[:1]))
    assert some["A"].direct_encounter is None, "A and C are tied, and have not met"


def test_who_leaves_a_round_robin_early_is_annulled() -> None:
    played = Played(terms(), "ABCDE")
    played.pair()
    played.play(lambda _: SECOND_WINS)
    loser = next(iter(played.tournament.games.values())).first
    winner = next(iter(played.tournament.games.values())).second
    before = rows(field_of(played.tournament))
    assert before[winner].points == 1
    played.do(Withdraw(loser, loser))
    found = rows(field_of(played.tournament))
    assert found[winner].points == 0
    assert list(found)[-1] == loser


def test_wins_without_a_game_are_no_wins() -> None:
    forfeit = replace(game(1, "A", "B", "1"), result=FIRST_BY_FORFEIT)
    found = rows(Field("round_robin", "ABCD", [forfeit, game(1, "C", "D", "1")]))
    assert (found["A"].points, found["A"].wins, found["A"].performance) == (1, 0, None)
    assert (found["C"].place, found["A"].place) == (1, 2)


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "gauntlet", "arena"])
def test_before_the_first_game_all_share_the_first_place(format_: str) -> None:
    found = standings(Field(format_, "ABC", []))  # type: ignore[arg-type]
    assert [(row.place, row.points) for row in found] == [(1, 0)] * 3


def test_a_game_under_way_does_not_count() -> None:
    played = Played(terms(), "AB")
    played.pair()
    assert [row.score.games for row in standings(field_of(played.tournament))] == [0, 0]
    played.play(lambda _: FIRST_WINS)
    assert [row.score.games for row in standings(field_of(played.tournament))] == [1, 1]
