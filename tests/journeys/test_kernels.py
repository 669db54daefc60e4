"""Games with fast kernels over a server: with them, without them, and where what was compiled cannot be kept."""

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
FIRST_MOVES = {"connect4": "4", "reversi": "d3", "gomoku": "h8", "ultimate": "e5"}
SLOWLY = "are searched slowly, without the fast kernels: pip install 'noughts[fast]'"


def published(count: int) -> list[tuple[str, int]]:
    """Connect Four positions near the end, as columns played, and their values."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return [(moves, int(value)) for moves, value in (line.split() for line in lines[:count])]


def children(of: str) -> dict[int, str]:
    """The processes that a server with this in its own command line has started, and their command lines."""
    rows = subprocess.run(["ps", "-ww", "-Ao", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    table = [row.split(maxsplit=2) for row in rows.splitlines()]
    servers = {pid for pid, _, *args in table if args and of in args[0]}
    return {int(pid): args[0] for pid, parent, *args in table if args and parent in servers}


def started(of: str, script: str) -> list[int]:
    """Those of them that run ``script``."""
    return [pid for pid, command in children(of).items() if script in command]


async def play(ann: Client, moves: list[str], *, game: str = "connect4", level: str | None = None) -> None:
    """Play ``moves`` against the computer, at its strongest level unless told otherwise, and await each answer."""
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
    """Play a move against the computer in each game that there is a kernel for."""
    for game in KERNELS:
        async with asyncio.timeout(PATIENCE_S):
            await play(ann, [FIRST_MOVES[game]], game=game, level=level)


async def value(ann: Client, bob: Client, moves: str) -> int:
    """What a server says that a position is worth, by an analysis of a game that led there."""
    answer = await ann.ok(type="create", game="connect4")
    room = str(answer["room"])
    await bob.ok(type="join", room=room)
    for turn, move in enumerate(moves):
        assert (await (ann, bob)[turn % 2].play(room, turn, move))["type"] == "ok"
    async with asyncio.timeout(PATIENCE_S):
        told = await ann.request(type="analyse", room=room)
    assert told["type"] == "analysis", told
    assert told["exact"]
    return int(told["value"])


async def with_kernels(told: Callable[[], str]) -> None:
    """Wait until a server, whose log is ``told``, has loaded all."""
    await eventually.soon(lambda: told().count(LOADED) == len(KERNELS), within_s=PATIENCE_S)


async def test_the_kernels_answers_over_a_server(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with running_server(analyse_s=60, warm_up=True) as url, connected(url) as ann, connected(url) as bob:
        await with_kernels(lambda: caplog.text)
        for moves, expected in published(5):
            assert await value(ann, bob, moves) == expected
        await play(ann, ["4", "1"])
        await play_each(ann)


async def test_a_server_with_kernels_searches_in_no_process(tmp_path: Path) -> None:
    server = ServerProcess("memory", tmp_path / "log", warm_up=True, analyse_s=60)
    async with server, connected(server.url) as ann, connected(server.url) as bob:
        await with_kernels(server.output)
        assert "without the fast kernels" not in server.output()
        assert await value(ann, bob, published(1)[0][0]) == published(1)[0][1]
        await play_each(ann, level="hard")
        assert not started(f"--port={server.port}", "worker.py")
        assert await server.stop() == 0


@pytest.mark.parametrize("how", ["absent", "unwritable"])
async def test_without_numba_or_its_cache_the_answers_are_the_same(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ("-m", "support.without_numba" if how == "absent" else "noughts")
    if how == "unwritable":
        environment = without_a_cache(tmp_path)
        # The server's PYTHONPATH comes from here.
        monkeypatch.setattr(sys, "path", [environment.pop("PYTHONPATH"), *sys.path])
        for name, setting in environment.items():
            monkeypatch.setenv(name, setting)
    server = ServerProcess("memory", tmp_path / "log", program, analyse_s=60, warm_up=True)
    async with server, connected(server.url) as ann, connected(server.url) as bob:
        said = [line for line in server.output().splitlines() if line.endswith(SLOWLY)]
        assert len(said) == (how == "absent")
        assert all(GAMES[key].title in line for key in KERNELS for line in said)
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


async def test_a_server_that_compiles_its_kernels_listens_and_stops_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    server = ServerProcess("memory", tmp_path / "log", warm_up=True)
    async with server, connected(server.url) as ann:
        assert (await ann.request(type="ping"))["type"] == "pong"
        await eventually.soon(lambda: bool(started(f"--port={server.port}", "compiler.py")))
        (compiler,) = started(f"--port={server.port}", "compiler.py")
        await play_each(ann, level="easy")
        assert LOADED not in server.output(), "nobody has waited for the kernels"
        begun = time.monotonic()
        assert await server.stop() == 0
        assert time.monotonic() - begun < 10
    with pytest.raises(ProcessLookupError):
        os.kill(compiler, 0)


async def test_a_kernel_that_the_first_game_needs_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    server = ServerProcess("memory", tmp_path / "log")
    async with server, connected(server.url) as ann:
        await ann.ok(type="create", game="reversi", seats={"first": "computer:best", "second": "me"})
        await asyncio.sleep(2)
        begun = time.monotonic()
        assert await server.stop() == 0
        assert time.monotonic() - begun < 10
    assert "Traceback" not in server.output()
