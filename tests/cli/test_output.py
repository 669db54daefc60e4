"""Output to a closed pipe, and the exit of the process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

SAY = "from noughts.cli.output import say; say('one'); say('two'); say('alive', to_stderr=True)"


def test_a_reader_who_leaves_does_not_end_the_process() -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as `noughts serve | head -1` does, but before the first line
    try:
        ended = subprocess.run(
            [sys.executable, "-c", SAY],
            stdout=writing,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"alive\n")


@pytest.mark.skipif(not hasattr(socket, "SOCK_SEQPACKET"), reason="needs sockets that keep each write apart")
def test_lines_are_one_write_so_that_no_other_process_comes_between() -> None:
    reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with reading, writing:
        subprocess.run(
            [sys.executable, "-c", "from noughts.cli.output import say; say('one', 'two')"],
            stdout=writing.fileno(),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"},
            check=True,
        )
        assert reading.recv(100) == b"one\ntwo\n"
