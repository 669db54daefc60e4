"""The points and the pairings of an arena."""

from __future__ import annotations

from noughts.tournaments.arena import AGAIN_MS, arena_pairs, tallies_of
from noughts.tournaments.events import DRAWN, FIRST_WINS, SECOND_WINS, Adjudicate, Finish, Report
from noughts.tournaments.ranking import field_of, standings
from noughts.tournaments.rounds import is_over
from support.tournaments import ORGANISER, Played, game, terms

ARENA = terms(format="arena", rounds=0, minutes=10)


def points(results: str) -> int:
    """The points of a player with these results on the first side."""
    games = [game(number, "A", f"o{number}", result) for number, result in enumerate(results, 1)]
    return tallies_of(games, {})["A"].points


def test_the_points_are_those_that_lichess_documents() -> None:
    """A win is 2, a draw 1. After two wins in a row games count double: "two wins followed by a draw" are 6 points."""
    assert points("1") == 2
    assert points("=") == 1
    assert points("0") == 0
    assert points("11=") == 6
    assert points("111") == 8
    assert points("1111") == 12
    assert points("111=1") == 12, "the draw counts double and ends the streak"
    assert points("11011") == 8, "a loss ends it"
    assert points("1=11") == 7
    # A line of the table of a club's arena on lichess, 002022 in six games.
    assert points("001011") == 6


def test_neighbours_by_points_play_each_other() -> None:
    played = Played(ARENA, "ABCD")
    first = played.pair()
    assert [{one.first, one.second} for one in first] == [{"A", "B"}, {"C", "D"}]
    played.play(lambda _: FIRST_WINS)
    winners = {one.first for one in first}
    second = played.pair()
    assert {second[0].first, second[0].second} == winners


def test_whoever_is_free_and_present_is_paired_and_nobody_else() -> None:
    played = Played(ARENA, "ABCDE")
    assert arena_pairs(played.tournament, {"A", "D"}, played.now) == [("A", "D")]
    played.pair([("A", "D")])
    assert [set(pair) for pair in arena_pairs(played.tournament, set("ABCDE"), played.now)] == [{"B", "C"}]


def test_two_who_have_just_met_wait_for_others_but_not_for_ever() -> None:
    played = Played(ARENA, "ABCD")
    played.pair([("A", "B"), ("C", "D")])
    room = next(iter(played.tournament.games))
    played.do(Report(room, DRAWN))
    assert arena_pairs(played.tournament, set("ABCD"), played.now) == []
    assert len(arena_pairs(played.tournament, set("ABCD"), played.now + AGAIN_MS)) == 1


def test_two_alone_play_each_other_again_and_take_turns_on_the_first_side() -> None:
    played = Played(ARENA, "AB")
    firsts = []
    for _ in range(4):
        (one,) = played.pair()
        firsts.append(one.first)
        played.play(lambda _: FIRST_WINS)
    assert firsts in (list("ABAB"), list("BABA"))


def test_games_under_way_at_the_end_do_not_count() -> None:
    played = Played(ARENA, "AB")
    (one,) = played.pair()
    assert not played.do(Finish(None))
    played.now += 600_000
    assert is_over(played.tournament, played.now)
    assert played.do(Finish(None))
    assert not played.do(Report(one.room, FIRST_WINS))
    assert [row.points for row in standings(field_of(played.tournament))] == [0, 0]


def test_a_game_that_is_decided_otherwise_changes_the_streak_after_it() -> None:
    played = Played(ARENA, "AB")
    rooms = []
    for _ in range(3):
        (one,) = played.pair([("A", "B")])
        rooms.append(one.room)
        played.play(lambda _: FIRST_WINS)
    assert played.tournament.tallies["A"].points == 8
    played.do(Adjudicate(ORGANISER, rooms[1], SECOND_WINS))
    assert played.tournament.tallies["A"].points == 4
    assert played.tournament.tallies["B"].points == 2


def test_the_higher_performance_breaks_ties() -> None:
    played = Played(ARENA, "ABCD")  # by rating
    played.pair([("D", "A"), ("C", "B")])
    played.play(lambda _: FIRST_WINS)
    assert [(row.place, row.player, row.points) for row in standings(field_of(played.tournament))][:2] == [
        (1, "D", 2),
        (2, "C", 2),
    ]
