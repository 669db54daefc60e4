"""Noughts where there is no Unix, as far as another system can show: see support/lacking."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.lacking import take_away
from support.server import ServerProcess

ROOT = Path(__file__).parents[1]
IMPORT_ALL = """
import importlib, pkgutil, sys
import noughts, noughts_client
for package in (noughts, noughts_client):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.startswith("noughts.engine.") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)  # but not the engine's, which compile kernels and touch no system
print(noughts_client.bots.process.sys.platform)
"""


@pytest.fixture(autouse=True)
def _on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    take_away("windows", monkeypatch)


def run(*arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def test_every_module_can_be_imported() -> None:
    ended = run("-c", IMPORT_ALL)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "win32\n"


@pytest.mark.slow
@pytest.mark.smoke
async def test_the_readmes_bot_plays(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    async with ServerProcess(tmp_path / "journal", tmp_path / "log", warm_up=True) as server:
        (tmp_path / "my_bot.py").write_text(snippet.replace('against="easy"', f'against="easy", url="{server.url}"'))
        ended = await asyncio.to_thread(run, str(tmp_path / "my_bot.py"))
        assert ended.returncode == 0, ended.stderr
        assert re.search(r"^(Won|Lost|Drawn) as X against computer \(easy\)", ended.stdout, re.MULTILINE)
        assert await server.stop() == 0
        assert "Traceback" not in server.output()


@pytest.mark.slow
def test_what_needs_no_unix_passes_its_own_tests() -> None:
    tests = ROOT / "tests"
    chosen = [
        *sorted(tests.glob("client/test_*.py")),
        *sorted(tests.glob("journal/test_sqlite*.py")),
        tests / "client" / "terminal" / "test_credentials.py",
        tests / "client" / "bots" / "test_process.py",
        "--deselect=tests/client/bots/test_process.py::test_the_children_of_a_bot_end_with_it",
    ]
    ended = run("-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", *map(str, chosen), timeout=280)
    assert ended.returncode == 0, ended.stdout


def test_bots_play_a_league_without_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("def choose(state):\n    return state['legal_moves'][0]\n")
    options = ("--game=tictactoe", "--uncontained", f"--folder={tmp_path / 'league'}")
    ended = run("-m", "noughts", "league", str(tmp_path / "first.py"), "computer:easy", *options)
    assert ended.returncode == 0, ended.stderr
    assert "first" in ended.stdout


def test_a_broker_is_refused_in_one_sentence() -> None:
    ended = run("-m", "noughts", "serve", "--port=0", "--journal=memory", "--bus=mqtt://127.0.0.1:1")
    assert ended.stderr == (
        "noughts serve: --bus: a broker needs an event loop that Windows does not have; use Linux or macOS\n"
    )
    assert ended.returncode == 1
