"""The benchmark of connections and of games that are given up runs, with and without a file for the journal."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from support.client import PATIENCE_S

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) < 2, reason="it pins to two cores, on Linux"
    ),
]


async def test_it_runs_and_gives_sane_numbers() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.meeting", "--quick", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(6 * PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    rows = [row.strip("| ").split(" | ") for row in output.decode().splitlines() if row.startswith("| noughts")]
    assert [row[0] for row in rows] == ["noughts", "noughts, in memory"]
    for _, games, connections in rows:
        assert 10 < float(games.split()[0]) < 100_000
        assert 10 < float(connections.split()[0]) < 100_000
