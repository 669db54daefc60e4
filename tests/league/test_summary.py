"""The common part of reports: the terms of a league, its size, its test."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

import pytest

from noughts.league import report_html, report_text
from noughts.league.sprt import SprtState
from noughts.league.standings import Row
from noughts.league.summary import (
    failure_lines,
    over_in_words,
    pace_in_words,
    replay_command,
    sprt_in_words,
    summarize,
    why,
)
from noughts.tournaments.ranking import Score
from noughts_client.failure import Failure
from support.leagues import failure, game, league

SPRT = {"elo0": 0, "elo1": 20, "alpha": 0.05, "beta": 0.05}


def test_the_crosstable_is_in_the_order_of_the_standings() -> None:
    players, records = (
        ["a", "b", "c"],
        [game(1, "c", "a", "first"), game(2, "c", "b", "first"), game(3, "b", "a", "first")],
    )
    found = summarize(league(players), records)
    assert list(found.table) == [row.player for row in found.rows] == ["c", "b", "a"]
    assert list(found.table["b"]) == ["c", "a"]
    lines = report_text.render(league(players), records).splitlines()
    at = lines.index("Points against each other:")
    assert [line.split()[:2] for line in lines[at + 2 : at + 5]] == [["1", "c"], ["2", "b"], ["3", "a"]]
    page = report_html.render(league(players), records, PurePath("league"))
    crosstable = page[page.index("<table id=crosstable>") :]
    assert re.findall(r"<bdi title=\"(\w)\">", crosstable)[:3] == ["c", "b", "a"]


def test_times_too_short_to_be_shown_are_not_shown_as_nothing() -> None:
    row = Row(1, "a", 1, Score(1), {}, 0, 100, {}, 0.0049, 10, 0.0006)
    assert pace_in_words(row) == ("<0.001", "0.001")
    assert pace_in_words(Row(1, "a", 0, Score(), {}, None, None, {}, 0, 0, 0)) == ("", "")


def test_the_terms_are_said_in_words() -> None:
    found = summarize(league(["a", "b", "c"], rounds=10), [])
    assert (found.title, found.played, found.scheduled) == ("Tic-tac-toe league", 0, 60)
    assert found.terms == "a round robin of 3 players, 10 rounds, clock 30s+0.3, seed 1"
    assert summarize(league(["a", "b", "c"], format="gauntlet", opponents=["b"]), []).terms.startswith(
        "a gauntlet of b against 2 players, 1 round,"
    )
    assert summarize(league(["a", "b"], game="not-installed"), []).title == "not-installed league"


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([], "SPRT of H0, 0 Elo, against H1, 20 Elo: LLR 0.00 (-2.94, 2.94). Undecided."),
        (["first", "second"] * 60, "H1 was accepted: a is stronger than b."),
        (["second", "first"] * 60, "H0 was accepted: a is less than 20 Elo stronger than b."),
    ],
)
def test_the_first_player_is_tested_against_the_second(results: list[str], words: str) -> None:
    terms = league(["a", "b"], sprt=SPRT)
    records = [game(n, "ab"[n % 2 == 0], "ba"[n % 2 == 0], result) for n, result in enumerate(results, 1)]
    summary = summarize(terms, records)
    assert summary.sprt is not None
    assert sprt_in_words(terms, summary.sprt).endswith(words)
    assert over_in_words(summary).startswith("Decided after 120 games," if results else "0 of ")


@pytest.mark.parametrize(
    ("elo0", "elo1", "decision", "words"),
    [
        (10, 50, "H1", "a is more than 10 Elo stronger than b."),
        (-50, 0, "H1", "a is less than 50 Elo weaker than b."),
        (-50, 0, "H0", "a is weaker than b."),
        (-50, -10, "H0", "a is more than 10 Elo weaker than b."),
    ],
)
def test_a_decision_says_what_it_excludes(elo0: float, elo1: float, decision: Any, words: str) -> None:
    terms = league(["a", "b"], sprt=SPRT | {"elo0": elo0, "elo1": elo1})
    assert sprt_in_words(terms, SprtState(decision, 3, -2.94, 2.94)).endswith(f"{decision} was accepted: {words}")


def test_a_game_ends_for_a_reason_or_because_somebody_failed() -> None:
    assert why(game(1, "ann", "bob", None, reason="count")) == "by count"
    assert why(game(1, "ann", "bob", "first", reason="no_moves")) == "because the loser could not move"
    lost = game(1, "ann", "bob", "first", failure=failure("second", "illegal", "The bot played '9'."))
    assert why(lost) == "bob failed (illegal move): The bot played '9'."


def test_a_command_can_be_pasted() -> None:
    command = replay_command(PurePath("my league"), 3, "$(rm)")
    assert command == "noughts league replay 3 --bot '$(rm)' --folder 'my league'"


def test_a_failure_shows_all_that_is_known_without_commands_for_the_terminal() -> None:
    known = Failure("crash", "It crashed.", "E", "  File 1\n  line\x07\n", "log 1\nlog 2\n", "{}", "\x1bx")
    assert failure_lines(known) == [
        "crash: It crashed.",
        "< ?x",
        "  File 1",
        "  line?",
        "stderr:",
        "log 1",
        "log 2",
    ]
    assert failure_lines(Failure("time", "Too late.")) == ["too late: Too late."]
