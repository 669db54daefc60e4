"""The path of a move through the code stays short."""

from __future__ import annotations

import re
import subprocess
import sys

FILES, FUNCTIONS = 18, 45
"""Upper limits. Lower them when the path gets shorter; docs/architecture.md names the functions."""


def test_a_play_passes_through_few_files_and_functions() -> None:
    # In another process: the profiler would stay active in this one.
    run = subprocess.run(
        [sys.executable, "-m", "bench.hops", "--list"], capture_output=True, text=True, timeout=120, check=True
    )
    counts = re.match(r"one play: (\d+) files, (\d+) functions\n", run.stdout)
    assert counts is not None, run.stdout
    assert int(counts[1]) <= FILES, run.stdout
    assert int(counts[2]) <= FUNCTIONS, run.stdout
