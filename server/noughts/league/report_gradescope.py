"""A player's games against the opponents of a gauntlet as Gradescope's ``results.json``. Pure; does no I/O.

The format is that of Gradescope's autograder specifications,
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from noughts.league.records import LeagueRecord, Record, Side, other
from noughts.league.summary import failure_in_words, summarize, why

LOSSES = 10
"""The most lost games that a test tells of."""


def render(league: LeagueRecord, records: Sequence[Record]) -> str:
    """The results of the first player that is no opponent: a test for each opponent, with a point for each win and half
    a point for each draw; and a leaderboard with the share of the points in percent and the failures.

    A player who is disqualified gets no points.
    """
    opponents = league["opponents"]
    player = next(each["name"] for each in league["players"] if each["name"] not in opponents)
    summary = summarize(league, records)
    out = summary.disqualified.get(player)
    games = 2 * league["rounds"]
    tests = [_test(player, opponent, records, games, out=out is not None) for opponent in opponents]
    most = sum(test["max_score"] for test in tests)
    points = sum(test["score"] for test in tests)
    failures = sum(each["failure"] is not None and each[each["failure"]["side"]] == player for each in records)
    told = "" if out is None else f"Disqualified: {failure_in_words(out['reason'])}, again and again. {why(out)}"
    result = {
        "output": told,
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
        "leaderboard": [
            {"name": "points, %", "value": round(100 * points / most, 1) if most else 0},
            {"name": "failures", "value": failures, "order": "asc"},
        ],
    }
    return json.dumps(result, indent=1) + "\n"


def _test(player: str, opponent: str, records: Sequence[Record], games: int, *, out: bool) -> dict[str, Any]:
    halves, losses = 0, []
    for each in records:
        if {each["first"], each["second"]} != {player, opponent}:
            continue
        mine: Side = "first" if each["first"] == player else "second"
        halves += 2 * (each["result"] == mine) + (each["result"] == "draw")
        if each["result"] == other(mine):
            moves = f" ({' '.join(each['moves'])})" if each["moves"] else ""
            losses.append(f"Lost as {mine}{moves}: {why(each)}")
    told = losses[:LOSSES] + ([f"and {len(losses) - LOSSES} more"] if len(losses) > LOSSES else [])
    return {
        "name": f"against {opponent}",
        "score": 0 if out else halves / 2,
        "max_score": games,
        "status": "passed" if halves >= games and not out else "failed",
        "output": "\n".join(told),
        "output_format": "text",
        "visibility": "visible",
    }
