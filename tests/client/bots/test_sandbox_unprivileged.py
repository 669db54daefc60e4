"""The sandbox when an ordinary user starts it, which works in another way: in a user namespace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts_client.bots.program import source_roots
from noughts_client.bots.sandbox import THREADS
from support.programs import program

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the other tests run as an ordinary user already"),
]

ROOTS = [*map(str, source_roots()), str(Path(__file__).parents[2])]

LEAGUE = """
import asyncio, json, os, sys
from noughts_client.bots.game_bot import start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.sandbox import Containment, probe
from noughts_client.bots.program import parse_spec
from support.bots import state_after

async def result_of(containment):
    limits = ProcessLimits(memory_bytes=2**40, processes=100_000, start_s=60)
    bot = await start(parse_spec(sys.argv[1]), "tictactoe", containment=containment, limits=limits)
    _, note = await bot.choose(state_after(), patience_s=60)
    await bot.close()
    return json.loads(note)

async def main():
    sandbox = await asyncio.to_thread(probe)
    print(json.dumps([sandbox.by, sandbox.missing, await result_of(sandbox), await result_of(None)]))

asyncio.run(main())
"""

BOT = f"""
import json, os, subprocess

def attempt(attack):
    try:
        attack()
    except OSError as error:
        return False
    return True

def forks():
    children = []
    try:
        while len(children) < {THREADS + 100}:
            child = os.fork()
            if child == 0:
                import time
                time.sleep(300)
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, 9)
    return len(children)

def choose(state):
    secret = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "secret")
    result = {{
        "reads": attempt(lambda: open(secret).close()),
        "writes": attempt(lambda: open(__file__, "a").close()),
        "writes to /": attempt(lambda: open("/x", "w").close()),
        "writes to /dev": attempt(lambda: open("/dev/x", "w").close()),
        "namespaces": subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL).returncode == 0,
        "signals": attempt(lambda: os.kill(VICTIM, 0)),
        "forks": forks(),
    }}
    return state["legal_moves"][0], json.dumps(result)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of an ordinary user's."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o777)
        yield Path(name)


def as_nobody(*argv: str) -> list[str]:
    return [program("runuser"), "-u", "nobody", "--", "env", f"PYTHONPATH={os.pathsep.join(ROOTS)}", *argv]


def interpreter() -> str:
    """A Python that an ordinary user may run, and that finds this package."""
    for python in (sys.executable, "/usr/bin/python3"):
        tried = subprocess.run(
            as_nobody(python, "-c", "import sys, noughts_client.bots.sandbox; assert sys.version_info >= (3, 11)"),
            capture_output=True,
            check=False,
        )
        if tried.returncode == 0:
            return python
    pytest.skip("nobody may read neither a Python nor this folder")


def test_an_ordinary_users_bots_are_contained(folder: Path) -> None:
    python = interpreter()
    (folder / "secret").write_text("")
    (folder / "bots").mkdir()
    with subprocess.Popen(["sleep", "300"], user="nobody") as victim:
        code = BOT.replace("VICTIM", str(victim.pid))
        (folder / "bots" / "bot.py").write_text(code)
        for path in (folder / "bots", folder / "bots" / "bot.py"):
            os.chown(path, 65534, 65534)
        try:
            said = subprocess.run(
                as_nobody(python, "-c", LEAGUE, str(folder / "bots" / "bot.py")),
                stdout=subprocess.PIPE,
                check=True,
                cwd=folder,
            ).stdout
        finally:
            victim.kill()
    by, missing, contained, control = json.loads(said)
    assert (by, missing) == ("bubblewrap", [])
    assert contained.pop("forks") < THREADS
    assert set(contained.values()) == {False}
    assert not control.pop("writes to /")  # in the sandbox these two folders are the bot's own, and closed
    assert not control.pop("writes to /dev")
    assert control == {"reads": True, "writes": True, "namespaces": True, "signals": True, "forks": THREADS + 100}
