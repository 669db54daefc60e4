"""Where students lost, by review of real games."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from noughts.classes.mistakes import _last_mistake, review, share_of
from noughts.league.records import Record
from support.leagues import failure, game, league

LOST_BY_O = ["1", "2", "4", "3", "7"]
LOST_BY_X = ["1", "5", "2", "3", "8", "7"]


async def found(
    records: list[Record], students: Sequence[str] = ("ada", "ben"), seconds: float = 60
) -> dict[int, Sequence[str]]:
    lines: dict[int, Sequence[str]] = {}
    await review(league(["ada", "ben", "easy"]), records, students, lines, seconds)
    return lines


async def test_the_last_mistake_of_the_loser_is_told() -> None:
    told = await found(
        [game(1, "ada", "ben", "first", moves=LOST_BY_O), game(2, "ada", "ben", "second", moves=LOST_BY_X)]
    )
    assert told == {
        1: (
            "Move 2, O 2: draw thrown away; better: 5 (draw).",
            "All moves there:  noughts solve tictactoe --moves 1",
        ),
        2: (
            "Move 5, X 8: draw thrown away; better: 7 (draw).",
            "All moves there:  noughts solve tictactoe --moves 1,5,2,3",
        ),
    }


async def test_moves_have_the_names_that_people_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.engine.engines.KERNELS", {})  # compiling chess takes seconds
    moves = ["f2f3", "e7e5", "g2g4", "d8h4"]
    record = game(1, "ada", "ben", "second", moves=moves, reason="checkmate")
    lines: dict[int, Sequence[str]] = {}
    await review(league(["ada", "ben"], game="chess"), [record], ("ada", "ben"), lines, 10)
    mistake, command = lines[1]
    assert re.fullmatch(r"Move 3, White g4: .*; better: (?![a-h]\d[a-h]\d).+ \(.*\)\.", mistake)
    assert command == "All moves there:  noughts solve chess --moves f2f3,e7e5"


async def test_a_game_that_the_opening_decided_has_no_mistake() -> None:
    told = await found([game(1, "ada", "ben", "first", moves=LOST_BY_O, opening=["1", "2"])])
    assert told == {1: ("No mistake was found with at most 1 s a position. noughts league review 1 may find one.",)}


@pytest.mark.parametrize(
    "record",
    [
        game(1, "ada", "ben", "draw"),
        game(1, "ada", "ben", None),
        game(
            1, "ada", "ben", "first", moves=["1", "2"], reason="crash", failure=failure("second", "crash", "It failed.")
        ),
        game(1, "ada", "ben", "first", moves=["1", "2"], reason="time"),
        game(1, "ada", "easy", "first", moves=LOST_BY_O),
    ],
)
async def test_only_games_that_a_student_lost_on_the_board_are_reviewed(record: Record) -> None:
    assert not any((await found([record])).values())


async def test_a_game_that_time_decided_needs_no_review() -> None:
    record = game(1, "ada", "ben", "first", moves=["1", "2"], reason="time")
    assert await found([record], seconds=0) == {1: ()}


async def test_a_review_that_runs_out_of_time_says_how_far_it_came() -> None:
    names = league(["ada", "ben", "easy"])
    assert await _last_mistake(names, game(1, "ada", "ben", "first", moves=LOST_BY_O), 0) == (
        "No mistake was found from move 5 on; there was no time for the moves before it. "
        "noughts league review 1 may find one.",
    )


@pytest.mark.parametrize(
    ("left", "in_turn", "in_all", "share"),
    [(60, 2, 2, 30), (60, 1, 1, 60), (60, 2, 100, 6), (60, 30, 60, 2), (30, 15, 45, 2)],
)
def test_all_students_get_the_same_time(left: float, in_turn: int, in_all: int, share: float) -> None:
    assert share_of(left, in_turn, in_all) == share


async def test_without_time_nothing_is_reviewed() -> None:
    assert await found([game(1, "ada", "ben", "first", moves=LOST_BY_O)], seconds=0) == {}


async def test_everybodys_first_lost_game_comes_before_anybodys_second() -> None:
    by_o = [game(number, "ada", "ben", "first", moves=LOST_BY_O) for number in (1, 2)]
    by_x = [game(number, "ada", "ben", "second", moves=LOST_BY_X) for number in (3, 4)]
    assert [*await found([*by_o, *by_x])] == [3, 1, 4, 2]
