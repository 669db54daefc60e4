"""A league of eight whose bots crash, hang, cheat, flood, print garbage, eat memory and fork, in the sandbox."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from noughts.league.plan import games_left, pairings_of, plan
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
    "fork": {"processes", "memory", "time", "crash"},  # a crash if the sandbox refuses a fork before it is counted
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
    report = Report(begun=lambda _: None, game=lambda record, _: told.append(record))
    began, stop = time.monotonic(), asyncio.Event()
    ending = await play_league(folder, containment=containment, report=report, stop=stop, concurrency=2)
    assert ending == "played"
    # No game takes longer than both clocks, two starts, and what killing takes; most bots fail at once.
    assert time.monotonic() - began < len(told) * 10

    records = load(folder.path).records
    assert len(records) == len(told) < len(pairings_of(league)) == 56
    assert games_left(league, records) == []
    for record in records:
        failure = record["failure"]
        assert failure is not None  # all but the good one fail sooner or later, and it is faster than they are
        loser = record[failure["side"]]
        assert failure["kind"] in KINDS[loser], failure
        assert record["reason"] == failure["kind"]
        assert record["result"] == ("second" if failure["side"] == "first" else "first")
        assert json.loads(failure["line"])["moves"] == record["moves"]
        assert failure["message"]
    crash = next(failure for each in records if (failure := each["failure"]) and each[failure["side"]] == "crash")
    assert (crash["error"], "no such key" in crash["traceback"]) == ("NoSuchField", True)
    late = next(each["failure"] for each in records if "hang" in (each["first"], each["second"]))
    assert late is not None
    assert (late["kind"], "time.sleep(1000)" in late["traceback"]) == ("time", True)

    # All but the good one fail in the same way each time, so that no game counts. Some fail in one of two ways.
    rows = standings(league, records)
    assert (rows[0].player, rows[0].place) == ("good", 1)
    assert {row.player for row in rows} <= {"good", "memory", "fork", "flood"}


SECRET = "the-secret"
MISSED = (
    "The bot raised ModuleNotFoundError: No module named 'prey_helper'. prey_helper.py lies beside the bot, but not in "
    "the copy that runs, because other bots are in that folder: give each bot a folder of its own."
)
THIEF = """
import os, pathlib, sys
PLACE = pathlib.Path({place!r})
SECRET = {secret!r}.encode()

def in_folder(folder):
    paths = [path for path in folder.rglob("*") if path.is_file() and "thief" not in path.name]
    return any(SECRET in path.read_bytes() for path in paths)

def imported():
    try:
        import prey_helper
    except ImportError:
        return False
    return True

def anywhere():
    root = PLACE if PLACE.exists() else "/"
    names = {{"prey.py", "prey_helper.py", "games.jsonl"}}
    return any(names & set(files) for folder, _, files in os.walk(root) if not folder.startswith(("/proc", "/usr")))

def of_processes():
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = pathlib.Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
        if b"noughts_client.bots.child" in command and b"thief" not in command:
            return True
    return False

def in_memory():
    return any(SECRET.decode() in repr(list(vars(module).values())[:50]) for module in list(sys.modules.values())
               if module.__name__ not in ("thief", "__main__"))

ATTACKS = {{
    "own": lambda: in_folder(pathlib.Path(__file__).parent),
    "current": lambda: in_folder(pathlib.Path.cwd()),
    "argument": lambda: in_folder(pathlib.Path(sys.argv[0]).parent),
    "parent": lambda: in_folder(pathlib.Path(__file__).parent.parent),
    "original": lambda: in_folder(PLACE),
    "import": imported,
    "anywhere": anywhere,
    "processes": of_processes,
    "memory": in_memory,
}}

def choose(state):
    stolen = [name for name, attack in ATTACKS.items() if attack()]
    assert not stolen, " ".join(stolen)
    return state["legal_moves"][0]
"""


async def test_a_bot_sees_neither_the_league_nor_the_other_bots(tmp_path: Path) -> None:
    program("bwrap")
    containment = probe()
    if why := refusal(containment):
        pytest.skip(why)
    place = tmp_path / "bots"
    texts = {
        "thief.py": THIEF.format(place=str(place), secret=SECRET),
        "prey.py": f"import prey_helper\n# {SECRET}\n{PYTHON['good.py']}",
        "prey_helper.py": f"# {SECRET}\n",
        "__pycache__/prey_helper.cpython-311.pyc": SECRET,
        "league-1/league.json": SECRET,
        "league-1/games.jsonl": SECRET,
    }
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
        (place / name).chmod(0o644)

    async def stolen(contained: Containment | None, folder: Path, other: Path) -> list[str]:
        league = plan([str(place / "thief.py"), str(other)], game="tictactoe", rounds=1, seed=2, clock="60s+1")
        told: list[Record] = []
        report = Report(begun=lambda _: None, game=lambda record, _: told.append(record))
        made = create(folder, league)
        await play_league(made, containment=contained, report=report, stop=asyncio.Event(), concurrency=1)
        return [record["failure"]["message"] for record in told if record["failure"] is not None]

    elsewhere = tmp_path / "good" / "good.py"
    elsewhere.parent.mkdir()
    elsewhere.write_text(PYTHON["good.py"])
    assert await stolen(containment, place / "league-2", place / "prey.py") == [MISSED] * 2
    assert await stolen(containment, place / "league-3", elsewhere) == []  # the other one does not even play
    # Without a sandbox its copy has nothing of the others, but whoever knows where they lie can read them.
    known = "The bot raised AssertionError: original anywhere processes."
    assert await stolen(None, place / "league-4", elsewhere) == [known] * 2
