import asyncio
import os
import sys
from pathlib import Path

import pytest

from support.client import Json, connected
from support.server import running_server

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["bot.py", "raw_bot.py"])
async def test_an_example_plays_a_whole_game(name: str) -> None:
    async with running_server() as url, connected(url) as watcher:
        await watcher.ok(type="lobby", watch=True)
        bot = await asyncio.create_subprocess_exec(
            sys.executable,
            str(EXAMPLES / name),
            url,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await bot.communicate()
        assert bot.returncode == 0
        assert any(reason in printed.decode() for reason in ("line", "Drawn", "draw"))
        over: list[Json] = []
        while not over:
            over = [listing for listing in (await watcher.push("lobby"))["rooms"] if listing["status"] == "over"]
        kinds = {seat["kind"] for seat in over[0]["seats"].values()}
        assert kinds == {"bot", "computer"}
