"""The benchmark of several nodes runs, and its moves cross between nodes."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from support.client import PATIENCE_S
from support.postgres import programs
from support.programs import program

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"[\d,.]+")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it asks Linux who used the CPU"),
]


async def test_it_runs_and_gives_sane_numbers() -> None:
    programs()
    program("mosquitto")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.nodes", "--quick", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(12 * PATIENCE_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    tables: dict[str, list[list[float]]] = {}
    for line in output.decode().splitlines():
        if line.startswith("| 2 |"):
            _, name, *cells = line.strip("| ").split(" | ")
            row = [float(NUMBER.findall(cell)[0].replace(",", "")) for cell in cells]
            tables.setdefault(name, []).append(row)
    assert [len(rows) for rows in tables.values()] == [3] * 5, "rates, use and costs of each"
    for name, (rates, use, costs) in tables.items():
        rate, relative, p50, p99, told_p50, told_p99, late = rates
        assert rate > 0
        assert 0 <= relative < 100
        assert 0 < p50 <= p99 < 10_000
        assert 0 < told_p50 <= told_p99 < 10_000
        assert 0 <= late <= 100
        assert "two" not in name or told_p50 > p50, "the opponent is told by another node, after the journal"
        assert "two" in name or use[1] == 0, "a second node"
        nodes, postgres, broker, load, syncs, *_ = costs
        assert nodes > 0
        assert load > 0
        assert (postgres > 0, syncs > 0, broker > 0) == ("PostgreSQL" in name, "PostgreSQL" in name, "MQTT" in name)
