"""Tries what bubblewrap contains on this machine, in processes of its own."""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from noughts_client.bots.bubblewrap import THREADS, Unreadable, contained, shown
from noughts_client.bots.limits import kill_tree
from noughts_client.bots.program import Program

PATIENCE_S = 30
"""A probe that takes longer has failed."""

ENDING_S = 10
"""A process that lives longer than its sandbox's parent by so much outlives it."""

NETWORK = "Bots can reach the network and the servers on this machine."
FILES = "Bots can read your files."
PROCESSES = "Bots can start any number of processes."
OUTLIVE = "A bot's processes may outlive its game."
EVERYTHING = (NETWORK, FILES, PROCESSES, OUTLIVE)

_INSIDE = """
import json, os, socket, sys, threading
port, home, threads = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
try:
    socket.create_connection(("127.0.0.1", port), 5)
    network = True
except OSError:
    network = len(socket.if_nameindex()) > 1
try:
    seen = os.listdir(home)
except OSError:
    seen = []
wait, bound = threading.Event(), False
try:
    for _ in range(threads):
        threading.Thread(target=wait.wait, daemon=True).start()
except RuntimeError:
    bound = True
wait.set()
print(json.dumps({"network": network, "seen": seen, "bound": bound}))
"""

_SURVIVOR = "import time; print('up', flush=True); time.sleep(300)"

_PARENT = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(300)"


def why_not() -> str | None:
    """Why bubblewrap cannot be used here, in a sentence, or None if it starts."""
    if not sys.platform.startswith("linux"):
        return "There is bubblewrap on Linux only."
    needed = ("bwrap", "prlimit", "setpriv") if os.geteuid() == 0 else ("bwrap", "prlimit")
    for name in needed:
        if shutil.which(name) is None:
            package = "bubblewrap" if name == "bwrap" else "util-linux"
            return f"The program {name} is not installed (package {package})."
    try:
        tried = subprocess.run(_command("pass"), capture_output=True, text=True, timeout=PATIENCE_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return "bubblewrap hangs here."
    except Unreadable as error:  # this interpreter
        return str(error)
    if tried.returncode == 0:
        return None
    said = tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"]
    return f"bubblewrap does not work here: {said[-1]}."


def leaks() -> tuple[str, ...]:
    """What bots could do in the sandbox on this machine, a sentence each: nothing, where all is well."""
    home = Path.home()
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = _command(_INSIDE, str(server.getsockname()[1]), str(home), str(THREADS))
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout  # noqa: S603
            found: dict[str, Any] = json.loads(said)
        except (subprocess.SubprocessError, ValueError):
            return EVERYTHING
    expected = {path.relative_to(home).parts[0] for path in shown(_program(""), False) if path.is_relative_to(home)}
    checks = {
        NETWORK: not found["network"],
        FILES: set(found["seen"]) <= expected,
        PROCESSES: found["bound"],
        OUTLIVE: _dies_with_its_parent(),
    }
    return tuple(sentence for sentence, holds in checks.items() if not holds)


def _dies_with_its_parent() -> bool:
    """Whether a contained process ends when the process that started its sandbox is killed."""
    argv = [sys.executable, "-I", "-S", "-c", _PARENT, *_command(_SURVIVOR)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as parent:  # noqa: S603
        assert parent.stdout is not None
        try:
            up = _readable(parent.stdout.fileno(), PATIENCE_S) and parent.stdout.readline() == b"up\n"
            parent.kill()  # the survivor still holds the pipe, and its end is what shows that it has ended
            return up and _readable(parent.stdout.fileno(), ENDING_S) and parent.stdout.read(1) == b""
        finally:
            kill_tree(parent.pid)


def _readable(descriptor: int, within_s: float) -> bool:
    return bool(select.select([descriptor], [], [], within_s)[0])


def _program(code: str, *arguments: str) -> Program:
    argv = (sys.executable, "-I", "-S", "-c", code, *arguments)
    return Program(argv, executables=(Path(sys.executable),))


def _command(code: str, *arguments: str) -> list[str]:
    return contained(_program(code, *arguments), ())
