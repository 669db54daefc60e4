"""The report for programs."""

from __future__ import annotations

import json
from pathlib import PurePath

from noughts.league import report_csv, report_html, report_text
from noughts.league.report_json import render
from noughts.league.standings import Row, rounded
from noughts.league.summary import elo_in_words
from noughts.tournaments.ranking import Score
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
    assert (report["sprt"]["lower"], report["sprt"]["upper"]) == (-2.944, 2.944)


def test_figures_are_rounded_as_in_the_other_reports() -> None:
    used = {"seconds": {"first": 0.1, "second": 0.7}, "longest_s": {"first": 0.0501, "second": 0.1}}
    records = [game(1, "a", "b", "first", **used), game(2, "b", "a", "draw", **used), game(3, "a", "b", "draw", **used)]
    terms = league(["a", "b"])
    row = json.loads(render(terms, records))["standings"][0]
    assert (row["seconds"], row["longest_s"]) == (0.9, 0.1)  # not 0.8999999999999999
    assert (row["elo"], row["error"]) == (round(row["elo"], 1), round(row["error"], 1))
    (line,) = (each for each in report_csv.render(terms, records).splitlines() if each.startswith("1,a,"))
    assert f",{row['elo']},{row['error']},{row['seconds']}," in line
    for text in (report_text.render(terms, records), report_html.render(terms, records, PurePath("league"))):
        assert f"{row['elo']:+.0f} ± {row['error']:.0f}" in text


def test_a_rating_of_nothing_has_no_sign() -> None:
    row = Row(1, "a", 0, Score(), {}, -0.04, 100.04, {}, 0.0, 0, 0.0)
    assert (str(rounded(row).elo), rounded(row).error, elo_in_words(row)) == ("0.0", 100.0, "+0 ± 100")


def test_a_league_without_games_has_a_report() -> None:
    report = json.loads(render(league(["a", "b"]), []))
    assert [row["elo"] for row in report["standings"]] == [None, None]
    assert report["sprt"] is None
