"""A bot's games as Gradescope's results."""

from __future__ import annotations

import json
from typing import Any

from noughts.league.report_gradescope import render
from support.leagues import failure, game, league

TERMS: dict[str, Any] = {"format": "gauntlet", "opponents": ["easy", "hard"]}


def test_each_opponent_is_a_test_and_the_leaderboard_has_the_share() -> None:
    records = [
        game(1, "ada", "easy", "first"),
        game(2, "easy", "ada", "draw"),
        game(3, "ada", "hard", "second"),
        game(4, "hard", "ada", "draw"),
    ]
    found = json.loads(render(league(["ada", "easy", "hard"], **TERMS), records))
    assert [(each["name"], each["score"], each["max_score"], each["status"]) for each in found["tests"]] == [
        ("against easy", 1.5, 2, "passed"),
        ("against hard", 0.5, 2, "failed"),
    ]
    assert found["tests"][1]["output"] == "Lost as first (1 4 2 5 3): by a full row"
    assert found["leaderboard"] == [
        {"name": "points, %", "value": 50.0},
        {"name": "failures", "value": 0, "order": "asc"},
    ]
    assert "score" not in found, "Gradescope adds the tests up"


def test_a_disqualified_bot_gets_nothing_and_is_told_why() -> None:
    crash = failure("first", "crash", "The bot raised KeyError: 1.", error="KeyError")
    records = [
        game(number, "ada", opponent, "second", reason="crash", failure=crash)
        for number, opponent in enumerate(("easy", "hard", "easy"), 1)
    ]
    found = json.loads(render(league(["ada", "easy", "hard"], rounds=2, **TERMS), records))
    assert found["output"].startswith(
        "Disqualified: crash, again and again. ada failed (crash): The bot raised KeyError"
    )
    assert [(each["score"], each["max_score"]) for each in found["tests"]] == [(0, 4), (0, 4)]
    assert found["leaderboard"][1]["value"] == 3
