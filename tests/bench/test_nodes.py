"""The benchmark of several nodes runs, and its moves cross between nodes."""

from __future__ import annotations

import re
import sys

import pytest

from support.benchmarks import quick
from support.postgres import programs
from support.programs import program

NUMBER = re.compile(r"[\d,.]+")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it asks Linux who used the CPU"),
]


async def test_it_runs_and_gives_sane_numbers() -> None:
    programs()
    program("mosquitto")
    tables: dict[str, list[list[float]]] = {}
    for line in await quick("nodes", patience=12):
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
