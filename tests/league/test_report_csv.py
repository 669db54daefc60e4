"""The standings as CSV."""

from __future__ import annotations

import csv
import io

from noughts.league.report_csv import render
from support.leagues import game, league


def test_every_player_has_a_row_with_figures_and_reasons() -> None:
    games = [game(1, "=1+1", "b", "first", reason="crash"), game(2, "b", "=1+1", "second", reason="time")]
    rows = list(csv.DictReader(io.StringIO(render(league(["=1+1", "b", "absent"]), games))))
    assert [row["player"] for row in rows] == ["'=1+1", "b", "absent"]
    assert rows[0] | {"elo": "", "error": ""} == {
        "place": "1", "player": "'=1+1", "games": "2", "won": "2", "drawn": "0", "lost": "0", "points": "2",
        "buchholz": "", "direct_encounter": "", "sonneborn_berger": "0",
        "elo": "", "error": "", "seconds": "2.5", "moves": "5", "longest_s": "0.75",
        "lost_crash": "0", "lost_time": "0",
    }  # fmt: skip
    assert (rows[1]["lost_crash"], rows[1]["lost_time"]) == ("1", "1")
    assert float(rows[0]["elo"]) > 0 > float(rows[1]["elo"])
    assert (rows[2]["games"], rows[2]["elo"], rows[2]["error"]) == ("0", "", "")
