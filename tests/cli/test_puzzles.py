"""``noughts puzzles``: solving in the terminal, and making sets."""

from __future__ import annotations

import asyncio
import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from noughts.archive import import_game
from noughts.journal import SqliteJournal
from noughts.puzzles.puzzle import read
from support.command import Result, noughts
from support.games import played

WIN = '["tictactoe#.ox/.o./.x.", "win", "9 6 7", 1000]\n'
DRAW = '["tictactoe#.../.../..x", "draw", "5 3 6 4 1 7 8 2", 1300]\n'

SOLVED = """\

Tic-tac-toe, a puzzle rated 1000

  . o x    1 2 3
  . o .    4 5 6
  . x .    7 8 9

X to move: win in 2 moves. All moves but one throw the win away.
Your move (h for help):
Wrong: that draws. O's answer: square 4.
Your move (h for help):
Cell 2 is taken.
Your move (h for help):
Right.
O plays 6.

  . o x    1 2 3
  . o o    4 5 6
  . x x    7 8 9

Your move (h for help):
The right move is square 7.
Your move (h for help):
Right.

  . o x    1 2 3
  . o o    4 5 6
  x x x    7 8 9

That is the solution.
Your rating: 825 (-175).
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_state_path", lambda _: tmp_path / "state")
    return tmp_path / "state" / "puzzles.json"


@pytest.fixture
def puzzles(tmp_path: Path) -> str:
    path = tmp_path / "set.jsonl"
    path.write_text(WIN + DRAW)
    return str(path)


def solve(puzzles: str, typed: str, *options: str) -> Result:
    return noughts("puzzles", "--set", puzzles, *options, stdin=typed.encode())


def test_a_puzzle_is_solved_against_its_proof(puzzles: str) -> None:
    found = solve(puzzles, "1\n2\n9\nhint\n7\nq\n")
    assert (found.status, found.err) == (0, "")
    assert found.out.decode() == SOLVED + "Enter for the next puzzle, q to leave:\n"


def test_the_record_counts_first_tries_and_days(puzzles: str, state: Path) -> None:
    assert b"Solved.\nYour rating: 1175 (+175).\n" in solve(puzzles, "9\n7\nq\n").out
    record = json.loads(state.read_text())
    assert (len(record["done"]["tictactoe"]), record["running"]) == (1, 1)
    record["last"] = (date.today() - timedelta(1)).isoformat()
    state.write_text(json.dumps(record))
    found = solve(puzzles, "5\n6\n1\n8\nq\n").out.decode()
    assert "X plays 4." in found, "the puzzle that was not tried yet"
    assert "You have solved puzzles 2 days running." in found
    assert b"You have tried all puzzles of this set." in solve(puzzles, "").out
    assert b"tictactoe" in noughts("puzzles").out


def test_hints_name_moves_and_then_the_right_one(puzzles: str) -> None:
    found = solve(puzzles, "hint\nhint\nnonsense\nskip\nq\n", "--today").out.decode()
    assert "One of these is right: " in found
    assert "The right move is " in found
    assert "A move is a cell, 1 to 9." in found


def test_leaving_changes_nothing(puzzles: str, state: Path) -> None:
    for typed in ("", "q\n", "1\nq\n"):
        assert solve(puzzles, typed).status == 0
    assert not state.exists()


def test_what_is_wrong_is_told(puzzles: str, tmp_path: Path, state: Path) -> None:
    assert noughts("puzzles", "nothing").err.startswith("noughts puzzles: There is no game 'nothing'")
    assert "There are no puzzles of Go" in noughts("puzzles", "go").err
    assert "Cannot read" in noughts("puzzles", "--set", str(tmp_path / "none")).err
    assert noughts("puzzles", "make").status == 2
    (tmp_path / "bad").write_text("{}")
    assert "Not a puzzle: {}" in noughts("puzzles", "--set", str(tmp_path / "bad")).err
    state.parent.mkdir()
    state.write_text("{}")
    assert f"Cannot read your record, {state}" in solve(puzzles, "").err


def test_the_same_seed_makes_the_same_set_and_a_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    argv = ("puzzles", "make", "--game", "tictactoe", "--seed", "3")
    assert noughts(*argv, "--count", "2", "--output", str(path)) == Result(0, b"", "2 puzzles.\n")
    first = path.read_bytes()
    assert noughts(*argv, "--count", "2").out == first
    assert noughts(*argv, "--count", "3", "--output", str(path)) == Result(0, b"", "3 puzzles.\n")
    assert path.read_bytes().startswith(first)
    assert len({read(line).key for line in path.read_text().splitlines()}) == 3


def test_a_set_is_made_from_the_games_of_a_server(tmp_path: Path) -> None:
    async def store() -> None:
        journal = await SqliteJournal.open(tmp_path / "journal")
        for room, moves in (("one", "1259734"), ("two", "3257914")):  # the second is the first, reflected
            await import_game(journal, played("tictactoe", moves, room=room))
        await journal.close()

    asyncio.run(store())
    made = noughts("puzzles", "make", "--game", "tictactoe", journal=tmp_path / "journal")
    assert (made.status, made.err) == (0, "")
    assert [read(line).line[0] for line in made.out.decode().splitlines()] == ["5"]
    assert noughts("puzzles", "make", "--game", "kalah", journal=tmp_path / "journal").out == b""


@pytest.mark.parametrize(
    ("start", "held"),
    [
        (".../.../.../.../.../.../.../... 9 9 first", "  White has 9 w\n  Black has 9 b\n"),
        ("ww./.../.../.../.../.../.bb/w.b 0 0 first", "───b\n"),
    ],
)
def test_what_a_side_still_holds_is_shown(start: str, held: str, tmp_path: Path) -> None:
    move = "a1" if "9" in start else "a1a4"
    (tmp_path / "set").write_text(f'["morris#{start}", "fastest", "{move}", 900]\n')
    assert f"{held}\nWhite to move: win in 1 move." in solve(str(tmp_path / "set"), "q\n").out.decode()
