"""A league of eight whose bots crash, hang, cheat, flood, print garbage, eat memory and fork, in the sandbox."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from noughts.league.plan import pairings_of, plan
from noughts.league.records import Record
from noughts.league.runner import Report, play_league
from noughts.league.standings import standings
from noughts.league.state import create, load
from noughts_client.bots.sandbox import Containment, probe, refusal
from support.programs import program

pytestmark = pytest.mark.services

EATER = """
def choose(state):
    hoard = []
    while True:
        hoard.append(b"x" * 2**22 + bytes(len(hoard)))
"""
FORKER = """
import os, time
def choose(state):
    while True:
        if os.fork() == 0:
            time.sleep(1000)
"""
PYTHON = {
    "good.py": "def choose(state):\n    return state['legal_moves'][0]\n",
    "crash.py": "def choose(state):\n    return state['no such key']\n",
    "hang.py": "import time\ndef choose(state):\n    time.sleep(1000)\n",
    "cheat.py": "def choose(state):\n    return state['moves'][0]\n",
    "memory.py": EATER,
    "fork.py": FORKER,
}
SHELL = {
    "flood": "#!/bin/sh\nread line\nexec yes 4\n",
    "garbage": "#!/bin/sh\nwhile read line; do echo '{\"move\": 4,'; done\n",
}
KINDS = {
    "crash": {"crash"},
    "hang": {"time"},
    "cheat": {"illegal"},
    "memory": {"memory", "time"},  # on a busy machine its second may be over before it has eaten enough
    "fork": {"processes", "memory", "time"},
    "flood": {"flood", "garbage"},
    "garbage": {"garbage"},
}


@pytest.mark.timeout(600)
async def test_bad_bots_lose_their_games_and_nothing_else(tmp_path: Path) -> None:
    program("bwrap")
    containment = probe()
    if why := refusal(containment):
        pytest.skip(why)
    place = tmp_path / "bots"
    place.mkdir(0o755)
    for name, text in (PYTHON | SHELL).items():
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    bots = [*(str(place / name) for name in PYTHON), *(f"exec:{place / name}" for name in SHELL)]
    league = plan(bots, game="tictactoe", rounds=1, seed=2, clock="1s+0.1", memory_mib=128)
    folder = create(tmp_path / "league", league)
    told: list[Record] = []
    report = Report(watch=lambda _: None, game=lambda record, _: told.append(record))
    began, stop = time.monotonic(), asyncio.Event()
    ending = await play_league(folder, containment=containment, report=report, stop=stop, concurrency=2)
    assert ending == "played"
    # No game takes longer than both clocks, two starts, and what killing takes; most bots fail at once.
    assert time.monotonic() - began < len(told) * 10

    records = load(folder.path).records
    assert len(records) == len(told) == len(pairings_of(league)) == 56
    for record in records:
        failure = record["failure"]
        assert failure is not None  # all but the good one fail sooner or later, and it is faster than they are
        loser = record[failure["side"]]
        assert failure["kind"] in KINDS[loser], failure
        assert record["reason"] == failure["kind"]
        assert record["result"] == ("second" if failure["side"] == "first" else "first")
        assert json.loads(failure["line"])["moves"] == record["moves"]
        assert failure["message"]
    crash = next(each["failure"] for each in records if each["reason"] == "crash")
    assert crash is not None
    assert (crash["error"], "no such key" in crash["traceback"]) == ("NoSuchField", True)
    late = next(each["failure"] for each in records if "hang" in (each["first"], each["second"]))
    assert late is not None
    assert (late["kind"], "time.sleep(1000)" in late["traceback"]) == ("time", True)

    rows = {row.player: row for row in standings([player["name"] for player in league["players"]], records)}
    assert (rows["good"].place, rows["good"].score.won) == (1, 14)
    assert {name: sum(row.lost_by.values()) for name, row in rows.items()} == {
        name: row.score.lost for name, row in rows.items()
    }
    assert all(set(rows[name].lost_by) <= kinds for name, kinds in KINDS.items())


SPY = """
import pathlib
def choose(state):
    for name in ("other.py", "league/league.json", "league/games.jsonl"):
        try:
            seen = (pathlib.Path(__file__).parent / name).read_text()
        except OSError:
            continue
        assert not seen, "I can read " + name
    return state["legal_moves"][0]
"""


async def test_a_bot_sees_neither_the_league_nor_the_other_bots(tmp_path: Path) -> None:
    program("bwrap")
    containment = probe()
    if why := refusal(containment):
        pytest.skip(why)
    place = tmp_path / "bots"
    place.mkdir(0o755)
    (place / "spy.py").write_text(SPY)
    (place / "other.py").write_text(PYTHON["good.py"])
    for file in place.iterdir():
        file.chmod(0o644)
    bots = [str(place / "spy.py"), str(place / "other.py")]
    league = plan(bots, game="tictactoe", rounds=1, seed=2, clock="20s+1")

    async def failures(contained: Containment | None, folder: Path) -> list[str]:
        told: list[Record] = []
        report = Report(watch=lambda _: None, game=lambda record, _: told.append(record))
        made = create(folder, league)
        await play_league(made, containment=contained, report=report, stop=asyncio.Event(), concurrency=1)
        return [record["failure"]["message"] for record in told if record["failure"] is not None]

    assert await failures(containment, place / "league") == []
    assert await failures(None, place / "control") == ["The bot raised AssertionError: I can read other.py."] * 2
