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
    rows: dict[str, list[float]] = {}
    for line in await quick("nodes", patience=12):
        name, *cells = line.strip("| ").split(" | ")
        if "node" in name and len(cells) == 11:
            rows[name] = [float(NUMBER.findall(cell)[0].replace(",", "")) for cell in cells]
    assert len(rows) == 12
    for name, (cost, ratio, nodes, postgres, broker, syncs, rate, p50, p99, told_p50, told_p99) in rows.items():
        assert 0 < nodes < cost * 2
        assert 0 < ratio < 100
        assert postgres > 0
        assert syncs > 0
        assert (broker > 0) == (name != "one node" and "without a bus" not in name)
        assert rate > 0
        assert 0 < p50 <= p99 < 10_000
        assert 0 < told_p50 <= told_p99 < 10_000
        assert "apart" not in name or told_p50 > p50, "the opponent is told by another node, after the journal"


async def test_work_that_grows_with_the_rooms_is_measured() -> None:
    program("mosquitto")
    programs()
    figures = [line for line in await quick("nodes.crowds") if line.startswith("| ") and "now" not in line]
    assert len(figures) == 9
    assert all(float(NUMBER.findall(line.rpartition(" | ")[2])[0].replace(",", "")) >= 0 for line in figures)
