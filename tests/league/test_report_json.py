"""The report for programs."""

from __future__ import annotations

import json

from noughts.league.report_json import render
from support.leagues import game, league


def test_the_report_has_all_figures() -> None:
    terms = league(["a", "b"], sprt={"elo0": 0, "elo1": 20, "alpha": 0.05, "beta": 0.05})
    report = json.loads(render(terms, [game(1, "a", "b", "first"), game(2, "b", "a", "draw")]))
    assert report["league"] == terms
    assert report["games"] == {"scheduled": 2, "played": 2}
    assert report["crosstable"]["a"]["b"] == {"won": 1, "drawn": 1, "lost": 0}
    assert [(row["player"], row["points"]) for row in report["standings"]] == [("a", 1.5), ("b", 0.5)]
    assert report["reasons"] == {"draw": 1, "line": 1}
    assert report["sprt"]["decision"] is None


def test_a_league_without_games_has_a_report() -> None:
    report = json.loads(render(league(["a", "b"]), []))
    assert [row["elo"] for row in report["standings"]] == [None, None]
    assert report["sprt"] is None
