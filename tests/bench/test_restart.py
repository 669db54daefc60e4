"""The benchmark of a restart runs, and what it counts belongs to the restart."""

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
        sys.executable, "-m", "bench.restart", "--quick", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(6 * PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    rows = [
        row.strip("| ").split(" | ") for row in output.decode().splitlines() if row[:5] in ("| sta", "| pla", "| nob")
    ]
    assert [row[0] for row in rows] == ["start alone", "players come back", "nobody comes back"]
    for _, total, _, extra in rows:
        assert float(extra) < float(total.split()[0]) < 60
