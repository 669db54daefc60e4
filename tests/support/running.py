"""``noughts`` commands in processes of their own, for what happens while they run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running(*argv: str) -> Iterator[subprocess.Popen[str]]:
    """A command that runs. It is killed at the end."""
    command = [sys.executable, "-m", "noughts", *argv]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """The first line on stderr that has ``words``."""
    assert process.stderr
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"it never said {words!r}")
