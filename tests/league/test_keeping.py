"""Bots that are kept between games: only those whose authors say so, and as they were."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from noughts.games.tictactoe import TICTACTOE
from noughts.league.keeping import Keeper, Lent
from noughts_client.bots.game_bot import ProgramBot, start
from noughts_client.bots.program import parse_spec
from noughts_client.failure import BotFailed
from noughts_client.state import BotState

KEPT = """
import os
games = 1
def new_game():
    global games
    games += 1
def choose(state):
    return state["legal_moves"][0], f"{os.getpid()} {games}"
"""
LINES = """
import json, os, sys
for line in sys.stdin:
    turn = json.loads(line)
    if "new_game" in turn:
        print("ready", flush=True)
    else:
        print(json.dumps({"move": turn["legal_moves"][0], "note": str(os.getpid()), "new_game": True}), flush=True)
"""


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes in /proc")


@pytest.fixture
async def keeper() -> AsyncIterator[Keeper]:
    kept = Keeper(most=2)
    yield kept
    await kept.close()


def starting(
    tmp_path: Path, text: str, name: str = "bot.py", *, lines: bool = False
) -> Callable[[], Awaitable[ProgramBot]]:
    (tmp_path / name).write_text(text)
    spec = f"exec:{sys.executable} {tmp_path / name}" if lines else str(tmp_path / name)
    return partial(start, parse_spec(spec), "tictactoe")


async def note_of(bot: Lent) -> str:
    """The note of the bot with its first move."""
    state = BotState.after(TICTACTOE, [], names=("one", "two"))
    _, note = await bot.choose(state, patience_s=10)
    return note


def runs(pid: str) -> bool:
    return Path(f"/proc/{pid}").exists()


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


async def test_a_bot_that_defines_new_game_plays_on_in_its_process_and_is_still_between(
    tmp_path: Path, keeper: Keeper
) -> None:
    new = starting(tmp_path, KEPT)
    seen = []
    for _ in range(3):
        bot = await keeper.lend("ada", new)
        seen.append((await note_of(bot)).split())
        await bot.close()
        await bot.close()  # as the kit may
        await asyncio.sleep(0.05)
        assert is_stopped(int(seen[-1][0]))
    assert len({pid for pid, _ in seen}) == 1
    assert [games for _, games in seen] == ["1", "2", "3"]
    await keeper.close()
    assert not runs(seen[0][0])


async def test_a_program_says_with_its_answer_that_it_may_be_kept(tmp_path: Path, keeper: Keeper) -> None:
    new, pids = starting(tmp_path, LINES, lines=True), set()
    for _ in range(2):
        bot = await keeper.lend("ada", new)
        pids.add(await note_of(bot))
        await bot.close()
    assert len(pids) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import os\ndef choose(state): return state['legal_moves'][0], str(os.getpid())",
        KEPT.replace("games += 1", "raise ValueError").replace(" {games}", ""),
        KEPT.replace("    games += 1", "    os._exit(1)").replace(" {games}", ""),
    ],
    ids=["it says nothing", "it fails before the next game", "it ends before the next game"],
)
async def test_any_other_bot_gets_a_new_process(tmp_path: Path, keeper: Keeper, text: str) -> None:
    new, pids = starting(tmp_path, text), set()
    for _ in range(2):
        bot = await keeper.lend("ada", new)
        pids.add(await note_of(bot))
        await bot.close()
    assert len(pids) == 2


async def test_a_bot_that_was_late_is_not_kept(tmp_path: Path, keeper: Keeper) -> None:
    new = starting(tmp_path, KEPT.replace("return", "import time; time.sleep(0.3); return"))
    bot = await keeper.lend("ada", new)
    with pytest.raises(BotFailed):
        await bot.choose(BotState.after(TICTACTOE, [], names=("one", "two")), patience_s=0.05)
    await bot.close()
    bot = await keeper.lend("ada", new)
    assert (await note_of(bot)).endswith(" 1")
    await bot.close()


async def test_only_the_last_are_kept_and_two_games_at_once_have_two_processes(tmp_path: Path, keeper: Keeper) -> None:
    new = starting(tmp_path, KEPT)
    bots = [await keeper.lend("ada", new) for _ in range(3)]
    pids = [(await note_of(bot)).split()[0] for bot in bots]
    assert len(set(pids)) == 3
    for bot in bots:
        await bot.close()
    assert [runs(pid) for pid in pids] == [False, True, True]
    assert (await note_of(await keeper.lend("ada", new))).split()[0] == pids[2]
