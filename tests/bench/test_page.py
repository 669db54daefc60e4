"""The benchmark of the page runs, and gives numbers."""

from __future__ import annotations

import re
import sys

import pytest

from support.benchmarks import quick
from support.programs import program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it reads its server's CPU time as Linux shows it"),
]


async def test_it_runs_and_gives_sane_numbers() -> None:
    program("chromium")
    lines = [line for line in await quick("page") if re.match(r"\|[^|]*(\| [\d,.]+ )+\|$", line)]
    rows = [line.strip("| ").split(" | ") for line in lines]
    figures = {name: [float(cell.replace(",", "")) for cell in cells] for name, *cells in rows}
    assert figures["HTTP responses, the most requests in a visit"][0] > 10
    assert 20_000 < figures["bytes of HTTP, with headers"][0] < 60_000
    for drawn in ("without values", "with values"):
        script, longest, layout, slowest, together = figures[drawn]
        assert 0 < max(script, layout) <= max(longest, slowest) <= together
    for kind in ("nobody", "sockets", "pages"):
        median, lowest, highest = figures[kind]
        assert 0 < lowest <= median <= highest
