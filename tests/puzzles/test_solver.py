"""The record of somebody who solves puzzles."""

from __future__ import annotations

import json
from datetime import date

import pytest

from noughts.puzzles.puzzle import Goal, Puzzle
from noughts.puzzles.solver import BEGINNER, BadRecord, Record, as_object, from_object

MONDAY, TUESDAY, THURSDAY = date(2026, 11, 23), date(2026, 11, 24), date(2026, 11, 26)
ONE = Puzzle("tictactoe#xx./oo./...", Goal.WIN, ("3",), 1000)
OTHER = Puzzle("tictactoe#x../.../...", Goal.DRAW, ("5",), 1000)


def test_a_solved_puzzle_raises_the_rating_and_a_wrong_move_lowers_it() -> None:
    record, wrong = Record().tried(ONE, 1, MONDAY), Record().tried(ONE, 0, MONDAY)
    assert record.rating("tictactoe").rating > BEGINNER.rating > wrong.rating("tictactoe").rating
    assert record.rating("tictactoe").deviation < BEGINNER.deviation
    assert record.rating("connect4") == BEGINNER
    assert Record().tried(ONE, 0.5, MONDAY).rating("tictactoe").rating == pytest.approx(BEGINNER.rating)


def test_a_second_try_does_not_count() -> None:
    record = Record().tried(ONE, 0, MONDAY)
    again = record.tried(ONE, 1, MONDAY)
    assert again.rating("tictactoe") == record.rating("tictactoe")
    assert again.done == {"tictactoe": (ONE.key,)}
    assert again.days(MONDAY) == 1, "but the day does"


def test_days_run_while_none_is_left_out() -> None:
    record = Record().tried(ONE, 1, MONDAY)
    assert record.tried(OTHER, 1, MONDAY).days(MONDAY) == 1
    record = record.tried(OTHER, 1, TUESDAY)
    assert [record.days(day) for day in (TUESDAY, date(2026, 11, 25), THURSDAY)] == [2, 2, 0]
    assert record.tried(OTHER, 0, TUESDAY).days(TUESDAY) == 2
    assert record.tried(OTHER, 1, THURSDAY).days(THURSDAY) == 1


def test_a_record_is_kept_as_json() -> None:
    record = Record().tried(ONE, 1, MONDAY)
    assert from_object(json.loads(json.dumps(as_object(record)))) == record
    assert from_object(as_object(Record())) == Record()


@pytest.mark.parametrize("content", [None, [], {}, {"ratings": {"x": {}}, "done": {}, "last": "?", "running": 0}])
def test_what_is_no_record_is_refused(content: object) -> None:
    with pytest.raises(BadRecord):
        from_object(content)
