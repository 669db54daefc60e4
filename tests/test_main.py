"""Ctrl-C while the program starts."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Python with these arguments, as a shell starts it in the foreground."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # no other threads here
    )


def interrupted(process: subprocess.Popen[str]) -> str:
    """What the program still writes after a Ctrl-C."""
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    return said + "".join(line for line in complaints.splitlines(keepends=True) if not line.startswith("import time:"))


@pytest.mark.parametrize("module", ["pydantic", "prompt_toolkit.utils"])
def test_ctrl_c_while_modules_are_loaded_prints_no_traceback(module: str) -> None:
    # Python reports each module on stderr as soon as it is loaded.
    with start("-X", "importtime", "-m", "noughts", "play", "--url=ws://127.0.0.1:1/ws") as process:
        assert process.stderr is not None
        assert any(line.split()[-1] == module for line in process.stderr)
        assert "Traceback" not in interrupted(process)


def test_ctrl_c_while_a_server_does_not_answer_prints_no_traceback(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"ws://127.0.0.1:{silent.getsockname()[1]}/ws"
        with start("-m", "noughts", "register", "player-1", f"--url={url}", XDG_STATE_HOME=str(tmp_path)) as process:
            silent.settimeout(60)
            connection, _ = silent.accept()
            with connection:
                assert "Traceback" not in interrupted(process)
