"""A league goes on with the same bots and settings, or is refused."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from noughts.league.plan import command_of, plan
from noughts.league.records import SprtRecord
from noughts.league.state import GAMES, create, load
from support.command import noughts

SPRT: SprtRecord = {"elo0": 0.0, "elo1": 100.0, "alpha": 0.05, "beta": 0.05}


@pytest.fixture(autouse=True)
def _league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def choose(state): return '1'\n")
    league = plan(["computer:easy", "mine.py"], game="tictactoe", rounds=2, seed=3, clock="20s+1", plies=0, sprt=SPRT)
    create(Path("league-1"), league)


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["--game=connect4"], "game was tictactoe, and is now connect4."),
        (["--rounds=4"], "rounds was 2, and is now 4."),
        (["--format=gauntlet"], "format was round_robin, and is now gauntlet."),
        (["--opponents", "mine"], "opponents was nobody, and is now mine."),
        (["--seed=4"], "seed was 3, and is now 4."),
        (["--clock=20+1"], "clock was 20s+1, and is now 20+1."),
        (["--openings=2"], "openings was 0, and is now 2."),
        (["--sprt", "elo0=0", "elo1=20"], "sprt was elo0=0 elo1=100 alpha=0.05 beta=0.05, and is now elo0=0 elo1=20 "),
        (["--memory=64"], "memory-mib was 512, and is now 64."),
        (["--server=example.org"], "server was not given, and is now wss://example.org/ws."),
        (["computer:easy", "computer:hard"], "hard did not play before. mine does not play now."),
        (["computer:easy", "mine=computer:hard"], "and is now computer:hard."),
    ],
)
def test_changed_settings_and_bots_are_refused_and_named(argv: list[str], why: str) -> None:
    result = noughts("league", "--resume=league-1", *argv)
    assert result.status == 1
    assert result.err.startswith("noughts league: this is not the league that began: ")
    assert why in result.err
    assert Path("league-1", GAMES).read_bytes() == b""


def test_a_changed_program_is_refused_with_the_command_of_a_new_league() -> None:
    settings = (
        "--game tictactoe --rounds 2 --clock 20s+1 --openings 0 --seed 3 --sprt elo0=0 elo1=100 alpha=0.05 beta=0.05"
    )
    again = f"Start a new one with:  noughts league computer:easy {Path('mine.py').absolute()} {settings}"
    Path("mine.py").write_text("def choose(state): return '2'\n")
    changed = noughts("league", "--resume=league-1")
    assert (changed.status, changed.err.splitlines()) == (
        1,
        ["noughts league: this is not the league that began: The program of mine has changed.", again],
    )
    Path("mine.py").unlink()
    missing = noughts("league", "--resume=league-1")
    assert "The program of mine is not there." in missing.err


@pytest.mark.slow
def test_the_command_of_a_league_plans_the_same_league() -> None:
    bots = ["hard=computer:easy", "other one=mine.py"]
    league = plan(
        bots,
        game="tictactoe",
        rounds=2,
        seed=3,
        format_="gauntlet",
        opponents=["hard"],
        plies=2,
        memory_mib=64,
        uncontained=True,
    )
    _, _, *argv = shlex.split(command_of(league))
    assert noughts("league", *argv, "--folder", "again").status == 0
    assert load(Path("again")).league == league
