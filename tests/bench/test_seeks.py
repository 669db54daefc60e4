"""The benchmark of seeks runs, and pairs every seek."""

from __future__ import annotations

import sys

import pytest

from support.benchmarks import quick
from support.postgres import programs
from support.programs import program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it reads its servers' CPU time from /proc"),
]


async def test_it_runs_and_gives_sane_numbers() -> None:
    programs()
    program("mosquitto")
    rows = [line.strip("| ").split(" | ") for line in await quick("seeks") if line.startswith(("| one", "| two"))]
    assert [name.partition(" node")[0] for name, *_ in rows] == ["one", "one", "one", "two", "two"]
    for _, *cells in rows:
        last, worst, median, *pings = (float(cell.replace(",", "")) for cell in cells)
        assert 0 < median <= worst
        assert 0 < last <= worst
        assert pings == sorted(pings)
