"""The benchmark of seeks runs, and pairs every seek."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from support.client import PATIENCE_S
from support.postgres import programs
from support.programs import program

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it reads its servers' CPU time from /proc"),
]


async def test_it_runs_and_gives_sane_numbers() -> None:
    programs()
    program("mosquitto")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.seeks", "--quick", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(6 * PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    rows = [
        line.strip("| ").split(" | ") for line in output.decode().splitlines() if line.startswith(("| one", "| two"))
    ]
    assert [name.partition(" node")[0] for name, *_ in rows] == ["one", "one", "one", "two", "two"]
    for _, *cells in rows:
        last, worst, median, *pings = (float(cell.replace(",", "")) for cell in cells)
        assert 0 < median <= worst
        assert 0 < last <= worst
        assert pings == sorted(pings)
