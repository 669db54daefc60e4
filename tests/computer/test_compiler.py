"""Compilers divide the kernels, those first that somebody waits for, and one compiles a kernel at a time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from noughts.computer.compiler import take_turn
from noughts.computer.threads import COMPILER, _Compilers
from noughts.games import GAMES

pytest.importorskip("fcntl", reason="where there are no such locks nobody waits")

PATIENCE_S = 120
GAME = GAMES["connect4"]


def test_one_compiler_at_a_time_works_on_a_kernel() -> None:
    first = take_turn(GAME, 0.2)
    take_turn(GAMES["reversi"], PATIENCE_S).close()
    waiting = threading.Thread(target=lambda: take_turn(GAME, PATIENCE_S).close())
    waiting.start()
    time.sleep(0.5)
    assert waiting.is_alive()
    first.close()
    waiting.join(PATIENCE_S)
    assert not waiting.is_alive()


def test_the_wait_for_a_stuck_compiler_ends() -> None:
    stuck = take_turn(GAME, 0.2)
    take_turn(GAME, 0.2).close()
    stuck.close()


@pytest.mark.slow
async def test_two_compile_all_kernels_first_the_one_that_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compilers = _Compilers()
    done: list[str] = []

    async def wait(game: str) -> None:
        await compilers.wait(game)
        done.append(game)

    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        for game in ("ultimate", "connect4", "reversi", "chess"):
            group.create_task(wait(game))
    assert done[0] == "ultimate"
    assert done[1] == "connect4"
    await compilers.close()


@pytest.mark.slow
def test_a_compiler_waits_for_the_lock() -> None:
    first = take_turn(GAME, PATIENCE_S)
    with subprocess.Popen([sys.executable, "-P", COMPILER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"connect4\n")
        process.stdin.flush()
        begun = time.monotonic()
        threading.Timer(6, first.close).start()
        assert process.stdout.readline() == b"connect4\n"
        assert time.monotonic() - begun >= 6
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
