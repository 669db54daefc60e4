"""The benchmark of a restart runs, and what it counts belongs to the restart."""

from __future__ import annotations

import pytest

from support.benchmarks import pins_to_two_cores, quick

pytestmark = [pytest.mark.slow, pins_to_two_cores]


async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.strip("| ").split(" | ") for row in await quick("restart") if row[:5] in ("| sta", "| pla", "| nob")]
    assert [row[0] for row in rows] == ["start alone", "players come back", "nobody comes back"]
    for _, total, _, extra in rows:
        assert float(extra) < float(total.split()[0]) < 60
