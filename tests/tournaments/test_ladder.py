"""The ratings, the budgets and the pairings of a ladder."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.glicko2 import Rating, after
from noughts.protocol.tournament_records import from_record, to_record
from noughts.rooms import Refused
from noughts.tournaments import ladder
from noughts.tournaments.events import (
    DRAWN,
    FIRST_BY_FORFEIT,
    FIRST_WINS,
    SECOND_BY_FORFEIT,
    SECOND_WINS,
    Adjudicate,
    Condense,
    Enter,
    Finish,
    Report,
    Result,
    Start,
    Withdraw,
)
from noughts.tournaments.evolve import evolve
from noughts.tournaments.ladder import DAY_MS, FORGOTTEN_MS, MISSED, left_today, rests
from noughts.tournaments.ranking import field_of, standings
from noughts.tournaments.rounds import is_over
from noughts.tournaments.tournament import Tally
from noughts.value import changed
from support.tournaments import LADDER, ORGANISER, Played, player, terms


def on_ladder(names: str, budget: int = 100, origins: str = "") -> Played:
    """A ladder with these bots, each from the address of the same place in ``origins``."""
    played = Played(changed(LADDER, budget=budget))
    for number, name in enumerate(names):
        played.do(Enter(player(name, "bot"), origins[number] if origins else ""))
    return played


def test_it_begins_at_once_and_only_its_organiser_ends_it() -> None:
    played = on_ladder("AB")
    assert played.tournament.status == "running"
    assert not is_over(played.tournament, played.now + 1000 * DAY_MS)
    assert not played.do(Start(ORGANISER, ()))
    assert not played.do(Finish(None))
    assert played.do(Finish(ORGANISER))


@pytest.mark.parametrize(
    "wrong",
    [{"budget": 0}, {"rounds": 1}, {"minutes": 5}, {"kinds": "all"}, {"registered": False}, {"starts_at": 5}],
)
def test_terms_that_no_ladder_has_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Refused):
        Played(changed(LADDER, **wrong))
    with pytest.raises(Refused, match="budget"):
        Played(terms(budget=5))


def test_ratings_are_those_of_glicko_2_and_forfeits_change_none() -> None:
    played = on_ladder("AB")
    played.pair([("A", "B")])
    played.play(lambda _: FIRST_WINS)
    tallies = played.tournament.tallies
    assert tallies["A"].rating == after(Rating(), [(Rating(), 1)])
    assert tallies["B"].rating == after(Rating(), [(Rating(), 0)])
    played.pair([("A", "B")])
    played.play(lambda _: FIRST_BY_FORFEIT)
    assert [played.tournament.tallies[each].rating for each in "AB"] == [tallies[each].rating for each in "AB"]
    first, second = standings(field_of(played.tournament))
    assert (first.player, first.points, second.player, second.points) == ("A", 2, "B", 0)
    assert not first.established


def test_those_with_a_certain_rating_come_first() -> None:
    played = on_ladder("ABCD")
    for _ in range(30):
        played.pair([("A", "B")])
        played.play(lambda _: DRAWN)
    played.pair([("C", "D")])
    played.play(lambda _: FIRST_WINS)
    rows = standings(field_of(played.tournament))
    assert [row.player for row in rows if row.established] == ["A", "B"]
    assert [row.player for row in rows] == ["A", "B", "C", "D"]
    assert rows[2].rating is not None
    assert rows[2].rating > (rows[0].rating or 0)


def test_neighbours_by_rating_meet_and_nobody_plays_before_it_has_rested() -> None:
    played = on_ladder("ABCD")
    now = played.tournament
    tallies = {each: changed(Tally(), rating=Rating(1500 + 100 * "ABCD".index(each))) for each in "ABCD"}
    pairs = ladder.ladder_pairs(changed(now, tallies=tallies), set("ABCD"), played.now, 0)
    assert [set(pair) for pair in pairs] == [{"C", "D"}, {"A", "B"}]
    played.pair()
    played.play(lambda _: DRAWN)
    ended = max(tally.since for tally in played.tournament.tallies.values())
    assert ladder.ladder_pairs(played.tournament, set("ABCD"), ended + 4999, 5000) == []
    assert len(ladder.ladder_pairs(played.tournament, set("ABCD"), ended + 20_000, 5000)) == 2


def test_a_budget_is_for_a_day_of_each_bot_and_each_address() -> None:
    played = on_ladder("ABCD", budget=2, origins="xxy ")
    played.pair([("A", "B")])  # one game of the address x, though both are from there
    now = played.tournament
    assert [left_today(now, each, played.now) for each in "ABCD"] == [1, 1, 2, 2]
    played.play(lambda _: DRAWN)
    played.pair([("A", "C")])
    played.play(lambda _: DRAWN)
    now = played.tournament
    assert [rests(now, each, played.now) for each in "ABCD"] == ["budget", "budget", None, None]
    assert [set(pair) for pair in ladder.ladder_pairs(now, set("ABCD"), played.now, 0)] == [{"C", "D"}]
    assert [left_today(now, each, played.now + DAY_MS) for each in "ABCD"] == [2, 2, 2, 2]


def test_a_budget_holds_for_those_who_are_paired_at_once() -> None:
    played = on_ladder("ABCDEF", budget=1, origins="xxxyyy")
    pairs = ladder.ladder_pairs(played.tournament, set("ABCDEF"), played.now, 0)
    assert len(pairs) == 1


def test_a_bot_that_does_not_come_rests_until_it_enters_again() -> None:
    played = on_ladder("AB")
    for _ in range(MISSED):
        assert rests(played.tournament, "B", played.now) is None
        played.pair([("A", "B")])
        played.play(lambda game: FIRST_BY_FORFEIT if game.first == "A" else SECOND_BY_FORFEIT)
    assert rests(played.tournament, "B", played.now) == "absent"
    assert rests(played.tournament, "A", played.now) is None
    assert played.do(Enter(player("B", "bot")))
    assert rests(played.tournament, "B", played.now) is None
    assert not played.do(Enter(player("B", "bot"))), "it has entered"
    assert played.do(Enter(player("B", "bot"), "another address"))


def test_a_game_that_counts_is_not_decided_again() -> None:
    played = on_ladder("AB")
    (game,) = played.pair()
    played.do(Adjudicate(ORGANISER, game.room, DRAWN))
    with pytest.raises(Refused, match="under way"):
        played.do(Adjudicate(ORGANISER, game.room, FIRST_WINS))


def test_whoever_was_not_seen_for_long_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.tournaments.decide.CONDENSED_AFTER", 1)
    played = on_ladder("ABC")
    played.tournament = changed(played.tournament, terms=changed(played.tournament.terms, most=3))
    with pytest.raises(Refused, match="full"):
        played.do(Enter(player("D", "bot")))
    played.do(Withdraw("C", ORGANISER))
    played.now += FORGOTTEN_MS
    played.do(Enter(player("B", "bot")))
    played.do(Enter(player("D", "bot")))
    played.do(Enter(player("E", "bot")))
    played.do(Condense())
    assert set(played.tournament.entries) == {"B", "C", "D", "E"}
    with pytest.raises(Refused, match="removed"):
        played.do(Enter(player("C", "bot")))


RESULTS = st.sampled_from((FIRST_WINS, SECOND_WINS, DRAWN, FIRST_BY_FORFEIT))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(RESULTS, st.integers(0, 5), st.booleans()), max_size=40), st.integers(1, 6))
def test_condensing_changes_nothing_that_counts(steps: list[tuple[Result, int, bool]], budget: int) -> None:
    """Whenever it is condensed, the standings, the games under way and the budgets are those of all events; read again
    from the last condensed event it is the same; and no budget is ever overdrawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("noughts.tournaments.decide.CONDENSED_AFTER", 1)
        plain, dense = (on_ladder("ABCDEF", budget, "xxyyzz") for _ in range(2))
        for result, hours, condenses in steps:
            for each in (plain, dense):
                each.now += hours * 3_600_000
                each.pair()
                room = min(each.tournament.live, default=None)
                if room is not None:
                    each.do(Report(room, result))
            if condenses:
                dense.do(Condense())
                assert dense.tournament.base == dense.tournament.version
                assert not dense.do(Condense()), "nothing has happened since"
                plain.now += 2000
            for spent in plain.tournament.spent.values():
                assert spent <= budget
    one, other = plain.tournament, dense.tournament
    assert standings(field_of(one)) == standings(field_of(other))
    assert (one.games, one.live, one.playing, one.spent, one.round) == (
        other.games,
        other.live,
        other.playing,
        other.spent,
        other.round,
    )
    stored = [from_record(to_record(event)) for event in dense.events]
    last = max((number for number, event in enumerate(stored) if event.kind == "condensed"), default=0)
    assert reduce(evolve, stored[last:], None) == other
    assert other.version == len(stored)


def test_only_the_last_games_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "RECENT", 3)
    played = on_ladder("ABCD")
    rooms = []
    for _ in range(4):
        rooms += [game.room for game in played.pair()]
        played.play(lambda _: DRAWN)
    assert list(played.tournament.games) == rooms[-3:]
    assert not played.do(Report(rooms[0], FIRST_WINS)), "a game that was forgotten counts once, too"
