"""The report in a terminal: aligned, whatever the names are."""

from __future__ import annotations

import pytest
from prompt_toolkit.utils import get_cwidth

from noughts.league.report_text import name, render
from support.leagues import failure, game, league

HOSTILE = ["alpha", "学生のボット", "שלום", "\x1b[2Jclear", "x" * 60, "a\nb"]


def records(players: list[str]) -> list:  # type: ignore[type-arg]
    found = []
    for number, (one, other) in enumerate(zip(players, players[1:] + players[:1], strict=True)):
        found.append(game(2 * number + 1, one, other, "first"))
        found.append(game(2 * number + 2, other, one, "draw"))
    return found


def test_the_report_has_standings_crosstable_and_reasons() -> None:
    games = [
        game(1, "a", "b", "first", reason="crash", failure=failure("second", "crash", "The bot raised KeyError.")),
        game(2, "b", "a", "draw"),
    ]
    assert render(league(["a", "b"]), games).splitlines() == [
        "Tic-tac-toe league: a round robin of 2 players, 1 round, clock 30s+0.3, seed 1.",
        "2 of 2 games are over.",
        "",
        "   player  games  won  drawn  lost  points        Elo  lost by failing  s/move  longest  tie-breaks",
        "1  a           2    1      1     0     1.5  +44 ± 140                    0.500    0.750     SB 0.75",
        "2  b           2    0      1     1     0.5  -44 ± 140  crash 1           0.500    0.750     SB 0.75",
        "",
        "Points against each other:",
        "   player      1      2",
        "1  a              1.5/2",
        "2  b       0.5/2",
        "",
        "How the games ended: crash 1, draw 1.",
    ]


def test_wide_and_hostile_names_keep_the_columns_in_place() -> None:
    text = render(league(HOSTILE), records(HOSTILE))
    assert "\x1b" not in text
    lines = text.splitlines()
    begin = lines.index("") + 1
    rows = lines[begin : begin + 1 + len(HOSTILE)]
    assert len({get_cwidth(line) for line in rows}) == 1
    assert rows[0].rstrip().endswith("tie-breaks")


def test_names_are_cut_and_cannot_turn_the_line_around() -> None:
    assert name("x" * 60) == "x" * 31 + "~"
    assert get_cwidth(name("学" * 60)) <= 32
    assert name("\u202eevil") == "?evil"
    assert name("שלום") == "שלום\u200e"
    assert name("plain") == "plain"


def test_a_league_without_games_has_a_report() -> None:
    text = render(league(["a", "b"]), [])
    assert "0 of 2 games are over." in text
    assert "How the games ended" not in text


@pytest.mark.parametrize(
    ("width", "title"),
    [
        (112, "player games won drawn lost points Elo lost by failing s/move longest"),
        (80, "player games points Elo lost by failing"),
        (60, "player points Elo"),
        (40, "player points Elo"),
    ],
)
def test_a_narrow_terminal_has_the_columns_that_fit(width: int, title: str) -> None:
    players = [f"a bot with a long name, {number:02}" for number in range(40)]
    games = records(players)
    for each in games[::2]:
        each["reason"] = "processes"
    lines = render(league(players), games, width).splitlines()
    begin = lines.index("") + 1
    table = lines[begin : begin + 41]
    assert " ".join(table[0].split()) == title
    assert max(map(get_cwidth, table)) <= width
    assert lines[begin + 42] == "The points against each other are too wide for this; the page with all games has them."


def test_without_a_terminal_nothing_is_left_out() -> None:
    players = [f"p{number}" for number in range(40)]
    lines = render(league(players), records(players)).splitlines()
    assert lines[lines.index("Points against each other:") + 1].split()[-1] == "40"


def test_short_names_keep_a_crosstable_on_the_terminal() -> None:
    players = ["a bot with a long name", "another bot with a long name"]
    assert "Points against each other:" in render(league(players), [], 30)
    assert "Points against each other:" not in render(league(players), [], 18)
