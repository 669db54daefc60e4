"""Tournaments as clients are shown them."""

from __future__ import annotations

import pytest

from noughts.protocol.tournament_view import GAMES, Ranked, tournament_fields
from noughts.tournaments.events import (
    DRAWN,
    FIRST_WINS,
    NOBODY,
    SECOND_WINS,
    Adjudicate,
    Enter,
    Finish,
    Pause,
    Report,
    Resume,
    Withdraw,
)
from support.tournaments import ORGANISER, Played, player, terms


def forms(played: Played) -> dict[str, str]:
    return {row["player"]["id"]: row.get("form", "") for row in tournament_fields(played.tournament)["standings"]}


def test_a_row_has_the_form_and_the_place_before_the_last_round() -> None:
    played = Played(terms(), "abcd")
    assert set(forms(played).values()) == {""}
    first = played.pair()
    assert set(forms(played).values()) == {"."}
    played.play(lambda _: FIRST_WINS)
    before = tournament_fields(played.tournament)["standings"]
    assert all("was" not in row for row in before)
    second = played.pair()
    played.do(Report(second[0].room, DRAWN))
    rows = {row["player"]["id"]: row for row in tournament_fields(played.tournament)["standings"]}
    assert rows[first[0].first]["form"][0] == "1"
    assert rows[first[0].second]["form"][0] == "0"
    assert rows[second[0].first]["form"][1] == "="
    assert rows[second[1].first]["form"][1] == "."
    was = {row["player"]["id"]: row["place"] for row in before}
    assert all(row["was"] in (was[name], was[name] + 1) for name, row in rows.items())  # two share each place
    played.do(Finish(ORGANISER))
    assert "." not in "".join(forms(played).values()), "no game goes on"


def test_whoever_leaves_a_tie_for_a_place_within_it_has_not_moved() -> None:
    played = Played(terms(format="swiss", rounds=3), "abcdef")
    played.pair([("a", "b"), ("c", "d"), ("e", "f")])
    played.play(lambda _: FIRST_WINS)  # a, c and e share places 1 to 3
    played.pair([("a", "c"), ("e", "b"), ("d", "f")])
    played.play(lambda _: FIRST_WINS)
    rows = {row["player"]["id"]: row for row in tournament_fields(played.tournament)["standings"]}
    assert {name: (row["was"], row["place"]) for name, row in rows.items()} == {
        "a": (1, 1),
        "e": (2, 2),
        "c": (3, 3),
        "d": (4, 4),
        "b": (5, 5),
        "f": (6, 6),
    }
    played.pair([("a", "e"), ("c", "d"), ("b", "f")])
    played.play(lambda game: SECOND_WINS if game.first == "c" else FIRST_WINS)
    standings = tournament_fields(played.tournament)["standings"]
    moved = {row["player"]["id"]: row["was"] - row["place"] for row in standings}
    assert moved["d"] > 0 > moved["c"]


@pytest.mark.parametrize("kind", ["round_robin", "swiss"])
def test_the_places_before_a_round_are_computed_once(kind: str) -> None:
    played = Played(terms(format=kind, rounds=3 if kind == "swiss" else 1), "abcd")
    ranked: Ranked = {}

    def same() -> object:
        assert tournament_fields(played.tournament, ranked=ranked) == tournament_fields(played.tournament)
        return ranked.get("before")

    (game, *_) = played.pair([("a", "b"), ("c", "d")])
    played.play(lambda _: FIRST_WINS)
    same()
    played.pair([("a", "c"), ("b", "d")])
    once = same()
    played.play(lambda _: DRAWN)
    assert same() is once
    played.do(Adjudicate(ORGANISER, game.room, DRAWN))
    assert same() is not once, "a decision on a game of the round before changes them"
    played.do(Withdraw("d", "d"))
    same()
    played.pair([("a", "d"), ("b", "c")] if kind == "round_robin" else [("b", "c")])
    assert same() is not once


def test_the_form_tells_games_from_points_without_one() -> None:
    played = Played(terms(format="swiss", rounds=4), "abc")
    games = played.pair([("a", "b"), ("c", None)])
    played.do(Adjudicate(ORGANISER, games[0].room, NOBODY))
    played.do(Enter(player("late")))
    played.pair([("a", "c"), ("b", "late")])
    assert forms(played) == {"a": "-.", "b": "-.", "c": "+.", "late": "h."}
    rows = tournament_fields(played.tournament)["standings"]
    assert {row["player"]["id"] for row in rows if "was" in row} == {"a", "b", "c"}


def test_games_are_in_the_order_of_their_boards_and_of_too_many_those_under_way_are_shown() -> None:
    names = [f"p{number:03}" for number in range(2 * GAMES + 6)]
    played = Played(terms(format="swiss", rounds=2, most=500), names)
    games = played.pair(list(zip(names[::2], names[1::2], strict=True)))
    for game in games[:4]:
        played.do(Report(game.room, DRAWN))
    shown = tournament_fields(played.tournament)["games"]
    assert len(shown) == GAMES
    assert [game["board"] for game in shown] == [1, *range(5, GAMES + 4)]
    assert sum(game["points"] is None for game in shown) == GAMES - 1


def test_an_arena_shows_games_under_way_and_then_the_last_that_are_over() -> None:
    played = Played(terms(format="arena", rounds=0, minutes=9), "abcd")
    one, other = played.pair([("a", "b"), ("c", "d")])
    played.do(Report(one.room, FIRST_WINS))
    shown = tournament_fields(played.tournament)
    assert [game["room"] for game in shown["games"]] == [other.room, one.room]
    assert all("board" not in game for game in shown["games"])
    assert all("was" not in row for row in shown["standings"])


def test_what_the_organiser_did_is_shown() -> None:
    played = Played(terms(), "abcd")
    games = played.pair()
    assert "acts" not in tournament_fields(played.tournament)
    played.do(Withdraw("a", "a"))
    played.do(Pause(ORGANISER))
    played.do(Withdraw("b", ORGANISER))
    played.do(Adjudicate(ORGANISER, games[0].room, FIRST_WINS))
    played.do(Resume(ORGANISER))
    played.do(Finish(ORGANISER))
    acts = tournament_fields(played.tournament)["acts"]
    assert [act["act"] for act in acts] == ["paused", "removed", "adjudicated", "resumed", "ended"]
    assert acts[1]["player"]["id"] == "b"
    assert (acts[2]["first"]["id"], acts[2]["points"]) == (games[0].first, [1, 0])


def test_the_time_of_the_next_round_is_shown() -> None:
    shown = tournament_fields(Played(terms(), "ab").tournament, pairs_at=1_000_000)
    assert shown["pairs_at"] == "1970-01-01T00:16:40.000Z"
