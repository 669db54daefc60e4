from pathlib import Path

import pytest

from noughts.league.progress import clock_lines, end_lines, game_lines, page_of, start_lines
from noughts.league.sprt import RunningTest
from noughts.league.state import Folder
from support.leagues import failure, game, league

SPRT = {"elo0": -200, "elo1": 200, "alpha": 0.05, "beta": 0.05}
CRASH = failure("second", "crash", "The bot raised KeyError: '\x1b[2J'.")


def folder(*records: object, **terms: object) -> Folder:
    return Folder(Path("my league"), league(["ann", "bob"], **terms), records)  # type: ignore[arg-type]


def test_the_start_says_what_is_played_where_and_how() -> None:
    lines = start_lines(folder(rounds=3), 2, "ws://127.0.0.1:5000/ws", contained=True)
    assert lines == [
        "2 players, 6 games of Tic-tac-toe: clock 30s+0.3, seed 1, 2 at a time, kept in my league",
        "Watch at http://127.0.0.1:5000/",
    ]
    assert page_of("wss://example.org/ws") == "https://example.org/"


def test_the_start_says_what_is_unusual() -> None:
    place = folder(game(1, "ann", "bob", "first"), openings=1, lines=[["1"]], rounds=2)
    place.league["players"][0]["sha256"] = "00"
    first, *others, _ = start_lines(place, 1, "ws://h/ws", contained=False)
    assert "4 games of Tic-tac-toe, 1 of them played already" in first
    assert others == [
        "Bots run without a sandbox: they can read your files and use the network.",
        "There is only 1 even opening of 1 ply; it repeats.",
    ]


def test_a_game_says_who_won_and_why_without_commands_for_the_terminal() -> None:
    won, lost = game(1, "ann", "bob", "first"), game(2, "ann", "bob", "first", reason="crash", failure=CRASH)
    place = folder(won, lost)
    none = RunningTest(place.league, [])
    assert game_lines(place, won, none) == ["2/2  game 1  ann 1-0 bob  by a full row, 5 plies"]
    assert game_lines(place, lost, none) == [
        "2/2  game 2  ann 1-0 bob  bob failed (crash): The bot raised KeyError: '?[2J'."
    ]


def test_a_test_is_told_after_each_pair_and_at_its_end() -> None:
    games = [game(1, "ann", "bob", "first"), game(2, "bob", "ann", "second")]
    one, both = folder(games[0], sprt=SPRT), folder(*games, sprt=SPRT)
    assert len(game_lines(one, games[0], RunningTest(one.league, one.records))) == 1
    told = game_lines(both, games[1], RunningTest(both.league, both.records))[1]
    assert told == "LLR 1.15 after 1 pair; the test ends at -2.94 or 2.94."
    many = [game(n, *(("ann", "bob", "first") if n % 2 else ("bob", "ann", "second"))) for n in range(1, 21)]
    ended = end_lines(folder(*many, sprt=SPRT), "decided")
    assert ended == [
        "After 3 pairs of games: SPRT of H0, -200 Elo, against H1, 200 Elo: LLR 3.46 (-2.94, 2.94). "
        "H1 was accepted: ann is less than 200 Elo weaker than bob.",
        "See where bob lost a game:  noughts league review 1 --folder 'my league'",
    ]
    undecided = end_lines(both, "played")
    assert undecided[0].startswith("After 1 pair of games: SPRT")
    assert undecided[1].startswith("For a decision, start a league with more --rounds")
    assert end_lines(both, "stopped")[1].startswith("See where")


def test_a_game_is_named_that_a_program_lost_on_the_board() -> None:
    crash = game(1, "ann", "bob", "first", reason="crash", failure=CRASH)
    by_computer, drawn = game(2, "bob", "ann", "first"), game(3, "ann", "bob", "draw", reason="count")
    place = folder(crash, by_computer, drawn)
    place.league["players"][0]["spec"] = "computer:easy"
    assert [line for line in end_lines(place, "played") if "review" in line] == []
    lost = folder(crash, by_computer, game(4, "ann", "bob", "first"))
    lost.league["players"][0]["spec"] = "computer:easy"
    assert "See where bob lost a game:  noughts league review 4 --folder 'my league'" in end_lines(lost, "played")


def test_a_test_is_explained_at_the_start() -> None:
    lines = start_lines(folder(rounds=1000, sprt=SPRT | {"elo0": 0, "elo1": 100}), 1, "ws://h/ws", contained=False)
    assert lines[0].startswith("2 players, at most 2000 games of Tic-tac-toe")
    assert lines[1] == (
        "The test ends when it is decided what ann rather has against bob: "
        "0 Elo, 50 % of the points (H0), or 100 Elo, 64 % of the points (H1)."
    )


@pytest.mark.parametrize("clock", ["30s+0.3", "1.5+0", "10/move"])
def test_only_a_clock_of_minutes_needs_words(clock: str) -> None:
    assert clock_lines(clock) == []
    assert clock_lines("30+0.3") == [
        "The clock 30+0.3 is 30 minutes for each side, and 0.3 s more with each move. "
        "A clock of 30 seconds is written 30s+0.3."
    ]


def test_the_end_says_how_to_see_a_failure_again() -> None:
    failed = [game(n, "ann", "bob", "first", reason="crash", failure=CRASH) for n in (2, 1)]
    assert end_lines(folder(*failed), "played") == [
        "bob failed in 2 games. See why:  noughts league replay 1 --bot bob --folder 'my league'",
    ]
