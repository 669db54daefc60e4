"""Games on a server with kernels, without them, and without a place for their cache."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from noughts.engine import levels_of
from noughts.engine.engines import KERNELS
from noughts.games import GAMES
from support import eventually
from support.client import Client, connected
from support.no_cache import KEPT, kept, without_a_cache
from support.server import ServerProcess, running_server

DATA = Path(__file__).parents[1] / "engine" / "connect4" / "data" / "connect4_L3_R1.txt"
PATIENCE_S = 400.0
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # compiling all kernels takes half a minute of CPU
LOADED = "is searched by its fast kernel from now on"
FIRST_MOVES = {
    "chess": "e2e4",
    "connect4": "4",
    "go": "e5",
    "gomoku": "h8",
    "hex": "f6",
    "reversi": "d3",
    "ultimate": "e5",
}
SLOWLY = "are searched slowly, as numba is not installed: pip install numba"


def published(count: int) -> list[tuple[str, int]]:
    """Connect Four positions near the end, as the columns played, with their published values."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return [(moves, int(value)) for moves, value in (line.split() for line in lines[:count])]


def children(of: str) -> dict[int, str]:
    """The child processes of the server whose command line contains ``of``, with their command lines."""
    rows = subprocess.run(["ps", "-ww", "-Ao", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    table = [row.split(maxsplit=2) for row in rows.splitlines()]
    servers = {pid for pid, _, *args in table if args and of in args[0]}
    return {int(pid): args[0] for pid, parent, *args in table if args and parent in servers}


def started(of: str, script: str) -> list[int]:
    """The child processes that run ``script``."""
    return [pid for pid, command in children(of).items() if script in command]


async def play(ann: Client, moves: list[str], *, game: str = "connect4", level: str | None = None) -> None:
    """Play ``moves`` against the computer, by default at its strongest level, and wait for each reply."""
    level = level or levels_of(GAMES[game])[0]
    answer = await ann.ok(type="create", game=game, seats={"first": "me", "second": f"computer:{level}"})
    room = str(answer["room"])
    for turn, move in enumerate(moves):
        assert (await ann.play(room, 2 * turn, move))["type"] == "ok"
        while True:
            update = await ann.push("update")
            if update["room"] == room and update["state"]["ply"] == 2 * turn + 2:
                break


async def play_each(ann: Client, *, level: str | None = None) -> None:
    """Play a move against the computer in each game that has a kernel."""
    for game in KERNELS:
        async with asyncio.timeout(PATIENCE_S):
            await play(ann, [FIRST_MOVES[game]], game=game, level=level)


async def value(ann: Client, bob: Client, moves: str) -> int:
    """The value of a position after ``moves``, by the server's analysis."""
    answer = await ann.ok(type="create", game="connect4")
    room = str(answer["room"])
    await bob.ok(type="join", room=room)
    for turn, move in enumerate(moves):
        assert (await (ann, bob)[turn % 2].play(room, turn, move))["type"] == "ok"
    await bob.ok(type="resign", room=room)  # players are told no values before the end
    async with asyncio.timeout(PATIENCE_S):
        answer = await ann.request(type="analyse", room=room)
    assert answer["type"] == "analysis", answer
    assert answer["exact"]
    return int(answer["value"])


async def with_kernels(log: Callable[[], str]) -> None:
    """Wait until the server whose log ``log()`` returns has loaded all kernels."""
    await eventually.soon(lambda: log().count(LOADED) == len(KERNELS), within_s=PATIENCE_S)


async def test_analyses_by_the_kernels_are_right(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with running_server(analyse_s=60, warm_up=True) as url, connected(url) as ann, connected(url) as bob:
        await with_kernels(lambda: caplog.text)
        for moves, expected in published(5):
            assert await value(ann, bob, moves) == expected
        await play(ann, ["4", "1"])
        await play_each(ann)


async def test_a_server_with_kernels_starts_no_search_processes(tmp_path: Path) -> None:
    server = ServerProcess("memory", tmp_path / "log", warm_up=True, analyse_s=60)
    async with server, connected(server.url) as ann, connected(server.url) as bob:
        await with_kernels(server.output)
        assert "without the fast kernels" not in server.output()
        assert await value(ann, bob, published(1)[0][0]) == published(1)[0][1]
        await play_each(ann, level="hard")
        assert not started(f"--port={server.port}", "worker.py")
        assert await server.stop() == 0


@pytest.mark.parametrize("how", ["absent", "unwritable"])
async def test_the_values_are_the_same_without_numba_or_its_cache(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ("-m", "support.without_numba" if how == "absent" else "noughts")
    if how == "unwritable":
        environment = without_a_cache(tmp_path)
        # ServerProcess passes this path on.
        monkeypatch.setattr(sys, "path", [environment.pop("PYTHONPATH"), *sys.path])
        for name, setting in environment.items():
            monkeypatch.setenv(name, setting)
    server = ServerProcess("memory", tmp_path / "log", program, analyse_s=60, warm_up=True)
    async with server, connected(server.url) as ann, connected(server.url) as bob:
        notices = [line for line in server.output().splitlines() if line.endswith(SLOWLY)]
        assert len(notices) == (how == "absent")
        assert all(GAMES[key].title in line for key in KERNELS for line in notices)
        if how == "unwritable":
            await with_kernels(server.output)
        moves, expected = published(1)[0]
        assert await value(ann, bob, moves) == expected
        await play_each(ann)
        assert bool(started(f"--port={server.port}", "worker.py")) == (how == "absent")
        assert await server.stop() == 0
    assert "Traceback" not in server.output()
    assert KEPT not in server.output()
    assert not kept(tmp_path)


async def test_a_server_listens_and_stops_while_it_compiles_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    server = ServerProcess("memory", tmp_path / "log", warm_up=True)
    async with server, connected(server.url) as ann:
        assert (await ann.request(type="ping"))["type"] == "pong"
        await eventually.soon(lambda: bool(started(f"--port={server.port}", "compiler.py")))
        await play(ann, ["4"], level="easy")
        compilers = started(f"--port={server.port}", "compiler.py")
        assert compilers, "it still compiles"
        begun = time.monotonic()
        assert await server.stop() == 0
        assert time.monotonic() - begun < 10
    for compiler in compilers:
        with pytest.raises(ProcessLookupError):
            os.kill(compiler, 0)


async def test_a_server_stops_while_it_loads_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    server = ServerProcess("memory", tmp_path / "log")
    async with server, connected(server.url) as ann:
        await ann.ok(type="create", game="reversi", seats={"first": "computer:best", "second": "me"})
        await asyncio.sleep(2)
        begun = time.monotonic()
        assert await server.stop() == 0
        assert time.monotonic() - begun < 10
    assert "Traceback" not in server.output()
