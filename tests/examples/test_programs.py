"""The examples in other languages, and the Python file that defines choose: each plays as its first comment says."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_aside import Ended, noughts_process, program_process
from support.engines import built
from support.programs import program
from support.server import running_server

EXAMPLES = Path(__file__).parents[2] / "examples"


async def played(url: str, *bot: str) -> Ended:
    """Two games of ``noughts bot`` against the easiest computer."""
    ended = await noughts_process("bot", *bot, "--url", url, "--against", "easy", "--games", "2")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("against computer (easy)") == 2
    return ended


async def test_the_python_file_that_defines_choose_plays() -> None:
    async with running_server() as url:
        await played(url, str(EXAMPLES / "choose.py"))


@pytest.mark.services
async def test_the_shell_script_plays() -> None:
    async with running_server() as url:
        await played(url, "--exec", f"{program('sh')} {EXAMPLES / 'lines.sh'}")


@pytest.mark.services
@pytest.mark.parametrize("game", ["connect4", "reversi"])
async def test_the_c_program_plays(game: str, tmp_path: Path) -> None:
    path = built(EXAMPLES / "lines.c", tmp_path)
    async with running_server() as url:
        await played(url, "--exec", str(path), "--game", game)


@pytest.mark.services
async def test_the_javascript_bot_plays_on_node() -> None:
    node = program("node")
    version = await program_process(node, "--version")
    flags = ["--experimental-websocket"] if version.out.startswith(("v20.", "v21.")) else []
    async with running_server() as url:
        ended = await program_process(node, *flags, EXAMPLES / "bot.js", url)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.split()[0] in ("line", "draw")
