"""``noughts league`` as a person runs it, in a process of its own."""

import json
import signal
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from noughts.league.plan import pairings_of, plan
from noughts.league.state import GAMES, create, load
from support.command import noughts
from support.running import read_until, running

pytestmark = pytest.mark.slow

FIRST = "def choose(state):\n    return state['legal_moves'][0]\n"
LAST = "def choose(state):\n    return state['legal_moves'][-1], 'a note'\n"
CRASH = "import sys\ndef choose(state):\n    print('dying', file=sys.stderr)\n    raise KeyError('e4')\n"
TERMS = ("--game=tictactoe", "--seed=3", "--clock=20s+1", "--uncontained", "--concurrency=1")


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    for name, program in {"first": FIRST, "last": LAST, "crash": CRASH}.items():
        Path(f"{name}.py").write_text(program)
    return "first.py", "last.py", "crash.py"


def league(*argv: str) -> AbstractContextManager[subprocess.Popen[str]]:
    return running("league", *argv)


def test_a_league_ends_with_a_table_and_a_page_and_can_be_printed_again(bots: tuple[str, ...]) -> None:
    with league(*bots, *TERMS) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "Watch at http://127.0.0.1:" in err
    assert "Bots run without a sandbox" in err
    assert " 0-1 " in err
    assert "crash failed in 3 games. See why:  noughts league replay" in err
    assert "\ncrash is disqualified: it failed 3 times running" in err
    assert "1  first " in out
    assert (
        "\ncrash is disqualified: it failed 3 times running in the same way (crash, KeyError). Its games do not" in out
    )
    assert Path("league-1", "league.html").stat().st_size > 1000
    again = noughts("league", "--resume=league-1", "--output=jsonl")
    assert again.status == 0
    assert again.out.decode().splitlines() == Path("league-1", GAMES).read_text().splitlines()
    assert noughts("league", "--resume=league-1").out.decode().strip() == out.strip()

    game = next(
        record["game"] for record in load(Path("league-1")).records if "crash" in (record["first"], record["second"])
    )
    asked = noughts("league", "replay", str(game), "--bot=crash")
    failure = next(record["failure"] for record in load(Path("league-1")).records if record["game"] == game)
    assert failure is not None
    assert asked.status == 1
    said = asked.out.decode()
    assert said.startswith(f"Game {game} of Tic-tac-toe: ")
    for words in (f"> {failure['line']}\n", "raise KeyError('e4')", "stderr:\ndying", "Now it fails in the same way."):
        assert words in said
    game = next(record for record in load(Path("league-1")).records if record["failure"] is None)["game"]
    asked = noughts("league", "replay", str(game), "--bot=last")
    assert asked.status == 0
    assert "(note: a note).\n\nNow it plays" in asked.out.decode()
    assert "That is the same move." in asked.out.decode()

    Path("first.py").write_text(LAST)
    refused = noughts("league", "--resume=league-1", "--rounds=2")
    assert refused.status == 1
    assert "rounds was 1, and is now 2. The program of first has changed" in refused.err


def test_bots_that_fail_are_named_before_anything_takes_its_time(bots: tuple[str, ...]) -> None:
    Path("broken.py").write_text("def chose(state):\n    return 1\n")
    refused = noughts("league", "first.py", "broken.py", *TERMS, "--game=connect4", "--rounds=50")
    assert refused.status == 1
    assert refused.err.splitlines() == [
        "broken does not start: broken.py defines no function choose. Did you mean chose?",
        "1 of 2 programs play a first move.",
        "noughts league: fewer than two bots can play",
    ]
    assert not Path("league-1").exists()
    with league("first.py", "broken.py", "crash.py", "computer:easy", *TERMS) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert err.splitlines()[:4] == [
        "broken does not start: broken.py defines no function choose. Did you mean chose?",
        "crash fails at its first move: The bot raised KeyError: 'e4'.",
        "1 of 3 programs play a first move.",
        "Choosing openings ...",
    ]


