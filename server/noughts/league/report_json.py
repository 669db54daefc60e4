"""A league's report as JSON, for programs. Pure; does no I/O."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from noughts.league.records import LeagueRecord, Record
from noughts.league.sprt import SprtState
from noughts.league.standings import rounded
from noughts.league.summary import summarize


def render(league: LeagueRecord, records: Sequence[Record]) -> str:
    """An object with ``league`` (what was played), ``games`` (scheduled and played), ``standings``, ``crosstable``,
    ``disqualified`` (the number of the game with the last failure, by player), ``reasons`` and ``sprt``. Ends with a
    line feed.

    A row of the standings has the fields of :class:`noughts.league.standings.Row`, with Elo to a tenth, seconds to a
    thousandth; log likelihood ratios are to a thousandth. The records of the games are not in
    it: they are lines of JSON in the league's folder.
    """
    summary = summarize(league, records)
    report = {
        "league": league,
        "games": {"scheduled": summary.scheduled, "played": summary.played},
        "standings": [asdict(rounded(row)) for row in summary.rows],
        "crosstable": {
            player: {opponent: asdict(score) for opponent, score in scores.items()}
            for player, scores in summary.table.items()
        },
        "disqualified": {player: record["game"] for player, record in summary.disqualified.items()},
        "reasons": summary.reasons,
        "sprt": _rounded(summary.sprt),
    }
    return json.dumps(report, indent=1) + "\n"


def _rounded(test: SprtState | None) -> dict[str, Any] | None:
    if test is None:
        return None
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(test).items()}
