"""The review of a game in words."""

from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts.protocol.render import game_info, words
from noughts.protocol.room_messages import SideName
from noughts.protocol.study_messages import MoveWorth, Review, ReviewedMoveInfo
from noughts_client.terminal.review import better_in_words, decided_by

GAME = game_info(GAMES["tictactoe"])


def moved(ply: int, mark: str) -> ReviewedMoveInfo:
    chance = {"result": None, "expected": None}
    worth = {"value": 0, "exact": True, "distance": 1, "line": ["1"]}
    side = "second" if ply % 2 else "first"
    return {"ply": ply, "side": side, "move": "1", "mark": mark, "before": chance, "after": chance, "worth": worth}  # type: ignore[typeddict-item]


def decided(reason: str, winner: SideName | None, decisive: int | None = None, *moves: ReviewedMoveInfo) -> str:
    review: Review = {
        "type": "review",
        "room": "r",
        "game": "tictactoe",
        "plies": 7,
        "outcome": {"winner": winner, "reason": reason, "cells": []},
        "complete": True,
        "decisive": decisive,
        "moves": [*moves],
        "swing": 0.2,
        "engine": "noughts 1",
        "seconds": 1,
    }
    return decided_by(review, GAME, words())


@pytest.mark.parametrize(
    ("reason", "winner", "told"),
    [
        ("line", "first", "No mistake that decided the game was found."),
        ("no_moves", "first", "No mistake that decided the game was found."),
        ("time", "second", "No mistake that decided the game was found: it ended on time."),
        ("abandonment", "first", "No mistake that decided the game was found: it ended by abandonment."),
        ("agreement", None, "No mistake that decided the game was found: it ended by agreement."),
        ("abandonment", None, "No mistake that decided the game was found: it ended by abandonment."),
    ],
)
def test_a_review_says_how_a_game_ended_off_the_board(reason: str, winner: SideName | None, told: str) -> None:
    assert decided(reason, winner) == told


def test_a_mistake_and_the_end_off_the_board_are_both_told() -> None:
    told = decided("time", "second", 4, moved(4, "draw_thrown_away"))
    assert told == "Move 5 decided the game: with 1, X threw a draw away. It ended on time."


def test_a_win_that_was_thrown_away_before_the_draw_is_told() -> None:
    moves = [moved(2, "win_thrown_away"), moved(4, "draw_thrown_away")]
    decisive = "Move 5 decided the game: with 1, X threw a draw away."
    assert decided("line", "second", 4, *moves) == f"{decisive} Before, move 3 threw a win away."
    assert decided("line", "second", 4, moved(3, "win_thrown_away"), *moves[1:]) == decisive


def test_a_better_line_is_in_the_game_s_notation_and_numbered() -> None:
    worth: MoveWorth = {
        "value": 30,
        "exact": False,
        "distance": None,
        "line": ["d7d5", "e4d5"],
        "names": ["d5", "exd5"],
    }
    mistake: ReviewedMoveInfo = {
        **moved(1, "probable_mistake"),
        "move": "g7g5",
        "name": "g5",
        "number": 1,
        "better": {"move": "d7d5", "worth": worth, "rows": []},
    }
    assert better_in_words(mistake) == "probably better: 1... d5 2. exd5 (estimate 30)"
    assert decided("resignation", "first", 1, mistake).startswith(
        "Move 2 probably decided the game: by estimates, O did"
    )
    assert "with g5 than" in decided("resignation", "first", 1, mistake)