def test_after_kill_9_it_goes_on_with_the_same_pairings_and_openings(bots: tuple[str, ...]) -> None:
    bots = "first.py", "last.py", "computer:easy"
    with league(*bots, *TERMS) as process:
        read_until(process, "2/6")
        process.kill()
        process.wait()
    with Path("league-1", GAMES).open("ab") as file:
        file.write(b'{"game":3,"round"')  # as if it had been killed while it wrote
    before = load(Path("league-1")).records
    assert 2 <= len(before) < 6
    with league("--resume=league-1", "--concurrency=1") as process:
        process.communicate(timeout=120)
    assert process.returncode == 0
    records = load(Path("league-1")).records
    assert records[: len(before)] == before
    uninterrupted = pairings_of(plan(bots, game="tictactoe", rounds=1, seed=3, clock="20s+1", uncontained=True))
    played = [(each["game"], each["pair"], tuple(each["opening"]), each["first"], each["second"]) for each in records]
    assert sorted(played) == [(each.game, each.pair, each.opening, each.first, each.second) for each in uninterrupted]


def test_ctrl_c_finishes_the_games_under_way_and_prints_how_to_resume(bots: tuple[str, ...]) -> None:
    with league(*bots, *TERMS, "--rounds=50") as process:
        read_until(process, "1/300")
        process.send_signal(signal.SIGINT)
        read_until(process, "Finishing the games under way")
        assert "noughts league --resume league-1" in read_until(process, "Continue with")
        assert process.wait(60) == 130
        assert process.stdout
        assert "of 300 games are over" in process.stdout.read()
    assert 1 <= len(load(Path("league-1")).records) <= 3


def test_a_second_ctrl_c_stops_at_once(bots: tuple[str, ...]) -> None:
    Path("slow.py").write_text("import time\ndef choose(state):\n    time.sleep(1000)\n")
    with league("first.py", "slow.py", *TERMS, "--clock=600s+0") as process:
        read_until(process, "Watch at")
        process.send_signal(signal.SIGINT)
        read_until(process, "Finishing the games under way")
        process.send_signal(signal.SIGINT)
        assert "noughts league --resume league-1" in read_until(process, "Continue with")
        assert process.wait(60) == 130
    assert load(Path("league-1")).records == []


def test_a_folder_that_is_taken_is_refused_before_anything_else(bots: tuple[str, ...]) -> None:
    create(Path("taken"), plan(bots, game="tictactoe", rounds=1, seed=1, plies=0))
    refused = noughts("league", *bots, *TERMS, "--folder=taken")
    assert refused.status == 1
    assert refused.err == "noughts league: taken has a league already; noughts league --resume taken continues it\n"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["first.py"], "name two bots or more"),
        (["first.py", "nobody.py"], "There is no file nobody.py"),
        (["first.py", "last.py", "--sprt", "elo=3"], "write the test as --sprt elo0=0 elo1=100"),
        (["first.py", "last.py", "crash.py", "--sprt", "elo0=0", "elo1=9"], "--sprt compares two players"),
        (["first.py", "last.py", "--clock", "none"], "a league needs a clock"),
        (["--resume", "nothing"], "there is no league in nothing"),
        (["replay", "1", "--bot", "first"], "there is no league here"),
        (["replay", "x", "--bot", "first"], "write it as noughts league replay GAME --bot NAME"),
        (["first.py", "last.py", "--tokens", "nothing"], "cannot read nothing"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(bots: tuple[str, ...], argv: list[str], why: str) -> None:
    result = noughts("league", *argv, "--uncontained")
    assert result.status == 1
    assert why in result.err
    assert "Traceback" not in result.err
    assert not Path("league-1").exists() or json.loads(Path("league-1", "league.json").read_text())


@pytest.mark.parametrize("argv", [["--rounds=0"], ["--clock=soon"], ["--server=a b"], ["--openings=-1"]])
def test_wrong_usage_is_said_with_the_usage(capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    result = noughts("league", "computer:easy", "computer:hard", *argv)
    assert result.status == 2
