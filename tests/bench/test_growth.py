"""The benchmark of growth runs, and its Gomoku goes on to the last move."""

from __future__ import annotations

import pytest

from support.benchmarks import pins_to_two_cores, quick

pytestmark = [pytest.mark.slow, pins_to_two_cores]


async def test_it_runs_and_gives_sane_numbers() -> None:
    rows = [row.strip("| ").split(" | ") for row in (await quick("growth"))[3:] if row.startswith("| ")]
    assert [name for name, *_ in rows] == [
        "2 rooms",
        "4 rooms",
        "4 rooms, 20 idle games",
        "4 rooms, 20 finished games",
        "4 rooms, 20 idle connections",
        "Gomoku, moves 1 to 20",
        "Gomoku, moves 181 to 200",
    ]
    for _, cost, ratio in rows:
        assert 10 < float(cost.split()[0]) < 100_000
        assert 0.05 < float(ratio) < 50
