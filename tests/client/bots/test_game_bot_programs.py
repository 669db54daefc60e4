"""Programs as one bot: one for each room, started again after a crash."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from noughts_client.bots import game_bot
from noughts_client.bots.game_bot import Programs
from noughts_client.bots.program import parse_spec
from noughts_client.failure import BotFailed
from noughts_client.state import BotState
from support.bots import state_after
from support.eventually import soon
from support.tracebacks import unmarked

HELLO = "import json, os, sys, time\nopen('pids', 'a').write(f'{os.getpid()}\\n')\nfor line in sys.stdin:\n    "


class Seated:
    """Programs that run ``source`` for each line; what they told, and the processes that they have been."""

    def __init__(self, folder: Path, source: str) -> None:
        path = folder / "program.py"
        path.write_text(HELLO + source)
        self.told: list[str] = []
        self.log = folder / "log"
        self._pids = folder / "pids"
        self.target = f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"
        self.programs = Programs(parse_spec(f"exec:{self.target}"), tell=self.told.append, log=self.log)

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self._pids.read_text().split()]


def in_room(room: str, moves: list[str]) -> BotState:
    state = state_after(*moves, game="tictactoe")
    state.room = room
    return state


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_each_room_has_a_program_of_its_own_until_its_game_is_over(tmp_path: Path) -> None:
    seated = Seated(tmp_path, 'print(5 if \'"room":"a"\' in line else 1, flush=True)')
    assert await seated.programs(in_room("a", [])) == ("5", "")
    assert await seated.programs(in_room("b", [])) == ("1", "")
    assert await seated.programs(in_room("b", ["5", "9"])) == ("1", "")
    first, second = seated.pids
    await seated.programs.over("b")
    assert [runs(first), runs(second)].count(True) == 1
    await seated.programs.close()
    assert not runs(first)
    assert not runs(second)


async def test_the_program_that_was_prepared_takes_the_first_room(tmp_path: Path) -> None:
    seated = Seated(tmp_path, "print(5, flush=True)")
    await seated.programs.prepare("tictactoe")
    await seated.programs(in_room("a", []))
    assert len(seated.pids) == 1
    await seated.programs.close()


async def test_a_program_that_crashes_is_asked_once_more(tmp_path: Path) -> None:
    crash = "if not os.path.exists('crashed'): open('crashed', 'w'); sys.exit(7)\n    print(5, flush=True)"
    seated = Seated(tmp_path, crash)
    assert await seated.programs(in_room("a", [])) == ("5", "")
    assert len(seated.told) == 1
    assert seated.told[0].startswith("The bot ended with exit code 7 instead of answering.\nThe position in room a, ")
    assert seated.told[0].endswith("\nIt was started again, and has answered.")
    asked = [line for line in seated.log.read_text().splitlines() if line.startswith("> ")]
    assert len(asked) == 2
    assert asked[0] == asked[1]
    assert len(seated.pids) == 2
    assert not seated.programs.failures
    await seated.programs.close()


async def test_a_second_crash_on_the_same_line_is_a_failure(tmp_path: Path) -> None:
    seated = Seated(tmp_path, "sys.exit('out of ideas')")
    with pytest.raises(BotFailed, match="ended with exit code 1"):
        await seated.programs(in_room("a", []))
    assert len(seated.pids) == 2
    assert [failure.kind for failure in seated.programs.failures.values()] == ["exit"]
    (told,) = seated.told
    assert told.startswith(
        "The bot ended with exit code 1 instead of answering.\nThe end of its stderr:\nout of ideas\n"
        'The position in room a, with \'x\' at turn 0:\n  ...\n  ...\n  ...\nIt was asked: {"game":"tictactoe",'
    )
    assert told.endswith("...")
    await seated.programs.close()


async def test_a_wrong_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    seated = Seated(tmp_path, "print('z9', flush=True)")
    with pytest.raises(BotFailed, match="'z9', which is not a legal move"):
        await seated.programs(in_room("a", []))
    assert len(seated.pids) == 1
    await seated.programs.close()


async def test_a_program_that_may_not_flush_its_output_is_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_bot, "HINT_S", 0.05)
    seated = Seated(tmp_path, "time.sleep(600)")
    asking = [asyncio.create_task(seated.programs(in_room(room, []))) for room in "ab"]
    await soon(lambda: bool(seated.told))
    for each in asking:
        each.cancel()
    await asyncio.wait(asking)
    assert seated.told == [f"Still waiting for an answer from {seated.target}. Does it flush its output?"]
    await seated.programs.close()


@pytest.mark.slow
async def test_a_python_file_that_thinks_for_long_says_where_it_is_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_bot, "HINT_S", 1)
    file, log = tmp_path / "my_bot.py", tmp_path / "log"
    file.write_text("def choose(state):\n    while state['turn'] == 0: pass\n    while True: pass\n")
    told: list[str] = []
    slow = Programs(parse_spec(str(file)), tell=told.append, log=log)
    asking = [asyncio.create_task(slow(in_room("a", [])))]
    await soon(lambda: log.exists() and "line 2, in choose\n    while state['turn'] == 0: pass\n" in log.read_text())
    asking.append(asyncio.create_task(slow(in_room("b", ["1"]))))
    await asyncio.sleep(1.5)
    for each in asking:
        each.cancel()
    await asyncio.wait(asking)
    await slow.close()
    assert told == [f"Still waiting for an answer from {file}."]


async def test_a_program_that_is_slow_to_start_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_bot, "HINT_S", 0)
    file = tmp_path / "my_bot.py"
    file.write_text("def choose(state): return '1'")
    told: list[str] = []
    slow = Programs(parse_spec(str(file)), tell=told.append)
    await slow.prepare("tictactoe")
    await slow.close()
    assert told == [f"Still waiting for {file} to start."]


async def test_a_program_that_has_answered_and_thinks_for_long_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_bot, "HINT_S", 0.2)
    source = "turn = json.loads(line); time.sleep(turn['turn'] * 0.3); print(turn['legal_moves'][0], flush=True)"
    seated = Seated(tmp_path, source)
    await seated.programs(in_room("a", []))
    seated.told.clear()  # a busy machine may be slow to start it
    await seated.programs(in_room("a", ["5", "9"]))
    assert seated.told == []
    await seated.programs.close()


async def test_a_program_that_still_thinks_about_a_past_state_is_replaced(tmp_path: Path) -> None:
    seated = Seated(tmp_path, "time.sleep(600 if '\"turn\":0' in line else 0); print(5, flush=True)")
    asking = asyncio.create_task(seated.programs(in_room("a", [])))
    await soon(lambda: seated.log.exists() and "> " in seated.log.read_text())
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await seated.programs(in_room("a", ["1", "2"])) == ("5", "")
    await seated.programs.close()
    assert not any(map(runs, seated.pids))


@pytest.mark.parametrize("runs_out", [True, False])
async def test_a_bot_whose_time_is_up_says_where_it_was(runs_out: bool, tmp_path: Path) -> None:
    file, thinks = tmp_path / "my_bot.py", tmp_path / "thinks"
    file.write_text("def choose(state):\n    open('thinks', 'w')\n    while True: pass\n")
    told: list[str] = []
    slow = Programs(parse_spec(str(file)), tell=told.append)
    state = state_after(deadline=time.monotonic() + (0 if runs_out else 600))
    state.told["clock"] = {"running": "first"}  # type: ignore[index]
    asking = asyncio.create_task(slow(state))
    await soon(thinks.exists)
    asking.cancel()
    await asyncio.wait([asking])
    await slow.close()
    place = f'  File "{file}", line 3, in choose\n    while True: pass'
    said = f"It was still thinking when its time was up.\nTraceback (most recent call last):\n{place}"
    assert list(map(unmarked, told)) == ([said] if runs_out else [])
    assert slow.late == ({state.room} if runs_out else set())
