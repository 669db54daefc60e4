"""A move passes through few files and functions, and stays so."""

from __future__ import annotations

import re
import subprocess
import sys

FILES, FUNCTIONS = 34, 98
"""As many as today. Lower them when a move takes fewer; docs/architecture.md names the files."""


def test_one_play_passes_through_few_files_and_functions() -> None:
    # A process of its own: the profiler would slow down whatever else runs in this one.
    run = subprocess.run(
        [sys.executable, "-m", "bench.hops", "--list"], capture_output=True, text=True, timeout=120, check=True
    )
    counts = re.match(r"one play: (\d+) files, (\d+) functions\n", run.stdout)
    assert counts is not None, run.stdout
    assert int(counts[1]) <= FILES, run.stdout
    assert int(counts[2]) <= FUNCTIONS, run.stdout
