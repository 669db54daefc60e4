"""The modules that a command imports, and Ctrl-C while it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from noughts.cli.main import INTERRUPTED, main

LOADED = """
import sys
from noughts.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    print(*sys.modules)
"""

INTERRUPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests with SIGINT ignored
module = sys.argv.pop(1)

def interrupt(event, args):
    if event == "import" and args[0] == module:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(interrupt)
from noughts.cli.main import main
main()
"""

BESIDE_A_KERNEL = """
import sys, threading
from noughts.cli.main import main
from noughts.computer.threads import LOADER
done = threading.Event()
threading.Thread(target=done.wait, name=LOADER).start()
try:
    main(sys.argv[1:])
except SystemExit:
    print("left")
done.set()
"""


def run(program: str, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run a Python ``program`` to its end."""
    return subprocess.run(
        [sys.executable, "-c", program, *argv],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )


@pytest.mark.parametrize(
    ("argv", "unwanted"),
    [
        (["--help"], ("noughts.config", "noughts.protocol", "noughts_client", "asyncio", "pydantic")),
        (["play", "--help"], ("noughts.app", "noughts.gateway", "noughts.config", "noughts.journal", "paho")),
        (["serve", "--help"], ("noughts_client", "prompt_toolkit")),
        (["solve", "--help"], ("noughts.app", "noughts_client", "prompt_toolkit", "pydantic")),
    ],
    ids=str,
)
def test_a_command_imports_only_what_it_needs(argv: list[str], unwanted: tuple[str, ...]) -> None:
    loaded = set(run(LOADED, *argv).stdout.split())
    assert "noughts.cli.commands" in loaded
    assert not loaded.intersection(unwanted)


def test_a_server_imports_neither_kernels_nor_clusters_nor_clients() -> None:
    loaded = set(run("import noughts.app, sys; print(*sys.modules)").stdout.split())
    assert "noughts.features.tables" in loaded
    unwanted = {
        "numba",
        "asyncpg",
        "paho",
        "prompt_toolkit",
        "prometheus_client",
        "noughts_client",
        "jsonschema",
    }
    assert not loaded.intersection(unwanted | {"noughts.protocol.contract", "noughts.mqtt", "noughts.journal.postgres"})


@pytest.mark.parametrize(
    ("module", "argv"),
    [
        ("noughts.cli.commands", ["--help"]),
        ("pydantic", ["serve"]),
        ("prompt_toolkit", ["watch"]),
        ("noughts.cli.explain", ["solve", "connect4"]),
    ],
)
def test_ctrl_c_during_an_import_ends_a_command_quietly(module: str, argv: list[str]) -> None:
    ended = run(INTERRUPT, module, *argv)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


def test_ctrl_c_while_a_command_runs_gives_the_same_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("noughts.cli.commands.parse", lambda _: {"command": interrupted})
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit) as ended:
        main(["serve"])
    assert ended.value.code == INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before, "a caller's handler must stay"


def test_a_command_within_a_program_does_not_end_the_program() -> None:
    """The commands of ``noughts`` itself do not wait for a kernel that is being compiled."""
    assert run(BESIDE_A_KERNEL, "solve", "tictactoe", "--moves", "5,1,3,7").stdout.endswith("left\n")
