import sys
from pathlib import Path

import pytest

from support.client import Json, connected
from support.command_aside import program_process
from support.server import running_server

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["bot.py", "raw_bot.py"])
async def test_an_example_plays_a_whole_game(name: str) -> None:
    async with running_server() as url, connected(url) as watcher:
        await watcher.ok(type="lobby", watch=True)
        ended = await program_process(sys.executable, EXAMPLES / name, url)
        assert ended.status == 0
        assert any(ending in ended.out for ending in ("row", "line", "Drawn", "draw")), ended.out
        over: list[Json] = []
        while not over:
            over = [listing for listing in (await watcher.push("lobby"))["rooms"] if listing["status"] == "over"]
        kinds = {seat["kind"] for seat in over[0]["seats"].values()}
        assert kinds == {"bot", "computer"}
