"""``noughts serve`` as it is typed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from noughts.cli import main
from support.client import connected
from support.postgres import Postgres, database
from support.server import ServerProcess, free_port


def start(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "noughts", "serve", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


async def test_serve_prints_where_to_connect_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    port = free_port()
    with start("--port", str(port), "--journal", str(tmp_path / "new" / "journal")) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "Noughts is listening. Connect to\n"
        url = process.stdout.readline().strip()
        assert url == f"ws://127.0.0.1:{port}/ws"
        assert process.stdout.readline() == f"Games are kept in {tmp_path}/new/journal\n"
        assert process.stdout.readline() == f"Play in another terminal with:  noughts play --url {url}\n"
        async with connected(url) as ann:
            await ann.create(second="computer:perfect")
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(10) == 0
    assert rest.endswith("Closing.\n")
    assert "Traceback" not in rest
    assert (tmp_path / "new" / "journal").exists()


def test_serve_on_all_addresses_prints_the_machines_own() -> None:
    with start("--host", "0.0.0.0", "--port", "0", "--journal", "memory") as process:
        assert process.stdout is not None
        process.stdout.readline()
        urls = []
        while (line := process.stdout.readline()).startswith("    ws://"):
            urls.append(line.strip())
        process.terminate()
        process.communicate(timeout=10)
    loopback, *own = [url.split("/")[2].rsplit(":", 1)[0] for url in urls]
    assert loopback == "127.0.0.1"
    routes = Path("/proc/net/route")
    if routes.exists():  # Linux: the kernel's own list of the machine's addresses
        leaves = re.findall(r"\|-- ([\d.]+)\n\s+/32 host LOCAL", Path("/proc/net/fib_trie").read_text())
        assert set(own) <= {address for address in leaves if not address.startswith("127.")}
        has_default_route = re.search(r"^\S+\s+00000000\s", routes.read_text(), re.MULTILINE) is not None
        assert own or not has_default_route


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "99999"], "noughts serve: --port: Input should be less than or equal to 65535\n"),
        (["--burst", "x"], "noughts serve: --burst: Input should be a valid integer"),
        (
            ["--bus", "http://u:sesame@host"],
            "noughts serve: --bus: it should be the address of an MQTT broker: mqtt://",
        ),
        (
            ["--node", "a b"],
            "noughts serve: --node: it should be 1 to 64 letters, digits, dots, dashes and underscores\n",
        ),
        (["--origins", "x"], "noughts serve: --origins: it is no JSON list\n"),
    ],
)
def test_a_wrong_setting_is_told_in_a_line(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *options])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(said)
    assert told.count("\n") == 1
    assert "sesame" not in told


def test_a_journal_that_is_none_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"certainly not a database" * 100)
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", "0", "--journal", str(path)])
    assert ended.value.code == 1
    assert "cannot open the journal" in capsys.readouterr().err


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert all(command in out for command in ("serve", "drain", "admin", "play", "watch", "register", "solve", "tree"))


@pytest.mark.parametrize("command", ["serve", "drain", "play", "watch", "register", "solve", "tree"])
def test_a_command_refuses_by_its_own_usage_what_it_does_not_know(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, *(["n1"] if command == "drain" else []), "--bogus", "1"])
    assert ended.value.code == 2
    usage, *_, said = capsys.readouterr().err.splitlines()
    assert usage.startswith(f"usage: noughts {command} ")
    assert said.startswith(f"noughts {command}: error: unrecognized arguments: --bogus")


def test_help_shows_no_default_in_the_words_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    out = capsys.readouterr().out
    assert "(default: none)" in out
    assert "None" not in out


async def test_a_reader_of_the_output_that_goes_does_not_end_the_server(tmp_path: Path) -> None:
    port = free_port()
    reading, writing = os.pipe()
    os.close(reading)  # as `noughts serve | head -1` does, but before the first line
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", "serve", "--port", str(port), "--journal", "memory"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(writing)
    try:
        async with asyncio.timeout(30):
            while True:
                assert process.returncode is None, (await process.communicate())[1]
                try:
                    async with connected(f"ws://127.0.0.1:{port}/ws") as ann:
                        await ann.create()
                    break
                except OSError:
                    await asyncio.sleep(0.05)
        process.terminate()
        _, told = await asyncio.wait_for(process.communicate(), 30)
        (line,) = told.splitlines()
        assert line.endswith(b"stopping: SIGTERM")
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()


async def test_a_password_in_an_address_is_not_told(postgres: Postgres, tmp_path: Path) -> None:
    async with database(postgres) as url:
        with_password = url.replace("://noughts@", "://noughts:sesame@")
        server = ServerProcess(with_password, tmp_path / "log", log_level="DEBUG")
        async with server:
            await server.stop()
        assert "noughts:***@" in server.output()
        assert "sesame" not in server.output()


async def test_a_database_that_is_not_there_is_told_in_a_line(postgres: Postgres, tmp_path: Path) -> None:
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
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.returncode == 1
    assert len(process.stderr.splitlines()) == 1
    assert process.stderr.startswith("noughts serve: the database 127.0.0.1:")
    assert "sesame" not in process.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--journal-password-file=nowhere"], "cannot read the password file nowhere: No such file or directory"),
        (["--bus=mqtt://localhost", "--bus-password-file=nowhere"], "cannot read the password file nowhere"),
        (["--bus=mqtts://localhost", "--bus-ca=nowhere"], "--bus-ca: No such file or directory"),
        (["--bus=mqtt://"], "--bus: "),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_in_a_line(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port=0", "--journal=memory", *options])
    assert ended.value.code == 1
    told = capsys.readouterr().err
    assert told.startswith(f"noughts serve: {said}")
    assert told.count("\n") == 1


async def test_a_second_signal_ends_the_server_at_once(tmp_path: Path) -> None:
    async with ServerProcess("memory", tmp_path / "log") as server:
        reader, deaf = await asyncio.open_connection("127.0.0.1", server.port)
        deaf.write(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")  # it has come in, and will not say goodbye
        server.send(signal.SIGTERM)
        async with asyncio.timeout(10):
            while "Closing." not in server.output():  # noqa: ASYNC110  # nobody tells us
                await asyncio.sleep(0.01)
        server.send(signal.SIGTERM)
        assert await server.wait() == -signal.SIGTERM
        deaf.transport.abort()


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's setsid")
async def test_a_server_whose_terminal_goes_stops_as_at_sigterm(tmp_path: Path) -> None:
    ours, terminal = os.openpty()
    command = [sys.executable, "-m", "noughts", "serve", "--port=0", f"--journal={tmp_path / 'journal'}"]
    process = await asyncio.create_subprocess_exec(
        *("setsid", "--ctty", *command),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        os.close(terminal)
        said = b""
        while b"Play in another" not in said:
            said += await asyncio.to_thread(os.read, ours, 1000)
        url = re.findall(r"ws://\S+", said.decode())[0]
        async with connected(url) as ann:
            await ann.create(second="computer:easy")
            os.close(ours)
            await asyncio.wait_for(ann.socket.wait_closed(), 30)
            assert ann.socket.close_code == 1012
        assert await asyncio.wait_for(process.wait(), 30) == 0
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP here")
async def test_a_server_that_is_to_ignore_a_hangup_does(tmp_path: Path) -> None:
    nohup = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); from noughts.cli import main; main()"
    async with ServerProcess("memory", tmp_path / "log", program=("-c", nohup)) as server:
        server.send(signal.SIGHUP)
        async with connected(server.url) as ann:
            await ann.create()
        assert await server.stop() == 0
        assert "stopping: SIGTERM" in server.output()


STUCK = """
import time
from noughts.cli import main
from noughts.journal import SqliteJournal
SqliteJournal.close = lambda self: time.sleep(60)
main()
"""


async def test_a_server_that_cannot_end_ends_itself(tmp_path: Path) -> None:
    async with ServerProcess("memory", tmp_path / "log", program=("-c", STUCK), drain_s=0) as server:
        assert await server.stop() == 1
        assert "could not be finished in time" in server.output()
