"""``noughts league review``, of a league that is over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noughts.league.state import GAMES, create
from support.command import noughts
from support.leagues import failure, game, league

LOST = """\
Game 1 of Tic-tac-toe: ann (X) against bob (O); ann won (by a full row)
The league played the opening: 1 2
Tic-tac-toe, 7 moves

3. ann  5  keeps the win
4. bob  9  lost anyway
5. ann  7  keeps the win
6. bob  3  lost anyway
7. ann  4  keeps the win

No mistake that decided the game was found.
"""
"""By the opening, which threw the draw away, and nobody chose it."""


@pytest.fixture(autouse=True)
def _league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    create(Path("league-1"), league(["ann", "bob"]))
    crash = failure("second", "crash", "It crashed.")
    records = [
        game(1, "ann", "bob", "first", opening=["1", "2"], moves=list("1259734")),
        game(2, "ann", "bob", "first", moves=list("1259734"), notes={1: "by chance\n\x1b", 2: "5 wins"}),
        game(3, "ann", "bob", "first", moves=["1"], reason="crash", failure=crash),
    ]
    Path("league-1", GAMES).write_text("".join(json.dumps(record) + "\n" for record in records))


def test_the_opening_is_not_judged() -> None:
    result = noughts("league", "review", "1")
    assert (result.status, result.out.decode()) == (0, LOST)


def test_the_mistake_that_decided_a_game_has_the_name_of_its_bot() -> None:
    result = noughts("league", "review", "2", "--folder", "league-1")
    assert result.out.decode().endswith("Move 2 decided the game: with 2, bob threw a draw away.\n")


def test_the_notes_of_the_bots_are_shown_below_their_moves() -> None:
    lines = noughts("league", "review", "2").out.decode().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("2. bob"))
    assert (lines[at + 1].strip()[:7], lines[at + 2], lines[at + 4]) == (
        "better:",
        "     note: by chance ?",
        "     note: 5 wins",
    )


def test_a_game_that_a_failure_ended_says_so() -> None:
    out = noughts("league", "review", "3").out.decode()
    assert out.splitlines()[:2] == [
        "Game 3 of Tic-tac-toe: ann (X) against bob (O); ann won. bob failed (crash): It crashed.",
        "Tic-tac-toe, 1 move",
    ]
    assert out.endswith("\n\nSee why bob failed:  noughts league replay 3 --bot bob --folder league-1\n")


def test_it_prints_json() -> None:
    found = json.loads(noughts("league", "review", "2", "--output", "json").out)
    assert (found["decisive"], found["plies"], found["complete"]) == (1, 7, True)


@pytest.mark.parametrize(("number", "why"), [("9", "no record of game 9"), ("x", "write it as noughts league review")])
def test_a_game_that_is_not_there_is_said_in_a_line(number: str, why: str) -> None:
    result = noughts("league", "review", number)
    assert (result.status, why in result.err, "Traceback" in result.err) == (1, True, False)
