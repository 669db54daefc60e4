"""Noughts without the extra ``cluster``, and the commands that say that they need it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from support.lacking import take_away
from support.server import ServerProcess

README = Path(__file__).parents[1] / "README.md"
POSTGRESQL = "--journal=postgresql://noughts@127.0.0.1:1/noughts"
BROKER = "--bus=mqtt://noughts@127.0.0.1:1"
MISSING = "needs the extra 'cluster', which is not installed: pip install 'noughts[cluster]'\n"


@pytest.fixture(autouse=True)
def _without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    take_away("cluster", monkeypatch)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("module", ["noughts.journal.postgres.journal", "noughts.mqtt.link"])
def test_the_extra_is_absent(module: str) -> None:
    ended = run("-c", f"import {module}")
    assert ended.returncode == 1
    assert re.search(r"ModuleNotFoundError: No module named '(asyncpg|paho)", ended.stderr)


async def test_the_readmes_bot_plays_on_a_server_that_serves_the_page(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    async with ServerProcess(tmp_path / "journal", tmp_path / "log", metrics="127.0.0.1:0") as server:
        (tmp_path / "my_bot.py").write_text(snippet.replace('against="easy"', f'against="easy", url="{server.url}"'))
        ended = await asyncio.to_thread(run, str(tmp_path / "my_bot.py"))
        assert ended.returncode == 0, ended.stderr
        # A full board is a draw without a further reason.
        how = r"((Won|Lost) as X against computer \(easy\), .+|Drawn as X against computer \(easy\))"
        assert re.fullmatch(rf"Room (\w+)\n{how}, in room \1\n", ended.stdout)
        page = Request(f"http://127.0.0.1:{server.port}/", headers={"Accept": "text/html"})
        assert b"<title>" in await asyncio.to_thread(lambda: urlopen(page).read())
        assert await server.stop() == 0
        assert "Traceback" not in server.output()


@pytest.mark.parametrize(
    ("command", "option"),
    [
        pytest.param(("serve", POSTGRESQL), "--journal postgresql://...", id="journal"),
        pytest.param(("serve", "--journal=memory", BROKER), "--bus", id="bus"),
        pytest.param(("drain", "node1", POSTGRESQL, BROKER), "--journal postgresql://...", id="drain"),
        pytest.param(("export", POSTGRESQL), "--journal postgresql://...", id="export"),
    ],
)
def test_a_command_that_needs_the_extra_says_what_to_install(command: tuple[str, ...], option: str) -> None:
    port = ("--port=0",) if command[0] == "serve" else ()
    ended = run("-m", "noughts", *command, *port)
    assert ended.stderr == f"noughts {command[0]}: {option} {MISSING}"
    assert ended.returncode == 1
