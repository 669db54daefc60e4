"""Programs that are stopped by Ctrl-C or SIGTERM, in processes of their own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from support.client import connected
from support.server import running_server
from support.tracebacks import unmarked

PATIENCE_S = 60


class Running:
    """A program that runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def says(self, word: str) -> str:
        """Wait for a line of stdout with ``word``, and return it."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while word not in (line := (await self._process.stdout.readline()).decode()):
                assert line, "it has ended"
        return line

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def stopped_by(self, number: signal.Signals) -> tuple[int | None, str]:
        """Its status and stderr after a signal."""
        self.send(number)
        async with asyncio.timeout(PATIENCE_S):
            _, err = await self._process.communicate()
        return self._process.returncode, err.decode()


@asynccontextmanager
async def running(file: Path, source: str, *arguments: str) -> AsyncIterator[Running]:
    file.write_text(source)  # noqa: ASYNC240 - a few bytes
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(file), *arguments),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background shell has it ignored
    )
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


ENDLESS = """import sys
from noughts_client import run
def think():
    print("thinking", flush=True)
    while True:
        pass
def bot(state):
    think()
async def async_bot(state):
    think()
if __name__ == "__main__":
    run(globals()[sys.argv[2]], sys.argv[1], token=sys.argv[3] or None)
"""


@pytest.mark.parametrize(
    ("bot", "number"), [("bot", signal.SIGINT), ("async_bot", signal.SIGINT), ("bot", signal.SIGTERM)]
)
async def test_a_guest_resigns_and_says_where_it_was(bot: str, number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    async with running_server() as url, connected(url) as watcher, running(file, ENDLESS, url, bot, "") as program:
        room = (await program.says("Room")).split()[1]
        await program.says("thinking")
        status, err = await program.stopped_by(number)
        await watcher.ok(type="watch", room=room)
        outcome = (await watcher.push("room"))["state"]["outcome"]
    assert outcome["reason"] == "resignation"
    assert status == 128 + number
    _, _, told = err.rpartition("Stopped. ")  # before it a busy machine may say that it waits for the answer
    assert told.startswith(f"The game in room {room} is resigned.\nTraceback (most recent call last):\n"), err
    frames = re.findall(r'  File "(.*)", line \d+, in (\w+)', told)
    assert frames == [(str(file), bot), (str(file), "think")]
    assert len(unmarked(told).splitlines()) == 6


async def test_the_game_of_a_bot_with_a_token_waits_for_it(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    async with running_server() as url, connected(url, "bot-1", bot=True) as known, connected(url) as watcher:
        await known.ok(type="register")
        async with running(file, ENDLESS, url, "bot", known.token) as program:
            room = (await program.says("Room")).split()[1]
            await program.says("thinking")
            status, err = await program.stopped_by(signal.SIGINT)
        await watcher.ok(type="watch", room=room)
        state = (await watcher.push("room"))["state"]
    assert (status, state["status"]) == (130, "playing")
    first = err.splitlines()[0]
    assert first == f"Stopped. The game in room {room} waits: start the bot again with its token to go on."


async def test_a_program_whose_server_has_gone_ends_without_it(tmp_path: Path) -> None:
    file, source = tmp_path / "my_bot.py", "import noughts_client.bot as kit\nkit.RESIGN_S = 0.1\n" + ENDLESS
    async with AsyncExitStack() as stack:
        async with running_server() as url:
            program = await stack.enter_async_context(running(file, source, url, "bot", ""))
            await program.says("thinking")
        status, err = await program.stopped_by(signal.SIGINT)
    assert status == 130
    assert "Stopped. The server does not answer; a game may stay open.\nTraceback (most recent call last):\n" in err


WAITS = """import sys
from noughts_client import run
if __name__ == "__main__":
    run(lambda state: state["legal_moves"][0], sys.argv[1], against="open")
"""


async def test_a_guest_that_waits_for_an_opponent_closes_its_room(tmp_path: Path) -> None:
    async with running_server() as url, connected(url) as watcher, running(tmp_path / "b.py", WAITS, url) as program:
        room = (await program.says("Room")).split()[1]
        assert await program.stopped_by(signal.SIGINT) == (130, "Stopped.\n")
        await watcher.ok(type="watch", room=room)
        assert (await watcher.push("room"))["state"]["outcome"]["reason"] == "aborted"


STUBBORN = """import asyncio, sys
import noughts_client.bot as kit
async def work():
    while True:
        try:
            print("working", flush=True)
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            print("leaving", flush=True)
kit.LEAVE_S = float(sys.argv[1])
kit.run_until_stopped(work())
"""


async def test_a_program_that_does_not_leave_is_ended_by_a_second_ctrl_c(tmp_path: Path) -> None:
    async with running(tmp_path / "stubborn.py", STUBBORN, "600") as program:
        await program.says("working")
        program.send(signal.SIGINT)
        await program.says("leaving")
        assert await program.stopped_by(signal.SIGINT) == (130, "")


async def test_a_program_that_does_not_leave_is_ended_after_a_while(tmp_path: Path) -> None:
    async with running(tmp_path / "stubborn.py", STUBBORN, "0.2") as program:
        await program.says("working")
        assert await program.stopped_by(signal.SIGTERM) == (143, "")
