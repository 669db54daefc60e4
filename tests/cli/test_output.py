"""Output to a closed pipe, and the exit of the process."""

from __future__ import annotations

import os
import subprocess
import sys

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
