"""The benchmark of a farm runs and gives sane numbers."""

from __future__ import annotations

import pytest

from support.benchmarks import quick

pytestmark = pytest.mark.slow


async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.strip("| ").split(" | ") for row in await quick("farm", 12) if row[:2] == "| " and row[2].isdigit()]
    assert [row[0] for row in rows] == ["1", "64", "1", "8", "1", "2"]
    assert all(0 < float(row[2]) < 1000 for row in rows[:4])
    assert all(0.1 < float(row[1]) < 100 for row in rows[4:])
