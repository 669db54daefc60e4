"""The pairings of a Swiss league."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from noughts.league.disqualified import TIMES
from noughts.league.plan import count_left, games_left, pairings_of
from noughts.league.records import LeagueRecord, Record
from support.leagues import game, league

pytest.importorskip("py4swiss", reason="the extra swiss is not installed")

NAMES = "abcdefg"


def swiss(names: str = NAMES, rounds: int = 3) -> LeagueRecord:
    return {**league(list(names)), "format": "swiss", "rounds": rounds}


def played(terms: LeagueRecord, rounds: int) -> list[Record]:
    """The games of the first ``rounds`` rounds, in which the earlier in the alphabet wins."""
    records: list[Record] = []
    for _ in range(rounds):
        for each in games_left(terms, records):
            winner = "first" if each.first < each.second else "second"
            records.append({**game(each.game, each.first, each.second, winner), "pair": each.pair, "round": each.round})
    return records


def test_each_two_who_meet_play_a_pair_of_games_and_meet_once() -> None:
    terms = swiss()
    records = played(terms, 3)
    assert [record["game"] for record in records] == list(range(1, 19))
    assert Counter(record["round"] for record in records) == {1: 6, 2: 6, 3: 6}
    seats = Counter((record["first"], record["second"]) for record in records)
    assert set(seats.values()) == {1}
    assert all((second, first) in seats for first, second in seats)
    assert games_left(terms, records) == []
    assert count_left(terms, records) == 0


def test_a_round_is_paired_when_the_one_before_is_over() -> None:
    terms = swiss()
    first = played(terms, 1)
    assert games_left(terms, first[:-1]) == [pairings_of(terms)[-1]]
    assert count_left(terms, first[:-1]) == 13
    assert {each.round for each in games_left(terms, first)} == {2}
    winners = {record["first"] if record["result"] == "first" else record["second"] for record in first}
    assert any({each.first, each.second} <= winners for each in games_left(terms, first))


def test_a_league_that_is_continued_gets_the_same_pairings() -> None:
    terms = swiss()
    records = played(terms, 2)
    assert pairings_of(terms, records)[:12] == pairings_of(terms, records[:6])
    assert pairings_of(terms, list(reversed(records[:6])) + records[6:]) == pairings_of(terms, records)


def test_whoever_is_disqualified_is_not_paired_any_more() -> None:
    terms = swiss("abcdef", rounds=4)
    records: list[Record] = []
    for _ in range(2):
        for each in games_left(terms, records):
            failing = "first" if each.first == "f" else "second" if each.second == "f" else None
            result = None if failing is None else "second" if failing == "first" else "first"
            record = game(each.game, each.first, each.second, result or "draw")
            failure: Any = None
            if failing is not None:
                failure = {"side": failing, "kind": "crash", "message": "", "error": "E", "traceback": ""}
                failure |= {"stderr": "", "line": "", "answer": ""}
            records.append({**record, "round": each.round, "pair": each.pair, "failure": failure})
    assert sum(record["failure"] is not None for record in records) >= TIMES
    assert "f" not in {name for each in games_left(terms, records) for name in (each.first, each.second)}
    assert len(games_left(terms, records)) == 4
