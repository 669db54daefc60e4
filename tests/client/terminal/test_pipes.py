"""``noughts play`` and ``noughts watch`` in a pipe, without a terminal."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noughts.protocol.gamefile import to_file
from support.client import connected
from support.games import played
from support.ports import free_port
from support.server import running_server

PIPES: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture(autouse=True, scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A directory for seats in place of the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENVIRONMENT, "XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server with enough time to analyse tic-tac-toe to its end on any machine."""
    command = [
        sys.executable,
        "-m",
        "noughts",
        "serve",
        "--port=0",
        "--journal=memory",
        "--analyse-s=60",
        "--review-s=60",
        "--computer-pace-s=0",
        "--no-warm-up",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as server:
        assert server.stdout is not None
        assert "listening" in server.stdout.readline()
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGTERM)


def piped(*arguments: str, typed: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "noughts", *arguments]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False
    )


async def test_an_output_that_is_not_utf_8_gets_question_marks(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVIRONMENT, "PYTHONIOENCODING", "ascii")
    async with connected(url, "Zoë") as zoe, connected(url, "bob") as bob:
        room = await zoe.create()
        await bob.join(room)
        await zoe.ok(type="resign", room=room)
        result = await asyncio.to_thread(piped, "watch", room, f"--url={url}", typed="")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Zo?" in result.stdout


def test_an_error_is_one_line_on_stderr() -> None:
    result = piped("play", "--against=anybody", "--side=X", typed="")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "The side against anybody is random: leave out --side.\n"


@pytest.mark.slow
async def test_piped_lines_are_moves_of_the_game_and_not_answers_to_the_seek() -> None:
    async with running_server() as url, connected(url) as other:
        command = [sys.executable, "-m", "noughts", "play", "--against=anybody", "--name=player-2", f"--url={url}"]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=ENVIRONMENT,
        )
        assert process.stdin is not None
        process.stdin.write(b"5\n")
        await process.stdin.drain()
        assert process.stdout is not None
        printed = b""
        while b"no clock ..." not in printed:  # it seeks now
            printed += await process.stdout.read(1024)
        await other.ok(type="seek", game="tictactoe")
        room = await other.push("room")
        if room["state"]["seats"]["first"]["id"] == other.id:
            await other.play(room["room"], 0, "1")
        while "5" not in (await other.push("update"))["state"]["moves"]:
            pass
        process.stdin.close()
        out, _ = await process.communicate()
        assert b"Your seat is kept." in out


@pytest.mark.slow
def test_a_pipe_plays_a_whole_game_in_plain_text(url: str) -> None:
    typed = "".join(f"{cell}\n" for cell in "512346789")
    result = piped("play", f"--url={url}", "--against=perfect", "--side=X", typed=typed)
    assert result.returncode == 0
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    assert re.search(r"You lost to three in a row\.|Draw\.", result.stdout)
    assert result.stdout.endswith("Goodbye.\n")
    # Lines that came too early waited. Those that were refused named taken cells.
    assert result.stdout.count("is not a move") == result.stdout.count("not your turn") == 0


@pytest.mark.slow
def test_the_end_of_a_pipe_waits_for_the_computer(url: str) -> None:
    result = piped("play", f"--url={url}", "--against=perfect", "--side=X", typed="5\n")
    assert "computer played" in result.stdout
    assert re.search(r"\nYour seat is kept\. .*\n$", result.stdout)


@pytest.mark.slow
def test_a_reader_that_stops_early_causes_no_error(url: str) -> None:
    command = f"{sys.executable} -m noughts play --url={url} --against=easy --side=X | head -n 1"
    with subprocess.Popen(command, shell=True, text=True, env=ENVIRONMENT, **PIPES) as process:
        out, err = process.communicate("5\n1\n2\n3\n4\n", timeout=60)
    assert (out, err) == ("\n", "")


@pytest.mark.slow
def test_a_reader_that_is_gone_at_the_end_causes_no_error() -> None:
    command = f"{sys.executable} -m noughts watch --url=ws://127.0.0.1:{free_port()}/ws 2>&1 | true"
    with subprocess.Popen(command, shell=True, text=True, env=ENVIRONMENT, **PIPES) as process:
        assert process.communicate(timeout=60) == ("", "")


@pytest.mark.slow
def test_a_spectator_sees_which_computer_is_which(url: str) -> None:
    result = piped("watch", f"--url={url}", "--between", "perfect", "easy", typed="")
    assert (result.returncode, result.stderr) == (0, "")
    assert "computer (best) played" in result.stdout or "computer (easy) played" in result.stdout
    assert re.search(r"computer \(best\) won with three in a row\.|Draw\.", result.stdout)


@pytest.mark.slow
def test_a_pipe_gets_the_values_before_its_next_line_is_read(url: str) -> None:
    result = piped("play", f"--url={url}", "--against=perfect", "--side=X", typed="values\n1\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search(r"in 9 plies\..*computer played 5\..*in 7 plies\.", result.stdout, re.DOTALL)


@pytest.mark.parametrize("where", ["file", pytest.param("room", marks=[pytest.mark.slow, pytest.mark.smoke])])
async def test_a_replay_prints_values_and_marks(where: str, url: str, tmp_path: Path) -> None:
    moves = "51327"
    if where == "file":
        path = tmp_path / "game.jsonl"
        path.write_bytes(to_file(played("tictactoe", moves)))
        arguments = [str(path)]
    else:
        async with connected(url, "ann") as ann, connected(url, "bob") as bob:
            room = await ann.create()
            await bob.join(room)
            for turn, move in enumerate(moves):
                await (ann, bob)[turn % 2].play(room, turn, move)
        arguments = [room, "--from=0", f"--url={url}"]
    result = await asyncio.to_thread(piped, "watch", *arguments, "--values", typed="")
    assert result.returncode == 0, result
    assert result.stdout.count("Principal variation: ") == len(moves)
    assert "Move 4: draw thrown away; better: 7 4 6 2 8 9 (draw).\n" in result.stdout
    assert result.stdout.count("Move 5: keeps the win.\n") == 1
    assert "Move 4 decided the game: with 2, O threw a draw away.\n" in result.stdout
