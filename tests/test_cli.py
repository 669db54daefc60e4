"""``noughts serve`` as it is typed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from noughts.cli import main
from support.client import connected
from support.server import free_port


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
    ],
)
def test_a_wrong_setting_is_told_in_a_line(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *options])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(said)


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
    assert all(command in out for command in ("serve", "play", "watch"))
