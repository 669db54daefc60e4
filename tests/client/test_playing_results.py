from typing import Any

import pytest

from noughts.protocol.room_messages import State
from noughts.protocol.words import WORDS
from noughts_client.playing import result_line, result_of, side_of


def state(first: dict[str, Any] | None, second: dict[str, Any] | None) -> State:
    state: Any = {"seats": {"first": first, "second": second}}
    return state  # type: ignore[no-any-return]  # as much of it as the functions read


ME = {"id": "p-1", "name": "my-bot", "kind": "bot"}
BOB = {"id": "p-2", "name": "bob", "kind": "human"}
COMPUTER = {"id": "computer:hard", "name": "computer", "kind": "computer"}


@pytest.mark.parametrize(
    ("winner", "reason", "second", "result", "line"),
    [
        ("first", "line", BOB, "won", "Won as X against bob, by a full row, in room k3"),
        ("second", "time", COMPUTER, "lost", "Lost as X against computer (hard), on time, in room k3"),
        (None, "draw", BOB, "drawn", "Drawn as X against bob, in room k3"),
        (None, "agreement", BOB, "drawn", "Drawn as X against bob, by agreement, in room k3"),
        ("first", "count", BOB, "won", "Won as X against bob, by count, in room k3"),
        ("first", "adjudication", BOB, "won", "Won as X against bob, by adjudication, in room k3"),
        (None, "aborted", None, None, "Closed without a result as X, in room k3"),
        (None, "abandonment", BOB, None, "Closed without a result as X against bob, in room k3"),
    ],
)
def test_a_line_names_the_side_the_opponent_the_reason_and_the_room(
    winner: Any, reason: str, second: dict[str, Any], result: str | None, line: str
) -> None:
    outcome: Any = {"winner": winner, "reason": reason, "cells": []}
    shown = state(ME, second)
    assert result_of(outcome, shown, "p-1", WORDS) == result
    assert result_line(outcome, shown, "p-1", room="k3", side_name="X", words=WORDS) == line


def test_the_side_is_that_of_the_players_seat() -> None:
    assert side_of(state(BOB, ME), "p-1") == "second"
    assert side_of(state(BOB, None), "p-1") is None
