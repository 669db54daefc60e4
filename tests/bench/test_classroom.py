"""The benchmark of a class on a server runs."""

from __future__ import annotations

import pytest

from support.benchmarks import pins_to_two_cores, quick

pytestmark = [pytest.mark.slow, pins_to_two_cores]


async def test_it_runs_and_counts_the_steps_of_the_loop() -> None:
    rows = [row.strip("| ").split(" | ") for row in await quick("classroom") if row.startswith("| ")]
    steps = {what: int(count) for what, count, *_ in rows[1:]}
    assert set(steps) >= {"they come", "a simul", "they play", "they come back"}
    assert all(count > 50 for count in steps.values())
