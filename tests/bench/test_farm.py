"""The benchmark of a farm runs and gives sane numbers."""

from __future__ import annotations

import pytest

from support.benchmarks import quick

pytestmark = pytest.mark.slow


async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.strip("| ").split(" | ") for row in await quick("farm", 12) if row[:3] in ("| 1", "| 2", "| 6")]
    assert [row[0] for row in rows] == ["1", "64", "1", "2"]
    assert all(0 < float(row[2]) < 1000 for row in rows[:2])
    assert all(0.1 < float(row[1]) < 100 for row in rows[2:])
