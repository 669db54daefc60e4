"""Disqualification in a league, and what remains of its figures."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from noughts.league import report_csv, report_html, report_json, report_text
from noughts.league.disqualified import Disqualified, counting
from noughts.league.plan import games_left, pairings_of
from noughts.league.progress import end_lines
from noughts.league.records import Record
from noughts.league.standings import standings
from noughts.league.state import Folder
from noughts.tournaments.ranking import Score
from support.leagues import failure, game, league


def failed(
    number: int, loser: str, winner: str, kind: str = "crash", error: str = "KeyError", **changes: Any
) -> Record:
    fields: dict[str, Any] = {"reason": kind, "failure": failure("second", kind, "It failed.", error=error)}
    return game(number, winner, loser, "first", **fields, **changes)


WAYS: dict[str, tuple[list[tuple[str, str]], bool]] = {
    "three times running": ([("crash", "KeyError")] * 3, True),
    "twice": ([("crash", "KeyError")] * 2, False),
    "two types of exceptions": ([("crash", "KeyError"), ("crash", "IndexError"), ("crash", "KeyError")], False),
    "two kinds": ([("exit", ""), ("illegal", ""), ("exit", "")], False),
    "at last": ([("exit", ""), ("illegal", ""), ("illegal", ""), ("illegal", "")], True),
    "on time, which a busy machine may cause": ([("time", "")] * 3, False),
    "a loss on time between": ([*[("crash", "KeyError")] * 2, ("time", ""), ("crash", "KeyError")], False),
}

TWO, THREE = league(["a", "b"]), league(["a", "b", "c"])
BEFORE_A_MOVE: dict[str, Any] = {"moves_timed": {"first": 1, "second": 0}}


@pytest.mark.parametrize("name", WAYS)
def test_three_failures_running_in_the_same_way_disqualify(name: str) -> None:
    ways, out = WAYS[name]
    records = [failed(number, "b", "a", *way) for number, way in enumerate(ways, 1)]
    assert Disqualified(TWO, records).has("b") is out
    assert not Disqualified(TWO, records).has("a")


def test_one_of_several_opponents_cannot_disqualify_a_player() -> None:
    won = game(1, "b", "c", "first")
    steered = [won, *(failed(number, "b", "a") for number in (2, 3, 4, 5))]
    assert not Disqualified(THREE, steered).has("b")
    assert won in counting(THREE, steered)[1]
    assert Disqualified(THREE, [*steered, failed(6, "b", "c")]).players["b"]["game"] == 6
    assert not Disqualified(THREE, [*steered, failed(6, "b", "c", "crash", "IndexError")]).has("b")


def test_in_a_gauntlet_the_only_opponent_of_a_player_is_enough() -> None:
    terms = league(["a", "b", "c"], format="gauntlet", opponents=["a"])
    assert Disqualified(terms, [failed(number, "b", "a") for number in (1, 2, 3)]).has("b")
    assert not Disqualified(terms, [failed(number, "a", "b") for number in (1, 2, 3)]).has("a")


@pytest.mark.parametrize(("kind", "timed"), [("crash", 0), ("start", 0), ("time", 1)])
def test_failures_before_the_first_move_need_no_second_opponent(kind: str, timed: int) -> None:
    terms = {"moves_timed": {"first": 1, "second": timed}}  # the turn in which time ran out has a time, too
    unmoved = [failed(number, "b", "a", kind, "", **terms) for number in (2, 3)]
    assert Disqualified(THREE, [failed(1, "b", "a", kind, "", **terms), *unmoved]).has("b")
    assert not Disqualified(THREE, [failed(1, "b", "a", kind, ""), *unmoved]).has("b")


def test_a_level_of_the_computer_is_never_disqualified() -> None:
    terms = league(["a", "b"])
    terms["players"][1]["spec"] = "computer:easy"
    for changes in ({}, BEFORE_A_MOVE):
        assert not Disqualified(terms, [failed(number, "b", "a", **changes) for number in range(1, 9)]).has("b")


def test_a_game_without_a_failure_ends_the_run_unless_it_was_over_before_the_first_move() -> None:
    twice = [failed(1, "b", "a"), failed(2, "b", "a")]
    assert not Disqualified(THREE, [*twice, game(3, "a", "b", "first"), failed(4, "b", "c")]).has("b")
    never_moved = failed(3, "c", "b", "start", "", moves_timed={"first": 0, "second": 0})
    assert Disqualified(THREE, [*twice, never_moved, failed(4, "b", "c")]).has("b")


def test_nobody_comes_back() -> None:
    records = [*(failed(number, "b", "a") for number in (1, 2, 3)), game(4, "a", "b", "second")]
    assert list(Disqualified(TWO, records).players) == ["b"]
    assert Disqualified(TWO, records).players["b"]["game"] == 3


PLAYERS = ["random", "crashes", "absent", "good"]


def league_of_bad_bots() -> list[Record]:
    """Two bots that work, one that crashes at its first move, and one that never starts: 12 games."""
    records = []
    for pairing in pairings_of(league(PLAYERS)):
        first, second = pairing.first, pairing.second
        loser = next((each for each in ("absent", "crashes", "random") if each in (first, second)), "")
        winner = second if loser == first else first
        if loser == "absent":
            record = failed(pairing.game, loser, winner, "start", "SyntaxError", moves_timed={"first": 0, "second": 0})
        elif loser == "crashes":
            record = failed(pairing.game, loser, winner)
        else:
            record = game(pairing.game, winner, loser, "first")
        records.append(record)
    return records


def test_the_games_of_bots_that_are_out_leave_the_table() -> None:
    records = league_of_bad_bots()
    assert len(records) == 12
    assert [(row.place, row.player, row.score) for row in standings(league(PLAYERS), records)] == [
        (1, "good", Score(2, 0, 0)),
        (2, "random", Score(0, 0, 2)),
    ]
    counted = counting(league(PLAYERS), records)[1]
    assert {player for each in counted for player in (each["first"], each["second"])} == {"good", "random"}


def test_no_more_games_of_them_are_left() -> None:
    terms = league(PLAYERS, rounds=5)
    records = league_of_bad_bots()
    left = games_left(terms, records)
    assert len(left) == 8  # good and random have played 2 of 10 games
    assert {name for each in left for name in (each.first, each.second)} == {"good", "random"}
    assert "12 of 20 games are over." in report_text.render(terms, records)


def test_every_report_says_who_is_out_and_why() -> None:
    terms, records = league(PLAYERS), league_of_bad_bots()
    why = {"absent": "did not start, SyntaxError", "crashes": "crash, KeyError"}
    said = [
        f"{name} is disqualified: it failed 3 times running in the same way ({way}). Its games do not count, and no "
        "more are played."
        for name, way in why.items()
    ]
    text = report_text.render(terms, records)
    page = report_html.render(terms, records, PurePath("league-1"))
    for sentence in said:
        assert f"{sentence}\n" in text
        assert f"<p>{sentence}</p>" in page
    assert "12 of 12 games are over." in text
    table = json.loads(report_json.render(terms, records))
    assert [row["player"] for row in table["standings"]] == ["good", "random"]
    assert table["disqualified"].keys() == {"absent", "crashes"}
    assert table["crosstable"].keys() == {"good", "random"}
    rows = [line.split(",")[:3] for line in report_csv.render(terms, records).splitlines()]
    assert rows == [
        ["place", "player", "games"],
        ["1", "good", "2"],
        ["2", "random", "2"],
        ["", "crashes", ""],
        ["", "absent", ""],
    ]


def test_a_test_without_a_decision_is_not_blamed_on_too_few_games() -> None:
    sprt = {"elo0": 0.0, "elo1": 20.0, "alpha": 0.05, "beta": 0.05}
    terms = league(["a", "b"], rounds=100, sprt=sprt)
    folder = Folder(PurePath("league-1"), terms, [failed(number, "b", "a") for number in (1, 2, 3)])  # type: ignore[arg-type]
    assert games_left(terms, folder.records) == []
    assert not any("more --rounds" in line for line in end_lines(folder, "played"))
