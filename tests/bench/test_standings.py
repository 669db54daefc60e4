"""The benchmark of a tournament before watchers runs."""

from __future__ import annotations

import pytest

from support.benchmarks import pins_to_two_cores, quick

pytestmark = [pytest.mark.slow, pins_to_two_cores]


async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.strip("| ").split(" | ") for row in await quick("standings") if row.startswith("| ")]
    found = {name: [float(each) for each in figures] for name, *figures in rows if name and name != "n"}
    assert found["bystander's move"][0] > 20
    results, median, _, most = found["result in standings"]
    assert results > 2
    assert 0 < median <= most < 30_000
