"""A server process with connected clients: signals, its terminal, its deadline, and no passwords in its output."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.client import connected
from support.postgres import Postgres, database
from support.server import ServerProcess

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

STUCK = """
import time
from noughts.cli import process
process.say = lambda *lines: time.sleep(60)
from noughts.cli.main import main
main()
"""
"""A server that blocks when it begins to stop."""


async def test_ctrl_c_sends_clients_away_and_ends_with_status_0(tmp_path: Path) -> None:
    async with ServerProcess("memory", tmp_path / "log") as server:
        async with connected(server.url) as ann:
            await ann.create(second="computer:perfect")
            server.send(signal.SIGINT)
            await ann.socket.wait_closed()
            assert ann.socket.close_code == 1012
        assert await server.wait() == 0
        assert re.search(r"Closing\.\n.* stopped\n$|: stopped\n$", server.output())
        assert "Traceback" not in server.output()


async def test_a_second_signal_ends_the_server_at_once(tmp_path: Path) -> None:
    async with ServerProcess("memory", tmp_path / "log") as server:
        reader, silent = await asyncio.open_connection("127.0.0.1", server.port)
        silent.write(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")  # connected, and it will not answer the close
        server.send(signal.SIGTERM)
        async with asyncio.timeout(30):
            while "Closing." not in server.output():  # noqa: ASYNC110  # only the output tells
                await asyncio.sleep(0.01)
        server.send(signal.SIGTERM)
        assert await server.wait() == -signal.SIGTERM
        silent.transport.abort()


@pytest.mark.slow
async def test_a_server_that_cannot_stop_exits_by_itself(tmp_path: Path) -> None:
    async with ServerProcess("memory", tmp_path / "log", program=("-c", STUCK), drain_s=0) as server:
        assert await server.stop() == 1
        assert "could not finish in time" in server.output()


@pytest.mark.services
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's setsid")
async def test_a_server_whose_terminal_closes_stops_as_on_sigterm(tmp_path: Path) -> None:
    ours, terminal = os.openpty()
    command = [sys.executable, "-m", "noughts", "serve", "--port=0", f"--journal={tmp_path / 'journal'}"]
    process = await asyncio.create_subprocess_exec(
        *("setsid", "--ctty", "env", "--default-signal=HUP", *command),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=ENVIRONMENT,
    )
    try:
        os.close(terminal)
        printed = b""
        while b"Play in another" not in printed:
            printed += await asyncio.to_thread(os.read, ours, 1000)
        url = re.findall(r"ws://\S+", printed.decode())[0]
        async with connected(url) as ann:
            await ann.create(second="computer:easy")
            os.close(ours)
            await asyncio.wait_for(ann.socket.wait_closed(), 30)
            assert ann.socket.close_code == 1012
        assert await asyncio.wait_for(process.wait(), 30) == 0
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.services
async def test_a_password_in_an_address_is_not_printed(postgres: Postgres, tmp_path: Path) -> None:
    async with database(postgres) as url:
        with_password = url.replace("://noughts@", "://noughts:sesame@")
        server = ServerProcess(with_password, tmp_path / "log", log_level="DEBUG")
        async with server:
            await server.stop()
        assert "noughts:***@" in server.output()
        assert "sesame" not in server.output()


@pytest.mark.services
async def test_a_missing_database_is_reported_in_one_line(postgres: Postgres, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("sesame\n")
    process = await asyncio.to_thread(
        subprocess.run,
        [
            *(sys.executable, "-m", "noughts", "serve", "--port=0", f"--journal={postgres.url('nowhere')}"),
            f"--journal-password-file={tmp_path / 'password'}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        env=ENVIRONMENT,
    )
    assert process.returncode == 1
    assert len(process.stderr.splitlines()) == 1
    assert process.stderr.startswith("noughts serve: cannot use the database 127.0.0.1:")
    assert "sesame" not in process.stderr
