"""The benchmark of growth runs, and its Gomoku goes on to the last move."""

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
        sys.executable, "-m", "bench.growth", "--quick", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(6 * PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    rows = [row.strip("| ").split(" | ") for row in output.decode().splitlines()[3:] if row.startswith("| ")]
    assert [name for name, *_ in rows] == [
        "2 rooms",
        "4 rooms",
        "4 rooms, 20 idle games",
        "4 rooms, 20 finished games",
        "4 rooms, 20 idle connections",
        "Gomoku, moves 1 to 20",
        "Gomoku, moves 181 to 200",
    ]
    for _, cost, ratio in rows:
        assert 10 < float(cost.split()[0]) < 100_000
        assert 0.05 < float(ratio) < 50
